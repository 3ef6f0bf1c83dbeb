#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/capture/snapshot_records.h"
#include "core/capture/snapshot_words.h"

/// Reads frames and stacks of frames.
namespace highwater::capture {

using namespace words;

namespace {

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

}  // namespace

Value SnapshotRecords::frame(const Items& items) {
    const auto textAtWord = [&](Word word) {
        const Value value = at(items, word);
        return value.is(Kind::Text) ? textAt(value.payload()) : std::string_view();
    };
    FrameRecord made;
    const std::int64_t line = integer(at(items, kLine), 0);
    made.line =
        line > 0 && line <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(line) : 0;
    made.filename = textOf(at(items, kFilename));
    made.name = textOf(at(items, kName));
    const std::uint64_t hash = mixed(mixed(made.filename, made.name), static_cast<std::uint64_t>(made.line));
    const auto known = framesByHash_.try_emplace(hash, static_cast<std::uint32_t>(frames.size())).first;
    if (known->second < frames.size()) {
        const FrameRecord& same = frames[known->second];
        if (same.filename == made.filename && same.name == made.name && same.line == made.line) {
            return {Kind::Frame, known->second};
        }
    }
    made.words = frameWords(textAtWord(kFilename), textAtWord(kName), made.line);
    frames.push_back(made);
    return {Kind::Frame, frames.size() - 1};
}

/// A stack that was seen before gets the same number.
Value SnapshotRecords::stack(const Items& items) {
    if (stackFrames.size() + items.size() > std::numeric_limits<std::uint32_t>::max()) {
        return {Kind::List, 0};
    }
    const auto first = static_cast<std::uint32_t>(stackFrames.size());
    std::uint64_t hash = items.size();
    for (const Value item : items) {
        stackFrames.push_back(static_cast<std::uint32_t>(item.payload()));
        hash = mixed(hash, item.payload());
    }
    const auto numbers = std::span(stackFrames).subspan(first);
    const auto known = stacksByHash_.try_emplace(hash, static_cast<std::uint32_t>(stacks.size())).first;
    if (known->second < stacks.size()) {
        const StackRecord& same = stacks[known->second];
        if (std::ranges::equal(std::span(stackFrames).subspan(same.first, same.count), numbers)) {
            stackFrames.resize(first);
            return {Kind::Stack, known->second};
        }
    }
    StackRecord made{first, static_cast<std::uint32_t>(items.size()), wordsOfStack(numbers)};
    made.words.stack = static_cast<std::int32_t>(stacks.size());
    stacks.push_back(made);
    return {Kind::Stack, stacks.size() - 1};
}

/// Frames are innermost first. A forward frame inside a backward pass means recomputation.
StackWords SnapshotRecords::wordsOfStack(std::span<const std::uint32_t> numbers) const {
    StackWords made;
    std::uint8_t rank = 0;
    for (const std::uint32_t number : numbers) {
        const FrameWords& words = frames[number].words;
        if (words.rank > rank) {
            rank = words.rank;
            made.frame = static_cast<std::int32_t>(number);
        }
        if (words.layer >= 0) {
            made.layer = words.layer;
        }
        if (words.category && !made.category) {
            made.category = words.category;
        }
        if (!words.phase) {
            continue;
        }
        if (!made.phase) {
            made.phase = words.phase;
        } else if (made.phase == memory::Phase::Forward &&
                   (words.phase == memory::Phase::Backward || words.phase == memory::Phase::Recompute)) {
            made.phase = memory::Phase::Recompute;
        }
    }
    return made;
}

StackWords SnapshotRecords::stackOf(Value stack) const {
    return stack.is(Kind::Stack) ? stacks[stack.payload()].words : StackWords{};
}

memory::CallStacks SnapshotRecords::callStacks() const {
    const auto words = [&](std::uint32_t number) {
        return number == EventRecord::kNoText ? std::string() : base::oneLine(textAt(number), 1000);
    };
    memory::CallStacks made;
    made.order = stackFrames;
    made.frames.reserve(frames.size());
    for (const FrameRecord& each : frames) {
        made.frames.push_back({words(each.filename), words(each.name), each.line});
    }
    made.stacks.reserve(stacks.size());
    for (const StackRecord& each : stacks) {
        const std::int32_t best =
            each.words.frame >= 0 ? each.words.frame : static_cast<std::int32_t>(stackFrames[each.first]);
        made.stacks.push_back({each.first, each.count, best});
    }
    return made;
}

}  // namespace highwater::capture
