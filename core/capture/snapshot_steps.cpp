#include <algorithm>
#include <charconv>

#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

namespace {

using Kind = Value::Kind;
using memory::TraceStep;

constexpr std::string_view kName = "ProfilerStep#";

/// The step's number; -1 if the annotation is not the start of a step on the device.
int stepOf(const SnapshotRecords& records, const AnnotationRecord& each, std::int64_t device) {
    if (!each.start || each.device != device || each.time < 0 || each.name == EventRecord::kNoText) {
        return -1;
    }
    const std::string_view name = records.textAt(each.name);
    if (!name.starts_with(kName)) {
        return -1;
    }
    int index = -1;
    std::from_chars(name.data() + kName.size(), name.data() + name.size(), index);
    return index;
}

void add(std::vector<TraceStep>& steps, std::size_t event, int index) {
    if (steps.empty() || (steps.back().event <= event && steps.back().index < index)) {
        steps.push_back({event, index});
    }
}

}  // namespace

std::vector<TraceStep> profilerSteps(const SnapshotRecords& records, std::int64_t device,
                                     const SnapshotClock& clock,
                                     const std::vector<memory::TraceEvent>& events) {
    struct Start {
        std::int64_t time;
        int index;
    };
    std::vector<Start> starts;
    for (const AnnotationRecord& each : records.annotations) {
        if (const int index = stepOf(records, each, device); index >= 0) {
            starts.push_back({clock.at(each.time), index});
        }
    }
    std::ranges::stable_sort(starts, {}, &Start::time);
    std::vector<TraceStep> steps;
    for (const Start& start : starts) {
        const auto event = std::ranges::lower_bound(events, start.time, {}, &memory::TraceEvent::time);
        add(steps, static_cast<std::size_t>(event - events.begin()), start.index);
    }
    return steps;
}

std::vector<TraceStep> ownSteps(const SnapshotRecords& records, const PickleStore& store, Value own,
                                std::size_t events) {
    std::vector<TraceStep> steps;
    const Value list = records.find(own, "steps");
    if (!list.is(Kind::List)) {
        return steps;
    }
    for (const Value step : records.listAt(list)) {
        if (!step.is(Kind::List) || records.listAt(step).size() != 2) {
            continue;
        }
        const auto event = store.integerOf(records.listAt(step)[0]);
        const auto index = store.integerOf(records.listAt(step)[1]);
        if (event && index && *event >= 0 && *event <= static_cast<std::int64_t>(events) && *index >= 0 &&
            *index <= 0x7fffffff) {
            add(steps, static_cast<std::size_t>(*event), static_cast<int>(*index));
        }
    }
    return steps;
}

}  // namespace highwater::capture
