#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/capture/snapshot_fields.h"
#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

using Kind = Value::Kind;

namespace {

constexpr std::size_t kMostDevices = 1024;
constexpr std::size_t kCopies =
    3;  // copies of a frame's texts: in the stacks, in a label and in the table of labels

/// A set that detects repeated numbers.
class Once {
public:
    /// Returns false if the number was seen before.
    bool first(std::uint64_t number) {
        if (number >= seen_.size()) {
            seen_.resize(std::max<std::size_t>(number + 1, 2 * seen_.size()));
        }
        const bool fresh = !seen_[number];
        seen_[number] = true;
        return fresh;
    }

private:
    std::vector<bool> seen_;
};

class DeviceCounter {
public:
    explicit DeviceCounter(const SnapshotRecords& records) : records_(records) {}

    void countEvents(std::int64_t device, Value list) {
        SnapshotDevice& made = of(device);
        if (!isNew(list)) {
            return;
        }
        for (const Value item : records_.listAt(list)) {
            if (item.is(Kind::Event)) {
                checkOnce(events_, item, "event");
                ++made.events;
                made.refusals += records_.events[item.payload()].action == EventRecord::Action::OutOfMemory;
            }
        }
    }

    void countSegment(Value value) {
        checkOnce(segments_, value, "segment");
        const SegmentRecord& segment = records_.segments[value.payload()];
        SnapshotDevice& made = of(segment.device);
        ++made.segments;
        add(made.reserved, segment.size);
        const Value list(Kind::List, segment.blocks);
        if (!isNew(list)) {
            return;
        }
        for (const Value item : records_.listAt(list)) {
            if (!item.is(Kind::Block)) {
                continue;
            }
            checkOnce(blocks_, item, "block");
            const BlockRecord& block = records_.blocks[item.payload()];
            ++made.blocks;
            if (block.active && !block.waiting) {
                add(made.allocated, block.size);
            }
        }
    }

    /// Describes what is listed twice; empty if nothing is.
    const std::string& problem() const { return problem_; }

    std::vector<SnapshotDevice> all() const {
        std::vector<SnapshotDevice> devices;
        for (const auto& each : devices_) {
            devices.push_back(each.second);
        }
        return devices;
    }

private:
    /// Whether it is a list that was not counted before. All empty lists are the same one.
    bool isNew(Value list) {
        if (!list.is(Kind::List) || records_.listAt(list).empty()) {
            return false;
        }
        return checkOnce(lists_, list, "list");
    }

    bool checkOnce(Once& seen, Value value, std::string_view what) {
        const bool fresh = seen.first(value.payload());
        if (!fresh && problem_.empty()) {
            problem_ = fmt::format("is not a memory snapshot: it lists one {} twice", what);
        }
        return fresh;
    }

    SnapshotDevice& of(std::int64_t device) {
        if (devices_.size() >= kMostDevices && !devices_.contains(device)) {
            problem_ = fmt::format("is not a memory snapshot: it has more than {} devices", kMostDevices);
            return devices_.begin()->second;
        }
        SnapshotDevice& made = devices_[device];
        made.device = device;
        return made;
    }
    /// Adds sizes, which may be any numbers, without overflow.
    static void add(base::Bytes& sum, base::Bytes bytes) {
        constexpr base::Bytes most = base::Bytes{1} << 62;
        sum = std::min(most, sum + std::clamp<base::Bytes>(bytes, 0, most));
    }

    const SnapshotRecords& records_;
    Once lists_, events_, segments_, blocks_;
    std::string problem_;
    std::map<std::int64_t, SnapshotDevice> devices_;
};

/// Counts the memory of everything built from the records: each of them once, as a history and as a trace.
void countAll(const SnapshotRecords& records, base::MemoryBudget& budget) {
    constexpr std::size_t kNode = 48;  // a node of a map by address
    budget.take(records.events.size(), sizeof(HistoryEvent) + sizeof(memory::TraceEvent) +
                                           sizeof(memory::TraceBlock) + kNode + sizeof(void*));
    budget.take(records.blocks.size(), sizeof(HistoryBlock) + sizeof(memory::TraceBlock) + kNode);
    budget.take(records.segments.size(), sizeof(HistorySegment));
    budget.take(records.stackFrames.size(), sizeof(records.stackFrames[0]));
    for (const FrameRecord& frame : records.frames) {
        std::size_t bytes = sizeof(memory::StackFrame);
        for (const std::uint32_t text : {frame.filename, frame.name}) {
            bytes += text == EventRecord::kNoText ? 0 : kCopies * records.textAt(text).size();
        }
        budget.take(bytes);
    }
}

base::Result<SnapshotContents> partsOf(const SnapshotRecords& records, Value root) {
    SnapshotContents contents;
    if (root.is(Kind::List)) {
        const auto& items = records.listAt(root);
        if (items.empty() || !std::ranges::all_of(items, [](Value each) { return each.is(Kind::Segment); })) {
            return base::Error{"is not a memory snapshot: it holds a list of something other than segments"};
        }
        contents.segments = root;
        return contents;
    }
    if (!root.is(Kind::Dictionary)) {
        return base::Error{"is not a memory snapshot: it has no dictionary of segments and device_traces"};
    }
    for (const std::string_view key : {"segments", "device_traces"}) {
        if (!records.find(root, key).is(Kind::List)) {
            return base::Error{fmt::format("is not a memory snapshot: it has no list \"{}\"", key)};
        }
    }
    contents.traces = records.listAt(records.find(root, "device_traces"));
    contents.segments = records.find(root, "segments");
    contents.own = records.find(root, kOwnKey);
    return contents;
}

}  // namespace

base::Result<SnapshotContents> snapshotContents(const SnapshotRecords& records, Value root,
                                                base::MemoryBudget& budget) {
    auto contents = HIGHWATER_TRY(partsOf(records, root));
    DeviceCounter counter(records);
    for (std::size_t i = 0; i < contents.traces.size() && counter.problem().empty(); ++i) {
        counter.countEvents(static_cast<std::int64_t>(i), contents.traces[i]);
    }
    for (const Value item : records.listAt(contents.segments)) {
        if (item.is(Kind::Segment) && counter.problem().empty()) {
            counter.countSegment(item);
        }
    }
    if (!counter.problem().empty()) {
        return base::Error{counter.problem()};
    }
    countAll(records, budget);
    if (budget.exceeded()) {
        return budget.error();
    }
    contents.devices = counter.all();
    return contents;
}

std::int64_t chosenDevice(const std::vector<SnapshotDevice>& devices) {
    const auto rank = [](const SnapshotDevice& each) {
        return std::tuple(each.refusals > 0, each.events, each.reserved);
    };
    const SnapshotDevice* chosen = nullptr;
    for (const SnapshotDevice& each : devices) {
        if ((each.events > 0 || each.segments > 0) && (!chosen || rank(each) > rank(*chosen))) {
            chosen = &each;
        }
    }
    return chosen ? chosen->device : -1;
}

}  // namespace highwater::capture
