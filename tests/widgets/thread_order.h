#pragma once

#include <QApplication>

/// For programs built with ThreadSanitizer; thread_order.cpp says what for. Nothing in any other build.
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

/// An event was posted before it arrives.
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
