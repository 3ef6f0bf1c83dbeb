#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/report/axes.h"
#include "core/report/charts.h"

namespace highwater::report {
namespace {

constexpr std::size_t kMostLedgers = 400;

/// Reduces to at most `most` ledgers: of each group of neighbors those with the lowest and the highest
/// total, in order.
std::vector<LedgerFrom> reduced(std::vector<LedgerFrom> all, std::size_t most) {
    if (all.size() <= most) {
        return all;
    }
    const auto total = [&all](std::size_t i) { return all[i].ledger.total(); };
    const std::size_t buckets = most / 2;
    std::vector<LedgerFrom> kept;
    for (std::size_t b = 0; b < buckets; ++b) {
        const std::size_t first = b * all.size() / buckets, last = (b + 1) * all.size() / buckets;
        std::size_t low = first, high = first;
        for (std::size_t i = first; i < last; ++i) {
            low = total(i) < total(low) ? i : low;
            high = total(i) > total(high) ? i : high;
        }
        const double start = all[first].from;
        kept.push_back({start, all[std::min(low, high)].ledger});
        if (low != high) {
            kept.push_back({all[std::max(low, high)].from, all[std::max(low, high)].ledger});
        }
    }
    return kept;
}

double highest(const StackedMemory& memory) {
    double most = memory.peak ? static_cast<double>(memory.peak->bytes) : 0;
    for (const LedgerFrom& l : memory.ledgers) {
        most = std::max(most, static_cast<double>(l.ledger.total()));
    }
    return most;
}

/// A budget far above the peak would flatten the plot; it is then only named.
bool showsBudget(const StackedMemory& memory) {
    return memory.budget && static_cast<double>(*memory.budget) <= 2.5 * highest(memory);
}

Ticks yTicks(const StackedMemory& memory) {
    const double budget = showsBudget(memory) ? static_cast<double>(*memory.budget) : 0;
    return byteTicks(std::max(highest(memory) * 1.06, budget * 1.04));
}

std::vector<LegendEntry> legendOf(const StackedMemory& memory, const Palette& palette) {
    std::vector<LegendEntry> entries;
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        if (std::any_of(memory.ledgers.begin(), memory.ledgers.end(),
                        [c](const LedgerFrom& l) { return l.ledger[*c] > 0; })) {
            entries.push_back({categoryText(*c), palette.category[static_cast<std::size_t>(*c)]});
        }
    }
    return entries;
}

/// The outline of one category: its upper edge from left to right, then its lower edge back. Values are
/// constant between jumps.
std::vector<Point> outline(const StackedMemory& memory, const PlotArea& area, std::size_t category) {
    std::vector<Point> upper, lower;
    const auto add = [](std::vector<Point>& edge, double x, double y) {
        if (edge.empty() || edge.back().y != y) {
            edge.push_back({x, y});
        }
    };
    for (std::size_t i = 0; i < memory.ledgers.size(); ++i) {
        const auto& bytes = memory.ledgers[i].ledger.bytes;
        double below = 0;
        for (std::size_t c = 0; c < category; ++c) {
            below += static_cast<double>(bytes[c]);
        }
        const double x = area.xOf(memory.ledgers[i].from);
        for (auto [edge, value] :
             {std::pair{&upper, below + static_cast<double>(bytes[category])}, {&lower, below}}) {
            const double y = area.yOf(value);
            if (!edge->empty() && edge->back().y != y) {
                edge->push_back({x, edge->back().y});
            }
            add(*edge, x, y);
        }
    }
    const double end = area.xOf(memory.end);
    upper.push_back({end, upper.back().y});
    lower.push_back({end, lower.back().y});
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    return upper;
}

void drawPhases(Canvas& canvas, const StackedMemory& memory, const PlotArea& area) {
    const TextStyle style{.color = canvas.palette().muted, .size = 11.5, .anchor = Anchor::Middle};
    for (const PhaseSpan& span : memory.phases) {
        const double from = area.xOf(span.from), to = area.xOf(span.to);
        if (span.phase == wire::Phase::Setup || to - from < 0.25) {
            continue;
        }
        const auto index = static_cast<std::size_t>(span.phase) - 1;
        canvas.rectangle(from, area.top - 9, to - from, 4, canvas.palette().phase[index]);
        const std::string name(wire::phaseKey(span.phase));
        if (canvas.textWidth(name, style) + 8 < to - from) {
            canvas.text({(from + to) / 2, area.top - 15}, name, style);
        }
    }
}

void drawPeak(Canvas& canvas, const Peak& peak, const PlotArea& area) {
    const Palette& colors = canvas.palette();
    const Point at{area.xOf(peak.at), area.yOf(static_cast<double>(peak.bytes))};
    TextStyle style{.color = colors.text, .size = 12, .bold = true};
    const bool left = at.x + 10 + canvas.textWidth(peak.label, style) > area.left + area.width;
    style.anchor = left ? Anchor::End : Anchor::Start;
    if (peak.refused > 0) {
        constexpr double kWidth = 9;
        const double foot = area.yOf(static_cast<double>(peak.bytes - peak.refused));
        canvas.rectangle(at.x - kWidth, at.y, kWidth, foot - at.y, colors.bad, 0.3);
        canvas.line({at.x - kWidth, at.y}, {at.x, at.y}, colors.bad, 1.25, false);
        canvas.line({at.x - kWidth, area.top}, {at.x - kWidth, area.top + area.height}, colors.bad, 1.25,
                    false);
        style.color = colors.bad;
    } else {
        canvas.circle(at, 3.5, colors.paper, colors.text);
    }
    canvas.text({at.x + (left ? -13 : 9), std::max(at.y - 5, area.top + 11)}, peak.label, style);
}

void drawBudget(Canvas& canvas, const StackedMemory& memory, const PlotArea& area) {
    const Palette& colors = canvas.palette();
    const TextStyle style{.color = colors.bad, .size = 12, .anchor = Anchor::End};
    const std::string text = "budget " + base::formatBytes(*memory.budget);
    const double right = area.left + area.width - 4;
    if (!showsBudget(memory)) {
        canvas.text({right, area.top + 12}, text + ", above this plot", style);
        return;
    }
    const double y = area.yOf(static_cast<double>(*memory.budget));
    canvas.line({area.left, y}, {area.left + area.width, y}, colors.bad, 1.25, true);
    const bool peakIsRight = memory.peak && area.xOf(memory.peak->at) > area.left + area.width / 2;
    const double width = canvas.textWidth(text, style);
    canvas.text({peakIsRight ? area.left + 6 + width : right, std::max(y - 5, area.top + 11)}, text, style);
}

}  // namespace

PlotArea memoryPlotArea(const StackedMemory& memory) {
    const Ticks ticks = yTicks(memory);
    const int rows = legendRows(legendOf(memory, kLight), memory.width - kLeft - kRight);
    PlotArea area{.left = kLeft, .top = kTop, .width = memory.width - kLeft - kRight};
    area.height = memory.height - kTop - kAxis - 8 - rows * kLegendRow;
    area.xLow = memory.ledgers.empty() ? 0 : memory.ledgers.front().from;
    area.xHigh = memory.end > area.xLow ? memory.end : area.xLow + 1;
    area.yHigh = ticks.top;
    return area;
}

Chart memoryChart(StackedMemory memory) {
    Chart chart{memory.title, memory.width, memory.height, {}};
    if (memory.ledgers.empty()) {
        chart.height = 80;
        chart.draw = [w = memory.width](Canvas& c) {
            drawEmpty(c, w, 80, "No step was completed: nothing to draw.");
        };
        return chart;
    }
    memory.ledgers = reduced(std::move(memory.ledgers), kMostLedgers);
    chart.draw = [memory = std::move(memory)](Canvas& canvas) {
        const PlotArea area = memoryPlotArea(memory);
        drawYAxis(canvas, area, yTicks(memory));
        for (const memory::Category c : memory::kCategories) {
            const auto i = static_cast<std::size_t>(c);
            if (std::any_of(memory.ledgers.begin(), memory.ledgers.end(),
                            [c](const LedgerFrom& l) { return l.ledger[c] > 0; })) {
                canvas.polygon(outline(memory, area, i), canvas.palette().category[i]);
            }
        }
        drawXAxis(canvas, area,
                  memory.bySteps ? countTicks(static_cast<int>(std::ceil(area.xLow)),
                                              static_cast<int>(std::floor(area.xHigh)),
                                              memory.width < 600 ? 5 : 10, memory.warmup)
                                 : timeTicks(area.xHigh, memory.width < 600 ? 5 : 10));
        drawPhases(canvas, memory, area);
        if (memory.bySteps) {
            drawWarmup(canvas, area, memory.warmup);
        }
        if (memory.budget) {
            drawBudget(canvas, memory, area);
        }
        if (memory.peak) {
            drawPeak(canvas, *memory.peak, area);
        }
        drawLegend(canvas, area.left, area.top + area.height + kAxis + 18, area.width,
                   legendOf(memory, canvas.palette()));
    };
    return chart;
}

}  // namespace highwater::report
