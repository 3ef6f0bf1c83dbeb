#include "core/capture/snapshot_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/capture/words.h"

namespace highwater::capture {

namespace {

using Kind = Value::Kind;
using memory::Trace;
using memory::TraceEvent;

constexpr std::int64_t kMostBytes = std::int64_t{1}
                                    << 50;  // largest size of a block; a larger number is not a size

class TraceBuilder {
public:
    TraceBuilder(const SnapshotRecords& records, const PickleStore& store, const SnapshotContents& contents,
                 std::int64_t device)
        : records_(records),
          store_(store),
          contents_(contents),
          number_(device),
          labelOf_(records.frames.size(), kUnknown) {}

    base::Result<SnapshotTrace> build() {
        readOwn();
        for (const Value item : records_.listAt(contents_.traces[static_cast<std::size_t>(number_)])) {
            if (item.is(Kind::Event)) {
                device_.push_back(&records_.events[item.payload()]);
            }
        }
        const bool completed = std::ranges::any_of(
            device_, [](const EventRecord* e) { return e->action == EventRecord::Action::FreeCompleted; });
        ends_ = completed ? EventRecord::Action::FreeCompleted : EventRecord::Action::FreeRequested;
        findClock();
        findReserved();
        for (std::size_t i = 0; i < device_.size(); ++i) {
            takeMark(*device_[i]);
            take(*device_[i]);
            eventOf_.resize(trace_.events.size(), static_cast<std::uint32_t>(i));
        }
        for (const Value segment : records_.listAt(contents_.segments)) {
            if (segment.is(Kind::Segment)) {
                take(records_.segments[segment.payload()]);
            }
        }
        if (trace_.events.empty() && trace_.refusals.empty() && skipped_ == 0 && !own_) {
            return SnapshotTrace{};
        }
        trace_.steps = own_ ? ownSteps(records_, store_, contents_.own, trace_.events.size())
                            : profilerSteps(records_, number_, clock_, trace_.events);
        if (!own_ && !records_.stacks.empty()) {
            trace_.stacks = std::make_shared<const memory::CallStacks>(records_.callStacks());
        }
        guessCategories(trace_, std::move(known_));
        trace_.allEvents = static_cast<std::int64_t>(trace_.events.size());
        if (skipped_ > 0) {
            trace_.labels.push_back(
                fmt::format("{} events of the capture make no sense and are left out", skipped_));
        }
        HIGHWATER_TRY(memory::check(trace_));
        return SnapshotTrace{std::move(trace_), skipped_, std::move(eventOf_)};
    }

private:
    static constexpr std::int32_t kUnknown = -2;
    static constexpr std::uint32_t kDead = 0xffffffff;

    void readOwn() {
        own_ = contents_.own.is(Kind::Dictionary);
        if (const Value title = records_.find(contents_.own, "title"); title.is(Kind::Text)) {
            trace_.title = records_.textAt(title.payload());
        }
        const Value layers = records_.find(contents_.own, "layers");
        if (!layers.is(Kind::List)) {
            return;
        }
        for (const Value layer : records_.listAt(layers)) {
            if (layer.is(Kind::Text) && trace_.layers.size() < 0x7fff) {
                trace_.layers.emplace_back(records_.textAt(layer.payload()));
            }
        }
    }

    /// Sets the start of time: the first event, or the start of Highwater's own snapshot.
    void findClock() {
        const bool any = std::ranges::any_of(device_, [](const EventRecord* e) { return e->time >= 0; });
        trace_.timed = any && !(own_ && records_.find(contents_.own, "timed") == Value(Kind::Boolean, 0));
        if (own_ || !any) {
            return;
        }
        clock_.start = std::numeric_limits<std::int64_t>::max();
        for (const EventRecord* event : device_) {
            if (event->time >= 0) {
                clock_.start = std::min(clock_.start, event->time);
            }
        }
    }

    static std::optional<base::Bytes> reservedBy(const EventRecord& record) {
        using Action = EventRecord::Action;
        if (record.size < 0 || record.size > kMostBytes) {
            return {};
        }
        switch (record.action) {
            case Action::SegmentAllocate:
            case Action::SegmentMap:
                return record.size;
            case Action::SegmentFree:
            case Action::SegmentUnmap:
                return -record.size;
            default:
                return {};
        }
    }

    /// Limits a sum of sizes, which may be any numbers.
    static base::Bytes limited(base::Bytes bytes) {
        constexpr base::Bytes most = base::Bytes{1} << 61;
        return std::clamp(bytes, -most, most);
    }

    /// The reserved memory at the beginning of the history: that at its end, minus the net change.
    void findReserved() {
        if (own_) {
            return;  // its one segment is synthetic
        }
        base::Bytes bytes = 0;
        for (const SnapshotDevice& each : contents_.devices) {
            bytes = each.device == number_ ? limited(each.reserved) : bytes;
        }
        for (const EventRecord* event : device_) {
            bytes = limited(bytes - reservedBy(*event).value_or(0));
        }
        reserved_ = bytes;
        setReserved();
    }

    /// Records the reserved memory from the next event on.
    void setReserved() {
        const memory::TraceReserved mark{trace_.events.size(), std::max<base::Bytes>(0, reserved_)};
        if (!trace_.reserved.empty() && trace_.reserved.back().event == mark.event) {
            trace_.reserved.back() = mark;
        } else {
            trace_.reserved.push_back(mark);
        }
    }

    void takeMark(const EventRecord& record) {
        if (const auto bytes = own_ ? std::nullopt : reservedBy(record)) {
            reserved_ = limited(reserved_ + *bytes);
            setReserved();
        }
        if (record.action == EventRecord::Action::OutOfMemory) {
            const bool known = record.address <= static_cast<std::uint64_t>(kMostBytes);
            const std::int64_t time = std::max(now_, clock_.at(record.time));
            trace_.refusals.push_back(
                {trace_.events.size(), trace_.timed ? time : static_cast<std::int64_t>(trace_.events.size()),
                 std::max<base::Bytes>(0, record.size), known ? static_cast<base::Bytes>(record.address) : -1,
                 stackNumber(records_.stackOf(record.stack))});
        }
    }

    std::int32_t stackNumber(const StackWords& words) const { return own_ ? -1 : words.stack; }

    void take(const EventRecord& record) {
        const bool allocates = record.action == EventRecord::Action::Allocate;
        if (!allocates && record.action != ends_) {
            return;
        }
        const StackWords words = records_.stackOf(record.stack);
        phase_ = words.phase.value_or(phase_);
        TraceEvent event;
        event.phase = phase_;
        event.layer = layerOf(record, words);
        event.kind = allocates ? TraceEvent::Kind::Allocate : TraceEvent::Kind::Free;
        if (record.address == 0 || record.size < 0 || record.size > kMostBytes ||
            !findBlock(record, words, event)) {
            ++skipped_;
            return;
        }
        now_ = std::max(now_, clock_.at(record.time));
        event.time = trace_.timed ? now_ : static_cast<std::int64_t>(trace_.events.size());
        trace_.events.push_back(event);
    }

    /// Finds the event's block. False if the event is inconsistent: a free where no block is live, or an
    /// allocation where one is. The first free of an address that was not allocated before belongs to an
    /// earlier block.
    bool findBlock(const EventRecord& record, const StackWords& words, TraceEvent& event) {
        const auto [place, fresh] = living_.try_emplace(record.address, kDead);
        if (event.kind == TraceEvent::Kind::Allocate) {
            if (place->second != kDead) {
                return false;
            }
            event.block = place->second = newBlock(record.size, record.reserved, words, record.category);
            return true;
        }
        if (fresh) {
            event.block =
                newBlock(record.size, record.reserved, own_ ? words : StackWords{}, record.category);
            trace_.alive.push_back({event.block, memory::Category::Activations, -1});
            return true;
        }
        event.block = place->second;
        place->second = kDead;
        return event.block != kDead;
    }

    std::uint32_t newBlock(base::Bytes bytes, base::Bytes reserved, const StackWords& words,
                           std::uint32_t category) {
        memory::TraceBlock block;
        block.bytes = bytes;
        block.reserved = reserved >= 0 && reserved <= kMostBytes ? reserved : bytes;
        block.label = labelOf(words.frame);
        block.stack = stackNumber(words);
        trace_.blocks.push_back(block);
        auto said = category == EventRecord::kNoText ? std::nullopt : categoryOf(records_.textAt(category));
        known_.push_back(said ? said : words.category);
        return static_cast<std::uint32_t>(trace_.blocks.size() - 1);
    }

    std::int32_t labelOf(std::int32_t number) {
        if (number < 0) {
            return -1;
        }
        std::int32_t& label = labelOf_[static_cast<std::size_t>(number)];
        if (label != kUnknown) {
            return label;
        }
        const FrameRecord& frame = records_.frames[static_cast<std::size_t>(number)];
        const std::string text = frame.words.kind == FrameWords::Kind::Operator
                                     ? std::string(textOf(frame.name))
                                     : frameLabel(textOf(frame.filename), textOf(frame.name), frame.line);
        const auto [known, fresh] =
            labels_.try_emplace(text, static_cast<std::int32_t>(trace_.labels.size()));
        if (fresh) {
            trace_.labels.push_back(text);
        }
        return label = known->second;
    }

    std::string_view textOf(std::uint32_t number) const {
        return number == EventRecord::kNoText ? std::string_view() : records_.textAt(number);
    }

    /// The layer: Highwater's own, or the text that torch.cuda.memory._set_memory_metadata attached.
    std::int16_t layerOf(const EventRecord& record, const StackWords& words) {
        if (own_) {
            return static_cast<std::size_t>(words.layer) < trace_.layers.size() ? words.layer
                                                                                : std::int16_t{-1};
        }
        const std::string_view name = textOf(record.metadata);
        if (name.empty()) {
            return -1;
        }
        const auto [known, fresh] = layers_.try_emplace(record.metadata, trace_.layers.size());
        if (fresh && trace_.layers.size() < 0x7fff) {
            trace_.layers.emplace_back(name);
        }
        return known->second < trace_.layers.size() ? static_cast<std::int16_t>(known->second)
                                                    : std::int16_t{-1};
    }

    void take(const SegmentRecord& segment) {
        if (segment.device != number_) {
            return;
        }
        std::uint64_t next = segment.address;
        for (const Value item : records_.listAt(Value(Kind::List, segment.blocks))) {
            if (!item.is(Kind::Block)) {
                continue;
            }
            const BlockRecord& block = records_.blocks[item.payload()];
            const std::uint64_t address = block.address != 0 ? block.address : next;
            next = address + static_cast<std::uint64_t>(std::max<std::int64_t>(0, block.size));
            if (block.active) {
                take(block, address);
            }
        }
    }

    /// Adds a block that is live at the end: its reserved size is known here. If no event names it, it was
    /// live throughout.
    void take(const BlockRecord& block, std::uint64_t address) {
        if (block.requested < 0 || block.requested > kMostBytes || block.size > kMostBytes) {
            return;
        }
        const auto [place, fresh] = living_.try_emplace(address, kDead);
        const StackWords words = records_.stackOf(block.stack);
        if (fresh) {
            place->second = newBlock(block.requested, block.reserved, words, block.category);
            const bool layer = own_ && static_cast<std::size_t>(words.layer) < trace_.layers.size();
            trace_.alive.push_back(
                {place->second, memory::Category::Activations, layer ? words.layer : std::int16_t{-1}});
        }
        if (place->second != kDead && !own_) {
            trace_.blocks[place->second].reserved = std::max(block.size, trace_.blocks[place->second].bytes);
        }
    }

    const SnapshotRecords& records_;
    const PickleStore& store_;
    const SnapshotContents& contents_;
    const std::int64_t number_;  // the device's number
    base::Bytes reserved_ = 0;
    bool own_ = false;
    std::vector<const EventRecord*> device_;
    EventRecord::Action ends_ = EventRecord::Action::FreeCompleted;
    SnapshotClock clock_;
    std::int64_t now_ = 0, skipped_ = 0;
    std::vector<std::uint32_t> eventOf_;
    memory::Phase phase_ = memory::Phase::Setup;
    Trace trace_;
    std::vector<std::optional<memory::Category>> known_;
    std::unordered_map<std::uint64_t, std::uint32_t> living_;  // by address; kDead: no longer live
    std::vector<std::int32_t> labelOf_;                        // by frame
    std::unordered_map<std::string, std::int32_t> labels_;
    std::unordered_map<std::uint32_t, std::size_t> layers_;  // by text
};

}  // namespace

base::Result<SnapshotTrace> snapshotTrace(const SnapshotRecords& records, const PickleStore& store,
                                          const SnapshotContents& contents, std::int64_t device) {
    const auto has = [&](const SnapshotDevice& each) { return each.device == device && each.events > 0; };
    if (std::ranges::none_of(contents.devices, has)) {
        return SnapshotTrace{};
    }
    return TraceBuilder(records, store, contents, device).build();
}

}  // namespace highwater::capture
