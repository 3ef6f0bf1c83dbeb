#include <limits>

#include "core/capture/snapshot_pen.h"

namespace highwater::capture {

namespace {

constexpr std::uint32_t kGap = std::numeric_limits<std::uint32_t>::max();

/// A part of the segment: a block that is live at the end, or a gap.
struct Part {
    std::int64_t address = 0;
    std::uint32_t block = kGap;
};

/// The parts from the beginning of the segment to its end.
std::vector<Part> partsOf(const memory::Trace& trace, const SnapshotLayout& layout) {
    std::vector<std::uint32_t> living;
    for (std::uint32_t i = 0; i < layout.blocks.size(); ++i) {
        if (layout.blocks[i].alive) {
            living.push_back(i);
        }
    }
    std::ranges::sort(living, {}, [&](std::uint32_t block) { return layout.blocks[block].address; });
    std::vector<Part> parts;
    std::int64_t at = SnapshotLayout::kBase;
    for (const std::uint32_t block : living) {
        const std::int64_t address = layout.blocks[block].address;
        if (address > at) {
            parts.push_back({at, kGap});
        }
        parts.push_back({address, block});
        at = address + takenBytes(trace.blocks[block]);
    }
    const std::int64_t end = SnapshotLayout::kBase + layout.extent;
    if (at < end) {
        parts.push_back({at, kGap});
    }
    parts.push_back({end, kGap});
    return parts;
}

void writeFacts(SnapshotPen& pen, const SnapshotLayout& layout, const std::vector<Part>& parts) {
    base::Bytes allocated = 0, requested = 0;
    for (const Part& part : parts) {
        if (part.block == kGap) {
            continue;
        }
        allocated += takenBytes(pen.trace.blocks[part.block]);
        requested += pen.trace.blocks[part.block].bytes;
    }
    pen.item("device", std::int64_t{0});
    pen.item(pen.address, SnapshotLayout::kBase);
    pen.item("total_size", layout.extent);
    pen.item("allocated_size", allocated);
    pen.item("active_size", allocated);
    pen.item(pen.requestedSize, requested);
    pen.item(pen.stream, 0);
    pen.item("segment_type", std::string_view("large"));
    pen.pickle.text("segment_pool_id");
    pen.pickle.integer(0);
    pen.pickle.integer(0);
    pen.pickle.pair();
    pen.item("is_expandable", false);
    pen.noFrames();
}

}  // namespace

/// Writes one segment, because the trace has no segments of a caching allocator.
void writeSegments(SnapshotPen& pen, const SnapshotLayout& layout) {
    pen.pickle.emptyList();
    if (layout.extent == 0) {
        return;
    }
    SharedText state{"state"}, active{"active_allocated"}, inactive{"inactive"};
    const std::vector<Part> parts = partsOf(pen.trace, layout);
    pen.pickle.mark();
    pen.pickle.emptyDict();
    pen.pickle.mark();
    writeFacts(pen, layout, parts);
    pen.pickle.text("blocks");
    pen.list(parts.size() - 1, [&](std::size_t i) {
        const Part& part = parts[i];
        pen.pickle.emptyDict();
        pen.pickle.mark();
        pen.item(pen.address, part.address);
        pen.item(pen.size, parts[i + 1].address - part.address);
        pen.item(pen.requestedSize, part.block == kGap ? 0 : pen.trace.blocks[part.block].bytes);
        pen.item(state, part.block == kGap ? inactive : active);
        if (part.block == kGap) {
            pen.noFrames();
        } else {
            const BlockFacts& facts = layout.blocks[part.block];
            const memory::TraceBlock& block = pen.trace.blocks[part.block];
            pen.pickle.text(pen.framesKey);
            pen.frames.write(block.label, facts.phase, facts.layer, facts.category);
            pen.blockItems(block, facts.category);
        }
        pen.pickle.setItems();
    });
    pen.pickle.setItems();
    pen.pickle.appends();
}

}  // namespace highwater::capture
