#include "core/plan/device_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/text.h"
#include "core/plan/propose_patch.h"
#include "core/stack/shapes.h"

namespace highwater::plan {

namespace {

using base::Error;
using base::Result;

/// No batch and no patch is larger: a step of that size is no step any more.
constexpr std::int64_t kMostSteps = 65536;

Result<predict::Prediction> predicted(const stack::Experiment& experiment, const predict::Target& target,
                                      bool time) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return info.error();
    }
    predict::PredictOptions options;
    options.timeline = false;
    options.time = time;
    return predict::predict(experiment, *info, target, options);
}

/// An experiment in sizes: so many micro-batches' samples, or so many strides along the patch's first axis.
struct Sizes {
    std::int64_t unit = 1;   ///< what one part is
    std::int64_t given = 1;  ///< parts of the experiment as it is
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

/// Finds the largest number of parts that fits: doubled until one does not, then halved in between.
class Largest {
public:
    Largest(const stack::Experiment& experiment, const predict::Target& target, Sizes sizes,
            const std::atomic<bool>* cancel)
        : experiment_(experiment), target_(target), cancel_(cancel), sizes_(std::move(sizes)) {}

    /// `fits`: whether the experiment does as it is. 0: not even the smallest.
    std::int64_t find(bool fits) {
        std::int64_t good = fits ? sizes_.given : 0, bad = fits ? 0 : sizes_.given;
        while (bad == 0 && good < most() && !cancelled()) {
            const std::int64_t next = std::min(2 * good, most());
            (this->fits(next) ? good : bad) = next;
        }
        while (bad - good > 1 && !cancelled()) {
            const std::int64_t middle = good + (bad - good) / 2;
            (this->fits(middle) ? good : bad) = middle;
        }
        return good > 0 && predicted(at(good), target_, false) ? good : 0;
    }
    stack::Experiment at(std::int64_t parts) const {
        stack::Experiment other = experiment_;
        sizes_.set(other, parts);
        return other;
    }
    std::int64_t most() const { return std::max(sizes_.given, kMostSteps / sizes_.unit); }
    std::int64_t unit() const { return sizes_.unit; }

private:
    bool cancelled() const { return cancel_ != nullptr && cancel_->load(); }
    bool fits(std::int64_t parts) const {
        const auto prediction = predicted(at(parts), target_, false);
        // What the stack does not accept is too small for it, or too large.
        return prediction ? prediction->fits == predict::Fits::Yes : parts < sizes_.given;
    }

    const stack::Experiment& experiment_;
    const predict::Target& target_;
    const std::atomic<bool>* cancel_;
    Sizes sizes_;
};

/// Where it fits, it takes no more than there is: with less at hand the allocator and cuDNN take less.
DeviceFit fitOf(const predict::Prediction& prediction, bool gpu) {
    predict::Estimate peak = gpu ? prediction.peakReserved : prediction.peakAllocated;
    if (prediction.fits == predict::Fits::Yes && prediction.capacity > 0) {
        peak.high = std::max(peak.expected, std::min(peak.high, prediction.capacity));
    }
    return {peak, prediction.capacity,        prediction.fits, prediction.oomProbability, prediction.stepMs,
            -1,   !prediction.unknown.empty()};
}

}  // namespace

Result<DeviceFit> fitOn(const stack::Experiment& experiment, const predict::Target& target,
                        const std::atomic<bool>* cancel) {
    const auto prediction = predicted(experiment, target, true);
    if (!prediction) {
        return prediction.error();
    }
    DeviceFit fit = fitOf(*prediction, target.gpu.has_value());
    if (fit.capacity > 0) {
        Largest largest(experiment, target, batchSizes(experiment), cancel);
        fit.largestBatch = largest.find(fit.fits == predict::Fits::Yes) * largest.unit();
    }
    if (cancel != nullptr && cancel->load()) {
        return Error{"cancelled"};
    }
    return fit;
}

Result<DeviceFit> needOn(const stack::Experiment& experiment, const predict::Target& target) {
    const auto prediction = predicted(experiment, target, true);
    return prediction ? Result<DeviceFit>(fitOf(*prediction, target.gpu.has_value())) : prediction.error();
}

Result<LargestFit> largestOn(const stack::Experiment& experiment, const predict::Target& target,
                             std::string_view axis, const std::atomic<bool>* cancel) {
    if (axis != "batch_size" && axis != "patch") {
        return Error{
            fmt::format("\"{}\" cannot be made larger; batch_size and patch can", base::oneLine(axis, 40))};
    }
    const auto now = predicted(experiment, target, false);
    if (!now) {
        return now.error();
    }
    if (now->capacity <= 0) {
        return Error{"the device's memory is not known"};
    }
    Largest largest(experiment, target, axis == "patch" ? patchSizes(experiment) : batchSizes(experiment),
                    cancel);
    const std::int64_t parts = largest.find(now->fits == predict::Fits::Yes);
    if (cancel != nullptr && cancel->load()) {
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
    if (fit.atLeast) {
        return "at least this much";
    }
    return fmt::format("{:.0f} % likely to run out", 100 * fit.odds);
}

}  // namespace highwater::plan
