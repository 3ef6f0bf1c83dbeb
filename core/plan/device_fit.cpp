#include "core/plan/device_fit.h"

#include "core/stack/shapes.h"

namespace highwater::plan {

namespace {

using base::Error;
using base::Result;

/// No batch is larger: a step with so many samples is no step any more.
constexpr std::int64_t kMostBatch = 65536;

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

/// Finds the largest multiple of the micro-batches that fits: doubled until it does not, then halved in
/// between.
class LargestBatch {
public:
    LargestBatch(const stack::Experiment& experiment, const predict::Target& target,
                 const std::atomic<bool>* cancel)
        : experiment_(experiment), target_(target), cancel_(cancel), unit_(experiment.step.microBatches) {}

    /// `parts` is the present batch's number of multiples; `fits`, whether it fits.
    std::int64_t find(std::int64_t parts, bool fits) {
        std::int64_t good = fits ? parts : 0, bad = fits ? 0 : parts;
        while (bad == 0 && good * unit_ < kMostBatch && !cancelled()) {
            const std::int64_t next = std::min(2 * good, kMostBatch / unit_);
            (this->fits(next) ? good : bad) = next;
            if (good * unit_ + unit_ > kMostBatch) {
                break;
            }
        }
        while (bad - good > 1 && !cancelled()) {
            const std::int64_t middle = good + (bad - good) / 2;
            (this->fits(middle) ? good : bad) = middle;
        }
        return good * unit_;
    }

private:
    bool cancelled() const { return cancel_ != nullptr && cancel_->load(); }
    bool fits(std::int64_t parts) const {
        stack::Experiment other = experiment_;
        other.step.batchSize = parts * unit_;
        const auto prediction = predicted(other, target_, false);
        return prediction && prediction->fits == predict::Fits::Yes;
    }

    const stack::Experiment& experiment_;
    const predict::Target& target_;
    const std::atomic<bool>* cancel_;
    std::int64_t unit_;
};

}  // namespace

Result<DeviceFit> fitOn(const stack::Experiment& experiment, const predict::Target& target,
                        const std::atomic<bool>* cancel) {
    const auto prediction = predicted(experiment, target, true);
    if (!prediction) {
        return prediction.error();
    }
    DeviceFit fit{target.gpu ? prediction->peakReserved : prediction->peakAllocated,
                  prediction->capacity,
                  prediction->fits,
                  prediction->oomProbability,
                  prediction->stepMs,
                  -1};
    if (fit.capacity > 0) {
        const std::int64_t parts = experiment.step.batchSize / experiment.step.microBatches;
        fit.largestBatch =
            LargestBatch(experiment, target, cancel).find(parts, fit.fits == predict::Fits::Yes);
    }
    if (cancel != nullptr && cancel->load()) {
        return Error{"cancelled"};
    }
    return fit;
}

}  // namespace highwater::plan
