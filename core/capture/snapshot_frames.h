#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/capture/pickle_writer.h"
#include "core/capture/snapshot_fields.h"
#include "core/memory/trace.h"

namespace highwater::capture {

/// Writes the frames of an event, which a viewer shows as its stack: operator, place and category. Each
/// frame, and each list of frames, is written once and then fetched from the memo.
class SnapshotFrames {
public:
    SnapshotFrames(const memory::Trace& trace, PickleWriter& pickle);

    /// Writes a list of frames. A label of -1 means none.
    void write(std::int32_t label, memory::Phase phase, std::int16_t layer, memory::Category category);

private:
    void labelFrame(std::int32_t label);
    void placeFrame(memory::Phase phase, std::int16_t layer);
    void categoryFrame(memory::Category category);
    void frame(SharedText& file, std::string_view name, std::int64_t line);

    const memory::Trace& trace_;
    PickleWriter& pickle_;
    SharedText filename_{"filename"}, line_{"line"}, name_{"name"};
    SharedText operator_{kOperatorFile}, place_{kPlaceFile}, category_{kCategoryFile};
    std::vector<int> labels_, places_, categories_;  // memo numbers; -1: not written yet
    std::unordered_map<std::uint64_t, int> lists_;
};

}  // namespace highwater::capture
