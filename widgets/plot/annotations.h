#pragma once

#include <QFont>

#include "widgets/plot/chart_scene.h"

class QCustomPlot;

namespace highwater::widgets {

/// Replaces the plot's items with the texts, marks and lines of a scene that are not data: unit, phase strip,
/// budget, peak. `frame` says where the plot's axes are.
void setAnnotations(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame);

/// The font of the texts in a chart: a little smaller than the font of its widget.
QFont chartFont(const QFont& base);

}  // namespace highwater::widgets
