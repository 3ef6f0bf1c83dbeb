#pragma once

#include <cstdint>
#include <vector>

#include "core/volume/patch.h"

/// Makes volumes of patches, for viewing and for files. Plain C++. Private to core/engine.
namespace highwater::engine {

/// A volume of a patch's values (i fastest) in the geometry of `box` in `scan`, with their range and mean.
/// Without a scan (null), voxels are 1 mm.
volume::Volume patchVolume(const volume::Volume* scan, const volume::PatchBox& box,
                           std::vector<float> values);
/// The same for labels.
volume::Volume patchVolume(const volume::Volume* scan, const volume::PatchBox& box,
                           std::vector<std::int32_t> values);

}  // namespace highwater::engine
