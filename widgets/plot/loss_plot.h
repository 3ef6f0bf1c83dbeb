#pragma once

#include <QWidget>
#include <optional>

#include "widgets/plot/loss_scene.h"

namespace highwater::widgets {

class PlotPanel;

/// The losses of the current run and of the selected runs, overlaid. It has its own range of steps, since
/// runs differ in length.
class LossPlot : public QWidget {
    Q_OBJECT
public:
    explicit LossPlot(QWidget* parent = nullptr);

    /// Sets the current run. It is drawn alone, or over the selected runs while it is running.
    void setRun(const RunShape& run, std::span<const StepBar> steps, bool running);
    /// Sets the selected runs, the first on top. If there are fewer than two, only the current run is drawn.
    void setSelected(std::vector<LossCurve> curves);
    void setLogarithmic(bool on);
    bool logarithmic() const { return log_; }
    /// Draws what has changed. `hint`: why there is nothing to draw, if so. `time`: a text about the time,
    /// shown beside the losses.
    void render(const QString& hint, const QString& time = {});
    /// The curves as drawn.
    std::vector<LossCurve> curves() const;
    /// Whether only the current run is drawn.
    bool ofRunAlone() const { return selected_.size() < 2; }
    PlotPanel& panel() { return *panel_; }

signals:
    /// Something changed: the owner answers with render().
    void changed();

private:
    PlotPanel* panel_;
    LossCurve own_;
    bool running_ = false, log_ = false;
    std::vector<LossCurve> selected_;
    std::optional<StepRange> view_;
    QAction* logAction_;
};

}  // namespace highwater::widgets
