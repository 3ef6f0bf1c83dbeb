#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/axes.h"
#include "core/report/charts.h"

namespace highwater::report {
namespace {

constexpr std::size_t kMostRows = 60;
constexpr double kLayerRow = 19, kLayerNames = 170, kHeader = 40, kGap = 24, kLayerValue = 62;

struct Row {
    std::string name;
    double bytes = 0, forward = 0, backward = 0;
};

std::vector<Row> rowsOf(const std::vector<wire::LayerCost>& layers) {
    std::vector<Row> rows;
    for (const wire::LayerCost& layer : layers) {
        if (layer.type != "block") {
            rows.push_back({layer.name, static_cast<double>(std::max<base::Bytes>(0, layer.activationBytes)),
                            usableTime(layer.forwardMs), usableTime(layer.backwardMs)});
        }
    }
    if (rows.size() <= kMostRows) {
        return rows;
    }
    std::vector<double> bytes;
    for (const Row& row : rows) {
        bytes.push_back(row.bytes);
    }
    std::nth_element(bytes.begin(), bytes.begin() + kMostRows - 1, bytes.end(), std::greater<>());
    const double least = bytes[kMostRows - 1];
    std::erase_if(rows, [least](const Row& row) { return row.bytes < least; });
    rows.resize(std::min(rows.size(), kMostRows));
    return rows;
}

struct LayerColumn {
    double left = 0, width = 0, most = 0;
    double lengthOf(double value) const { return most > 0 ? value / most * width : 0; }
};

void drawRow(Canvas& canvas, const Row& row, double y, const LayerColumn& bytes, const LayerColumn& times) {
    const Palette& colors = canvas.palette();
    const TextStyle value{.color = colors.muted, .size = 11.5};
    canvas.text({kLayerNames - 10, y + 13}, row.name,
                {.color = colors.text, .size = 12, .anchor = Anchor::End, .mostWidth = kLayerNames - 12});
    const double length = bytes.lengthOf(row.bytes);
    if (length > 0) {
        canvas.rectangle(bytes.left, y + 4, std::max(length, 0.75), kLayerRow - 7,
                         colors.category[static_cast<std::size_t>(memory::Category::Activations)]);
    }
    canvas.text({bytes.left + length + 6, y + 13}, base::formatBytes(static_cast<base::Bytes>(row.bytes)),
                value);

    const double forward = times.lengthOf(row.forward), backward = times.lengthOf(row.backward);
    if (forward > 0) {
        canvas.rectangle(times.left, y + 4, std::max(forward, 0.75), kLayerRow - 7, colors.phase[1]);
    }
    if (backward > 0) {
        canvas.rectangle(times.left + forward, y + 4, std::max(backward, 0.75), kLayerRow - 7,
                         colors.phase[3]);
    }
    if (times.most > 0) {
        canvas.text({times.left + forward + backward + 6, y + 13},
                    base::formatMillis(row.forward + row.backward), value);
    }
}

}  // namespace

Chart layersChart(const std::vector<wire::LayerCost>& costs) {
    const std::vector<Row> rows = rowsOf(costs);
    const bool timed = wire::timed(costs);
    Chart chart{timed ? "Activation memory and time of each layer" : "Activation memory of each layer",
                kFullWidth,
                80,
                {}};
    if (rows.empty()) {
        chart.draw = [](Canvas& c) { drawEmpty(c, kFullWidth, 80, "No layer was recorded."); };
        return chart;
    }
    chart.height = kHeader + kLayerRow * static_cast<double>(rows.size()) + 8;
    const auto layers = static_cast<std::size_t>(std::count_if(
        costs.begin(), costs.end(), [](const wire::LayerCost& layer) { return layer.type != "block"; }));
    chart.draw = [rows, layers, timed, height = chart.height](Canvas& canvas) {
        const double half = (kFullWidth - kLayerNames - kGap) / 2;
        LayerColumn bytes{kLayerNames, half - kLayerValue, 0},
            times{kLayerNames + half + kGap, half - kLayerValue, 0};
        for (const Row& row : rows) {
            bytes.most = std::max(bytes.most, row.bytes);
            times.most = std::max(times.most, row.forward + row.backward);
        }
        const Palette& colors = canvas.palette();
        const LegendEntry left[] = {
            {layers > rows.size()
                 ? fmt::format("activations (the {} largest of {} layers)", rows.size(), layers)
                 : "activations kept by the forward pass",
             colors.category[static_cast<std::size_t>(memory::Category::Activations)]}};
        const LegendEntry right[] = {{"forward", colors.phase[1]}, {"backward", colors.phase[3]}};
        drawLegend(canvas, bytes.left, 20, half, left);
        canvas.line({bytes.left, kHeader - 6}, {bytes.left, height - 6}, colors.grid, 1);
        if (timed) {
            drawLegend(canvas, times.left, 20, half, right);
            canvas.line({times.left, kHeader - 6}, {times.left, height - 6}, colors.grid, 1);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            drawRow(canvas, rows[i], kHeader - 6 + kLayerRow * static_cast<double>(i), bytes, times);
        }
    };
    return chart;
}

Chart runPeaksChart(const std::vector<Facts>& runs) {
    const double names = 250, bar = kFullWidth - names - 80, row = 30;
    Chart chart{"Peak memory of each run, by category",
                kFullWidth,
                12 + row * static_cast<double>(runs.size()) + 34,
                {}};
    struct Entry {
        std::string name;
        memory::Ledger peak;
    };
    std::vector<Entry> entries;
    double most = 1;
    for (const Facts& run : runs) {
        entries.push_back({runTitle(run.run->summary), run.result().peakByCategory});
        most = std::max(most, static_cast<double>(entries.back().peak.total()));
    }
    chart.draw = [=, height = chart.height](Canvas& canvas) {
        const Palette& colors = canvas.palette();
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const double y = 6 + row * static_cast<double>(i);
            canvas.text({names - 12, y + 18}, entries[i].name,
                        {.color = colors.text, .size = 12.5, .anchor = Anchor::End, .mostWidth = names - 14});
            double x = names;
            for (const memory::Category c : memory::kCategories) {
                const double width = static_cast<double>(entries[i].peak[c]) / most * bar;
                if (width > 0) {
                    canvas.rectangle(x, y + 5, width, row - 12, colors.category[static_cast<std::size_t>(c)]);
                }
                x += width;
            }
            canvas.text({x + 8, y + 18}, base::formatBytes(entries[i].peak.total()),
                        {.color = colors.muted, .size = 12});
        }
        std::vector<LegendEntry> legend;
        for (const memory::Category c : memory::kCategories) {
            if (std::any_of(entries.begin(), entries.end(), [c](const Entry& e) { return e.peak[c] > 0; })) {
                legend.push_back({categoryText(c), colors.category[static_cast<std::size_t>(c)]});
            }
        }
        drawLegend(canvas, 12, height - 10, kFullWidth - 24, legend);
    };
    return chart;
}

}  // namespace highwater::report
