#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <functional>

namespace highwater::test {

/// Lets the window work until `met`; false where that takes longer than `ms`.
inline bool waitUntil(const std::function<bool()>& met, int ms = 60000) {
    QElapsedTimer clock;
    clock.start();
    while (!met()) {
        if (clock.elapsed() > ms) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    return true;
}

}  // namespace highwater::test
