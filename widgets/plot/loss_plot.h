#pragma once

#include <QWidget>
#include <optional>

#include "widgets/plot/loss_scene.h"

namespace highwater::widgets {

class PlotPanel;

/// The losses of the run on show, and of the runs that are selected, over each other. It has its own view of
/// the steps, since runs differ in how many they have.
class LossPlot : public QWidget {
    Q_OBJECT
public:
    explicit LossPlot(QWidget* parent = nullptr);

    /// The run on show; drawn alone, or while it runs over those that are selected.
    void setRun(const RunShape& run, std::span<const StepBar> steps, bool running);
    /// The runs that are selected, the first on top. One or none: the run on show alone.
    void setSelected(std::vector<LossCurve> curves);
    void setLogarithmic(bool on);
    bool logarithmic() const { return log_; }
    /// Draws what has changed. `hint`: why there is nothing to draw, if there is nothing. `time`: what is to
    /// be said of the time beside the losses.
    void render(const QString& hint, const QString& time = {});
    /// What is drawn.
    std::vector<LossCurve> curves() const;
    /// Whether it is of the run on show and no other.
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
