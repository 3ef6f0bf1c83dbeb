/// Tells ThreadSanitizer about Qt, whose libraries are built without it: work that is handed to a pool or
/// posted to a thread happens after everything that the sender did before. ThreadSanitizer cannot see the
/// locks inside Qt, and would report every result returned by a worker as a race. The Qt functions to which
/// our code hands work are intercepted here and forwarded; QtApplication (qt_main.h) does the same where the
/// work arrives. All of it has one order, so a race between two threads that both hand over work at the same
/// time is not detected.

#include <dlfcn.h>

#include <QMetaObject>
#include <QRunnable>
#include <QThread>
#include <QThreadPool>
#include <functional>

#include "tests/widgets/thread_order.h"

namespace {

/// The function with this mangled name in Qt's library.
template <class Function>
Function in(const char* mangled) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, mangled));
}

/// Work of a pool. It is released on the worker's thread, where the pool deletes this.
class Ordered : public QRunnable {
public:
    explicit Ordered(std::function<void()> work) : work_(std::move(work)) { highwater::testing::handOver(); }
    void run() override {
        highwater::testing::takeOver();
        work_();
        work_ = nullptr;
        highwater::testing::handOver();
    }

private:
    std::function<void()> work_;
};

}  // namespace

void QThreadPool::start(std::function<void()> work, int priority) {
    start(new Ordered(std::move(work)), priority);
}

bool QThreadPool::waitForDone(int ms) {
    using Real = bool (*)(QThreadPool*, int);
    static const auto real = in<Real>("_ZN11QThreadPool11waitForDoneEi");
    const bool done = real(this, ms);
    highwater::testing::takeOver();
    return done;
}

bool QMetaObject::invokeMethodImpl(QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type,
                                   void* result) {
    using Real = bool (*)(QObject*, QtPrivate::QSlotObjectBase*, Qt::ConnectionType, void*);
    static const auto real = in<Real>(
        "_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv");
    highwater::testing::handOver();
    const bool done = real(object, slot, type, result);
    highwater::testing::takeOver();  // a blocking call has waited for the other thread
    return done;
}

void QMetaObject::activate(QObject* sender, const QMetaObject* meta, int signal, void** arguments) {
    using Real = void (*)(QObject*, const QMetaObject*, int, void**);
    static const auto real = in<Real>("_ZN11QMetaObject8activateEP7QObjectPKS_iPPv");
    highwater::testing::handOver();
    real(sender, meta, signal, arguments);
}

void QThread::start(Priority priority) {
    using Real = void (*)(QThread*, Priority);
    static const auto real = in<Real>("_ZN7QThread5startENS_8PriorityE");
    highwater::testing::handOver();
    real(this, priority);
}

bool QThread::wait(QDeadlineTimer deadline) {
    using Real = bool (*)(QThread*, QDeadlineTimer);
    static const auto real = in<Real>("_ZN7QThread4waitE14QDeadlineTimer");
    const bool done = real(this, deadline);
    highwater::testing::takeOver();
    return done;
}
