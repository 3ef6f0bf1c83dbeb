#include "widgets/controls/undo_keys.h"

#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QShortcut>
#include <QSpinBox>
#include <QUndoStack>

#include "widgets/controls/checked_edit.h"

namespace highwater::widgets {

namespace {

bool undoesOrRedoes(const QKeyEvent& key) {
    return key.matches(QKeySequence::Undo) || redoKeys().contains(QKeySequence(key.keyCombination()));
}

/// The line edit of a field; nullptr if it has none. An editable combo box keeps the focus when its line edit
/// gets it.
const QLineEdit* lineOf(const QObject* field) {
    const auto* list = qobject_cast<const QComboBox*>(field);
    return list ? list->lineEdit() : qobject_cast<const QLineEdit*>(field);
}

/// True if the text of the field has been applied, or if the field has nothing of its own to undo.
bool applied(const QObject* field) {
    if (const auto* edit = qobject_cast<const widgets::CheckedEdit*>(field)) {
        return edit->isRight();
    }
    if (const auto* line = lineOf(field)) {
        const auto* list = qobject_cast<const QComboBox*>(line->parent());
        return (list && line->text() == list->itemText(list->currentIndex())) ||
               !(line->isUndoAvailable() || line->isRedoAvailable());
    }
    const auto* spin = qobject_cast<const QSpinBox*>(field);
    return spin && spin->cleanText() == QString::number(spin->value());
}

}  // namespace

QList<QKeySequence> redoKeys() {
    return {QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")};
}

void addUndoShortcuts(QWidget* window, QUndoStack& stack) {
    auto* undo = new QShortcut(QKeySequence::Undo, window);
    QObject::connect(undo, &QShortcut::activated, &stack, &QUndoStack::undo);
    for (const QKeySequence& keys : redoKeys()) {
        QObject::connect(new QShortcut(keys, window), &QShortcut::activated, &stack, &QUndoStack::redo);
    }
}

UndoKeys::UndoKeys(QWidget* window) : QObject(window), window_(window) {
    qApp->installEventFilter(this);
}

bool UndoKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Shortcut) {
        auto* spin = qobject_cast<QAbstractSpinBox*>(QApplication::focusWidget());
        if (spin && spin->window() == window_) {
            spin->interpretText();
        }
        return false;
    }
    if (event->type() != QEvent::ShortcutOverride || !watched->isWidgetType()) {
        return false;
    }
    const auto& key = *static_cast<QKeyEvent*>(event);
    const bool undo = static_cast<QWidget*>(watched)->window() == window_ && undoesOrRedoes(key);
    if (!(undo && applied(watched)) && key.keyCombination() != (Qt::CTRL | Qt::Key_E)) {
        return false;
    }
    event->ignore();  // not handled by the field, so that the window's action is triggered
    return true;
}

}  // namespace highwater::widgets

#include "moc_undo_keys.cpp"
