#pragma once

#include <QMargins>
#include <QWidget>

#include "widgets/plot/chart_scene.h"

class QCustomPlot;

namespace highwater::widgets {

class StackPlottable;

/// A scene, drawn by QCustomPlot: axes, grid, stacked columns, lines, points, bars and texts. Takes no input
/// events. QCustomPlot's header stays in this folder's .cpp files.
class Canvas : public QWidget {
    Q_OBJECT
public:
    explicit Canvas(QWidget* parent = nullptr);

    /// Draws the scene (into the plot's buffer at once, on the screen with the next paint).
    void draw(const ChartScene& scene);
    /// Between the widget's edges and the axes.
    void setMargins(const QMargins& margins);
    PlotFrame frame() const;

    /// Pixels: from the plot's buffer. Shapes: drawn anew, at whatever resolution the painter has. Vectors:
    /// so too, for files that keep shapes.
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
