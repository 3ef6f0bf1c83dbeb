#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>

class QUndoStack;

namespace highwater::widgets {

/// Makes Ctrl+Z and Ctrl+Y undo and redo changes of the experiment while a field has the focus. Fields apply
/// what is typed at once, so their own undo is of little use. A field with text that is wrong or not applied
/// yet keeps its own undo, and so do dialogs, and plain text fields that have something to undo. A number
/// that is still being typed counts for every other shortcut: F5 runs with it.
class UndoKeys : public QObject {
    Q_OBJECT
public:
    /// Handles the fields of `window`, as long as the window lives.
    explicit UndoKeys(QWidget* window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* window_;
};

/// The keys that redo in every window: Ctrl+Shift+Z and Ctrl+Y.
QList<QKeySequence> redoKeys();
/// Lets Ctrl+Z and the keys that redo work in a window that has no menu for it.
void addUndoShortcuts(QWidget* window, QUndoStack& stack);

}  // namespace highwater::widgets
