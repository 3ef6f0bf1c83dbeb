#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/predict/axes/axis.h"
#include "core/predict/predict.h"

namespace highwater::predict {

namespace {

using base::Error;

constexpr std::int64_t kMostValues = 4096;

std::optional<Error> check(const AxisScan& scan) {
    if (scan.step < 1 || scan.from < 1 || scan.to < scan.from) {
        return Error{fmt::format(
            "a scan goes from a size of 1 or more up, in steps of 1 or more; not from {} to {} by {}",
            scan.from, scan.to, scan.step)};
    }
    if ((scan.to - scan.from) / scan.step >= kMostValues) {
        return Error{
            fmt::format("a scan has at most {} values; take larger steps than {}", kMostValues, scan.step)};
    }
    return std::nullopt;
}

AxisPoint pointAt(std::int64_t value, Prediction&& p) {
    return {value, p.peakAllocated, p.peakReserved, p.stepMs, p.fits, std::move(p.cliffs)};
}

/// Returns the value that ordinary growth is proportional to, if `axes` axes are scaled together: the number
/// of voxels.
double measure(std::int64_t value, int axes) {
    return std::pow(static_cast<double>(value), axes);
}

/// A jump is an interval whose slope is more than twice that of both neighbors, and more than 1 % of the
/// peak.
std::vector<std::int64_t> findJumps(const std::vector<AxisPoint>& points, int axes) {
    std::vector<double> rises, slopes;
    for (std::size_t i = 1; i < points.size(); ++i) {
        rises.push_back(static_cast<double>(points[i].allocated.expected - points[i - 1].allocated.expected));
        slopes.push_back(std::abs(rises.back()) /
                         (measure(points[i].value, axes) - measure(points[i - 1].value, axes)));
    }
    std::vector<std::int64_t> jumps;
    for (std::size_t i = 0; i < slopes.size() && slopes.size() > 1; ++i) {
        const double before = i > 0 ? slopes[i - 1] : 0, after = i + 1 < slopes.size() ? slopes[i + 1] : 0;
        const auto peak =
            static_cast<double>(std::max(points[i].allocated.expected, points[i + 1].allocated.expected));
        if (slopes[i] > 2 * std::max(before, after) && std::abs(rises[i]) > 0.01 * peak) {
            jumps.push_back(points[i + 1].value);
        }
    }
    return jumps;
}

}  // namespace

base::Result<AxisCurve> scanAxis(const stack::Experiment& experiment, const Target& target,
                                 const AxisScan& scan, const std::atomic<bool>* cancel) {
    if (const auto error = check(scan)) {
        return *error;
    }
    stack::Experiment changed = experiment;
    HIGHWATER_TRY(setAxis(changed, scan.axis, scan.from));
    AxisCurve curve;
    std::string why;
    const PredictOptions options{.timeline = false};
    for (std::int64_t value = scan.from; value <= scan.to; value += scan.step) {
        if (cancel != nullptr && cancel->load()) {
            break;
        }
        changed.input = experiment.input;  // "patch" scales the existing sizes
        auto prediction = [&]() -> base::Result<Prediction> {
            HIGHWATER_TRY(setAxis(changed, scan.axis, value));
            const auto info = HIGHWATER_TRY(stack::inferShapes(changed));
            return predict(changed, info, target, options);
        }();
        if (prediction) {
            curve.points.push_back(pointAt(value, std::move(*prediction)));
            continue;
        }
        ++curve.leftOut;
        why = prediction.error().message;
    }
    const bool stopped = cancel != nullptr && cancel->load();
    if (curve.points.empty() && !stopped) {
        return Error{fmt::format("no {} from {} to {} works, the last because: {}", scan.axis, scan.from,
                                 scan.to, why)};
    }
    const auto spatial = static_cast<int>(axesOf(experiment).size()) - 1;  // without the batch axis
    curve.jumps = findJumps(curve.points, scan.axis == "patch" ? spatial : 1);
    return curve;
}

}  // namespace highwater::predict
