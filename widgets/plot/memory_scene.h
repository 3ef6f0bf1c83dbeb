#pragma once

#include <QFontMetricsF>
#include <QSizeF>
#include <span>

#include "widgets/plot/chart_scene.h"

/// The picture of "Memory in the last step", from its values.
namespace highwater::widgets {

/// The ledger over one step, as far as it is known.
struct MemoryTrack {
    int step = -1;                    ///< 0-based; -1: none yet
    bool live = false;                ///< still growing, and without phases
    std::vector<MemoryPoint> points;  ///< ascending in ms
    std::vector<PhaseSpan> spans;     ///< ascending in startMs; may be empty
    std::optional<PeakInfo> peak;
    std::optional<MemoryPoint> now;     ///< where the running step stands, on this step's axis
    std::optional<Refusal> refusal;     ///< at the last point
    bool predicted = false;             ///< nothing of it was measured
    bool timed = true;                  ///< false: `ms` counts events
    std::vector<OutlinePoint> outline;  ///< predicted totals on the same axis; may be empty

    double begin() const { return points.empty() ? 0.0 : std::min(0.0, points.front().ms); }
    /// Where the axis ends: never at its begin.
    double end() const;
};

/// The span in force at `ms`, or nullptr.
const PhaseSpan* spanAt(std::span<const PhaseSpan> spans, double ms);
/// The point in force at `ms` (the first one for anything before it), or nullptr where there is none.
const MemoryPoint* pointAt(std::span<const MemoryPoint> points, double ms);

/// [from, to] is what the x axis shows, `plot` the size of the area between the axes.
ChartScene memoryScene(const RunShape& run, const MemoryTrack& track, double from, double to, QSizeF plot,
                       const QFontMetricsF& metrics);
HoverCard memoryCard(const RunShape& run, const MemoryTrack& track, double ms);
/// "step 27 of 40 · peak 1.99 GiB in backward of layer 10 conv".
QString memoryNote(const RunShape& run, const MemoryTrack& track);
/// The categories that occur in the points, bottom first, and the prediction where there is one.
std::vector<SeriesStyle> memoryLegend(const MemoryTrack& track);

/// Styles of all categories, bottom first; the ledger's running sums in the same order.
std::vector<SeriesStyle> categoryStyles();
std::array<double, kMaxSeries> runningSums(const memory::Ledger& ledger);
/// Adds the budget's and the capacity's lines as far as they are near enough to `most`, the highest value,
/// and sets the y axis: 0 to a little above everything shown.
void addMemoryAxis(ChartScene& scene, const RunShape& run, double most, double height);
/// "0 B" to "9.31 GiB" as a QString; rows of the categories that hold something, highest in the stack first.
QString bytesText(base::Bytes bytes);
void addLedgerRows(HoverCard& card, const memory::Ledger& ledger);

}  // namespace highwater::widgets
