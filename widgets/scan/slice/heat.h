#pragma once

#include <QColor>
#include <QImage>

#include "core/volume/slice_region.h"

class QPainter;

/// Values 0 to 1 as heat over a slice.
namespace highwater::widgets {

/// Dark blue over magenta to yellow, its lightness rising evenly: "plasma" of matplotlib (S. van der Walt,
/// N. Smith, 2015; CC0) as a polynomial of degree 6. Clamps.
QColor heatColour(double value);

/// What the overlay holds where the region's pixels lie in the patient, linear between its voxels and clear
/// outside them; one pixel of the picture for one block. Clear at 0 and below, and where it is not a number;
/// from 0.1 on as opaque as `opacity` says.
QImage heatImage(const volume::Volume& overlay, const volume::Geometry& geometry,
                 const volume::SliceLayout& layout, std::int64_t index, const volume::SliceRegion& region,
                 double opacity);

/// The colours from 0 to `most` (0: 100 %) with their numbers, its top right corner at `corner`.
void paintHeatLegend(QPainter& painter, const QPoint& corner, double most);

}  // namespace highwater::widgets
