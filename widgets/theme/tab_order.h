#pragma once

#include <QWidget>

namespace highwater::widgets {

/// Puts the widgets within `body` that take the focus before `button` in the Tab order, although they were
/// made later.
void tabBefore(QWidget* button, const QWidget& body);

}  // namespace highwater::widgets
