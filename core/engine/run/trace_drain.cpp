#include "core/engine/run/trace_drain.h"

#include <pthread.h>

#include <csignal>

#include "core/base/text.h"
#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

TraceDrain::TraceDrain(Accounting& accounting, const RunRequest& request, Announcer& announcer)
    : accounting_(accounting), sink_(request.trace), announcer_(announcer) {
    if (!sink_) {
        return;
    }
    followOperators(true);
    accounting_.startTrace({request.traceEvents, &operatorNow});
    thread_ = std::thread([this] { loop(); });
}

TraceDrain::~TraceDrain() {
    if (!sink_) {
        return;
    }
    followOperators(false);
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
    pass(true);
    accounting_.stopTrace();
}

void TraceDrain::loop() {
    constexpr std::chrono::milliseconds kPeriod{50};
    // Signals go to the main thread.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kPeriod, [this] { return stop_; })) {
        lock.unlock();
        pass(false);
        lock.lock();
    }
}

void TraceDrain::pass(bool last) {
    accounting_.takeTrace(chunk_, last);
    if (failed_) {
        return;
    }
    chunk_.last = last;
    if (!chunk_.note.empty()) {
        announcer_.say(wire::Warning{chunk_.note});
    }
    if (const auto taken = sink_(chunk_); !taken) {
        failed_ = true;
        accounting_.closeTrace({});
        announcer_.say(wire::Warning{"the trace ends early: " + taken.error().message});
    }
}

}  // namespace highwater::engine
