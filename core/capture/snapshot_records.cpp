#include "core/capture/snapshot_records.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/capture/snapshot_fields.h"

namespace highwater::capture {

namespace {

using Kind = Value::Kind;

/// The texts that are looked for, under numbers known beforehand.
enum Word : std::uint64_t {
    kAction,
    kAddr,
    kAddress,
    kSize,
    kTotalSize,
    kRequestedSize,
    kRealSize,
    kReservedSize,
    kState,
    kTime,
    kFrames,
    kHistory,
    kBlocks,
    kDevice,
    kFilename,
    kName,
    kLine,
    kCategory,
    kMetadata,
    kStage,
    kStart,
    kAlloc,
    kFreeRequested,
    kFreeCompleted,
    kActiveAllocated,
    kActivePendingFree,
    kActiveAwaitingFree,
    kWords
};
constexpr std::array<std::string_view, kWords> kTexts = {"action",
                                                         "addr",
                                                         "address",
                                                         "size",
                                                         "total_size",
                                                         "requested_size",
                                                         "real_size",
                                                         kReservedKey,
                                                         "state",
                                                         "time_us",
                                                         "frames",
                                                         "history",
                                                         "blocks",
                                                         "device",
                                                         "filename",
                                                         "name",
                                                         "line",
                                                         "category",
                                                         "user_metadata",
                                                         "stage",
                                                         "START",
                                                         "alloc",
                                                         "free_requested",
                                                         "free_completed",
                                                         "active_allocated",
                                                         "active_pending_free",
                                                         "active_awaiting_free"};

bool isText(Value value, Word word) {
    return value == Value(Kind::Text, word);
}

/// The value at a word of a dictionary; the last one where it is there twice.
Value at(const std::vector<Value>& items, Word word) {
    for (std::size_t i = items.size(); i >= 2; i -= 2)
        if (isText(items[i - 2], word))
            return items[i - 1];
    return {};
}

/// The words among the keys, as bits.
std::uint64_t wordsOf(const std::vector<Value>& items) {
    std::uint64_t words = 0;
    for (std::size_t i = 0; i < items.size(); i += 2)
        if (items[i].is(Kind::Text) && items[i].payload() < kWords)
            words |= std::uint64_t{1} << items[i].payload();
    return words;
}

constexpr std::uint64_t bit(Word word) {
    return std::uint64_t{1} << word;
}

template <class Enum>
std::uint64_t packed(std::optional<Enum> value) {
    return value ? static_cast<std::uint64_t>(*value) + 1 : 0;
}

}  // namespace

SnapshotRecords::SnapshotRecords() : lists_(1), dictionaries_(1) {
    for (const std::string_view text : kTexts)
        SnapshotRecords::text(text);
}

Value SnapshotRecords::text(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end())
        return {Kind::Text, known->second};
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(text, number);
    textBytes_ += 2 * (text.size() < 16 ? 0 : text.size());
    return {Kind::Text, number};
}

Value SnapshotRecords::list(std::vector<Value>& items) {
    if (items.empty())
        return {Kind::List, 0};
    if (std::ranges::all_of(items, [](Value item) { return item.is(Kind::Frame); }))
        return stack(items);
    keptItems_ += items.capacity();
    lists_.push_back(std::move(items));
    return {Kind::List, lists_.size() - 1};
}

Value SnapshotRecords::dictionary(std::vector<Value>& items) {
    if (items.empty())
        return {Kind::Dictionary, 0};
    const std::uint64_t words = wordsOf(items);
    if (words & bit(kAction))
        return event(items);
    if (words & bit(kFilename))
        return frame(items);
    if (words & bit(kTotalSize))
        return segment(items);
    if (words & (bit(kState) | bit(kRealSize)))
        return block(items);
    if (words & bit(kStage))
        return annotation(items);
    keptItems_ += items.capacity();
    dictionaries_.push_back(std::move(items));
    return {Kind::Dictionary, dictionaries_.size() - 1};
}

Value SnapshotRecords::frame(const Items& items) {
    const auto words = [&](Word word) {
        const Value value = at(items, word);
        return value.is(Kind::Text) ? textAt(value.payload()) : std::string_view();
    };
    FrameRecord made;
    const std::int64_t line = integer(at(items, kLine), 0);
    made.line =
        line > 0 && line <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(line) : 0;
    made.filename = textOf(at(items, kFilename));
    made.name = textOf(at(items, kName));
    made.words = frameWords(words(kFilename), words(kName), made.line);
    frames.push_back(made);
    return {Kind::Frame, frames.size() - 1};
}

/// Innermost first. What runs forward inside of a backward pass is recomputed.
Value SnapshotRecords::stack(const Items& items) const {
    std::optional<memory::Phase> phase;
    std::optional<memory::Category> category;
    std::uint64_t label = 0, layer = 0, rank = 0;
    for (const Value item : items) {
        const FrameWords& words = frames[item.payload()].words;
        if (words.rank > rank) {
            rank = words.rank;
            label = item.payload() + 1;
        }
        if (words.layer >= 0)
            layer = static_cast<std::uint64_t>(words.layer) + 1;
        if (words.category && !category)
            category = words.category;
        if (!words.phase)
            continue;
        if (!phase)
            phase = words.phase;
        else if (phase == memory::Phase::Forward &&
                 (words.phase == memory::Phase::Backward || words.phase == memory::Phase::Recompute))
            phase = memory::Phase::Recompute;
    }
    label = label >> 30 == 0 ? label : 0;
    return {Kind::Stack, label | layer << 30 | packed(phase) << 46 | packed(category) << 50};
}

StackWords SnapshotRecords::stackOf(Value stack) {
    StackWords words;
    if (!stack.is(Kind::Stack))
        return words;
    const std::uint64_t bits = stack.payload();
    words.frame = static_cast<std::int32_t>(bits & ((1U << 30) - 1)) - 1;
    words.layer = static_cast<std::int16_t>(static_cast<int>(bits >> 30 & 0xffff) - 1);
    if (const auto phase = bits >> 46 & 0xf)
        words.phase = static_cast<memory::Phase>(phase - 1);
    if (const auto category = bits >> 50 & 0xf)
        words.category = static_cast<memory::Category>(category - 1);
    return words;
}

Value SnapshotRecords::event(const Items& items) {
    EventRecord made;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const Value value = items[i + 1];
        switch (items[i].is(Kind::Text) ? items[i].payload() : kWords) {
            case kAction:
                made.action = isText(value, kAlloc)           ? EventRecord::Action::Allocate
                              : isText(value, kFreeRequested) ? EventRecord::Action::FreeRequested
                              : isText(value, kFreeCompleted) ? EventRecord::Action::FreeCompleted
                                                              : EventRecord::Action::Other;
                break;
            case kAddr:
                made.address = store_->addressOf(value).value_or(0);
                break;
            case kSize:
                made.size = integer(value, -1);
                break;
            case kTime:
                made.time = integer(value, -1);
                break;
            case kReservedSize:
                made.reserved = integer(value, -1);
                break;
            case kFrames:
                made.stack = value;
                break;
            case kCategory:
                made.category = textOf(value);
                break;
            case kMetadata:
                made.metadata = textOf(value);
                break;
            default:
                break;
        }
    }
    events.push_back(made);
    return {Kind::Event, events.size() - 1};
}

/// A block of a segment, or (before PyTorch 2.1) an entry of its history, whose size is the one asked for.
Value SnapshotRecords::block(const Items& items) {
    BlockRecord made;
    const Value state = at(items, kState);
    made.active = isText(state, kActiveAllocated) || isText(state, kActivePendingFree) ||
                  isText(state, kActiveAwaitingFree);
    made.address = store_->addressOf(at(items, kAddress)).value_or(0);
    made.size = integer(at(items, kSize), -1);
    made.requested = integer(at(items, kRequestedSize), integer(at(items, kRealSize), -1));
    made.reserved = integer(at(items, kReservedSize), -1);
    made.stack = at(items, kFrames);
    made.category = textOf(at(items, kCategory));
    const Value history = at(items, kHistory);
    if (history.is(Kind::List) && !listAt(history).empty() && listAt(history).front().is(Kind::Block)) {
        const BlockRecord& last = blocks[listAt(history).front().payload()];
        if (made.requested < 0)
            made.requested = last.requested;
        if (!made.stack.is(Kind::Stack))
            made.stack = last.stack;
    }
    if (made.requested < 0)
        made.requested = made.size;
    blocks.push_back(made);
    return {Kind::Block, blocks.size() - 1};
}

Value SnapshotRecords::segment(const Items& items) {
    SegmentRecord made;
    made.address = store_->addressOf(at(items, kAddress)).value_or(0);
    made.device = integer(at(items, kDevice), 0);
    const Value list = at(items, kBlocks);
    made.blocks = list.is(Kind::List) ? list.payload() : 0;
    segments.push_back(made);
    return {Kind::Segment, segments.size() - 1};
}

Value SnapshotRecords::annotation(const Items& items) {
    AnnotationRecord made;
    made.name = textOf(at(items, kName));
    made.device = integer(at(items, kDevice), 0);
    made.time = integer(at(items, kTime), -1);
    made.start = isText(at(items, kStage), kStart);
    annotations.push_back(made);
    return {Kind::Annotation, annotations.size() - 1};
}

Value SnapshotRecords::find(Value dictionary, std::string_view key) const {
    if (!dictionary.is(Kind::Dictionary))
        return {};
    const auto known = numbers_.find(key);
    if (known == numbers_.end())
        return {};
    const Items& items = dictionaries_[dictionary.payload()];
    for (std::size_t i = items.size(); i >= 2; i -= 2)
        if (items[i - 2] == Value(Kind::Text, known->second))
            return items[i - 1];
    return {};
}

std::int64_t SnapshotRecords::integer(Value value, std::int64_t fallback) const {
    return store_->integerOf(value).value_or(fallback);
}

std::uint32_t SnapshotRecords::textOf(Value value) const {
    return value.is(Kind::Text) ? static_cast<std::uint32_t>(value.payload()) : EventRecord::kNoText;
}

std::size_t SnapshotRecords::bytes() const {
    const auto held = [](const auto& records) { return records.capacity() * sizeof(records[0]); };
    constexpr std::size_t textCost = 2 * sizeof(std::string) + 40;
    return held(frames) + held(events) + held(blocks) + held(segments) + held(annotations) + held(lists_) +
           held(dictionaries_) + keptItems_ * sizeof(Value) + texts_.size() * textCost + textBytes_;
}

}  // namespace highwater::capture
