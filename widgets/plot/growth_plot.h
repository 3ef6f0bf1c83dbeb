#pragma once

#include <QWidget>

#include "widgets/plot/chart_scene.h"
#include "widgets/plot/step_groups.h"

namespace highwater::widgets {

class PlotPanel;

/// The predicted peak for one size along an axis.
struct GrowthPoint {
    enum class Fits { Yes, No, Uncertain };
    std::int64_t value = 0;
    base::Bytes low = 0, expected = 0, high = 0;
    Fits fits = Fits::Uncertain;
    double stepMs = 0;  ///< 0: not predicted
    QString cliff;      ///< what makes memory jump here, one line; empty if it does not
};

/// How the predicted peak grows along an axis of the input.
struct GrowthCurve {
    QString axis;    ///< "width", "batch size"
    QString device;  ///< "NVIDIA H100 80 GB"
    std::int64_t from = 0, to = 1;
    std::vector<GrowthPoint> points;  ///< ascending
    std::vector<std::int64_t> jumps;  ///< sizes at which the peak jumps
    /// The experiment's present size along the axis.
    std::optional<std::int64_t> current;
    base::Bytes capacity = 0;  ///< of the device; 0 if unknown
};

/// The point nearest to `x`, or nullptr if there are no points.
const GrowthPoint* growthPointAt(const GrowthCurve& curve, double x);
ChartScene growthScene(const GrowthCurve& curve, StepRange view, QSizeF plot);
HoverCard growthCard(const GrowthCurve& curve, double x);

/// A GrowthCurve as a chart: the curve with its uncertainty band, which sizes fit, the jumps, the device's
/// capacity and the current size. A click chooses a size.
class GrowthPlot : public QWidget {
    Q_OBJECT
public:
    explicit GrowthPlot(QWidget* parent = nullptr);
    void setCurve(GrowthCurve curve);
    const GrowthCurve& curve() const { return curve_; }
    PlotPanel& panel() { return *panel_; }
    /// The text that is shown instead of the chart while there are no points.
    void setHint(const QString& hint);

signals:
    void valueChosen(qint64 value);

private:
    void render();
    PlotPanel* panel_;
    GrowthCurve curve_;
    QString hint_;
    std::optional<StepRange> view_;
};

}  // namespace highwater::widgets
