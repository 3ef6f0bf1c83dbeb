#pragma once

#include "widgets/plot/chart_scene.h"

class QPainter;

namespace highwater::widgets {

/// Everything of a scene that is text or line rather than data: unit, phase strip, budget, peak.
void paintAnnotations(QPainter& painter, const ChartScene& scene, const PlotFrame& frame);

}  // namespace highwater::widgets
