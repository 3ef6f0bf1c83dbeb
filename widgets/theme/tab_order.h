#pragma once

#include <QDialog>

namespace highwater::widgets {

/// Puts the widgets of `body` that accept focus (and `body` itself) before `button` in the Tab order,
/// although they were created later.
void tabBefore(QWidget* button, QWidget& body);

/// Keeps Return from pressing a button that does not have the focus. For dialogs whose fields and lists
/// handle Return: they pass the key on, and Qt would press the first button.
void pressOnlyFocusedButtons(QDialog& dialog);

}  // namespace highwater::widgets
