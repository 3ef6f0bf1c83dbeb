#include "core/report/claims_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/report/axes.h"
#include "core/report/charts.h"
#include "core/report/claims.h"

namespace highwater::report {
namespace {

constexpr double kNames = 250, kValue = 190, kRow = 26, kTopGap = 6, kBottomGap = 6;
constexpr std::size_t kMostBars = 40;

struct Bar {
    std::string name, value;
    base::Interval interval;
};

void drawWhisker(Canvas& canvas, double from, double to, double y) {
    const Rgb ink = canvas.palette().text;
    canvas.line({from, y}, {to, y}, ink, 1.25);
    for (const double x : {from, to}) {
        canvas.line({x, y - 4}, {x, y + 4}, ink, 1.25);
    }
}

void drawBars(Canvas& canvas, const std::vector<Bar>& bars, Rgb color) {
    double most = 0;
    for (const Bar& bar : bars) {
        most = std::max({most, bar.interval.high, bar.interval.median});
    }
    const double space = kFullWidth - kNames - kValue;
    const auto lengthOf = [&](double value) { return most > 0 ? std::max(value, 0.0) / most * space : 0; };
    const Palette& colors = canvas.palette();
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const Bar& bar = bars[i];
        const double y = kTopGap + kRow * static_cast<double>(i);
        canvas.text({kNames - 12, y + 17}, bar.name,
                    {.color = colors.text, .size = 12.5, .anchor = Anchor::End, .mostWidth = kNames - 14});
        const double length = lengthOf(bar.interval.median), high = lengthOf(bar.interval.high);
        canvas.rectangle(kNames, y + 5, std::max(length, 0.75), kRow - 10, color);
        if (high - lengthOf(bar.interval.low) > 1) {
            drawWhisker(canvas, kNames + lengthOf(bar.interval.low), kNames + high, y + kRow / 2);
        }
        canvas.text({kNames + std::max(length, high) + 9, y + 17}, bar.value,
                    {.color = colors.muted, .size = 12, .mostWidth = kValue - 8});
    }
}

bool isRatio(const study::Figure& figure) {
    return figure.label.find(" / ") != std::string::npos;
}

Chart chartOf(const std::string& quantity, std::vector<Bar> bars) {
    const auto parsed = study::parseQuantity(quantity);
    std::string title = parsed ? study::wordsOf(*parsed) : quantity;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    if (bars.size() > kMostBars) {
        title += fmt::format(" (the first {} of {})", kMostBars, bars.size());
        bars.resize(kMostBars);
    }
    Chart chart{title, kFullWidth, kTopGap + kRow * static_cast<double>(bars.size()) + kBottomGap, {}};
    const bool time = parsed && study::unitOf(*parsed) == "ms";
    chart.draw = [bars = std::move(bars), time](Canvas& canvas) {
        const Palette& colors = canvas.palette();
        drawBars(canvas, bars, time ? colors.phase[1] : colors.category[4]);
    };
    return chart;
}

}  // namespace

std::vector<Chart> claimCharts(const study::Finding& finding) {
    std::vector<std::string> quantities;
    for (const study::Figure& figure : finding.figures) {
        if (!isRatio(figure) &&
            std::find(quantities.begin(), quantities.end(), figure.quantity) == quantities.end()) {
            quantities.push_back(figure.quantity);
        }
    }
    std::vector<Chart> charts;
    for (const std::string& quantity : quantities) {
        std::vector<Bar> bars;
        for (const study::Figure& figure : finding.figures) {
            if (!isRatio(figure) && figure.quantity == quantity && std::isfinite(figure.value.median)) {
                bars.push_back(
                    {figure.at.empty() ? figure.label : fmt::format("{}, {}", figure.label, figure.at),
                     figureText(figure), figure.value});
            }
        }
        if (bars.size() > 1) {
            charts.push_back(chartOf(quantity, std::move(bars)));
        }
    }
    return charts;
}

}  // namespace highwater::report
