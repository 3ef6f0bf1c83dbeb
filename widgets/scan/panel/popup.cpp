#include "widgets/scan/panel/popup.h"

#include <QScreen>
#include <QWidget>
#include <algorithm>

namespace highwater::widgets {

void openPopup(QWidget* popup, const QWidget* at) {
    popup->adjustSize();
    const QRect screen = at->screen()->availableGeometry();
    const QPoint corner = at->mapToGlobal(QPoint(0, 0));
    QPoint to(corner.x(), corner.y() - popup->height() - 2);
    if (to.y() < screen.top()) {
        to.setY(corner.y() + at->height() + 2);
    }
    to.setX(std::clamp(to.x(), screen.left(), std::max(screen.left(), screen.right() + 1 - popup->width())));
    to.setY(std::clamp(to.y(), screen.top(), std::max(screen.top(), screen.bottom() + 1 - popup->height())));
    popup->move(to);
    popup->show();
}

}  // namespace highwater::widgets
