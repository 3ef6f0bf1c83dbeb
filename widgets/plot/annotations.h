#pragma once

#include "widgets/plot/chart_scene.h"

class QPainter;
class QPen;

namespace highwater::widgets {

/// Everything of a scene that is text or line rather than data: unit, phase strip, budget, peak.
void paintAnnotations(QPainter& painter, const ChartScene& scene, const PlotFrame& frame);

/// How an outline is drawn, on the chart and in the legend.
QPen outlinePen(const QColor& color, bool dotted);

}  // namespace highwater::widgets
