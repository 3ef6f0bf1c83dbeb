#pragma once

#include "widgets/plot/chart_scene.h"

class QCustomPlot;
class QPen;

namespace highwater::widgets {

/// Replaces the plot's plottables, except the first, with the outlines and data of the scene. `frame` says
/// where the plot's axes are. Everything is clipped to the axes here, because Qt 6.4 writes no clipping to
/// SVG.
void setSeries(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame);

/// The pen for an outline, on the chart and in the legend.
QPen outlinePen(const QColor& color, bool dotted, int over = 0);

}  // namespace highwater::widgets
