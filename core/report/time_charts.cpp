#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/report/axes.h"
#include "core/report/charts.h"

namespace highwater::report {
namespace {

constexpr std::size_t kMostSteps = 180, kMostPoints = 400;

struct StepBar {
    std::array<double, 5> phases{};
    double longest = 0;
    int first = 0;  ///< 1-based
};

std::vector<StepBar> barsOf(const std::vector<const wire::StepDone*>& steps, std::size_t group) {
    std::vector<StepBar> bars;
    for (std::size_t i = 0; i < steps.size(); i += group) {
        const std::size_t end = std::min(i + group, steps.size());
        StepBar bar{.first = steps[i]->index + 1};
        for (std::size_t k = i; k < end; ++k) {
            const auto phases = steps[k]->phases.inOrder();
            double total = 0;
            for (std::size_t p = 0; p < phases.size(); ++p) {
                bar.phases[p] += usableTime(phases[p]) / static_cast<double>(end - i);
                total += usableTime(phases[p]);
            }
            bar.longest = std::max(bar.longest, total);
        }
        bars.push_back(bar);
    }
    return bars;
}

void drawBars(Canvas& canvas, const PlotArea& area, const std::vector<StepBar>& bars, int last) {
    for (std::size_t b = 0; b < bars.size(); ++b) {
        const int end = b + 1 < bars.size() ? bars[b + 1].first : last + 1;
        const double left = area.xOf(bars[b].first - 0.5), right = area.xOf(end - 0.5);
        const double gap = std::min(2.0, (right - left) * 0.2);
        const double width = std::min(right - left - gap, 56.0), x = (left + right - width) / 2;
        double sum = 0;
        for (std::size_t p = 0; p < 5; ++p) {
            const double ms = bars[b].phases[p];
            const double low = area.yOf(sum), high = area.yOf(sum += ms);
            if (ms > 0) {
                canvas.rectangle(x, high, width, low - high, canvas.palette().phase[p]);
            }
        }
        if (bars[b].longest > sum * 1.001) {
            canvas.line({x + width / 2, area.yOf(sum)}, {x + width / 2, area.yOf(bars[b].longest)},
                        canvas.palette().muted, 0.75);
        }
    }
}

std::vector<LegendEntry> phaseLegend(const std::vector<StepBar>& bars, const Palette& palette,
                                     std::size_t group) {
    std::vector<LegendEntry> entries;
    for (std::size_t p = 0; p < 5; ++p) {
        if (std::any_of(bars.begin(), bars.end(), [p](const StepBar& b) { return b.phases[p] > 0; })) {
            entries.push_back({std::string(memory::phaseKey(memory::kStepPhases[p])), palette.phase[p]});
        }
    }
    if (group > 1) {
        entries.push_back({fmt::format("a bar: mean of {} steps; line: the longest", group), palette.muted});
    }
    return entries;
}

double yTop(const std::vector<StepBar>& bars) {
    double most = 0;
    for (const StepBar& bar : bars) {
        most = std::max(most, bar.longest);
    }
    return most;
}

struct LossPoint {
    double step = 0, loss = 0;
};

/// The finite losses, reduced to the lowest and the highest of each group of neighbors.
std::vector<LossPoint> lossPoints(const Facts& facts) {
    std::vector<LossPoint> all;
    if (!facts.steps.empty()) {
        for (const wire::StepDone* step : facts.steps) {
            if (std::isfinite(step->loss)) {
                all.push_back({step->index + 1.0, step->loss});
            }
        }
    } else {
        for (std::size_t i = 0; i < facts.result().losses.size(); ++i) {
            if (std::isfinite(facts.result().losses[i])) {
                all.push_back({static_cast<double>(i) + 1, facts.result().losses[i]});
            }
        }
    }
    if (all.size() <= kMostPoints) {
        return all;
    }
    std::vector<LossPoint> kept;
    const std::size_t buckets = kMostPoints / 2;
    for (std::size_t b = 0; b < buckets; ++b) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(b * all.size() / buckets);
        const auto last = all.begin() + static_cast<std::ptrdiff_t>((b + 1) * all.size() / buckets);
        auto [low, high] = std::minmax_element(first, last, [](auto& a, auto& c) { return a.loss < c.loss; });
        kept.push_back(*std::min(low, high));
        if (low != high) {
            kept.push_back(*std::max(low, high));
        }
    }
    return kept;
}

}  // namespace

Chart phasesChart(const Facts& facts, double width) {
    const double height = 280;
    Chart chart{"Time of each step, by phase", width, height, {}};
    if (facts.steps.empty()) {
        chart.height = 80;
        chart.draw = [width](Canvas& c) {
            drawEmpty(c, width, 80, "No step was completed: nothing to draw.");
        };
        return chart;
    }
    const std::size_t group = (facts.steps.size() + kMostSteps - 1) / kMostSteps;
    const int last = facts.steps.back()->index + 1;
    chart.draw = [bars = barsOf(facts.steps, group), group, last, width, height,
                  warmup = facts.warmupSteps()](Canvas& canvas) {
        const auto legend = phaseLegend(bars, canvas.palette(), group);
        PlotArea area{.left = kLeft, .top = kTop, .width = width - kLeft - kRight};
        area.height = height - kTop - kAxis - 8 - legendRows(legend, area.width) * kLegendRow;
        area.xLow = bars.front().first - 0.5;
        area.xHigh = last + 0.5;
        const Ticks ticks = timeTicks(yTop(bars));
        area.yHigh = ticks.top;
        drawYAxis(canvas, area, ticks);
        drawBars(canvas, area, bars, last);
        drawXAxis(canvas, area, countTicks(bars.front().first, last, width < 600 ? 5 : 10, warmup));
        drawWarmup(canvas, area, warmup);
        drawLegend(canvas, area.left, area.top + area.height + kAxis + 18, area.width, legend);
    };
    return chart;
}

Chart lossChart(const Facts& facts, double width) {
    const double height = 260;
    Chart chart{"Loss over steps", width, height, {}};
    const std::vector<LossPoint> points = lossPoints(facts);
    if (points.empty()) {
        chart.height = 80;
        chart.draw = [width](Canvas& c) { drawEmpty(c, width, 80, "No loss was recorded."); };
        return chart;
    }
    chart.draw = [points, width, height, warmup = facts.warmupSteps()](Canvas& canvas) {
        const auto [low, high] = std::minmax_element(points.begin(), points.end(),
                                                     [](auto& a, auto& b) { return a.loss < b.loss; });
        const bool nearZero = low->loss >= 0 && low->loss < high->loss * 0.5;
        const Ticks ticks = numberTicks(nearZero ? 0 : low->loss, high->loss);
        PlotArea area{.left = kLeft, .top = kTop, .width = width - kLeft - kRight};
        area.height = height - kTop - kAxis - 8 - kLegendRow;
        area.xLow = points.front().step - 0.5;
        area.xHigh = points.back().step + 0.5;
        area.yLow = ticks.bottom;
        area.yHigh = ticks.top;
        drawYAxis(canvas, area, ticks);
        std::vector<Point> line;
        for (const LossPoint& p : points) {
            line.push_back({area.xOf(p.step), area.yOf(p.loss)});
        }
        if (line.size() > 1) {
            canvas.polyline(line, canvas.palette().accent, 1.75);
        }
        if (line.size() <= 60) {
            for (const Point& p : line) {
                canvas.circle(p, 2, canvas.palette().accent, canvas.palette().accent);
            }
        }
        drawXAxis(canvas, area,
                  countTicks(static_cast<int>(points.front().step), static_cast<int>(points.back().step), 5,
                             warmup));
        drawWarmup(canvas, area, warmup);
    };
    return chart;
}

}  // namespace highwater::report
