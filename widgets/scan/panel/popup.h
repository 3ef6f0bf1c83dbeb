#pragma once

class QWidget;

namespace highwater::widgets {

/// Shows a popup above `at` where it fits, else below; inside the screen.
void openPopup(QWidget* popup, const QWidget* at);

}  // namespace highwater::widgets
