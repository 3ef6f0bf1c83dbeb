#pragma once

#include <QTableView>
#include <QWidget>
#include <memory>

#include "core/memory/call_stacks.h"
#include "widgets/theme/table_model.h"

class QToolButton;

namespace highwater::widgets {

class ElidedLabel;

/// The frames of one call stack, innermost first.
class FramesModel : public TableModel<memory::StackFrame> {
    Q_OBJECT
public:
    enum Column { Function, Place };
    explicit FramesModel(QObject* parent = nullptr);
    /// `best`: the row of the frame that represents the stack; -1 for none.
    void setFrames(std::vector<memory::StackFrame> frames, int best);

private:
    QString text(const memory::StackFrame& frame, int column) const override;
    QVariant look(const memory::StackFrame& frame, int column, int role) const override;
    memory::StackFrame best_;
};

/// The selected block or group, with the whole call stack that allocated it. Copy, or Ctrl+C in the list,
/// copies all of it as text.
class StackPane : public QWidget {
    Q_OBJECT
public:
    explicit StackPane(QWidget* parent = nullptr);

    /// The text shown while nothing is selected: what to click.
    void setHint(const QString& hint);
    /// If `stack` is -1, it says that no stack was recorded; if `stacks` is null, it says nothing about
    /// stacks.
    void showStack(const QString& title, const QString& note, const memory::CallStacks* stacks,
                   std::int32_t stack);
    void clear();

    QString title() const;
    QString note() const;
    /// The text to copy: title, note, and a line for each frame.
    QString copyText() const;
    QTableView& table() { return *table_; }

private:
    void copy() const;
    ElidedLabel *title_, *note_;
    QToolButton* copy_;
    FramesModel* frames_;
    QTableView* table_;
    QString hint_;
};

}  // namespace highwater::widgets
