#pragma once

#include <QMargins>
#include <QWidget>

#include "widgets/plot/chart_scene.h"

class QCustomPlot;

namespace highwater::widgets {

class StackPlottable;

/// Draws the axes, the grid and the stacked columns of a scene with QCustomPlot. Only this class's .cpp
/// includes QCustomPlot. It takes no input events.
class Canvas : public QWidget {
public:
    explicit Canvas(QWidget* parent = nullptr);

    /// Draws the scene into the plot's buffer at once; the screen shows it with the next paint.
    void draw(const ChartScene& scene);
    void setMargins(const QMargins& margins);
    /// Draws with `ratio` device pixels per logical pixel, for pictures. 0 goes back to the screen's own
    /// ratio.
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
