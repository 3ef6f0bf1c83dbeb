#include "core/engine/run/sampler.h"

#include <pthread.h>

#include <csignal>

namespace highwater::engine {

void Announcer::say(const wire::Event& event) {
    const std::lock_guard lock(mutex_);
    if (sink_) {
        sink_(event);
    }
}

LedgerSampler::LedgerSampler(Accounting& accounting, Announcer& announcer, DeviceLooks device)
    : accounting_(accounting),
      announcer_(announcer),
      device_(std::move(device)),
      thread_([this] { loop(); }) {}

LedgerSampler::~LedgerSampler() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
    sayNow();
}

void LedgerSampler::loop() {
    constexpr std::chrono::microseconds kPeriod{1'000'000 / 60 + 1};
    // Signals go to the main thread.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kPeriod, [this] { return stop_; })) {
        lock.unlock();
        sayNow();
        lock.lock();
    }
}

void LedgerSampler::sayNow() {
    auto sample = accounting_.sample();
    if (!sample) {
        return;
    }
    if (device_) {
        sample->device = device_();
    }
    announcer_.say(*sample);
}

}  // namespace highwater::engine
