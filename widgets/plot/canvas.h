#pragma once

#include <QMargins>
#include <QWidget>

#include "widgets/plot/chart_scene.h"

class QCustomPlot;

namespace highwater::widgets {

class StackPlottable;

/// Draws a scene with QCustomPlot: axes, grid, stacked columns, lines, points, bars and texts. It takes no
/// input events. QCustomPlot's header is included only in the .cpp files of this folder.
class Canvas : public QWidget {
    Q_OBJECT
public:
    explicit Canvas(QWidget* parent = nullptr);

    /// Draws the scene into the plot's buffer at once; the screen is updated with the next paint event.
    void draw(const ChartScene& scene);
    /// The margins between the widget's edges and the axes, in logical pixels.
    void setMargins(const QMargins& margins);
    PlotFrame frame() const;

    /// How the canvas paints itself. Pixels: from the plot's buffer, as on the screen. Shapes: the plot is
    /// redrawn at the painter's resolution. Vectors: the same, for a vector file.
    enum class Paint { Pixels, Shapes, Vectors };
    void setPaint(Paint paint);

    int replots() const { return replots_; }
    double lastReplotMs() const { return lastReplotMs_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    class Plot;
    void setAxes(const ChartScene& scene);

    Plot* plot_;
    StackPlottable* stack_;  // owned by plot_
    QMargins margins_;
    int replots_ = 0;
    double lastReplotMs_ = 0;
};

}  // namespace highwater::widgets
