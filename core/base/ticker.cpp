#include "core/base/ticker.h"

#include <pthread.h>

#include <csignal>

namespace highwater::base {

void blockSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

Ticker::Ticker(std::chrono::microseconds period, std::function<void()> work)
    : period_(period), work_(std::move(work)), thread_([this] { loop(); }) {}

void Ticker::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Ticker::loop() {
    blockSignals();
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, period_, [this] { return stop_; })) {
        lock.unlock();
        work_();
        lock.lock();
    }
}

}  // namespace highwater::base
