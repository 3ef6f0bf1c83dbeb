#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <functional>

namespace highwater::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kPatienceMs = 300000;  ///< everything is several times slower
#else
inline constexpr int kPatienceMs = 60000;
#endif

/// Processes the window's events until `met`; returns false if that takes longer than `ms`. Sleeps while
/// there is nothing to do, because it often waits for another program that needs the processor.
inline bool waitUntil(const std::function<bool()>& met, int ms = kPatienceMs) {
    QElapsedTimer clock;
    clock.start();
    QTimer look;  // also checks conditions that no event announces
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
