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
/// progress, and the result of that work is dropped.
class LatestJob : public QObject {
public:
    using Cancel = std::shared_ptr<std::atomic<bool>>;

    /// On a thread of its own. The destructor waits for the work, so it is to be declared after what the work
    /// uses.
    LatestJob() : own_(std::make_unique<QThreadPool>()), pool_(*own_) { own_->setMaxThreadCount(1); }
    /// On a pool that must outlive the work (its destructor waits).
    explicit LatestJob(QThreadPool& pool, QObject* parent = nullptr) : QObject(parent), pool_(pool) {}
    ~LatestJob() override {
        cancel();
        if (own_) {
            own_->waitForDone();
        }
    }

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
    /// From the work, which this outlives: calls `act()` on the window's thread, unless the work has been
    /// cancelled by then.
    template <class Act>
    void report(const Cancel& cancel, Act act) {
        QMetaObject::invokeMethod(
            this,
            [cancel, act = std::move(act)] {
                if (!*cancel) {
                    act();
                }
            },
            Qt::QueuedConnection);
    }
    void cancel() {
        if (cancel_) {
            *cancel_ = true;
        }
        cancel_.reset();
    }
    bool busy() const { return cancel_ != nullptr; }

private:
    std::unique_ptr<QThreadPool> own_;
    QThreadPool& pool_;
    Cancel cancel_;
};

}  // namespace highwater::widgets
