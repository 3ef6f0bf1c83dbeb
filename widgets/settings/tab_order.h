#pragma once

#include <QWidget>

namespace highwater::widgets {

/// Puts what takes the focus within `body` (made later than `button`) before it in the order of the Tab key.
void tabBefore(QWidget* button, const QWidget& body);

}  // namespace highwater::widgets
