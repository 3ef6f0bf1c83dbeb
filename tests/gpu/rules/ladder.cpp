#include "tests/gpu/rules/ladder.h"

#include <atomic>

#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/stack/shapes.h"

namespace highwater::gpu {

namespace {

using base::Bytes;

base::Result<bool> endsOutOfMemory(const stack::Experiment& experiment, Bytes capacity) {
    engine::RunRequest request;
    request.experiment = experiment;
    request.device = "cuda:0";
    request.steps = 2;
    request.warmup = 0;
    request.budget = capacity;
    engine::releaseCached({true, 0});
    const std::atomic<bool> cancel{false};
    const auto result = engine::run(request, [](const wire::Event&) {}, cancel);
    if (!result) {
        return result.error();
    }
    if (result->status == wire::RunStatus::OutOfMemory) {
        return true;
    }
    if (result->failure) {
        return base::Error{result->failure->why};
    }
    return false;
}

/// Gives the device exactly this much memory besides a context of known size.
base::Result<bool> predictedOutOfMemory(const stack::Experiment& experiment, predict::Target target,
                                        Bytes capacity) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return info.error();
    }
    target.others = 0;
    target.gpu->context = predict::Estimate::of(target.gpu->context.expected);
    target.gpu->memory = capacity + target.gpu->context.expected;
    target.gpu->memorySource = predict::DeviceProfile::Source::Measured;
    predict::PredictOptions options;
    options.timeline = options.time = false;
    const auto predicted = predict::predict(experiment, *info, target, options);
    if (!predicted) {
        return predicted.error();
    }
    return !predicted->outOfMemory.empty();
}

}  // namespace

base::Result<std::vector<Rung>> climb(const stack::Experiment& experiment, const Walks& walks) {
    constexpr int kPercent[] = {70, 85, 92, 96, 98, 99, 100, 101, 103, 110};
    std::vector<Rung> rungs;
    for (const int percent : kPercent) {
        Rung rung;
        rung.capacity = walks.predictedReserved / 100 * percent;
        if (percent == 100) {
            rung.capacity = walks.predictedReserved;
        }
        const auto measured = endsOutOfMemory(experiment, rung.capacity);
        if (!measured) {
            return measured.error();
        }
        const auto predicted = predictedOutOfMemory(experiment, walks.target, rung.capacity);
        if (!predicted) {
            return predicted.error();
        }
        rung.measured = *measured;
        rung.predicted = *predicted;
        rungs.push_back(rung);
    }
    return rungs;
}

}  // namespace highwater::gpu
