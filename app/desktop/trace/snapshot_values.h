#pragma once

#include <QString>
#include <memory>

#include "core/capture/history.h"
#include "widgets/timeline/segment_map.h"

namespace highwater::desktop {

/// One device of a snapshot, ready to be shown.
struct ShownSnapshot {
    capture::SnapshotInfo info;
    std::int64_t device = -1;                        ///< -1: the file holds nothing of any device
    std::shared_ptr<const memory::Trace> trace;      ///< null: no history, or too large to load at once
    std::shared_ptr<const widgets::SegmentMap> map;  ///< null if the file's segments are made up
};
/// `title` names the trace; the device is added where the file has several.
ShownSnapshot shownSnapshot(capture::DeviceSnapshot snapshot, const QString& title);

/// The devices that have events or segments.
std::vector<capture::SnapshotDevice> usedDevices(const capture::SnapshotInfo& info);
/// "GPU 1: out of memory · 596 events · 78.4 GiB reserved".
QString deviceText(const capture::SnapshotDevice& device);
/// "GPU 1 ran out of memory: 2.00 GiB were asked for, 1.20 GiB were free."; empty if it did not.
QString refusalNotice(const ShownSnapshot& snapshot);

}  // namespace highwater::desktop
