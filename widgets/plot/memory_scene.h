#pragma once

#include <QFontMetricsF>
#include <QSizeF>
#include <span>

#include "widgets/plot/chart_scene.h"

/// The chart "Memory in the last step" as a scene.
namespace highwater::widgets {

/// The ledger over one step, as far as it is known.
struct MemoryTrack {
    int step = -1;                    ///< counted from 0; -1 if there is none yet
    bool live = false;                ///< the step is running: it still grows, and has no phases
    std::vector<MemoryPoint> points;  ///< ascending in ms
    std::vector<PhaseSpan> spans;     ///< ascending in startMs; may be empty
    std::optional<PeakInfo> peak;
    std::optional<MemoryPoint> now;     ///< the moment that the running step has reached, on this step's axis
    std::optional<Refusal> refusal;     ///< the allocation that failed
    double refusedAt = 0;               ///< when it failed
    bool predicted = false;             ///< it is a prediction; nothing was measured
    bool timed = true;                  ///< false: `ms` counts events instead of milliseconds
    std::vector<OutlinePoint> outline;  ///< predicted totals on the same axis; may be empty
    QString outlineName = {};           ///< "pretended, run #12"; empty: "predicted"

    double begin() const { return points.empty() ? 0.0 : std::min(0.0, points.front().ms); }
    /// The end of the x axis. It always lies after begin().
    double end() const;
};

/// The span that `ms` lies in, or nullptr if there is none.
const PhaseSpan* spanAt(std::span<const PhaseSpan> spans, double ms);
/// The last point at or before `ms`, or the first one if `ms` lies before it. Returns nullptr if there are no
/// points.
const MemoryPoint* pointAt(std::span<const MemoryPoint> points, double ms);

/// [from, to] is the range of the x axis, `plot` the size of the area between the axes.
ChartScene memoryScene(const RunShape& run, const MemoryTrack& track, double from, double to, QSizeF plot,
                       const QFontMetricsF& metrics);
HoverCard memoryCard(const RunShape& run, const MemoryTrack& track, double ms);
/// "step 27 of 40 · peak 1.99 GiB in backward of layer 10 conv".
QString memoryNote(const RunShape& run, const MemoryTrack& track);
/// The categories that occur in the points, bottom first, and the prediction if there is one.
std::vector<SeriesStyle> memoryLegend(const MemoryTrack& track);

/// The styles of all categories, bottom first. runningSums gives a ledger's running sums in the same order.
std::vector<SeriesStyle> categoryStyles();
std::array<double, kMaxSeries> runningSums(const memory::Ledger& ledger);
/// Adds the lines of the budget and of the capacity, unless they are too far above `most`, the highest value.
/// Sets the y axis from 0 to a little above everything shown.
void addMemoryAxis(ChartScene& scene, const RunShape& run, double most, double height);
/// bytesText: "0 B", "9.31 GiB". addLedgerRows adds a row for each category that is not empty, in the order
/// of the stack from the top.
QString bytesText(base::Bytes bytes);
/// Where an allocation was refused; %1 of the label is its size.
Marker refusedMarker(const Refusal& refusal, double x, const QString& label);
void addLedgerRows(HoverCard& card, const memory::Ledger& ledger);

}  // namespace highwater::widgets
