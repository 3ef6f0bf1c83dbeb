#pragma once

#include <QMargins>
#include <QWidget>

#include "widgets/plot/chart_scene.h"

class QCustomPlot;

namespace highwater::widgets {

class StackPlottable;

/// Axes, grid and stacked columns of a scene, drawn by QCustomPlot. The only file that includes it is this
/// one's .cpp. Takes no input events.
class Canvas : public QWidget {
public:
    explicit Canvas(QWidget* parent = nullptr);

    /// Draws the scene (into the plot's buffer at once, on the screen with the next paint).
    void draw(const ChartScene& scene);
    void setMargins(const QMargins& margins);
    /// Draws at `ratio` device pixels a point, for pictures; 0 goes back to the screen's own.
    void setPixelRatio(double ratio);
    PlotFrame frame() const;

    int replots() const { return replots_; }
    double lastReplotMs() const { return lastReplotMs_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void applyColors();
    void redraw();

    QCustomPlot* plot_;
    StackPlottable* stack_;  // owned by plot_
    int replots_ = 0;
    double lastReplotMs_ = 0;
};

}  // namespace highwater::widgets
