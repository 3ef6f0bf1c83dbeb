#pragma once

#include <QApplication>
#include <QByteArray>
#include <QScreen>
#include <QWidget>
#include <algorithm>

namespace highwater::widgets {

/// `wanted`, but no larger than the screen that the window opens on, its frame and title bar counted.
inline QSize onScreen(const QWidget& window, QSize wanted) {
    constexpr QSize kFrame(16, 48);
    const QWidget* const place = window.parentWidget() ? window.parentWidget() : &window;
    return wanted.boundedTo(place->screen()->availableGeometry().size() - kFrame);
}

/// The window that is opened from: the largest that is seen. The active one may be a dialog that closes, or
/// none.
inline const QWidget* windowBeneath(const QWidget& window) {
    const QWidget* largest = nullptr;
    for (const QWidget* each : QApplication::topLevelWidgets()) {
        const bool larger =
            largest == nullptr || each->width() * each->height() > largest->width() * largest->height();
        if (each != &window && each->isVisible() && each->windowType() == Qt::Window && larger) {
            largest = each;
        }
    }
    return largest;
}

/// Where the window was when `kept` was saved; the first time over the window that it is opened from, on the
/// screen with all of its frame.
inline void placeAsKept(QWidget& window, const QByteArray& kept) {
    const QWidget* const over = windowBeneath(window);
    if (window.restoreGeometry(kept) || over == nullptr) {
        return;
    }
    constexpr int kTitleBar = 32;
    const QRect screen = over->screen()->availableGeometry();
    const QPoint place = over->geometry().center() - window.rect().center();
    const QPoint last = screen.bottomRight() - window.rect().bottomRight();
    window.move(std::max(screen.left(), std::min(place.x(), last.x())),
                std::max(screen.top() + kTitleBar, std::min(place.y(), last.y())));
}

}  // namespace highwater::widgets
