#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/capture/frame_words.h"
#include "core/capture/pickle_store.h"
#include "core/memory/call_stacks.h"

namespace highwater::capture {

/// What a call stack says about its allocation.
struct StackWords {
    std::int32_t stack = -1;  ///< index into SnapshotRecords::stacks; -1: there is none
    std::int32_t frame = -1;  ///< index into SnapshotRecords::frames of the frame for the label; -1: none
    std::int16_t layer = -1;
    std::optional<memory::Phase> phase;
    std::optional<memory::Category> category;
};

struct FrameRecord {
    std::uint32_t filename = 0, name = 0;  ///< text numbers
    std::int32_t line = 0;
    FrameWords words;
};

/// A call stack, innermost frame first: `count` frame numbers from SnapshotRecords::stackFrames[first] on.
struct StackRecord {
    std::uint32_t first = 0, count = 0;
    StackWords words;
};

struct EventRecord {
    enum class Action : std::uint8_t {
        Other,
        Allocate,
        FreeRequested,
        FreeCompleted,
        SegmentAllocate,
        SegmentFree,
        SegmentMap,
        SegmentUnmap,
        OutOfMemory,
        Snapshot
    };
    static constexpr std::uint32_t kNoText = 0xffffffff;
    std::uint64_t address = 0;  ///< for OutOfMemory: the device's free memory in bytes
    std::uint64_t stream = 0;
    std::int64_t size = -1;
    std::int64_t time = -1;  ///< -1: none
    std::int64_t reserved = -1;
    Value stack;
    Value pool;                                            ///< a pair of numbers, if there is one
    std::uint32_t category = kNoText, metadata = kNoText;  ///< text numbers
    Action action = Action::Other;
};

struct BlockRecord {
    std::uint64_t address = 0;  ///< 0 before PyTorch 2.1: computed from the preceding block
    std::int64_t size = -1, requested = -1, reserved = -1;
    Value stack;
    std::uint32_t category = EventRecord::kNoText;
    bool active = false;
    bool waiting = false;  ///< active, but freed by the program
};

struct SegmentRecord {
    std::uint64_t address = 0;
    std::uint64_t stream = 0;
    std::int64_t device = 0;
    std::int64_t size = -1;
    std::size_t blocks = 0;  ///< number of the list with its blocks
    Value pool;              ///< a pair of numbers, if there is one
    bool small = false, expandable = false;
};

/// An annotation of a profiler's range: its start.
struct AnnotationRecord {
    std::uint32_t name = 0;  ///< text number
    std::int64_t device = 0, time = -1;
    bool start = false;
};

/// Makes records of a snapshot's events, frames, blocks, segments and annotations as the pickle reader
/// completes them; keeps the few other lists and dictionaries unchanged.
class SnapshotRecords : public Reducer {
public:
    SnapshotRecords();
    /// Sets the store, which is needed to read large integers.
    void attach(const PickleStore& store) { store_ = &store; }

    Value text(std::string_view text) override;
    Value list(std::vector<Value>& items) override;
    Value dictionary(std::vector<Value>& items) override;
    void expect(std::size_t containers) override { events.reserve(containers / 2); }
    std::size_t bytes() const override;

    std::string_view textAt(std::uint64_t number) const { return texts_[number]; }
    const std::vector<Value>& listAt(Value list) const { return lists_[list.payload()]; }
    /// The value at a key of a kept dictionary; Unset if there is none.
    Value find(Value dictionary, std::string_view key) const;
    StackWords stackOf(Value stack) const;
    /// All frames and stacks in the form for display.
    memory::CallStacks callStacks() const;

    std::vector<FrameRecord> frames;  ///< without duplicates
    std::vector<StackRecord> stacks;  ///< without duplicates, except for rare hash collisions
    std::vector<std::uint32_t> stackFrames;
    std::vector<EventRecord> events;
    std::vector<BlockRecord> blocks;
    std::vector<SegmentRecord> segments;
    std::vector<AnnotationRecord> annotations;
    std::uint64_t eventKeys = 0,
                  segmentKeys = 0;  ///< the words that are keys of some event or segment, as bits

private:
    using Items = std::vector<Value>;
    Value frame(const Items& items);
    Value event(const Items& items);
    Value block(const Items& items);
    Value segment(const Items& items);
    Value annotation(const Items& items);
    Value stack(const Items& items);
    StackWords wordsOfStack(std::span<const std::uint32_t> numbers) const;
    std::int64_t integer(Value value, std::int64_t fallback) const;
    std::uint32_t textOf(Value value) const;

    const PickleStore* store_ = nullptr;
    std::vector<std::string> texts_;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
    std::unordered_map<std::uint64_t, std::uint32_t> framesByHash_, stacksByHash_;
    std::size_t textBytes_ = 0, keptItems_ = 0;
    std::vector<Items> lists_, dictionaries_;
};

}  // namespace highwater::capture
