#include "core/capture/snapshot_layout.h"

#include <algorithm>

#include "core/capture/address_space.h"

namespace highwater::capture {

using memory::TraceEvent;

namespace {

base::Bytes wanted(const memory::TraceBlock& block) {
    return std::max(block.bytes, block.reserved);
}

}  // namespace

base::Bytes takenBytes(const memory::TraceBlock& block) {
    return AddressSpace::rounded(wanted(block));
}

base::Result<SnapshotLayout> layOut(const memory::Trace& trace) {
    SnapshotLayout layout;
    layout.blocks.resize(trace.blocks.size());
    AddressSpace space;
    const auto place = [&](std::uint32_t block) {
        const auto offset = space.take(wanted(trace.blocks[block]));
        layout.blocks[block].address = SnapshotLayout::kBase + offset.value_or(0);
        layout.blocks[block].alive = true;
        return offset.has_value();
    };
    const base::Error tooLarge{"the blocks do not fit an address space of 2^62 bytes"};
    for (const memory::TraceAlive& each : trace.alive) {
        if (!place(each.block)) {
            return tooLarge;
        }
        BlockFacts& block = layout.blocks[each.block];
        block.before = true;
        block.category = each.category;
        block.layer = each.layer;
    }
    for (const TraceEvent& event : trace.events) {
        BlockFacts& block = layout.blocks[event.block];
        block.category = event.category;
        if (event.kind == TraceEvent::Kind::Allocate) {
            if (!place(event.block)) {
                return tooLarge;
            }
            block.phase = event.phase;
            block.layer = event.layer;
        } else if (event.kind == TraceEvent::Kind::Free) {
            space.give(block.address - SnapshotLayout::kBase, wanted(trace.blocks[event.block]));
            block.alive = false;
        }
    }
    layout.extent = space.extent();
    return layout;
}

}  // namespace highwater::capture
