#pragma once

#include <mutex>

#include "core/base/ticker.h"
#include "core/engine/books/accounting.h"
#include "core/engine/run/runner.h"

namespace highwater::engine {

/// Passes events to the sink one at a time. May be called from any thread.
class Announcer {
public:
    explicit Announcer(const EventSink& sink) : sink_(sink) {}
    void say(const wire::Event& event);

private:
    const EventSink& sink_;
    std::mutex mutex_;
};

/// A thread that announces the ledger at most 60 times a second, if it has changed; and once more in its
/// destructor. `device` is called for each announcement to get the GPU's memory; empty on the CPU.
class LedgerSampler {
public:
    using DeviceLooks = std::function<std::optional<wire::DeviceMemory>()>;
    LedgerSampler(Accounting& accounting, Announcer& announcer, DeviceLooks device = {});
    ~LedgerSampler();
    LedgerSampler(const LedgerSampler&) = delete;
    LedgerSampler& operator=(const LedgerSampler&) = delete;

private:
    void sayNow();

    Accounting& accounting_;
    Announcer& announcer_;
    DeviceLooks device_;
    base::Ticker ticker_;
};

}  // namespace highwater::engine
