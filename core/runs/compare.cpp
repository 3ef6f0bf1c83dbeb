#include "core/runs/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace highwater::runs {

namespace {

constexpr std::size_t kResamples = 2000;
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

double resampledMedian(const std::vector<double>& values, std::vector<double>& sample,
                       std::mt19937_64& random) {
    sample.resize(values.size());
    for (double& s : sample) {
        s = values[random() % values.size()];
    }
    return base::median(sample);
}

/// The ratio of the medians, with a percentile bootstrap over both runs' steps (fixed seed). With fewer than
/// 3 steps on either side, the interval is the whole range of ratios.
base::Interval ratioInterval(const std::vector<double>& run, const std::vector<double>& baseline) {
    if (run.empty() || baseline.empty()) {
        return {};
    }
    base::Interval ratio;
    ratio.median = base::median(run) / base::median(baseline);
    ratio.n = static_cast<int>(std::min(run.size(), baseline.size()));
    if (ratio.n < 3) {
        ratio.low = *std::ranges::min_element(run) / *std::ranges::max_element(baseline);
        ratio.high = *std::ranges::max_element(run) / *std::ranges::min_element(baseline);
        return ratio;
    }
    std::mt19937_64 random(1);
    std::vector<double> ratios(kResamples), sample;
    for (double& r : ratios) {
        const double above = resampledMedian(run, sample, random);
        r = above / resampledMedian(baseline, sample, random);
    }
    std::ranges::sort(ratios);
    ratio.low = ratios[kResamples / 40];
    ratio.high = ratios[kResamples - 1 - kResamples / 40];
    return ratio;
}

}  // namespace

std::string changeText(double ratio) {
    const double change = (ratio - 1) * 100;
    if (std::fabs(change) < 0.05) {
        return "±0 %";
    }
    return fmt::format("{}{:.1f} %", change < 0 ? "−" : "+", std::fabs(change));
}

Comparison compare(const RunRecord& run, const RunRecord& baseline) {
    Comparison result;
    result.id = run.summary.id;
    const double peak = static_cast<double>(run.result.peakAllocated);
    if (peak > 0 && baseline.result.peakAllocated > 0) {
        result.memoryRatio = peak / static_cast<double>(baseline.result.peakAllocated);
    }
    result.timeRatio = ratioInterval(stepTimes(run), stepTimes(baseline));
    result.timeDiffers = result.timeRatio.n >= 3 && (result.timeRatio.low > 1 || result.timeRatio.high < 1);
    result.differences = differences(run, baseline);
    return result;
}

std::string describe(const Comparison& comparison) {
    const std::string memory = comparison.memoryRatio > 0 ? changeText(comparison.memoryRatio) + " memory"
                                                          : "memory: not comparable";
    if (comparison.timeRatio.n == 0) {
        return memory + ", time: not comparable";
    }
    if (!comparison.timeDiffers) {
        return memory + ", time: within the noise";
    }
    return memory + ", " + changeText(comparison.timeRatio.median) + " time";
}

}  // namespace highwater::runs
