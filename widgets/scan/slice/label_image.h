#pragma once

#include <QImage>

#include "core/volume/slice_region.h"
#include "widgets/scan/label_map.h"

namespace highwater::widgets {

/// The labels as a picture of the region, one pixel for one block. Each pixel has the color of the label at
/// the middle of its block: the nearest voxel, for labels cannot be mixed. It is transparent outside the map,
/// for the background and for labels that are not shown; else as opaque as `opacity` says.
QImage labelImage(const LabelMap& labels, const volume::Geometry& geometry, const volume::SliceLayout& layout,
                  std::int64_t index, const volume::SliceRegion& region, double opacity);

}  // namespace highwater::widgets
