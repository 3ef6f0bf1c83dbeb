#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/canvas.h"
#include "core/report/facts.h"

/// The figures of a report: functions from values to a Chart. No chart's size or drawing grows without bound
/// with its input: long series are reduced so that each extreme stays visible. Bad numbers (NaN, infinite)
/// are left out. Empty input gives a chart that says so.
namespace highwater::report {

inline constexpr double kFullWidth = 880, kHalfWidth = 430;

/// A ledger that applies from `from` to the next one's `from` (the last one: to StackedMemory::end).
struct LedgerFrom {
    double from = 0;  ///< ms, or steps
    memory::Ledger ledger;
};

struct PhaseSpan {
    double from = 0, to = 0;
    wire::Phase phase = wire::Phase::Data;
};

struct Peak {
    double at = 0;
    base::Bytes bytes = 0;
    std::string label;
    base::Bytes refused = 0;  ///< the uppermost part of `bytes`, if it was asked for and not given
};

/// Memory by category over time or over steps. The y coordinate of a value v is yOf(v) of memoryPlotArea().
struct StackedMemory {
    std::string title;
    double width = kFullWidth, height = 330;
    bool bySteps = false;  ///< x in steps (whole numbers, 1-based, each drawn from -1/2 to +1/2), not in ms
    std::vector<LedgerFrom> ledgers;
    double end = 0;
    std::vector<PhaseSpan> phases;
    std::optional<Peak> peak;
    std::optional<base::Bytes> budget;
    int warmup = 0;  ///< bySteps: number of first steps that are warm-up
};

StackedMemory stepMemory(const Facts& facts);      ///< within the step `facts.shown`
StackedMemory failureMemory(const Facts& facts);   ///< within the step that failed, from the ledger samples
StackedMemory peaksOverSteps(const Facts& facts);  ///< each step's peak by category
Chart memoryChart(StackedMemory memory);

/// A GPU's memory at a moment, with the ledger of its tensors.
struct DeviceMoment {
    std::string name;  ///< "at the peak"
    wire::DeviceMemory device;
    memory::Ledger ledger;
};
/// The moments of a GPU run: at the peak, and after the last step or at the failure. Empty for a CPU run.
std::vector<DeviceMoment> deviceMoments(const Facts& facts);
/// One bar for each moment; its segments sum to the used memory. The capacity is drawn as a frame if the used
/// memory comes near it.
Chart deviceChart(const std::vector<DeviceMoment>& moments);

/// Stacked bars of time by phase. With more than 180 steps, a bar is the mean of several, with a line up to
/// its longest step.
Chart phasesChart(const Facts& facts, double width = kFullWidth);
/// Activation bytes and forward and backward time, one row per layer; only the 60 largest if there are more.
Chart layersChart(const std::vector<wire::LayerCost>& layers);
inline Chart layersChart(const Facts& facts) {
    return layersChart(facts.result().layers);
}
/// The loss over steps.
Chart lossChart(const Facts& facts, double width = kHalfWidth);
/// Peak bytes of each run as bars by category, for a comparison.
Chart runPeaksChart(const std::vector<Facts>& runs);

/// The position of a chart's plot area in pixels and the range of its axes.
struct PlotArea {
    double left = 0, top = 0, width = 0, height = 0;
    double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;
    double xOf(double x) const { return left + (x - xLow) / (xHigh - xLow) * width; }
    double yOf(double y) const { return top + height - (y - yLow) / (yHigh - yLow) * height; }
};
PlotArea memoryPlotArea(const StackedMemory& memory);

}  // namespace highwater::report
