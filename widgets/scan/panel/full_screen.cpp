#include "widgets/scan/panel/full_screen.h"

#include <QCloseEvent>
#include <QVBoxLayout>

namespace highwater::widgets {

FullScreen::FullScreen(QWidget* owner) : QWidget(owner, Qt::Window) {
    setObjectName("fullScreen");
    setWindowTitle(tr("Scan"));
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    move(owner->mapToGlobal(QPoint(0, 0)));  // the window becomes full screen on the screen it is on
}

void FullScreen::take(QWidget* content) {
    layout()->addWidget(content);
    content->show();
    showFullScreen();
    content->setFocus();
}

void FullScreen::closeEvent(QCloseEvent* event) {
    event->ignore();
    emit closed();
}

}  // namespace highwater::widgets

#include "moc_full_screen.cpp"
