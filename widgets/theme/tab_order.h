#pragma once

#include <QWidget>

namespace highwater::widgets {

/// Puts `body`, if it takes the focus, and the widgets within it that do before `button` in the Tab order,
/// although they were made later.
void tabBefore(QWidget* button, QWidget& body);

}  // namespace highwater::widgets
