#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/text.h"
#include "core/capture/address_space.h"
#include "core/capture/output.h"
#include "core/capture/snapshot_frames.h"

namespace highwater::capture {

namespace {

using memory::Trace;
using memory::TraceEvent;

constexpr std::int64_t kBase = 0x7f0000000000;  // where CUDA's addresses lie; a double holds them exactly

/// What the file says of a block for the whole of its life.
struct BlockFacts {
    std::int64_t address = 0;
    memory::Category category = memory::Category::Temporaries;  // the last that it had
    memory::Phase phase = memory::Phase::Setup;
    std::int16_t layer = -1;
    bool before = false;  // alive at the start
    bool alive = false;   // at the end
};

base::Bytes taken(const memory::TraceBlock& block) {
    return std::max(block.bytes, block.reserved);
}

/// Gives every block its address, and finds what it ends as.
base::Result<std::vector<BlockFacts>> layOut(const Trace& trace, AddressSpace& space) {
    std::vector<BlockFacts> facts(trace.blocks.size());
    const auto place = [&](std::uint32_t block) {
        const auto offset = space.take(taken(trace.blocks[block]));
        facts[block].address = kBase + offset.value_or(0);
        facts[block].alive = true;
        return offset.has_value();
    };
    const base::Error tooLarge{"the blocks do not fit an address space of 2^62 bytes"};
    for (const memory::TraceAlive& each : trace.alive) {
        if (!place(each.block))
            return tooLarge;
        facts[each.block].before = true;
        facts[each.block].category = each.category;
        facts[each.block].layer = each.layer;
    }
    for (const TraceEvent& event : trace.events) {
        BlockFacts& block = facts[event.block];
        block.category = event.category;
        if (event.kind == TraceEvent::Kind::Allocate) {
            if (!place(event.block))
                return tooLarge;
            block.phase = event.phase;
            block.layer = event.layer;
        } else if (event.kind == TraceEvent::Kind::Free) {
            space.give(block.address - kBase, taken(trace.blocks[event.block]));
            block.alive = false;
        }
    }
    return facts;
}

class SnapshotWriter {
public:
    SnapshotWriter(const Trace& trace, std::ostream& out, const Progress& progress)
        : trace_(trace),
          output_(out, progress, trace.events.size() + trace.blocks.size()),
          pickle_(output_.text()),
          frames_(trace, pickle_) {}

    base::Status write() {
        auto facts = layOut(trace_, space_);
        if (!facts)
            return facts.error();
        facts_ = std::move(*facts);
        pickle_.emptyDict();
        pickle_.mark();
        pickle_.text("segments");
        segments();
        pickle_.text("device_traces");
        traces();
        pickle_.text("allocator_settings");
        settings();
        pickle_.text("external_annotations");
        annotations();
        pickle_.text(kOwnKey);
        own();
        pickle_.setItems();
        pickle_.stop();
        return output_.finish();
    }

private:
    void item(SharedText& key, std::int64_t value) {
        pickle_.text(key);
        pickle_.integer(value);
    }
    void item(SharedText& key, SharedText& value) {
        pickle_.text(key);
        pickle_.text(value);
    }
    void noFrames() {
        pickle_.text(framesKey_);
        pickle_.emptyList();
    }
    void reservedItem(const memory::TraceBlock& block) {
        if (block.reserved != block.bytes)
            item(reservedSize_, block.reserved);
    }

    /// Writes a list in batches of what a reader can take.
    template <class Each>
    void list(std::size_t count, Each each) {
        pickle_.emptyList();
        for (std::size_t first = 0; first < count; first += PickleWriter::kBatch) {
            pickle_.mark();
            for (std::size_t i = first; i < std::min(count, first + PickleWriter::kBatch); ++i)
                each(i);
            pickle_.appends();
            pickle_.rest();
        }
    }

    void segments() {
        pickle_.emptyList();
        if (space_.extent() == 0)
            return;
        std::vector<std::uint32_t> living;
        base::Bytes allocated = 0, requested = 0;
        for (std::uint32_t i = 0; i < facts_.size(); ++i) {
            if (!facts_[i].alive)
                continue;
            living.push_back(i);
            allocated += AddressSpace::rounded(taken(trace_.blocks[i]));
            requested += trace_.blocks[i].bytes;
        }
        std::sort(living.begin(), living.end(),
                  [&](auto a, auto b) { return facts_[a].address < facts_[b].address; });
        pickle_.mark();
        pickle_.emptyDict();
        pickle_.mark();
        segmentFacts(allocated, requested);
        pickle_.text("blocks");
        blocks(living);
        pickle_.setItems();
        pickle_.appends();
    }

    void segmentFacts(base::Bytes allocated, base::Bytes requested) {
        pickle_.text("device");
        pickle_.integer(0);
        item(address_, kBase);
        pickle_.text("total_size");
        pickle_.integer(space_.extent());
        pickle_.text("allocated_size");
        pickle_.integer(allocated);
        pickle_.text("active_size");
        pickle_.integer(allocated);
        item(requestedSize_, requested);
        item(stream_, 0);
        pickle_.text("segment_type");
        pickle_.text("large");
        pickle_.text("segment_pool_id");
        pickle_.integer(0);
        pickle_.integer(0);
        pickle_.pair();
        pickle_.text("is_expandable");
        pickle_.boolean(false);
        noFrames();
    }

    /// What lives at the end, and the gaps between.
    void blocks(const std::vector<std::uint32_t>& living) {
        std::int64_t at = kBase;
        std::vector<std::pair<std::int64_t, std::uint32_t>> parts;  // address, block or none
        constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
        for (const std::uint32_t block : living) {
            if (facts_[block].address > at)
                parts.emplace_back(at, none);
            parts.emplace_back(facts_[block].address, block);
            at = facts_[block].address + AddressSpace::rounded(taken(trace_.blocks[block]));
        }
        const std::int64_t end = kBase + space_.extent();
        if (at < end)
            parts.emplace_back(at, none);
        parts.emplace_back(end, none);
        list(parts.size() - 1, [&](std::size_t i) {
            const base::Bytes size = parts[i + 1].first - parts[i].first;
            if (parts[i].second == none)
                gap(parts[i].first, size);
            else
                livingBlock(parts[i].second, size);
            output_.part();
        });
    }

    void gap(std::int64_t address, base::Bytes size) {
        pickle_.emptyDict();
        pickle_.mark();
        item(address_, address);
        item(size_, size);
        item(requestedSize_, 0);
        item(state_, inactive_);
        noFrames();
        pickle_.setItems();
    }

    void livingBlock(std::uint32_t number, base::Bytes size) {
        const BlockFacts& facts = facts_[number];
        const memory::TraceBlock& block = trace_.blocks[number];
        pickle_.emptyDict();
        pickle_.mark();
        item(address_, facts.address);
        item(size_, size);
        item(requestedSize_, block.bytes);
        item(state_, active_);
        pickle_.text(framesKey_);
        frames_.write(block.label, facts.phase, facts.layer, facts.category);
        item(category_, categoryText(facts.category));
        reservedItem(block);
        pickle_.setItems();
    }

    void traces() {
        pickle_.emptyList();
        pickle_.mark();
        std::vector<std::size_t> written;  // the others are retags, which a snapshot has no event for
        for (std::size_t i = 0; i < trace_.events.size(); ++i)
            if (trace_.events[i].kind != TraceEvent::Kind::Retag)
                written.push_back(i);
        pickle_.emptyList();
        for (std::size_t i = 0; i < written.size();) {
            pickle_.mark();
            // A free is two events, so that half a batch is a whole one at most.
            const std::size_t end = std::min(written.size(), i + PickleWriter::kBatch / 2);
            for (; i < end; ++i)
                event(trace_.events[written[i]]);
            pickle_.appends();
            pickle_.rest();
            if (!output_.part())
                break;
        }
        closing();
        pickle_.appends();
    }

    std::int64_t stamp(std::int64_t time) const { return trace_.timed ? time / 1000 : time; }

    void event(const TraceEvent& event) {
        const BlockFacts& facts = facts_[event.block];
        if (event.kind == TraceEvent::Kind::Allocate) {
            entry(event, alloc_, trace_.blocks[event.block].label);
            return;
        }
        const std::int32_t label = facts.before ? trace_.blocks[event.block].label : -1;
        entry(event, freeRequested_, label);
        entry(event, freeCompleted_, label);
    }

    void entry(const TraceEvent& event, SharedText& action, std::int32_t label) {
        const BlockFacts& facts = facts_[event.block];
        const memory::TraceBlock& block = trace_.blocks[event.block];
        pickle_.emptyDict();
        pickle_.mark();
        item(action_, action);
        item(addr_, facts.address);
        item(size_, block.bytes);
        item(stream_, 0);
        item(time_, stamp(event.time));
        pickle_.text(framesKey_);
        frames_.write(label, event.phase, event.layer, facts.category);
        item(category_, categoryText(facts.category));
        reservedItem(block);
        pickle_.setItems();
        output_.part();
    }

    /// The moment of the snapshot. Its category, "unknown", is one that viewers need once any is there.
    void closing() {
        pickle_.mark();
        pickle_.emptyDict();
        pickle_.mark();
        pickle_.text(action_);
        pickle_.text("snapshot");
        item(addr_, 0);
        item(size_, 0);
        item(stream_, 0);
        item(time_, trace_.events.empty() ? 0 : stamp(trace_.events.back().time));
        noFrames();
        pickle_.text(category_);
        pickle_.text("unknown");
        pickle_.setItems();
        pickle_.appends();
    }

    /// PyTorch's defaults: nothing was configured.
    void settings() {
        pickle_.emptyDict();
        pickle_.mark();
        pickle_.text("PYTORCH_CUDA_ALLOC_CONF");
        pickle_.text("");
        pickle_.text("max_split_size");
        pickle_.integer(-1);
        pickle_.text("garbage_collection_threshold");
        pickle_.real(0);
        pickle_.text("expandable_segments");
        pickle_.boolean(false);
        pickle_.text("pinned_num_register_threads");
        pickle_.integer(1);
        pickle_.text("release_lock_on_cudamalloc");
        pickle_.boolean(false);
        pickle_.text("pinned_use_cuda_host_register");
        pickle_.boolean(false);
        pickle_.text("roundup_power2_divisions");
        pickle_.emptyDict();
        pickle_.mark();
        for (int interval = 0; interval < 16; ++interval) {
            pickle_.text(std::to_string(1 << interval));
            pickle_.integer(0);
        }
        pickle_.setItems();
        pickle_.setItems();
    }

    /// The steps, as torch.profiler names them.
    void annotations() {
        list(2 * trace_.steps.size(), [&](std::size_t i) {
            const memory::TraceStep& step = trace_.steps[i / 2];
            const bool ends = i % 2 == 1;
            const bool last = i / 2 + 1 == trace_.steps.size();
            const std::size_t event = !ends  ? step.event
                                      : last ? trace_.events.size()
                                             : trace_.steps[i / 2 + 1].event;
            pickle_.emptyDict();
            pickle_.mark();
            pickle_.text(stage_);
            pickle_.text(ends ? "END" : "START");
            pickle_.text(name_);
            pickle_.text("ProfilerStep#" + std::to_string(step.index));
            pickle_.text("device");
            pickle_.integer(0);
            item(time_, timeOf(event));
            pickle_.setItems();
        });
    }

    std::int64_t timeOf(std::size_t event) const {
        if (trace_.events.empty())
            return 0;
        return stamp(trace_.events[std::min(event, trace_.events.size() - 1)].time);
    }

    void own() {
        pickle_.emptyDict();
        pickle_.mark();
        pickle_.text("title");
        pickle_.text(base::oneLine(trace_.title, 1000));
        pickle_.text("timed");
        pickle_.boolean(trace_.timed);
        pickle_.text("layers");
        list(trace_.layers.size(), [&](std::size_t i) { pickle_.text(trace_.layers[i]); });
        pickle_.text("steps");
        std::vector<std::size_t> before = eventsBefore();
        list(trace_.steps.size(), [&](std::size_t i) {
            pickle_.integer(static_cast<std::int64_t>(before[i]));
            pickle_.integer(trace_.steps[i].index);
            pickle_.pair();
        });
        pickle_.setItems();
    }

    /// How many events of the file lie before each step.
    std::vector<std::size_t> eventsBefore() const {
        std::vector<std::size_t> before;
        std::size_t count = 0, at = 0;
        for (const memory::TraceStep& step : trace_.steps) {
            for (; at < step.event; ++at)
                count += trace_.events[at].kind != TraceEvent::Kind::Retag;
            before.push_back(count);
        }
        return before;
    }

    SharedText& categoryText(memory::Category category) {
        return categories_[static_cast<std::size_t>(category)];
    }
    static std::vector<SharedText> categoryTexts() {
        std::vector<SharedText> texts;
        for (const memory::Category category : memory::kCategories)
            texts.push_back({memory::categoryKey(category)});
        return texts;
    }

    const Trace& trace_;
    Output output_;
    PickleWriter pickle_;
    SnapshotFrames frames_;
    AddressSpace space_;
    std::vector<BlockFacts> facts_;
    SharedText action_{"action"}, addr_{"addr"}, size_{"size"}, stream_{"stream"}, time_{"time_us"},
        framesKey_{"frames"}, category_{"category"}, reservedSize_{kReservedKey};
    SharedText address_{"address"}, requestedSize_{"requested_size"}, state_{"state"};
    SharedText alloc_{"alloc"}, freeRequested_{"free_requested"}, freeCompleted_{"free_completed"},
        active_{"active_allocated"}, inactive_{"inactive"};
    SharedText stage_{"stage"}, name_{"name"};
    std::vector<SharedText> categories_ = categoryTexts();
};

}  // namespace

base::Status writeSnapshot(const Trace& trace, std::ostream& out, const Progress& progress) {
    return SnapshotWriter(trace, out, progress).write();
}

}  // namespace highwater::capture
