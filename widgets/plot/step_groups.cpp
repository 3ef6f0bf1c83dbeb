#include "widgets/plot/step_groups.h"

#include <algorithm>
#include <cmath>

namespace highwater::widgets {
namespace {

constexpr int kShortRun = 60;  ///< runs of up to this many steps are shown whole from the start

}  // namespace

StepRange fullStepRange(const RunShape& run, int stepsDone) {
    const int planned = std::max(1, run.warmup + run.steps);
    long long shown = planned;
    if (planned > kShortRun) {
        shown = kShortRun;
        while (shown < stepsDone) {
            shown *= 2;
        }
        shown = std::min<long long>(shown, planned);
    }
    shown = std::max<long long>(shown, stepsDone);
    return {run.stepPosition(0) - 0.5, run.stepPosition(0) - 0.5 + static_cast<double>(shown)};
}

std::optional<StepRange> fitView(double from, double to, StepRange whole, double narrowest) {
    if (!std::isfinite(from) || !std::isfinite(to)) {
        return std::nullopt;
    }
    const double all = whole.to - whole.from;
    double width = std::clamp(to - from, std::min(narrowest, all), all);
    if (width >= all * (1 - 1e-9)) {
        return std::nullopt;
    }
    const double middle = (from + to) / 2;
    const double start = std::clamp(middle - width / 2, whole.from, whole.to - width);
    return StepRange{start, start + width};
}

std::vector<StepGroup> groupSteps(const RunShape& run, std::span<const StepBar> steps, double from, double to,
                                  long long perBar) {
    std::vector<StepGroup> out;
    const auto inSight = [&](const StepBar& s) { return run.stepPosition(s.index) + 0.5 > from; };
    auto step = std::partition_point(steps.begin(), steps.end(), [&](const auto& s) { return !inSight(s); });
    // A bar that is cut off by the edge is still made of all its steps.
    while (step != steps.begin() && step != steps.end() &&
           std::prev(step)->index / perBar == step->index / perBar) {
        --step;
    }
    long long current = -1;
    int counted = 0;
    const auto close = [&] {
        if (counted > 0) {
            for (auto* means : {&out.back().meanMs, &out.back().meanHostMs}) {
                std::for_each(means->begin(), means->end(), [&](double& ms) { ms /= counted; });
            }
        }
    };
    for (; step != steps.end(); ++step) {
        const long long group = step->index / perBar;
        if (group != current) {
            if (run.stepPosition(step->index) - 0.5 >= to) {
                break;
            }
            close();
            out.push_back({step->index, step->index, step->warmup, {}, {}, true, &*step});
            current = group;
            counted = 0;
        }
        StepGroup& g = out.back();
        g.last = step->index;
        if (g.warmup && !step->warmup) {
            g.warmup = false;
            g.meanMs = g.meanHostMs = {};
            g.hostSlower = true;
            counted = 0;
        }
        if (step->peak.total() > g.highest->peak.total()) {
            g.highest = &*step;
        }
        if (step->warmup != g.warmup) {
            continue;
        }
        for (std::size_t p = 0; p < g.meanMs.size(); ++p) {
            g.meanMs[p] += std::max(0.0, step->phaseMs[p]);
        }
        g.hostSlower = g.hostSlower && step->hostSlower;
        for (std::size_t p = 0; p < g.meanMs.size() && step->hostMs; ++p) {
            g.meanHostMs[p] += std::max(0.0, (*step->hostMs)[p]);
        }
        ++counted;
    }
    close();
    return out;
}

}  // namespace highwater::widgets
