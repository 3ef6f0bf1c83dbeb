#include "tests/gpu/kit/session.h"

#include <atomic>
#include <ctime>
#include <iostream>

#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"

namespace highwater::kit {

double secondsNow() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

base::Result<wire::RunResult> runOnce(const Session& session, const stack::Experiment& experiment, int warmup,
                                      int steps, std::optional<base::Bytes> budget) {
    engine::RunRequest request;
    request.runId = experiment.name;
    request.experiment = experiment;
    request.device = session.device;
    request.warmup = warmup;
    request.steps = steps;
    request.budget = budget;
    const std::atomic<bool> cancel{false};
    auto result = engine::run(request, [](const wire::Event&) {}, cancel);
    if (const auto device = engine::parseDevice(session.device)) {
        engine::releaseCached(*device);
    }
    return result;
}

base::Bytes needed(const wire::RunResult& result) {
    return result.peakReserved > 0 ? result.peakReserved : result.peakAllocated;
}

void say(const std::string& line) {
    std::cerr << line + '\n';
}

}  // namespace highwater::kit
