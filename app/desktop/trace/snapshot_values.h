#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/capture/history.h"
#include "widgets/timeline/segment_map.h"

namespace highwater::desktop {

/// One device of a snapshot, ready to be shown.
struct ShownSnapshot {
    capture::SnapshotInfo info;
    std::int64_t device = -1;                        ///< -1: the file holds nothing of any device
    std::shared_ptr<const memory::Trace> trace;      ///< null: no history, or too large to load at once
    std::shared_ptr<const widgets::SegmentMap> map;  ///< at the end; null if the file's segments are made up
    /// What the map at other moments is made of, without the trace.
    std::shared_ptr<const capture::DeviceSnapshot> recorded;
};
/// `title` names the trace; the device is added where the file has several.
ShownSnapshot shownSnapshot(capture::DeviceSnapshot snapshot, const QString& title);

/// The map after the first `count` recorded events. Null if it was cancelled.
std::shared_ptr<const widgets::SegmentMap> mapAt(const capture::DeviceSnapshot& recorded, std::size_t count,
                                                 const capture::Progress& progress = {});

/// A moment of which the segments can be shown.
struct SnapshotMoment {
    QString name;                      ///< "when memory ran out"
    std::optional<std::size_t> count;  ///< after so many recorded events; none: when the snapshot was taken
};
/// The moments to choose from: the end; where memory ran out last; the states of the trace, as far as they
/// are known, that are the peak and that was clicked.
std::vector<SnapshotMoment> snapshotMoments(const ShownSnapshot& snapshot, std::optional<std::size_t> peak,
                                            std::optional<std::size_t> clicked);

/// The devices that have events or segments.
std::vector<capture::SnapshotDevice> usedDevices(const capture::SnapshotInfo& info);
/// "GPU 1: out of memory · 596 records · 78.4 GiB reserved". Records are those of the file:
/// allocations, both halves of a free, segments, out of memory.
QString deviceText(const capture::SnapshotDevice& device);
/// "GPU 1 ran out of memory: 2.00 GiB were asked for, 1.20 GiB were free."; empty if it did not.
QString refusalNotice(const ShownSnapshot& snapshot);

}  // namespace highwater::desktop
