#pragma once

#include <QScreen>
#include <QWidget>

namespace highwater::widgets {

/// `wanted`, but no larger than the screen that the window opens on, its frame and title bar counted.
inline QSize onScreen(const QWidget& window, QSize wanted) {
    constexpr QSize kFrame(16, 48);
    const QWidget* const place = window.parentWidget() ? window.parentWidget() : &window;
    return wanted.boundedTo(place->screen()->availableGeometry().size() - kFrame);
}

}  // namespace highwater::widgets
