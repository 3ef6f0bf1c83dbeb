#pragma once

#include <QApplication>
#include <QByteArray>
#include <QScreen>
#include <QWidget>

namespace highwater::widgets {

/// `wanted`, but no larger than the screen that the window opens on, its frame and title bar counted.
inline QSize onScreen(const QWidget& window, QSize wanted) {
    constexpr QSize kFrame(16, 48);
    const QWidget* const place = window.parentWidget() ? window.parentWidget() : &window;
    return wanted.boundedTo(place->screen()->availableGeometry().size() - kFrame);
}

/// Where the window was when `kept` was saved; the first time over the window that it is opened from.
inline void placeAsKept(QWidget& window, const QByteArray& kept) {
    const QWidget* const over = QApplication::activeWindow();
    if (!window.restoreGeometry(kept) && over != nullptr) {
        window.move(over->geometry().center() - window.rect().center());
    }
}

}  // namespace highwater::widgets
