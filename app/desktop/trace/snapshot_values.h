#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/capture/compiled.h"
#include "core/capture/history.h"
#include "widgets/timeline/segment_map.h"

namespace highwater::desktop {

/// One device of a snapshot, prepared for display.
struct ShownSnapshot {
    capture::SnapshotInfo info;
    std::int64_t device = -1;                    ///< -1: the file contains no device
    std::shared_ptr<const memory::Trace> trace;  ///< null: no history, or too large to load at once
    std::shared_ptr<const widgets::SegmentMap>
        map;  ///< at the end; null for files by Highwater, with made-up segments
    /// The data from which the map at other moments is made, without the trace.
    std::shared_ptr<const capture::DeviceSnapshot> recorded;
    std::optional<capture::CompiledShare> compiled;  ///< by torch.compile
};
/// `title` names the trace; the device is added if the file has several.
ShownSnapshot shownSnapshot(capture::DeviceSnapshot snapshot, const QString& title);

/// The map after the first `count` recorded events. Null if cancelled.
std::shared_ptr<const widgets::SegmentMap> mapAt(const capture::DeviceSnapshot& recorded, std::size_t count,
                                                 const capture::Progress& progress = {});

/// A moment whose segments can be shown.
struct SnapshotMoment {
    QString name;  ///< "when memory ran out"
    std::optional<std::size_t>
        count;  ///< after this many recorded events; std::nullopt: when the snapshot was taken
};
/// The moments to choose from: the end; where memory ran out last; and, if known, the trace's peak state and
/// the state that was clicked.
std::vector<SnapshotMoment> snapshotMoments(const ShownSnapshot& snapshot, std::optional<std::size_t> peak,
                                            std::optional<std::size_t> clicked);

/// The devices that have events or segments.
std::vector<capture::SnapshotDevice> usedDevices(const capture::SnapshotInfo& info);
/// "GPU 1: out of memory · 596 records · 78.4 GiB reserved". The records are those of the file: allocations,
/// both records of a free, segments, out of memory.
QString deviceText(const capture::SnapshotDevice& device);
/// "GPU 1 ran out of memory: 2.00 GiB were asked for, 1.20 GiB were free."; empty if it did not.
QString refusalNotice(const ShownSnapshot& snapshot);
/// "Compiled by torch.compile: its code holds 1.20 of 3.40 GiB at the peak."; empty if it is not.
QString compiledNotice(const ShownSnapshot& snapshot);

}  // namespace highwater::desktop
