#pragma once

class QWidget;

namespace highwater::widgets {

/// Shows a popup above `at` if there is room, otherwise below it; always inside the screen.
void openPopup(QWidget* popup, const QWidget* at);

}  // namespace highwater::widgets
