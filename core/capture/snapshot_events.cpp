#include "core/capture/snapshot_pen.h"

namespace highwater::capture {

namespace {

using memory::TraceEvent;

class EventWriter {
public:
    EventWriter(SnapshotPen& pen, const SnapshotLayout& layout) : pen_(pen), layout_(layout) {}

    /// Writes an event. A free becomes two: requested and completed.
    void write(const TraceEvent& event) {
        if (event.kind == TraceEvent::Kind::Allocate) {
            return entry(event, alloc_);
        }
        entry(event, freeRequested_);
        entry(event, freeCompleted_);
    }

    /// Writes the event of the snapshot itself. Viewers need its category, "unknown", if any event has one.
    void close() {
        pen_.pickle.emptyDict();
        pen_.pickle.mark();
        pen_.pickle.text(action_);
        pen_.pickle.text("snapshot");
        pen_.item(addr_, 0);
        pen_.item(pen_.size, 0);
        pen_.item(pen_.stream, 0);
        pen_.item(pen_.time, pen_.trace.events.empty() ? 0 : pen_.stamp(pen_.trace.events.back().time));
        pen_.noFrames();
        pen_.pickle.text(pen_.category);
        pen_.pickle.text("unknown");
        pen_.pickle.setItems();
    }

private:
    void entry(const TraceEvent& event, SharedText& action) {
        const BlockFacts& facts = layout_.blocks[event.block];
        const memory::TraceBlock& block = pen_.trace.blocks[event.block];
        // A free has the label only if the block has no allocation in the trace.
        const bool named = event.kind == TraceEvent::Kind::Allocate || facts.before;
        pen_.pickle.emptyDict();
        pen_.pickle.mark();
        pen_.item(action_, action);
        pen_.item(addr_, facts.address);
        pen_.item(pen_.size, block.bytes);
        pen_.item(pen_.stream, 0);
        pen_.item(pen_.time, pen_.stamp(event.time));
        pen_.pickle.text(pen_.framesKey);
        pen_.frames.write(named ? block.label : -1, event.phase, event.layer, facts.category);
        pen_.blockItems(block, facts.category);
        pen_.pickle.setItems();
    }

    SnapshotPen& pen_;
    const SnapshotLayout& layout_;
    SharedText action_{"action"}, addr_{"addr"}, alloc_{"alloc"}, freeRequested_{"free_requested"},
        freeCompleted_{"free_completed"};
};

}  // namespace

/// Writes the events of one device. Retags are left out: a snapshot has no event for them.
void writeDeviceTraces(SnapshotPen& pen, const SnapshotLayout& layout) {
    EventWriter writer(pen, layout);
    const auto& events = pen.trace.events;
    pen.pickle.emptyList();
    pen.pickle.mark();
    pen.pickle.emptyList();
    for (std::size_t i = 0; i < events.size() && !pen.stopped;) {
        pen.pickle.mark();
        for (std::size_t batch = 0; i < events.size() && batch + 2 <= PickleWriter::kBatch; ++i) {
            if (events[i].kind == TraceEvent::Kind::Retag) {
                continue;
            }
            writer.write(events[i]);
            batch += 2;
        }
        pen.pickle.appends();
        pen.rest();
    }
    pen.pickle.mark();
    writer.close();
    pen.pickle.appends();
    pen.pickle.appends();
}

}  // namespace highwater::capture
