#include <algorithm>
#include <unordered_map>

#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

using Kind = Value::Kind;

namespace {

PoolId poolOf(const SnapshotRecords& records, const PickleStore& store, Value value) {
    if (!value.is(Kind::List) || records.listAt(value).size() != 2) {
        return {};
    }
    const auto& pair = records.listAt(value);
    return {store.integerOf(pair[0]).value_or(0), store.integerOf(pair[1]).value_or(0)};
}

HistoryBlock blockOf(const SnapshotRecords& records, const BlockRecord& block, std::uint64_t next) {
    HistoryBlock made;
    made.address = block.address != 0 ? block.address : next;
    made.size = std::max<base::Bytes>(0, block.size);
    made.requested = std::max<base::Bytes>(0, block.requested);
    made.state = block.waiting  ? HistoryBlock::State::Waiting
                 : block.active ? HistoryBlock::State::Allocated
                                : HistoryBlock::State::Free;
    made.stack = records.stackOf(block.stack).stack;
    return made;
}

}  // namespace

HistoryEvent historyEvent(const SnapshotRecords& records, const PickleStore& store,
                          const EventRecord& record) {
    static_assert(static_cast<int>(HistoryEvent::Kind::Snapshot) ==
                  static_cast<int>(EventRecord::Action::Snapshot));
    return {static_cast<HistoryEvent::Kind>(record.action),
            record.address,
            record.size,
            record.stream,
            record.time,
            poolOf(records, store, record.pool),
            records.stackOf(record.stack).stack};
}

std::vector<std::pair<std::int64_t, HistorySegment>> historySegments(const SnapshotRecords& records,
                                                                     const PickleStore& store, Value segments,
                                                                     std::optional<std::int64_t> device) {
    std::vector<std::pair<std::int64_t, HistorySegment>> made;
    for (const Value item : records.listAt(segments)) {
        if (!item.is(Kind::Segment)) {
            continue;
        }
        const SegmentRecord& record = records.segments[item.payload()];
        if (device && record.device != *device) {
            continue;
        }
        HistorySegment segment{record.address,
                               std::max<base::Bytes>(0, record.size),
                               record.stream,
                               record.small,
                               record.expandable,
                               poolOf(records, store, record.pool),
                               {}};
        std::uint64_t next = record.address;
        for (const Value block : records.listAt(Value(Kind::List, record.blocks))) {
            if (block.is(Kind::Block)) {
                segment.blocks.push_back(blockOf(records, records.blocks[block.payload()], next));
                next = segment.blocks.back().address + static_cast<std::uint64_t>(segment.blocks.back().size);
            }
        }
        made.emplace_back(record.device, std::move(segment));
    }
    return made;
}

void findAges(const SnapshotRecords& records, Value events, std::vector<HistorySegment>& segments) {
    if (!events.is(Kind::List)) {
        return;
    }
    std::unordered_map<std::uint64_t, std::int64_t> since;
    std::int64_t now = -1;
    for (const Value item : records.listAt(events)) {
        if (!item.is(Kind::Event)) {
            continue;
        }
        const EventRecord& event = records.events[item.payload()];
        now = std::max(now, event.time);
        if (event.action == EventRecord::Action::Allocate && event.time >= 0) {
            since[event.address] = event.time;
        }
    }
    for (HistorySegment& segment : segments) {
        for (HistoryBlock& block : segment.blocks) {
            const auto began = since.find(block.address);
            if (block.state != HistoryBlock::State::Free && began != since.end()) {
                block.age = now - began->second;
            }
        }
    }
}

}  // namespace highwater::capture
