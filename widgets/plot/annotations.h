#pragma once

#include <QFont>

#include "widgets/plot/chart_scene.h"

class QCustomPlot;

namespace highwater::widgets {

/// Gives the plot, as its items, everything of a scene that is text, mark or rule rather than data: unit,
/// phase strip, budget, peak. They take the place of those that it had. `frame`: where its axes lie.
void setAnnotations(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame);

/// The font of a chart's texts, a little smaller than its widget's.
QFont chartFont(const QFont& base);

}  // namespace highwater::widgets
