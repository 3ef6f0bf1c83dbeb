#include "core/capture/snapshot_records.h"

#include <algorithm>

#include "core/capture/snapshot_words.h"

namespace highwater::capture {

using namespace words;

namespace {

using Action = EventRecord::Action;

constexpr std::pair<Word, Action> kActions[] = {{kAlloc, Action::Allocate},
                                                {kFreeRequested, Action::FreeRequested},
                                                {kFreeCompleted, Action::FreeCompleted},
                                                {kSegmentAlloc, Action::SegmentAllocate},
                                                {kSegmentFree, Action::SegmentFree},
                                                {kSegmentMap, Action::SegmentMap},
                                                {kSegmentUnmap, Action::SegmentUnmap},
                                                {kOom, Action::OutOfMemory},
                                                {kSnapshot, Action::Snapshot}};

Action actionOf(Value value) {
    const auto known =
        std::ranges::find_if(kActions, [&](const auto& each) { return isText(value, each.first); });
    return known == std::end(kActions) ? Action::Other : known->second;
}

}  // namespace

SnapshotRecords::SnapshotRecords() : lists_(1), dictionaries_(1) {
    for (const std::string_view text : kTexts) {
        SnapshotRecords::text(text);
    }
}

Value SnapshotRecords::text(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) {
        return {Kind::Text, known->second};
    }
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(text, number);
    textBytes_ += 2 * (text.size() < 16 ? 0 : text.size());
    return {Kind::Text, number};
}

Value SnapshotRecords::list(std::vector<Value>& items) {
    if (items.empty()) {
        return {Kind::List, 0};
    }
    if (std::ranges::all_of(items, [](Value item) { return item.is(Kind::Frame); })) {
        return stack(items);
    }
    keptItems_ += items.capacity();
    lists_.push_back(std::move(items));
    return {Kind::List, lists_.size() - 1};
}

Value SnapshotRecords::dictionary(std::vector<Value>& items) {
    if (items.empty()) {
        return {Kind::Dictionary, 0};
    }
    const std::uint64_t words = wordsOf(items);
    if (words & bit(kAction)) {
        eventKeys |= words;
        return event(items);
    }
    if (words & bit(kFilename)) {
        return frame(items);
    }
    if (words & bit(kTotalSize)) {
        segmentKeys |= words;
        return segment(items);
    }
    if (words & (bit(kState) | bit(kRealSize))) {
        return block(items);
    }
    if (words & bit(kStage)) {
        return annotation(items);
    }
    keptItems_ += items.capacity();
    dictionaries_.push_back(std::move(items));
    return {Kind::Dictionary, dictionaries_.size() - 1};
}

Value SnapshotRecords::event(const Items& items) {
    EventRecord made;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const Value value = items[i + 1];
        switch (items[i].is(Kind::Text) ? items[i].payload() : kWords) {
            case kAction:
                made.action = actionOf(value);
                break;
            case kAddr:
                made.address = store_->addressOf(value).value_or(0);
                break;
            case kDeviceFree:
                made.address = store_->addressOf(value).value_or(0);
                break;
            case kStream:
                made.stream = store_->addressOf(value).value_or(0);
                break;
            case kPool:
                made.pool = value;
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

Value SnapshotRecords::find(Value dictionary, std::string_view key) const {
    if (!dictionary.is(Kind::Dictionary)) {
        return {};
    }
    const auto known = numbers_.find(key);
    if (known == numbers_.end()) {
        return {};
    }
    const Items& items = dictionaries_[dictionary.payload()];
    for (std::size_t i = items.size(); i >= 2; i -= 2) {
        if (items[i - 2] == Value(Kind::Text, known->second)) {
            return items[i - 1];
        }
    }
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
    constexpr std::size_t hashCost = 40;
    return held(frames) + held(stacks) + held(stackFrames) +
           hashCost * (framesByHash_.size() + stacksByHash_.size()) + held(events) + held(blocks) +
           held(segments) + held(annotations) + held(lists_) + held(dictionaries_) +
           keptItems_ * sizeof(Value) + texts_.size() * textCost + textBytes_;
}

}  // namespace highwater::capture
