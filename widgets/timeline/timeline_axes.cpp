#include "widgets/timeline/timeline_axes.h"

#include <QObject>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/round_step.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

struct Unit {
    const char* name;
    double size;
};
constexpr std::array<Unit, 4> kTimes = {{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}}};
constexpr std::array<Unit, 5> kSizes = {
    {{"TiB", 1099511627776.0}, {"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}, {"B", 1.0}}};

std::string plain(double value) {
    if (std::abs(value) >= 10'000 && value == std::floor(value)) {
        return countText(std::llround(value)).toStdString();
    }
    return QString::number(std::abs(value) < 1e-9 ? 0.0 : value, 'g', 10).toStdString();
}

template <class Value>
std::vector<ColumnRun> runs(const std::vector<TimelineColumn>& columns, Value value) {
    std::vector<ColumnRun> out;
    for (int c = 0; c < static_cast<int>(columns.size()); ++c) {
        const int v = value(columns[static_cast<std::size_t>(c)].highest);
        if (out.empty() || out.back().value != v) {
            out.push_back({c, c, v});
        }
        out.back().right = c + 1;
    }
    return out;
}

}  // namespace

TimelineTicks timelineTicks(const TraceIndex& index, const TimelineRange& range, int most) {
    TimelineTicks out;
    const double length = range.to - range.from;
    if (range.axis == TimelineAxis::Events) {
        out.ticks.step = std::max(1.0, base::roundStep(length / std::max(1, most)));
        const auto first = static_cast<double>(index.trace().firstEvent);
        const double from = first + range.from;
        for (double k = std::ceil(from / out.ticks.step - 1e-9); k * out.ticks.step <= first + range.to;
             ++k) {
            out.ticks.ticks.push_back(
                {k * out.ticks.step - first, countText(std::llround(k * out.ticks.step)).toStdString()});
        }
        if (!out.ticks.ticks.empty()) {
            std::string& label = out.ticks.ticks.front().label;
            label = QObject::tr("event %1").arg(QString::fromStdString(label)).toStdString();
        }
        return out;
    }
    const double step = base::roundStep(length / std::max(1, most));
    const Unit unit = *std::find_if(kTimes.begin(), kTimes.end() - 1,
                                    [step](const Unit& u) { return step >= u.size * 0.0999; });
    double base = 0;
    if (range.to > step * 1e4) {
        const double coarse = base::roundStep(length * 4);
        base = std::floor(range.from / coarse) * coarse;
        out.base = QString::number(base / 1e9, 'g', 12) + QStringLiteral(" s +");
    }
    out.ticks.step = step;
    out.ticks.unit = unit.name;
    for (double k = std::ceil((range.from - base) / step - 1e-9); base + k * step <= range.to; ++k) {
        out.ticks.ticks.push_back({base + k * step, plain(k * step / unit.size)});
    }
    return out;
}

Ticks stackTicks(double low, double high, int most) {
    Ticks out;
    out.step = std::max(1.0, std::exp2(std::ceil(std::log2((high - low) / std::max(1, most)) - 1e-9)));
    const Unit unit = *std::find_if(kSizes.begin(), kSizes.end() - 1,
                                    [&](const Unit& u) { return high >= u.size && out.step >= u.size / 64; });
    out.unit = unit.name;
    for (double k = std::ceil(low / out.step - 1e-9); k * out.step <= high; ++k) {
        out.ticks.push_back({k * out.step, plain(k * out.step / unit.size)});
    }
    return out;
}

std::vector<ColumnRun> phaseRuns(const TraceIndex& index, const std::vector<TimelineColumn>& columns) {
    return runs(columns, [&](std::size_t state) { return static_cast<int>(phaseAt(index, state)); });
}

std::vector<ColumnRun> layerRuns(const TraceIndex& index, const std::vector<TimelineColumn>& columns) {
    const auto& events = index.trace().events;
    return runs(columns, [&](std::size_t state) {
        return state == 0 || events.empty() ? -1 : static_cast<int>(events[state - 1].layer);
    });
}

LayerProfile::LayerProfile(const TraceIndex& index, const std::vector<bool>& layers) {
    std::vector<std::pair<std::uint32_t, base::Bytes>> deltas;
    for (std::uint32_t b = 0; b < index.blocks(); ++b) {
        const BlockLife& life = index.life(b);
        if (!life.here() || life.layer < 0 || !layers[static_cast<std::size_t>(life.layer)]) {
            continue;
        }
        deltas.emplace_back(life.begin, index.bytes(b));
        deltas.emplace_back(life.end, -index.bytes(b));
        ++blocks_;
    }
    std::sort(deltas.begin(), deltas.end());
    base::Bytes sum = 0;
    for (const auto& [state, bytes] : deltas) {
        sum += bytes;
        if (changes_.empty() || changes_.back().first != state) {
            changes_.emplace_back(state, sum);
        }
        changes_.back().second = sum;
    }
    for (const auto& change : changes_) {
        peak_ = std::max(peak_, change.second);
    }
}

base::Bytes LayerProfile::at(std::size_t state) const {
    const auto after = std::partition_point(changes_.begin(), changes_.end(),
                                            [state](const auto& change) { return change.first <= state; });
    return after == changes_.begin() ? 0 : (after - 1)->second;
}

}  // namespace highwater::widgets
