#pragma once

#include <QSizeF>
#include <span>

#include "widgets/plot/chart_scene.h"
#include "widgets/plot/step_groups.h"

/// The chart "Loss": the losses of runs over their steps, one line each.
namespace highwater::widgets {

struct LossCurve {
    QString name;                ///< "#12 unet"
    std::vector<double> losses;  ///< one for each step, warm-up included; not finite if unknown
    int warmup = 0;
    int color = 0;    ///< equal numbers have equal colors; 0 is the first one's
    QString id = {};  ///< of a run in the store; otherwise empty

    /// As RunShape::stepPosition: 1 for the first measured step.
    double position(std::size_t step) const { return static_cast<double>(step) - warmup + 1; }
};

/// An unlimited sequence of distinct colors; the first is the theme's accent.
QColor curveColor(int number);
/// From the first step of any curve to the last step of any.
StepRange lossRange(std::span<const LossCurve> curves);
ChartScene lossScene(std::span<const LossCurve> curves, StepRange view, QSizeF plot, bool log);
/// The losses at the step that is nearest to `x`.
HoverCard lossCard(std::span<const LossCurve> curves, double x);
std::vector<SeriesStyle> lossLegend(std::span<const LossCurve> curves);
/// A table with a column for each curve.
QString lossData(std::span<const LossCurve> curves);
/// "0.2481"
QString lossText(double loss);

}  // namespace highwater::widgets
