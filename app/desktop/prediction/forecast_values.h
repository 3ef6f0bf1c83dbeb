#pragma once

#include "core/predict/predict.h"
#include "widgets/controls/gauge.h"
#include "widgets/plot/forecast.h"
#include "widgets/plot/growth_plot.h"

/// A prediction, as the values that widgets take.
namespace highwater::desktop {

/// `device` is how the target reads on screen: "this CPU", "NVIDIA T4".
widgets::Forecast toForecast(const predict::Prediction& prediction, const stack::StackInfo& info,
                             const QString& device);
/// The peak that runs out: on a GPU the reserved one, as only that is held against its memory (the allocated
/// one where the run ends before).
widgets::GaugeForecast toGauge(const predict::Prediction& prediction, const QString& device, bool gpu);
/// Why there is none.
widgets::GaugeForecast noGauge(const QString& trouble, const QString& device);
widgets::GrowthCurve toGrowth(const predict::AxisCurve& curve, const predict::AxisScan& scan, bool gpu);

/// "batch size", "width": an axis as people read it.
QString axisWord(const std::string& axis);

}  // namespace highwater::desktop
