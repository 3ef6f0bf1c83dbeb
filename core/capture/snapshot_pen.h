#pragma once

#include <algorithm>
#include <vector>

#include "core/capture/output.h"
#include "core/capture/snapshot_frames.h"
#include "core/capture/snapshot_layout.h"

namespace highwater::capture {

/// The writer that the parts of a snapshot share: the pickle, the recurring keys, and the frames.
class SnapshotPen {
public:
    SnapshotPen(const memory::Trace& theTrace, Output& theOutput)
        : trace(theTrace), output(theOutput), pickle(theOutput.text()), frames(theTrace, pickle) {
        for (const memory::Category each : memory::kCategories) {
            categories_.push_back({memory::categoryKey(each)});
        }
    }

    void item(SharedText& key, std::int64_t value) {
        pickle.text(key);
        pickle.integer(value);
    }
    void item(SharedText& key, SharedText& value) {
        pickle.text(key);
        pickle.text(value);
    }
    void item(std::string_view key, std::int64_t value) {
        pickle.text(key);
        pickle.integer(value);
    }
    void item(std::string_view key, bool value) {
        pickle.text(key);
        pickle.boolean(value);
    }
    void item(std::string_view key, std::string_view value) {
        pickle.text(key);
        pickle.text(value);
    }
    void noFrames() {
        pickle.text(framesKey);
        pickle.emptyList();
    }
    /// Writes a block's category, and its reserved size if that differs from the requested one.
    void blockItems(const memory::TraceBlock& block, memory::Category its) {
        item(category, categories_[static_cast<std::size_t>(its)]);
        if (block.reserved != block.bytes) {
            item(reservedSize, block.reserved);
        }
    }
    /// Writes a list in batches that readers can handle; each(i) writes one value. Stops early if writing
    /// should stop.
    template <class Each>
    void list(std::size_t count, Each each) {
        pickle.emptyList();
        for (std::size_t first = 0; first < count && !stopped; first += PickleWriter::kBatch) {
            pickle.mark();
            for (std::size_t i = first; i < std::min(count, first + PickleWriter::kBatch); ++i) {
                each(i);
            }
            pickle.appends();
            rest();
        }
    }
    /// Call after a batch.
    void rest() {
        pickle.rest();
        stopped = stopped || !output.part();
    }
    /// The time in the file's unit: microseconds, or the event's number.
    std::int64_t stamp(std::int64_t nanos) const { return trace.timed ? nanos / 1000 : nanos; }

    const memory::Trace& trace;
    Output& output;
    PickleWriter pickle;
    SnapshotFrames frames;
    bool stopped = false;
    SharedText address{"address"}, size{"size"}, requestedSize{"requested_size"}, stream{"stream"},
        time{"time_us"}, framesKey{"frames"}, category{"category"}, reservedSize{kReservedKey};

private:
    std::vector<SharedText> categories_;
};

/// Write the values of a snapshot's keys.
void writeSegments(SnapshotPen& pen, const SnapshotLayout& layout);
void writeDeviceTraces(SnapshotPen& pen, const SnapshotLayout& layout);
void writeSettings(SnapshotPen& pen);
void writeAnnotations(SnapshotPen& pen);
void writeOwn(SnapshotPen& pen);

}  // namespace highwater::capture
