#pragma once

#include <QApplication>
#include <QByteArray>
#include <QScreen>
#include <QWidget>
#include <algorithm>

namespace highwater::widgets {

/// `wanted`, limited to the screen on which the window opens, including its frame and title bar.
inline QSize onScreen(const QWidget& window, QSize wanted) {
    constexpr QSize kFrame(16, 48);
    const QWidget* const place = window.parentWidget() ? window.parentWidget() : &window;
    return wanted.boundedTo(place->screen()->availableGeometry().size() - kFrame);
}

/// The largest visible window, taken as the one that `window` is opened from. The active window may be null,
/// or a dialog that is closing.
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

/// Restores the geometry saved in `kept`; the first time, places the window over the one it is opened from,
/// with its whole frame on the screen.
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
