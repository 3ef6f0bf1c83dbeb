#include "core/engine/run/sampler.h"

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
      ticker_(std::chrono::microseconds(1'000'000 / 60 + 1), [this] { sayNow(); }) {}

LedgerSampler::~LedgerSampler() {
    ticker_.stop();
    sayNow();
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
