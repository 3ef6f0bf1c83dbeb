#pragma once

#include "app/desktop/experiment/bar/gauge.h"
#include "core/predict/predict.h"
#include "widgets/plot/forecast.h"
#include "widgets/plot/growth_plot.h"

/// Converts a prediction to the values that widgets show.
namespace highwater::desktop {

/// `device` is the name of the target as shown: "this CPU", "NVIDIA T4".
widgets::Forecast toForecast(const predict::Prediction& prediction, const stack::StackInfo& info,
                             const QString& device);
/// The peak that decides whether memory runs out. On a GPU this is the peak of reserved memory, because only
/// that is compared with the GPU's memory (or the peak of allocated memory if the run ends before).
GaugeForecast toGauge(const predict::Prediction& prediction, const QString& device, bool gpu,
                      const QString& said = {});
/// The gauge's values if there is no prediction, with the reason.
GaugeForecast noGauge(const QString& trouble, const QString& device);
widgets::GrowthCurve toGrowth(const predict::AxisCurve& curve, const predict::AxisScan& scan, bool gpu);

/// The name of an axis as shown: "batch size", "width".
QString axisWord(const std::string& axis);

}  // namespace highwater::desktop
