#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/capture/snapshot_fields.h"
#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

using Kind = Value::Kind;

namespace {

class DeviceCounter {
public:
    explicit DeviceCounter(const SnapshotRecords& records) : records_(records) {}

    void countEvents(std::int64_t device, Value list) {
        SnapshotDevice& made = of(device);
        if (!list.is(Kind::List)) {
            return;
        }
        for (const Value item : records_.listAt(list)) {
            if (item.is(Kind::Event)) {
                ++made.events;
                made.refusals += records_.events[item.payload()].action == EventRecord::Action::OutOfMemory;
            }
        }
    }

    void countSegment(const SegmentRecord& segment) {
        SnapshotDevice& made = of(segment.device);
        ++made.segments;
        add(made.reserved, segment.size);
        for (const Value item : records_.listAt(Value(Kind::List, segment.blocks))) {
            if (!item.is(Kind::Block)) {
                continue;
            }
            const BlockRecord& block = records_.blocks[item.payload()];
            ++made.blocks;
            if (block.active && !block.waiting) {
                add(made.allocated, block.size);
            }
        }
    }

    std::vector<SnapshotDevice> all() const {
        std::vector<SnapshotDevice> devices;
        for (const auto& each : devices_) {
            devices.push_back(each.second);
        }
        return devices;
    }

private:
    SnapshotDevice& of(std::int64_t device) {
        SnapshotDevice& made = devices_[device];
        made.device = device;
        return made;
    }
    /// A sum of sizes that may be any numbers.
    static void add(base::Bytes& sum, base::Bytes bytes) {
        constexpr base::Bytes most = base::Bytes{1} << 62;
        sum = std::min(most, sum + std::clamp<base::Bytes>(bytes, 0, most));
    }

    const SnapshotRecords& records_;
    std::map<std::int64_t, SnapshotDevice> devices_;
};

base::Result<SnapshotContents> partsOf(const SnapshotRecords& records, Value root) {
    SnapshotContents contents;
    if (root.is(Kind::List)) {
        const auto& items = records.listAt(root);
        if (items.empty() || !std::ranges::all_of(items, [](Value each) { return each.is(Kind::Segment); })) {
            return base::Error{"is no memory snapshot: it holds a list of other things than segments"};
        }
        contents.segments = root;
        return contents;
    }
    if (!root.is(Kind::Dictionary)) {
        return base::Error{"is no memory snapshot: it holds no dictionary of segments and device_traces"};
    }
    for (const std::string_view key : {"segments", "device_traces"}) {
        if (!records.find(root, key).is(Kind::List)) {
            return base::Error{fmt::format("is no memory snapshot: it has no list \"{}\"", key)};
        }
    }
    contents.traces = records.listAt(records.find(root, "device_traces"));
    contents.segments = records.find(root, "segments");
    contents.own = records.find(root, kOwnKey);
    return contents;
}

}  // namespace

base::Result<SnapshotContents> snapshotContents(const SnapshotRecords& records, Value root) {
    auto contents = partsOf(records, root);
    if (!contents) {
        return contents;
    }
    DeviceCounter counter(records);
    for (std::size_t i = 0; i < contents->traces.size(); ++i) {
        counter.countEvents(static_cast<std::int64_t>(i), contents->traces[i]);
    }
    for (const Value item : records.listAt(contents->segments)) {
        if (item.is(Kind::Segment)) {
            counter.countSegment(records.segments[item.payload()]);
        }
    }
    contents->devices = counter.all();
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
