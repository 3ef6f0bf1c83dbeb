#pragma once

class QWidget;

namespace highwater::widgets {

/// Shows a popup above `at` if there is room, else below it; always inside the screen.
void openPopup(QWidget* popup, const QWidget* at);

}  // namespace highwater::widgets
