#include "core/report/predicted_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/plan/prediction_words.h"
#include "core/report/charts.h"

namespace highwater::report {

std::vector<Key> ledgerSplit(const memory::Ledger& ledger) {
    const base::Bytes total = ledger.total();
    std::vector<Key> keys;
    for (const memory::Category c : memory::kCategories) {
        if (total > 0 && ledger[c] > 0) {
            keys.push_back({kLight.category[static_cast<std::size_t>(c)],
                            fmt::format("{} {}", categoryText(c), base::formatBytes(ledger[c])),
                            static_cast<double>(ledger[c]) / static_cast<double>(total)});
        }
    }
    return keys;
}

Parts stepPart(const predict::Prediction& prediction, const stack::StackInfo& info, const std::string& title,
               const std::string& prefix) {
    const auto& timeline = prediction.timeline;
    if (timeline.empty() || timeline.back().ms <= 0) {
        return {note("The time within the step is not known, so its memory is not drawn.")};
    }
    StackedMemory memory;
    memory.title = fmt::format("{}: peak {} {}", title, base::formatBytes(prediction.peakAllocated.expected),
                               plan::whereText(prediction, info));
    for (const predict::PredictedPoint& point : timeline) {
        memory.ledgers.push_back({point.ms, point.ledger});
        if (memory.phases.empty() || memory.phases.back().phase != point.phase) {
            memory.phases.push_back({point.ms, point.ms, point.phase});
        }
        memory.phases.back().to = point.ms;
    }
    memory.end = std::max(timeline.back().ms, prediction.stepMs.expected);
    for (std::size_t i = 0; i < memory.phases.size(); ++i) {
        memory.phases[i].to = i + 1 < memory.phases.size() ? memory.phases[i + 1].from : memory.end;
    }
    const auto highest = std::max_element(timeline.begin(), timeline.end(), [](const auto& a, const auto& b) {
        return a.ledger.total() < b.ledger.total();
    });
    const base::Bytes peak = highest->ledger.total();
    memory.peak = Peak{highest->ms, peak, "peak " + base::formatBytes(peak)};
    return {Figure{memoryChart(std::move(memory)), prefix}};
}

std::int64_t layerCount(const stack::StackInfo& info) {
    return std::count_if(info.layers.begin(), info.layers.end(),
                         [](const stack::LayerInfo& layer) { return layer.type != "block"; });
}

}  // namespace highwater::report
