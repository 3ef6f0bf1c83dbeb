#pragma once

#include <QImage>

#include "core/volume/slice_region.h"
#include "widgets/scan/label_map.h"

namespace highwater::widgets {

/// The labels as an image of the region, one pixel per block. Each pixel has the color of the label at the
/// center of its block: that of the nearest voxel, because labels cannot be interpolated. It is transparent
/// outside the map, for the background and for labels that are hidden; elsewhere its opacity is `opacity`.
QImage labelImage(const LabelMap& labels, const volume::Geometry& geometry, const volume::SliceLayout& layout,
                  std::int64_t index, const volume::SliceRegion& region, double opacity);

}  // namespace highwater::widgets
