#pragma once

#include "widgets/plot/chart_scene.h"

class QPainter;
class QPen;

namespace highwater::widgets {

/// Paints the texts and lines of a scene that are not data: unit, phase strip, budget, peak.
void paintAnnotations(QPainter& painter, const ChartScene& scene, const PlotFrame& frame);

/// The pen for an outline, on the chart and in the legend.
QPen outlinePen(const QColor& color, bool dotted);

}  // namespace highwater::widgets
