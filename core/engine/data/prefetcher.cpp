#include "core/engine/data/prefetcher.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "core/base/ticker.h"

namespace highwater::engine {

Prefetcher::Prefetcher(std::size_t workers, std::size_t slots, Work work)
    : work_(std::move(work)), slots_(slots) {
    threads_.reserve(workers);
    try {
        for (std::size_t worker = 0; worker < workers; ++worker) {
            threads_.emplace_back([this, worker] { loop(worker); });
        }
    } catch (const std::system_error& error) {
        const std::size_t started = threads_.size();
        stop();
        throw DataFailed(
            fmt::format("/data/workers: only {} of {} threads could be created ({}); ask for fewer", started,
                        workers, error.code().message()));
    }
}

Prefetcher::~Prefetcher() {
    stop();
}

void Prefetcher::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    free_.notify_all();
    stopped_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

std::size_t Prefetcher::take(const std::function<void()>& check) {
    constexpr std::chrono::milliseconds kLook{20};
    const std::size_t slot = slotOf(taken_);
    std::unique_lock lock(mutex_);
    do {
        lock.unlock();
        check();
        lock.lock();
    } while (!made_.wait_for(lock, kLook, [&] { return slots_[slot].made; }));
    if (slots_[slot].error) {
        std::rethrow_exception(slots_[slot].error);
    }
    return slot;
}

void Prefetcher::giveBack() {
    {
        const std::lock_guard lock(mutex_);
        slots_[slotOf(taken_)] = {};
        ++taken_;
    }
    free_.notify_one();
}

std::int64_t Prefetcher::begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
}

void Prefetcher::loop(std::size_t worker) {
    base::blockSignals();
    // SCHED_BATCH: a worker that wakes up must not preempt a thread that computes the step.
    const sched_param priority{};
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &priority);
    while (const auto sample = begin()) {
        std::exception_ptr error;
        try {
            work_.make(*sample, slotOf(*sample), worker, [this](double ms) { wait(ms); });
        } catch (const Stopped&) {
            return;
        } catch (...) {
            error = std::current_exception();
        }
        finish(*sample, error);
    }
}

/// Claims the next sample; std::nullopt after stop().
std::optional<std::int64_t> Prefetcher::begin() {
    for (;;) {
        const std::lock_guard inOrder(order_);
        std::int64_t sample = 0;
        {
            std::unique_lock lock(mutex_);
            free_.wait(
                lock, [this] { return stop_ || begun_ - taken_ < static_cast<std::int64_t>(slots_.size()); });
            if (stop_) {
                return std::nullopt;
            }
            sample = begun_++;
        }
        if (!work_.begin) {
            return sample;
        }
        try {
            work_.begin(sample, slotOf(sample));
            return sample;
        } catch (...) {
            finish(sample, std::current_exception());
        }
    }
}

void Prefetcher::finish(std::int64_t sample, std::exception_ptr error) {
    {
        const std::lock_guard lock(mutex_);
        slots_[slotOf(sample)] = {true, std::move(error)};
    }
    made_.notify_one();
}

void Prefetcher::wait(double ms) {
    std::unique_lock lock(mutex_);
    if (ms > 0) {
        stopped_.wait_for(lock, std::chrono::duration<double, std::milli>(ms), [this] { return stop_; });
    }
    if (stop_) {
        throw Stopped();
    }
}

}  // namespace highwater::engine
