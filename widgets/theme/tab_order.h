#pragma once

#include <QDialog>

namespace highwater::widgets {

/// Puts `body`, if it takes the focus, and the widgets within it that do before `button` in the Tab order,
/// although they were made later.
void tabBefore(QWidget* button, QWidget& body);

/// Keeps Return from pressing a button of the dialog that does not have the focus. For dialogs in which
/// fields and lists take Return: they pass it on, and Qt would press the first button.
void pressOnlyFocusedButtons(QDialog& dialog);

}  // namespace highwater::widgets
