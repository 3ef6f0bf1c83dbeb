#pragma once

#include <vector>

#include "widgets/plot/chart_scene.h"
#include "widgets/plot/memory_scene.h"

/// A predicted step, alone or over a measured one.
namespace highwater::widgets {

/// The ledger that is predicted from this moment on, until the next point.
struct ForecastPoint {
    double ms = 0;  ///< since the step's start
    memory::Ledger ledger;
    base::Bytes low = 0, high = 0;  ///< of its total
    int phase = kSetupPhase;
    int layer = -1;
};

struct Forecast {
    QString device;                     ///< "NVIDIA H100 80 GB", "this CPU"
    std::vector<ForecastPoint> points;  ///< ascending in ms
    bool timed = true;                  ///< false: `ms` counts events
    std::vector<QString> layerNames;    ///< as RunShape's
    std::optional<base::Bytes> budget;
    base::Bytes capacity = 0;  ///< 0: unknown
    PeakInfo peak;
    base::Bytes peakLow = 0, peakHigh = 0;
    double stepLow = 0, stepMs = 0, stepHigh = 0;  ///< 0: not predicted
};

/// What a forecast shows where there is no run: its bands on its own axis.
MemoryTrack forecastTrack(const Forecast& forecast);
RunShape forecastShape(const Forecast& forecast);

/// The predicted totals on a measured step's axis. Both are cut into stretches of one phase and layer; equal
/// stretches are paired in order (the longest common sequence), and a predicted stretch's points take its
/// partner's place, by their times within it. Stretches without a partner share what lies between their
/// neighbours. Empty where the step was measured without phases.
std::vector<OutlinePoint> alignForecast(const Forecast& forecast, const MemoryTrack& measured);

/// The point in force at `x`, or nullptr where there is none.
const OutlinePoint* outlineAt(std::span<const OutlinePoint> points, double x);

/// "predicted (estimate) for this CPU · peak 144 MiB in backward of layer 6 conv".
QString forecastNote(const Forecast& forecast);
/// "Predicted: 580 ms a step (430 ms to 720 ms), an estimate"; empty where no time is predicted.
QString forecastTimeText(const Forecast& forecast);
/// "9.10 GiB to 9.60 GiB"; empty where both are equal.
QString bandText(base::Bytes low, base::Bytes high);

}  // namespace highwater::widgets
