#include "app/desktop/prediction/growth_scan.h"
#include "app/desktop/experiment/stack/error_words.h"

#include <algorithm>

namespace highwater::desktop {

namespace {

constexpr std::int64_t kValuesAPart = 16;
/// A jump shows against the trend of its neighbors: parts overlap by these.
constexpr std::int64_t kOverlap = 4;

/// What the device has for a run; the same for every size.
base::Bytes capacityOf(const stack::Experiment& experiment, const predict::Target& target) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return target.memory;
    }
    const auto prediction = predict::predict(experiment, *info, target, {.timeline = false, .time = false});
    return prediction ? prediction->capacity : target.memory;
}

}  // namespace

void join(predict::AxisCurve& curve, predict::AxisCurve part) {
    const std::int64_t last = curve.points.empty() ? 0 : curve.points.back().value;
    for (predict::AxisPoint& point : part.points) {
        if (curve.points.empty() || point.value > last) {
            curve.points.push_back(std::move(point));
        }
    }
    curve.jumps.insert(curve.jumps.end(), part.jumps.begin(), part.jumps.end());
    std::sort(curve.jumps.begin(), curve.jumps.end());
    curve.jumps.erase(std::unique(curve.jumps.begin(), curve.jumps.end()), curve.jumps.end());
}

void GrowthScan::start(Request request) {
    job_.run([this, request = std::move(request)](
                 const widgets::LatestJob::Cancel& cancel) { return work(request, cancel); },
             [this](const QString& problem) { emit finished(problem); });
}

QString GrowthScan::work(const Request& request, const widgets::LatestJob::Cancel& cancel) {
    const auto target = targetOf(request.target, request.experiment);
    if (!target) {
        return plainError(target.error());
    }
    const base::Bytes capacity = capacityOf(request.experiment, *target);
    predict::AxisCurve curve;
    QString problem;
    const predict::AxisScan& whole = request.scan;
    const std::int64_t all = (whole.to - whole.from) / whole.step + 1;
    for (std::int64_t first = 0; first < all && !*cancel; first += kValuesAPart) {
        predict::AxisScan part = whole;
        const std::int64_t last = std::min(all, first + kValuesAPart);
        part.from = whole.from + std::max<std::int64_t>(0, first - kOverlap) * whole.step;
        part.to = whole.from + (last - 1) * whole.step;
        if (auto more = predict::scanAxis(request.experiment, *target, part, cancel.get())) {
            join(curve, std::move(*more));
        } else if (problem.isEmpty()) {
            problem = plainError(more.error());
        }
        curve.leftOut = last - static_cast<std::int64_t>(curve.points.size());
        job_.report(cancel, [this, curve, done = static_cast<double>(last) / static_cast<double>(all),
                             capacity] { emit progressed(curve, capacity, done); });
    }
    return curve.points.empty() ? problem : QString();
}

}  // namespace highwater::desktop

#include "moc_growth_scan.cpp"
