#include "core/runs/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::runs {

namespace {

constexpr std::size_t kMostSteps = 1000;  ///< the newest steps are enough for an interval

std::vector<double> stepTimes(const RunRecord& record) {
    std::vector<double> times;
    for (const wire::Event& event : record.events) {
        if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            if (step->timed() && std::isfinite(step->total) && step->total > 0) {
                times.push_back(step->total);
            }
        }
    }
    if (times.size() > kMostSteps) {
        times.erase(times.begin(), times.end() - static_cast<std::ptrdiff_t>(kMostSteps));
    }
    return times;
}

}  // namespace

std::string changeText(double ratio) {
    const double change = (ratio - 1) * 100;
    if (std::fabs(change) < 0.05) {
        return "±0 %";
    }
    return fmt::format("{}{:.1f} %", change < 0 ? "−" : "+", std::fabs(change));
}

bool hasPeakOfAStep(wire::RunStatus status, const base::Interval& stepMs) {
    return status != wire::RunStatus::OutOfMemory && status != wire::RunStatus::Failed &&
           (status != wire::RunStatus::Cancelled || stepMs.n > 0);
}

base::Interval timeRatio(const base::Interval& run, const base::Interval& baseline) {
    if (run.n == 0 || baseline.n == 0 || run.low <= 0 || baseline.low <= 0) {
        return {};
    }
    base::Interval ratio{run.median / baseline.median, run.low / baseline.high, run.high / baseline.low,
                         std::min(run.n, baseline.n)};
    if (ratio.n >= kFewestSteps) {
        ratio.low = ratio.median * std::exp(-std::hypot(std::log(run.median / run.low),
                                                        std::log(baseline.high / baseline.median)));
        ratio.high = ratio.median * std::exp(std::hypot(std::log(run.high / run.median),
                                                        std::log(baseline.median / baseline.low)));
    }
    return ratio;
}

bool timeDiffers(const base::Interval& ratio) {
    return ratio.n >= kFewestSteps && (ratio.low > 1 || ratio.high < 1);
}

Comparison compare(const RunRecord& run, const RunRecord& baseline) {
    Comparison result;
    result.id = run.summary.id;
    const double peak = static_cast<double>(run.result.peakAllocated);
    const bool whole = hasPeakOfAStep(run.result.status, run.result.stepMs) &&
                       hasPeakOfAStep(baseline.result.status, baseline.result.stepMs);
    if (whole && peak > 0 && baseline.result.peakAllocated > 0) {
        result.memoryRatio = peak / static_cast<double>(baseline.result.peakAllocated);
    }
    result.timeRatio =
        timeRatio(base::medianWithInterval(stepTimes(run)), base::medianWithInterval(stepTimes(baseline)));
    result.timeDiffers = timeDiffers(result.timeRatio);
    result.differences = differences(run, baseline);
    return result;
}

std::string describe(const Comparison& comparison) {
    const std::string memory = comparison.memoryRatio > 0 ? changeText(comparison.memoryRatio) + " memory"
                                                          : "memory: not comparable";
    if (comparison.memoryRatio <= 0 && comparison.timeRatio.n == 0) {
        return "not comparable";
    }
    if (comparison.timeRatio.n == 0) {
        return memory + ", time: not comparable";
    }
    if (comparison.timeRatio.n < kFewestSteps) {
        return memory + ", time: too few steps to tell";
    }
    if (!comparison.timeDiffers) {
        return memory + ", time: within the noise";
    }
    return memory + ", " + changeText(comparison.timeRatio.median) + " time";
}

}  // namespace highwater::runs
