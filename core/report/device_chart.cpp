#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/axes.h"
#include "core/report/charts.h"
#include "core/wire/gpu_words.h"

namespace highwater::report {
namespace {

constexpr double kPartNames = 130, kPartValue = 190, kPartRow = 34;
constexpr double kCapacityReach = 1.6;  ///< draw the capacity up to this many times the memory

struct Segment {
    std::string name;
    base::Bytes bytes = 0;
    std::size_t color = 0;  ///< index of a category, or kCategories + index of a part
};

/// The tensors by category if the ledger is of that moment, then the other parts.
std::vector<Segment> segmentsOf(const DeviceMoment& moment) {
    std::vector<Segment> segments;
    const auto parts = wire::deviceParts(moment.device);
    if (moment.ledger.total() == moment.device.tensors) {
        for (const memory::Category c : memory::kCategories) {
            segments.push_back({categoryText(c), moment.ledger[c], static_cast<std::size_t>(c)});
        }
    } else {
        segments.push_back(
            {"tensors", moment.device.tensors, static_cast<std::size_t>(memory::Category::Activations)});
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
        segments.push_back({partName(parts[i]), parts[i].bytes, memory::kCategoryCount + i - 1});
    }
    return segments;
}

Rgb colorOf(const Palette& palette, std::size_t index) {
    return index < palette.category.size() ? palette.category[index]
                                           : palette.device[index - palette.category.size()];
}

double drawBar(Canvas& canvas, const std::vector<Segment>& segments, double y, double unit) {
    double x = kPartNames;
    for (const Segment& segment : segments) {
        const double width = static_cast<double>(std::max<base::Bytes>(0, segment.bytes)) * unit;
        if (width > 0) {
            canvas.rectangle(x, y, width, kPartRow - 14, colorOf(canvas.palette(), segment.color));
        }
        x += width;
    }
    return x;
}

std::vector<LegendEntry> legendOf(const std::vector<std::vector<Segment>>& bars, const Palette& palette) {
    std::vector<LegendEntry> legend;
    std::vector<std::size_t> seen;
    for (const auto& bar : bars) {
        for (const Segment& segment : bar) {
            if (segment.bytes > 0 && std::find(seen.begin(), seen.end(), segment.color) == seen.end()) {
                seen.push_back(segment.color);
                legend.push_back({segment.name, colorOf(palette, segment.color)});
            }
        }
    }
    return legend;
}

}  // namespace

std::vector<DeviceMoment> deviceMoments(const Facts& facts) {
    const wire::RunResult& result = facts.result();
    std::vector<DeviceMoment> moments;
    if (result.deviceAtPeak) {
        moments.push_back({"at the peak", *result.deviceAtPeak, result.peakByCategory});
    }
    if (facts.failure && facts.failure->device) {
        moments.push_back({"when it failed", *facts.failure->device, facts.failure->ledger});
    } else if (result.deviceAtEnd) {
        moments.push_back({"after the last step", *result.deviceAtEnd, result.atEnd});
    }
    return moments;
}

Chart deviceChart(const std::vector<DeviceMoment>& moments) {
    Chart chart{"The GPU's memory, part by part: together what nvidia-smi shows as used", kFullWidth, 80, {}};
    if (moments.empty()) {
        chart.draw = [](Canvas& c) { drawEmpty(c, kFullWidth, 80, "The device was not asked."); };
        return chart;
    }
    std::vector<std::vector<Segment>> bars;
    base::Bytes most = 1, capacity = 0;
    for (const DeviceMoment& moment : moments) {
        bars.push_back(segmentsOf(moment));
        most = std::max(most, moment.device.used());
        capacity = std::max(capacity, moment.device.capacity);
    }
    const bool near = static_cast<double>(capacity) <= kCapacityReach * static_cast<double>(most);
    const double whole = static_cast<double>(near ? std::max(most, capacity) : most);
    const int rows = legendRows(legendOf(bars, kLight), kFullWidth - kPartNames);
    chart.height = 10 + kPartRow * static_cast<double>(bars.size()) + 12 + kLegendRow * rows;
    chart.draw = [=, height = chart.height](Canvas& canvas) {
        const Palette& colors = canvas.palette();
        const double unit = (kFullWidth - kPartNames - kPartValue) / whole;
        for (std::size_t i = 0; i < bars.size(); ++i) {
            const double y = 8 + kPartRow * static_cast<double>(i);
            canvas.text(
                {kPartNames - 12, y + 14}, moments[i].name,
                {.color = colors.text, .size = 12.5, .anchor = Anchor::End, .mostWidth = kPartNames - 14});
            double end = drawBar(canvas, bars[i], y, unit);
            if (near) {
                end = std::max(end, kPartNames + static_cast<double>(moments[i].device.capacity) * unit);
            }
            if (near) {
                canvas.frame(kPartNames, y, end - kPartNames, kPartRow - 14, colors.muted, 1);
            }
            canvas.text({end + 8, y + 14},
                        fmt::format("{} of {}", base::formatBytes(moments[i].device.used()),
                                    base::formatBytes(moments[i].device.capacity)),
                        {.color = colors.muted, .size = 12, .mostWidth = kFullWidth - end - 8});
        }
        drawLegend(canvas, kPartNames, height - kLegendRow * rows + 12, kFullWidth - kPartNames,
                   legendOf(bars, colors));
    };
    return chart;
}

}  // namespace highwater::report
