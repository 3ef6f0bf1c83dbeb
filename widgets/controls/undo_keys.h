#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>

class QUndoStack;

namespace highwater::widgets {

/// Makes Ctrl+Z and Ctrl+Y undo and redo changes of the experiment while a field has the focus. Fields apply
/// typed text at once, so their own undo is of little use. A field whose text is wrong or not applied yet
/// keeps its own undo; so do dialogs, and plain text fields that have something to undo. Any other shortcut
/// first applies a number that is still being typed: F5 runs with it. Ctrl+E, with which Qt's line edits move
/// the cursor on X11, reaches every window: it reports or exports.
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

/// The redo shortcuts of every window: Ctrl+Shift+Z and Ctrl+Y.
QList<QKeySequence> redoKeys();
/// Enables the undo and redo shortcuts in a window that has no menu for them.
void addUndoShortcuts(QWidget* window, QUndoStack& stack);

}  // namespace highwater::widgets
