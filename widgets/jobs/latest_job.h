#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <utility>

namespace highwater::widgets {

/// Work on another thread of which only the latest request counts. A new request cancels the work in
/// progress, and the result of that work is dropped. The pool must outlive the work (its destructor waits).
class LatestJob : public QObject {
public:
    using Cancel = std::shared_ptr<std::atomic<bool>>;

    explicit LatestJob(QThreadPool& pool, QObject* parent = nullptr) : QObject(parent), pool_(pool) {}
    ~LatestJob() override { cancel(); }

    /// Calls `work(const Cancel&)` on the pool, then `then(value)` on the window's thread.
    template <class Work, class Then>
    void run(Work work, Then then) {
        cancel();
        cancel_ = std::make_shared<std::atomic<bool>>(false);
        pool_.start([work = std::move(work), then = std::move(then), cancel = cancel_,
                     guard = QPointer<LatestJob>(this)]() mutable {
            if (*cancel) {
                return;
            }
            auto value = std::make_shared<decltype(work(cancel))>(work(cancel));
            QMetaObject::invokeMethod(
                qApp,
                [value, then = std::move(then), cancel, guard]() mutable {
                    if (!guard || *cancel) {
                        return;
                    }
                    guard->cancel_.reset();
                    then(std::move(*value));
                },
                Qt::QueuedConnection);
        });
    }
    void cancel() {
        if (cancel_) {
            *cancel_ = true;
        }
        cancel_.reset();
    }
    bool busy() const { return cancel_ != nullptr; }

private:
    QThreadPool& pool_;
    Cancel cancel_;
};

}  // namespace highwater::widgets
