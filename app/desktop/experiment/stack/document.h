#pragma once

#include <QObject>
#include <QUndoStack>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

namespace highwater::desktop {

class KeptExperiment;

/// The experiment being edited, with its undo history and the shapes inferred from it. Every editor shows
/// this one value and changes it through edit(); no editor keeps a copy.
class ExperimentDocument : public QObject {
    Q_OBJECT
public:
    explicit ExperimentDocument(QObject* parent = nullptr);
    ~ExperimentDocument() override;

    /// The size of the undo history; older steps are dropped.
    static constexpr int kUndoSteps = 500;

    const stack::Experiment& experiment() const { return experiment_; }
    /// Changes with every edit, undo and redo.
    std::uint64_t revision() const { return revision_; }
    /// Shapes and parameters of the current value, or why it is invalid. Inferred again after each change.
    const base::Result<stack::StackInfo>& info() const { return info_; }

    /// Replaces the experiment and clears the undo history.
    void reset(stack::Experiment experiment);
    /// Replaces the experiment, undoably: "Open unet.json". `place` is undone and redone with it, before
    /// changed() is emitted (for other state of the experiment: its file).
    void replace(const QString& what, stack::Experiment experiment, std::unique_ptr<QUndoCommand> place);
    /// Makes an undoable change. Consecutive edits with the same non-empty mergeKey become one undo step
    /// (dragging a spin box). If the experiment stays the same, no undo step is made.
    void edit(const QString& what, const std::function<void(stack::Experiment&)>& change,
              const QString& mergeKey = {});
    QUndoStack& undoStack() { return undo_; }

signals:
    void changed();

private:
    friend class ExperimentCommand;
    void push(const QString& what, stack::Experiment experiment, const QString& mergeKey,
              std::unique_ptr<QUndoCommand> place);
    void assign(std::shared_ptr<const KeptExperiment> kept);
    stack::Experiment experiment_;
    std::shared_ptr<const KeptExperiment> kept_;  ///< the same for the undo history
    std::uint64_t revision_ = 0;
    base::Result<stack::StackInfo> info_;
    QUndoStack undo_;
};

}  // namespace highwater::desktop
