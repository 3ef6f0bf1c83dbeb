#pragma once

#include "widgets/plot/chart_scene.h"

class QCustomPlot;
class QPen;

namespace highwater::widgets {

/// Gives the plot the scene's outlines and data in the place of those that it had; its first plottable stays.
/// `frame`: where its axes lie. What lies outside of them is cut off here: a painter that writes SVG does
/// not.
void setSeries(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame);

/// How an outline is drawn, on the chart and in the legend.
QPen outlinePen(const QColor& color, bool dotted);

}  // namespace highwater::widgets
