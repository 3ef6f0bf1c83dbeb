#pragma once

#include <QObject>
#include <QUndoStack>
#include <functional>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

namespace highwater::widgets {

/// The experiment being edited, with undo and what is inferred from it. Every editor shows this one value and
/// changes it through edit(); nobody keeps a copy.
class ExperimentDocument : public QObject {
    Q_OBJECT
public:
    explicit ExperimentDocument(QObject* parent = nullptr);

    const stack::Experiment& experiment() const { return experiment_; }
    /// Shapes and parameters of the current value, or why it is invalid; inferred anew after each change.
    const base::Result<stack::StackInfo>& info() const { return info_; }

    /// Another experiment: clears the undo history, counts as saved.
    void reset(stack::Experiment experiment);
    /// An undoable change. Consecutive edits with the same non-empty mergeKey become one undo step (dragging
    /// a spin box). A change that changes nothing leaves no step.
    void edit(const QString& what, const std::function<void(stack::Experiment&)>& change,
              const QString& mergeKey = {});
    QUndoStack& undoStack() { return undo_; }

signals:
    void changed();

private:
    friend class ExperimentCommand;
    void assign(stack::Experiment experiment);
    stack::Experiment experiment_;
    base::Result<stack::StackInfo> info_;
    QUndoStack undo_;
};

}  // namespace highwater::widgets
