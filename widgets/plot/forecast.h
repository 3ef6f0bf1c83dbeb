#pragma once

#include <vector>

#include "widgets/plot/chart_scene.h"
#include "widgets/plot/memory_scene.h"

/// A predicted step, shown alone or over a measured one.
namespace highwater::widgets {

/// The predicted ledger from this moment until the next point.
struct ForecastPoint {
    double ms = 0;  ///< since the step's start
    memory::Ledger ledger;
    base::Bytes low = 0, high = 0;  ///< uncertainty band of the ledger's total
    int phase = kSetupPhase;
    int layer = -1;
};

struct Forecast {
    QString device;                     ///< "NVIDIA H100 80 GB", "this CPU"
    std::vector<ForecastPoint> points;  ///< ascending in ms
    bool timed = true;                  ///< false: `ms` counts events instead of milliseconds
    std::vector<QString> layerNames;    ///< as in RunShape
    std::optional<base::Bytes> budget;
    base::Bytes capacity = 0;  ///< of the device; 0 if unknown
    PeakInfo peak;
    base::Bytes peakLow = 0, peakHigh = 0;
    bool exact = false;                            ///< no part of the memory is an estimate
    double stepLow = 0, stepMs = 0, stepHigh = 0;  ///< time of the step with its band; 0 if not predicted
    int steps = 0;   ///< of the run that would be started, warm-up included; 0 if it would use another device
    QString runsOn;  ///< where the run would execute, if not on this device: "CPU"
    QString name = {};  ///< over a measured step: "pretended, run #12"; empty: "predicted"
};

/// The plot's values for a forecast without a run: the bands are drawn on the forecast's own axis.
MemoryTrack forecastTrack(const Forecast& forecast);
RunShape forecastShape(const Forecast& forecast);

/// The predicted totals on a measured step's axis. Both steps are cut into sections of one phase and layer.
/// Equal sections are paired in order (longest common subsequence), and the points of a predicted section are
/// mapped to its partner, in proportion to their times within it. Sections without a partner share the room
/// between their neighbors. A forecast without layers is paired by its phases. Returns an empty list if the
/// step was measured without phases.
std::vector<OutlinePoint> alignForecast(const Forecast& forecast, const MemoryTrack& measured);

/// The last point at or before `x`; the first point if `x` lies before it. Returns nullptr if there are no
/// points.
const OutlinePoint* outlineAt(std::span<const OutlinePoint> points, double x);

/// "predicted (estimate) for this CPU · peak 144 MiB in backward of layer 6 conv"; "predicted (memory exact)"
/// if it is exact.
QString forecastNote(const Forecast& forecast);
/// "Predicted: 580 ms per step (430 ms to 720 ms), an estimate", followed by the time of the run if that is
/// over a minute; empty if no time is predicted.
QString forecastTimeText(const Forecast& forecast);
/// "about 49 min for the 303 steps of a run" if that is over a minute and the run would use this device.
QString runTimeText(const Forecast& forecast);
/// "9.10 GiB to 9.60 GiB"; empty if both are equal.
QString bandText(base::Bytes low, base::Bytes high);

}  // namespace highwater::widgets
