#pragma once

#include <QString>
#include <vector>

#include "widgets/plot/ticks.h"
#include "widgets/timeline/timeline_picture.h"

namespace highwater::widgets {

/// Ticks of an axis far from zero read relative to `base`, which is said once: "12.34 s +".
struct TimelineTicks {
    Ticks ticks;
    QString base;  ///< empty: counted from zero
};
TimelineTicks timelineTicks(const TraceIndex& index, const TimelineRange& range, int most);
/// Of the bytes in sight; at powers of two, the unit said once.
Ticks stackTicks(double low, double high, int most);

/// Neighbouring columns in which the run stood at the same phase or layer.
struct ColumnRun {
    int left = 0, right = 0;  ///< columns [left, right)
    int value = 0;            ///< memory::Phase, or a layer (-1: none)
    bool operator==(const ColumnRun&) const = default;
};
std::vector<ColumnRun> phaseRuns(const TraceIndex& index, const std::vector<TimelineColumn>& columns);
std::vector<ColumnRun> layerRuns(const TraceIndex& index, const std::vector<TimelineColumn>& columns);

/// How many bytes of some layers' allocations live at a state.
class LayerProfile {
public:
    LayerProfile() = default;
    /// `layers`: which count, as layersWithin says.
    LayerProfile(const TraceIndex& index, const std::vector<bool>& layers);
    base::Bytes at(std::size_t state) const;
    base::Bytes peak() const { return peak_; }
    std::int64_t blocks() const { return blocks_; }

private:
    std::vector<std::pair<std::uint32_t, base::Bytes>> changes_;  // from that state on
    base::Bytes peak_ = 0;
    std::int64_t blocks_ = 0;
};

}  // namespace highwater::widgets
