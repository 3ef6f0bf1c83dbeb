#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <memory>
#include <utility>

namespace highwater::widgets {

/// One worker thread. It does its work in the order of the requests, and hands each result back on the
/// window's thread. The destructor waits for the work in progress and drops the rest.
class Background {
public:
    Background() { pool_.setMaxThreadCount(1); }
    ~Background() {
        pool_.clear();
        pool_.waitForDone();
    }

    /// Calls `work()` on the worker thread, then `then(value)` on the window's thread, unless `context` has
    /// been deleted by then.
    template <class Work, class Then>
    void run(Work work, QObject* context, Then then) {
        pool_.start(
            [work = std::move(work), then = std::move(then), guard = QPointer<QObject>(context)]() mutable {
                auto value = std::make_shared<decltype(work())>(work());
                QMetaObject::invokeMethod(
                    qApp,
                    [value, then = std::move(then), guard]() mutable {
                        if (guard) {
                            then(std::move(*value));
                        }
                    },
                    Qt::QueuedConnection);
            });
    }

private:
    QThreadPool pool_;
};

}  // namespace highwater::widgets
