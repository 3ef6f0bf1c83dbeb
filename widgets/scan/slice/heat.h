#pragma once

#include <QColor>
#include <QImage>

#include "core/volume/slice_region.h"

class QPainter;

/// Values 0 to 1 as colors ("heat") over a slice.
namespace highwater::widgets {

/// The color scale: dark blue through magenta to yellow, with uniformly increasing lightness. It is
/// matplotlib's "plasma" (S. van der Walt, N. Smith, 2015; CC0) as a polynomial of degree 6. Clamps.
QColor heatColor(double value);

/// The overlay as an image of the region, one pixel per block. Each pixel shows the overlay's value at its
/// position in the patient, interpolated linearly between the overlay's voxels. It is transparent outside the
/// overlay, at values of 0 and below, and at NaN. From 0.1 on its opacity is `opacity`.
QImage heatImage(const volume::Volume& overlay, const volume::Geometry& geometry,
                 const volume::SliceLayout& layout, std::int64_t index, const volume::SliceRegion& region,
                 double opacity);

/// Paints the color scale from 0 to `most` (0: 100 %) with its numbers, with its top right corner at
/// `corner`.
void paintHeatLegend(QPainter& painter, const QPoint& corner, double most);

}  // namespace highwater::widgets
