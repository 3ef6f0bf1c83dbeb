#pragma once

#include <QString>
#include <vector>

#include "widgets/plot/ticks.h"
#include "widgets/timeline/timeline_picture.h"

namespace highwater::widgets {

/// The ticks of an axis. Far from zero, the labels are relative to `base`, which is written once: "12.34 s
/// +".
struct TimelineTicks {
    Ticks ticks;
    QString base;  ///< empty if the labels count from zero
};
TimelineTicks timelineTicks(const TraceIndex& index, const TimelineRange& range, int most);
/// The ticks of the bytes in view, at powers of two, with the unit given once.
Ticks stackTicks(double low, double high, int most);

/// Adjacent columns in which the run was in the same phase, or in the same layer.
struct ColumnRun {
    int left = 0, right = 0;  ///< columns [left, right)
    int value = 0;            ///< memory::Phase, or a layer (-1 for none)
    bool operator==(const ColumnRun&) const = default;
};
std::vector<ColumnRun> phaseRuns(const TraceIndex& index, const std::vector<TimelineColumn>& columns);
std::vector<ColumnRun> layerRuns(const TraceIndex& index, const std::vector<TimelineColumn>& columns);

/// The bytes held by the allocations of some layers at a state.
class LayerProfile {
public:
    LayerProfile() = default;
    /// `layers` says which layers count, as returned by layersWithin().
    LayerProfile(const TraceIndex& index, const std::vector<bool>& layers);
    base::Bytes at(std::size_t state) const;
    base::Bytes peak() const { return peak_; }
    std::int64_t blocks() const { return blocks_; }

private:
    std::vector<std::pair<std::uint32_t, base::Bytes>> changes_;  // the bytes from that state on
    base::Bytes peak_ = 0;
    std::int64_t blocks_ = 0;
};

}  // namespace highwater::widgets
