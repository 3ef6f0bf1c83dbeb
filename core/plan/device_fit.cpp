#include "core/plan/device_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <vector>

#include "core/base/text.h"
#include "core/plan/propose_patch.h"
#include "core/stack/shapes.h"

namespace highwater::plan {

namespace {

using base::Error;
using base::Result;

/// Larger batches and patches are not tried.
constexpr std::int64_t kMostSteps = 65536;

/// Uses cuDNN's answers, if it is asked. Without `whole`: no times, only whether it fits.
Result<predict::Prediction> predicted(const stack::Experiment& experiment, const predict::Target& on,
                                      bool whole, const Trying& trying) {
    const auto info = HIGHWATER_TRY(stack::inferShapes(experiment));
    predict::PredictOptions options;
    options.timeline = false;
    options.cliffs = false;
    options.time = options.odds = whole;
    predict::Target target = on;
    if (trying.predictions != nullptr) {
        ++*trying.predictions;
    }
    auto prediction = predict::predict(experiment, info, target, options);
    while (prediction && trying.ask && trying.ask(*prediction, target)) {
        prediction = predict::predict(experiment, info, target, options);
    }
    return prediction;
}

bool cancelled(const Trying& trying) {
    return trying.cancel != nullptr && trying.cancel->load();
}

/// An experiment in different sizes, measured in parts: samples of each micro-batch, or strides along the
/// patch's first axis.
struct Sizes {
    std::int64_t unit = 1;   ///< the size of one part
    std::int64_t given = 1;  ///< number of parts of the unchanged experiment
    std::function<void(stack::Experiment&, std::int64_t parts)> set;
};

Sizes batchSizes(const stack::Experiment& experiment) {
    const std::int64_t unit = experiment.step.microBatches;
    return {unit, experiment.step.batchSize / unit,
            [unit](stack::Experiment& e, std::int64_t parts) { e.step.batchSize = parts * unit; }};
}

/// All axes grow together, each in multiples of its stride.
Sizes patchSizes(const stack::Experiment& experiment) {
    const stack::Sizes patch = stack::patchOf(experiment);
    const auto strides = strideOf(experiment);
    const std::size_t skipped = strides.size() - patch.size();
    const std::int64_t unit = strides[skipped];
    return {unit, std::max<std::int64_t>(1, patch[0] / unit), [=](stack::Experiment& e, std::int64_t parts) {
                stack::Sizes sizes;
                for (std::size_t axis = 0; axis < patch.size(); ++axis) {
                    const auto stride = static_cast<double>(strides[skipped + axis]);
                    const double wanted = static_cast<double>(parts * unit) *
                                          static_cast<double>(patch[axis]) / static_cast<double>(patch[0]);
                    sizes.push_back(
                        static_cast<std::int64_t>(std::max(1.0, std::round(wanted / stride)) * stride));
                }
                stack::setPatch(e, sizes);
            }};
}

/// Finds the largest number of parts that fits.
class Largest {
public:
    Largest(const stack::Experiment& experiment, const predict::Target& target, Sizes sizes,
            const Trying& trying)
        : experiment_(experiment), target_(target), trying_(trying), sizes_(std::move(sizes)) {}

    /// `fits`: whether the given experiment does. Returns 0 if not even the smallest fits.
    std::int64_t find(const predict::Prediction& given) {
        const bool fits = given.fits == predict::Fits::Yes;
        if (!trying_.ask) {
            tried_[sizes_.given] = tryOf(given);
            return near(fits ? sizes_.given : 0, fits ? 0 : sizes_.given, trying_);
        }
        // Start with guesses, which are quick and close. They are made without existing answers, so that the
        // result does not depend on what was asked before.
        predict::Target unasked = target_;
        unasked.asked = nullptr;
        const Trying guessing{trying_.cancel, {}, trying_.predictions};
        const std::int64_t guess = Largest(experiment_, unasked, sizes_, guessing).near(0, 0, guessing);
        const std::int64_t start = std::max({std::int64_t{1}, guess, fits ? sizes_.given : 0});
        const bool good = this->fits(start, trying_);
        return near(good ? start : 0, good ? 0 : start, trying_);
    }
    stack::Experiment at(std::int64_t parts) const {
        stack::Experiment other = experiment_;
        sizes_.set(other, parts);
        return other;
    }
    std::int64_t most() const { return std::max(sizes_.given, kMostSteps / sizes_.unit); }
    std::int64_t unit() const { return sizes_.unit; }

private:
    /// The memory need of one size. `need` is 0 if the stack does not accept the size.
    struct Tried {
        bool fits = false;
        double need = 0, capacity = 0;
    };
    Tried tryOf(const predict::Prediction& prediction) const {
        return {prediction.fits == predict::Fits::Yes,
                static_cast<double>(countedPeak(prediction, target_.gpu.has_value()).expected),
                static_cast<double>(prediction.capacity)};
    }
    const Tried& tried(std::int64_t parts, const Trying& trying) {
        const auto [at, isNew] = tried_.try_emplace(parts);
        if (isNew) {
            const auto prediction = predicted(this->at(parts), target_, false, trying);
            // A size that the stack does not accept is too small for it, or too large.
            at->second = prediction ? tryOf(*prediction) : Tried{parts < sizes_.given};
        }
        return at->second;
    }
    bool fits(std::int64_t parts, const Trying& trying) { return tried(parts, trying).fits; }

    /// The size at which the need would reach the limit, extrapolated linearly from the two sizes that are
    /// nearest to it; 0 if unknown.
    std::int64_t expectedSize() const {
        std::vector<std::pair<std::int64_t, Tried>> known;
        double limit = 0;
        for (const auto& [parts, each] : tried_) {
            if (each.need > 0) {
                known.emplace_back(parts, each);
                limit = limit > 0 ? limit : each.capacity;
                limit = each.fits ? limit : std::min(limit, each.need * kLess);
            }
        }
        std::stable_sort(known.begin(), known.end(), [limit](const auto& a, const auto& b) {
            return std::abs(a.second.need - limit) < std::abs(b.second.need - limit);
        });
        if (known.empty()) {
            return 0;
        }
        const auto& [parts, first] = known[0];
        double each = first.need / static_cast<double>(parts);
        if (known.size() > 1) {
            each = (known[1].second.need - first.need) / static_cast<double>(known[1].first - parts);
        }
        const double size = static_cast<double>(parts) + (limit - first.need) / each;
        return each > 0 ? static_cast<std::int64_t>(std::clamp(size, 1.0, static_cast<double>(most()))) : 0;
    }

    /// `good` fits, or is 0; `bad` does not, or is 0 if none is known. The need grows almost linearly, so a
    /// few extrapolated sizes lead close to the largest. If they do not: doubling strides until both bounds
    /// are known, then bisection.
    std::int64_t near(std::int64_t good, std::int64_t bad, const Trying& trying) {
        std::int64_t stride = 1;
        for (int n = 0; !cancelled(trying) && (bad == 0 ? good < most() : bad - good > 1); ++n) {
            const std::int64_t expected = expectedSize();
            std::int64_t next = good + (bad - good) / 2;
            if (n < kExpected && expected > good && (bad == 0 || (expected < bad && bad - good > bad / 16))) {
                next = expected;
            } else if (bad == 0) {
                next = std::min(good + stride, most());
                stride *= 2;
            }
            (fits(next, trying) ? good : bad) = next;
            stride = std::max(stride, good / 64);
        }
        return good > 0 && tried(good, trying).need > 0 ? good : 0;
    }

    static constexpr int kExpected = 8;        ///< maximum number of extrapolated sizes to try
    static constexpr double kLess = 63. / 64;  ///< fraction of a need that does not fit: the next one to aim
                                               ///< at

    const stack::Experiment& experiment_;
    const predict::Target& target_;
    const Trying& trying_;
    Sizes sizes_;
    std::map<std::int64_t, Tried> tried_;  ///< by parts
};

}  // namespace

DeviceFit fitOf(const predict::Prediction& prediction, bool gpu) {
    DeviceFit fit{countedPeak(prediction, gpu), prediction.capacity, prediction.fits,
                  prediction.oomProbability, prediction.stepMs};
    fit.onHost = prediction.onHost;
    fit.atLeast = prediction.atLeast();
    fit.atMost = prediction.atMost();
    fit.exact = prediction.exact() && fit.peak.exact();
    fit.basis = prediction.basis;
    if (gpu) {
        fit.guessed = prediction.withoutRow;
        fit.asked = prediction.asked;
    }
    return fit;
}

predict::Estimate countedPeak(const predict::Prediction& prediction, bool gpu) {
    predict::Estimate peak = gpu ? prediction.peakReserved : prediction.peakAllocated;
    if (prediction.fits == predict::Fits::Yes && prediction.capacity > 0) {
        peak.high = std::max(peak.expected, std::min(peak.high, prediction.capacity));
    }
    return peak;
}

Result<DeviceFit> fitOn(const stack::Experiment& experiment, const predict::Target& target,
                        const Trying& trying) {
    const auto prediction = HIGHWATER_TRY(predicted(experiment, target, true, trying));
    DeviceFit fit = fitOf(prediction, target.gpu.has_value());
    if (fit.capacity > 0 && !fit.atLeast) {
        Largest largest(experiment, target, batchSizes(experiment), trying);
        fit.largestBatch = largest.find(prediction) * largest.unit();
    }
    return cancelled(trying) ? Result<DeviceFit>(Error{"cancelled"}) : fit;
}

Result<DeviceFit> needOn(const stack::Experiment& experiment, const predict::Target& target,
                         const Trying& trying) {
    const auto prediction = predicted(experiment, target, true, trying);
    return prediction ? Result<DeviceFit>(fitOf(*prediction, target.gpu.has_value())) : prediction.error();
}

Result<LargestFit> largestOn(const stack::Experiment& experiment, const predict::Target& target,
                             std::string_view axis, const Trying& trying) {
    if (axis != "batch_size" && axis != "patch") {
        return Error{
            fmt::format("\"{}\" cannot be made larger; batch_size and patch can", base::oneLine(axis, 40))};
    }
    const auto now = HIGHWATER_TRY(predicted(experiment, target, false, trying));
    if (now.capacity <= 0) {
        return Error{"the device's memory is not known"};
    }
    Largest largest(experiment, target, axis == "patch" ? patchSizes(experiment) : batchSizes(experiment),
                    trying);
    const std::int64_t parts = largest.find(now);
    if (cancelled(trying)) {
        return Error{"cancelled"};
    }
    LargestFit found;
    if (parts > 0) {
        found.fits = largest.at(parts);
    }
    if (parts < largest.most()) {
        found.next = largest.at(parts + 1);
    }
    return found;
}

std::string needText(const predict::Estimate& peak, bool atLeast, bool atMost) {
    if (atLeast == atMost) {
        return (atLeast ? "roughly " : "") + base::formatBytes(peak.expected);
    }
    return atLeast ? "at least " + base::formatBytes(peak.low) : "at most " + base::formatBytes(peak.high);
}

std::string verdictText(const DeviceFit& fit) {
    if (fit.capacity <= 0) {
        return "its memory is not known";
    }
    switch (fit.fits) {
        case predict::Fits::Yes:
            return "fits";
        case predict::Fits::No:
            return "does not fit";
        case predict::Fits::Uncertain:
            break;
    }
    if (fit.atLeast || fit.atMost) {
        return fit.atLeast && fit.atMost ? "not known"
               : fit.atLeast             ? "at least this much"
                                         : "at most this much";
    }
    return fmt::format("{:.0f} % likely to run out", 100 * fit.odds);
}

}  // namespace highwater::plan
