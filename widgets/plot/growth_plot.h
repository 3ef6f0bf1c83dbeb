#pragma once

#include <QWidget>

#include "core/predict/fit/prediction.h"
#include "widgets/plot/chart_scene.h"
#include "widgets/plot/step_groups.h"

namespace highwater::widgets {

class PlotPanel;

/// The predicted peak for one size along an axis.
struct GrowthPoint {
    std::int64_t value = 0;
    base::Bytes low = 0, expected = 0, high = 0;
    predict::Fits fits = predict::Fits::Uncertain;
    double stepMs = 0;  ///< 0: not predicted
    QString cliff;      ///< why memory jumps here, one line; empty if it does not
};

/// How the predicted peak grows along an axis of the input.
struct GrowthCurve {
    QString axis;    ///< "width", "batch size"
    QString device;  ///< "NVIDIA H100 80 GB"
    std::int64_t from = 0, to = 1;
    std::vector<GrowthPoint> points;  ///< ascending
    std::vector<std::int64_t> jumps;  ///< sizes at which the peak jumps
    /// The experiment's current size along the axis.
    std::optional<std::int64_t> current;
    base::Bytes capacity = 0;  ///< of the device; 0 if unknown
};

/// The point nearest to `x`, or nullptr if there are no points.
const GrowthPoint* growthPointAt(const GrowthCurve& curve, double x);
/// The scene of `view`, a range of sizes above 0, for an area of `plot` logical pixels. With `log` both axes
/// are logarithmic.
ChartScene growthScene(const GrowthCurve& curve, StepRange view, QSizeF plot, bool log = false);
HoverCard growthCard(const GrowthCurve& curve, double x);
/// The points as a table for the clipboard (see tabbed()): the peak and its band in bytes, the step in
/// milliseconds.
QString growthData(const GrowthCurve& curve);

/// Shows a GrowthCurve: the curve with its uncertainty band, which sizes fit, the jumps, the device's
/// capacity and the current size. A click chooses a size. The panel's menu makes both axes logarithmic.
class GrowthPlot : public QWidget {
    Q_OBJECT
public:
    explicit GrowthPlot(QWidget* parent = nullptr);
    void setCurve(GrowthCurve curve);
    const GrowthCurve& curve() const { return curve_; }
    PlotPanel& panel() { return *panel_; }
    /// The text shown instead of the chart while there are no points.
    void setHint(const QString& hint);

signals:
    void valueChosen(qint64 value);

private:
    void setLogarithmic(bool on);
    void render();
    PlotPanel* panel_;
    GrowthCurve curve_;
    QString hint_;
    std::optional<StepRange> view_;
    bool log_ = false;
};

}  // namespace highwater::widgets
