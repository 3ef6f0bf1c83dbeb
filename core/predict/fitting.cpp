#include "core/predict/fitting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text.h"
#include "core/predict/axes/axis.h"
#include "core/stack/shapes.h"

namespace highwater::predict {

namespace {

constexpr std::size_t kMostSizes = 24;

std::optional<base::Bytes> peakIfFits(const stack::Experiment& experiment, const Target& target,
                                      Verdict& verdict) {
    verdict = Verdict::NotAccepted;
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return std::nullopt;
    }
    PredictOptions options;
    options.timeline = false;
    options.cliffs = false;
    const auto prediction = predict(experiment, *info, target, options);
    if (!prediction) {
        return std::nullopt;
    }
    verdict = prediction->fits == Fits::Yes ? Verdict::Safe : Verdict::Unsafe;
    return target.gpu ? prediction->peakReserved.expected : prediction->peakAllocated.expected;
}

/// Returns the largest size below the current one along the axis that fits.
std::optional<Fitting> search(const stack::Experiment& experiment, const Target& target,
                              std::string_view axis) {
    std::optional<Fitting> best;
    const auto judge = [&](std::int64_t size) {
        Verdict verdict = Verdict::NotAccepted;
        auto smaller = withAxis(experiment, axis, size);
        if (!smaller) {
            return verdict;
        }
        const auto peak = peakIfFits(*smaller, target, verdict);
        if (verdict == Verdict::Safe && (!best || size > best->batch)) {
            best = Fitting{std::move(*smaller), size, *peak};
        }
        return verdict;
    };
    const auto sizes = nearestSafe(axisSize(experiment, axis), false, kMostSizes, judge);
    if (sizes.empty() || !best || best->batch != sizes.front()) {
        return std::nullopt;
    }
    return best;
}

}  // namespace

std::string Fitting::text() const {
    std::string what = fmt::format("a batch of {}", batch);
    if (const auto shape = stack::inputShape(experiment); batch == 0 && shape) {
        what = fmt::format("at batch size 1, an input of {}",
                           fmt::join(shape->begin() + 2, shape->end(), " x "));
    }
    return fmt::format("{} would have fitted: {} predicted", what, base::formatBytes(peak));
}

std::optional<Fitting> whatFits(const stack::Experiment& experiment, Target target, base::Bytes capacity) {
    target.memory = capacity;
    target.others = 0;
    if (target.gpu) {
        target.gpu->memory = capacity;
        target.gpu->memorySource = DeviceProfile::Source::Measured;
    }
    if (auto found = search(experiment, target, "batch_size")) {
        return found;
    }
    auto single = withAxis(experiment, "batch_size", 1);
    if (!single) {
        return std::nullopt;
    }
    single->step.microBatches = 1;
    auto found = search(*single, target, "patch");
    if (found) {
        found->batch = 0;
    }
    return found;
}

}  // namespace highwater::predict
