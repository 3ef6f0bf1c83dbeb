#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/capture/pickle_value.h"
#include "core/capture/snapshot_fields.h"

/// The keys and words of a snapshot, and functions that look them up among a dictionary's items.
namespace highwater::capture::words {

using Kind = Value::Kind;

/// The texts that are searched for; their numbers are fixed.
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
    kStream,
    kDeviceFree,
    kSegmentAlloc,
    kSegmentFree,
    kSegmentMap,
    kSegmentUnmap,
    kOom,
    kSnapshot,
    kSegmentType,
    kSmall,
    kIsExpandable,
    kSegmentPool,
    kPool,
    kCompileContext,
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
                                                         "active_awaiting_free",
                                                         "stream",
                                                         "device_free",
                                                         "segment_alloc",
                                                         "segment_free",
                                                         "segment_map",
                                                         "segment_unmap",
                                                         "oom",
                                                         "snapshot",
                                                         "segment_type",
                                                         "small",
                                                         "is_expandable",
                                                         "segment_pool_id",
                                                         "pool_id",
                                                         "compile_context"};

inline bool isText(Value value, Word word) {
    return value == Value(Kind::Text, word);
}

static_assert(kWords <= 64, "wordsOf() has a bit for each");

/// The value at a key of a dictionary; the last one if the key is there twice.
inline Value at(const std::vector<Value>& items, Word word) {
    for (std::size_t i = items.size(); i >= 2; i -= 2) {
        if (isText(items[i - 2], word)) {
            return items[i - 1];
        }
    }
    return {};
}

/// The set of these words among the keys, as bits.
inline std::uint64_t wordsOf(const std::vector<Value>& items) {
    std::uint64_t words = 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        if (items[i].is(Kind::Text) && items[i].payload() < kWords) {
            words |= std::uint64_t{1} << items[i].payload();
        }
    }
    return words;
}

constexpr std::uint64_t bit(Word word) {
    return std::uint64_t{1} << word;
}

}  // namespace highwater::capture::words
