#include <algorithm>
#include <cmath>

#include "core/predict/fit/summary.h"

namespace highwater::predict {

namespace {

constexpr std::size_t kMostPoints = 400;

/// Returns the time of each event in milliseconds since the walk's start: an operator's events are spread
/// evenly over its time. Empty without times.
std::vector<double> eventTimes(const Walk& walk, std::span<const TimeEstimate> times) {
    std::vector<double> at;
    if (times.empty()) {
        return at;
    }
    at.resize(walk.events.size());
    double now = 0;
    for (std::size_t i = 0; i < walk.ops.size(); ++i) {
        const std::size_t first = walk.ops[i].event,
                          last = i + 1 < walk.ops.size() ? walk.ops[i + 1].event : walk.events.size();
        for (std::size_t e = first; e < last; ++e) {
            at[e] =
                now + times[i].expected * static_cast<double>(e - first) / static_cast<double>(last - first);
        }
        now += times[i].expected;
    }
    return at;
}

/// Returns the events of a step after which its memory has a local maximum or minimum. If there are too many,
/// the highest and lowest in each of equal spans. Always contains the first and the last event.
std::vector<std::size_t> turningPoints(const std::vector<base::Bytes>& totals) {
    std::vector<std::size_t> turns;
    const std::size_t count = totals.size();
    for (std::size_t i = 0; i < count; ++i) {
        const bool ends = i == 0 || i + 1 == count;
        if (ends || (totals[i] > totals[i - 1]) != (totals[i + 1] > totals[i])) {
            turns.push_back(i);
        }
    }
    if (turns.size() <= kMostPoints) {
        return turns;
    }
    std::vector<std::size_t> kept{turns.front()};
    const std::size_t spans = (kMostPoints - 2) / 2, inner = turns.size() - 2;
    const auto less = [&](std::size_t a, std::size_t b) { return totals[a] < totals[b]; };
    for (std::size_t s = 0; s < spans; ++s) {
        const auto first = turns.begin() + 1 + static_cast<std::ptrdiff_t>(s * inner / spans),
                   last = turns.begin() + 1 + static_cast<std::ptrdiff_t>((s + 1) * inner / spans);
        const auto [low, high] = std::minmax_element(first, last, less);
        kept.push_back(std::min(*low, *high));
        if (*low != *high) {
            kept.push_back(std::max(*low, *high));
        }
    }
    kept.push_back(turns.back());
    return kept;
}

}  // namespace

std::vector<PredictedPoint> timelineOf(const Walk& walk, std::span<const TimeEstimate> times) {
    const std::size_t begin = walk.stepEvent[Walk::kSteps - 1];
    std::vector<base::Bytes> totals;
    totals.reserve(walk.events.size() - begin);
    Live live(walk);
    for (std::size_t i = 0; i < walk.events.size(); ++i) {
        live.pass(walk.events[i]);
        if (i >= begin) {
            totals.push_back(live.total().expected);
        }
    }
    const std::vector<double> at = eventTimes(walk, times);
    std::vector<PredictedPoint> points;
    Live again(walk);
    std::size_t next = 0;
    for (const std::size_t turn : turningPoints(totals)) {
        for (; next <= begin + turn; ++next) {
            again.pass(walk.events[next]);
        }
        const WalkEvent& event = walk.events[begin + turn];
        points.push_back({static_cast<std::int64_t>(turn), again.ledger(), again.total().low,
                          again.total().high, event.phase, event.layer,
                          at.empty() ? 0 : at[begin + turn] - at[begin]});
    }
    return points;
}

void writeTrace(const Walk& walk, const stack::StackInfo& info, std::span<const TimeEstimate> times,
                memory::Trace& trace) {
    trace = {};
    trace.timed = !times.empty();
    for (const stack::LayerInfo& layer : info.layers) {
        trace.layers.push_back(layer.name);
    }
    std::vector<std::string_view> labels;
    for (const WalkBlock& block : walk.blocks) {
        const auto found = std::find(labels.begin(), labels.end(), block.label);
        const auto index = static_cast<std::int32_t>(found - labels.begin());
        if (found == labels.end()) {
            labels.push_back(block.label);
        }
        trace.blocks.push_back({block.bytes.expected, block.bytes.expected, index});
    }
    trace.labels.assign(labels.begin(), labels.end());
    const std::vector<double> at = eventTimes(walk, times);
    for (std::size_t i = 0; i < walk.events.size(); ++i) {
        const WalkEvent& event = walk.events[i];
        const auto time = at.empty() ? static_cast<std::int64_t>(i) : std::llround(at[i] * 1e6);
        trace.events.push_back({time, event.block, event.layer,
                                static_cast<memory::TraceEvent::Kind>(event.kind), event.category,
                                event.phase});
    }
    for (int step = 0; step < Walk::kSteps; ++step) {
        trace.steps.push_back({walk.stepEvent[step], step});
    }
    trace.allEvents = static_cast<std::int64_t>(trace.events.size());
}

}  // namespace highwater::predict
