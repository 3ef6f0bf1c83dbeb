#include <limits>

#include "core/capture/snapshot_records.h"
#include "core/capture/snapshot_words.h"

/// Reads frames and stacks of frames.
namespace highwater::capture {

using namespace words;

namespace {

template <class Enum>
std::uint64_t packed(std::optional<Enum> value) {
    return value ? static_cast<std::uint64_t>(*value) + 1 : 0;
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
    made.words = frameWords(textAtWord(kFilename), textAtWord(kName), made.line);
    frames.push_back(made);
    return {Kind::Frame, frames.size() - 1};
}

/// Frames are innermost first. A forward frame inside of a backward pass means recomputation.
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
        if (words.layer >= 0) {
            layer = static_cast<std::uint64_t>(words.layer) + 1;
        }
        if (words.category && !category) {
            category = words.category;
        }
        if (!words.phase) {
            continue;
        }
        if (!phase) {
            phase = words.phase;
        } else if (phase == memory::Phase::Forward &&
                   (words.phase == memory::Phase::Backward || words.phase == memory::Phase::Recompute)) {
            phase = memory::Phase::Recompute;
        }
    }
    label = label >> 30 == 0 ? label : 0;
    return {Kind::Stack, label | layer << 30 | packed(phase) << 46 | packed(category) << 50};
}

StackWords SnapshotRecords::stackOf(Value stack) {
    StackWords words;
    if (!stack.is(Kind::Stack)) {
        return words;
    }
    const std::uint64_t bits = stack.payload();
    words.frame = static_cast<std::int32_t>(bits & ((1U << 30) - 1)) - 1;
    words.layer = static_cast<std::int16_t>(static_cast<int>(bits >> 30 & 0xffff) - 1);
    if (const auto phase = bits >> 46 & 0xf) {
        words.phase = static_cast<memory::Phase>(phase - 1);
    }
    if (const auto category = bits >> 50 & 0xf) {
        words.category = static_cast<memory::Category>(category - 1);
    }
    return words;
}

}  // namespace highwater::capture
