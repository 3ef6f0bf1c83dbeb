#pragma once

#include <QColor>
#include <QImage>

#include "core/volume/slice_region.h"

class QPainter;

/// Values 0 to 1 as colors ("heat") over a slice.
namespace highwater::widgets {

/// The color scale: dark blue over magenta to yellow, with evenly rising lightness. It is "plasma" of
/// matplotlib (S. van der Walt, N. Smith, 2015; CC0) as a polynomial of degree 6. Clamps.
QColor heatColor(double value);

/// The overlay as a picture of the region, one pixel for one block. Each pixel shows the overlay's value at
/// its place in the patient, interpolated linearly between the overlay's voxels. It is transparent outside
/// the overlay, at values of 0 and below, and where the value is not a number. From 0.1 on it is as opaque as
/// `opacity` says.
QImage heatImage(const volume::Volume& overlay, const volume::Geometry& geometry,
                 const volume::SliceLayout& layout, std::int64_t index, const volume::SliceRegion& region,
                 double opacity);

/// Paints the color scale from 0 to `most` (0: 100 %) with its numbers. Its top right corner is at `corner`.
void paintHeatLegend(QPainter& painter, const QPoint& corner, double most);

}  // namespace highwater::widgets
