#pragma once

#include <QApplication>

/// For programs built with ThreadSanitizer; see thread_order.cpp. Does nothing in any other build.
#ifdef __SANITIZE_THREAD__

#include <sanitizer/tsan_interface.h>

namespace highwater::testing {

inline char order;
inline void handOver() {
    __tsan_release(&order);
}
inline void takeOver() {
    __tsan_acquire(&order);
}

/// Posting an event happens before its arrival.
class QtApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        takeOver();
        const bool done = QApplication::notify(receiver, event);
        handOver();
        return done;
    }
};

}  // namespace highwater::testing

#else

namespace highwater::testing {
using QtApplication = QApplication;
}

#endif
