#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <functional>

namespace highwater::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kPatienceMs = 300000;  ///< all is several times slower
#else
inline constexpr int kPatienceMs = 60000;
#endif

/// Lets the window work until `met`; false where that takes longer than `ms`. Sleeps where there is nothing
/// to do: it often waits for another program, which needs the processor.
inline bool waitUntil(const std::function<bool()>& met, int ms = kPatienceMs) {
    QElapsedTimer clock;
    clock.start();
    QTimer look;  // also at what no event tells
    look.start(5);
    while (!met()) {
        if (clock.elapsed() > ms) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    }
    return true;
}

}  // namespace highwater::test
