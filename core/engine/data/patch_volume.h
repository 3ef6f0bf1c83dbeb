#pragma once

#include <cstdint>
#include <vector>

#include "core/volume/patch.h"

/// Patches for viewing. Plain C++. Private to core/engine.
namespace highwater::engine {

/// Values of a patch, i fastest, as a volume that lies where its box does in the scan (no scan: 1 mm voxels),
/// with their range and mean.
volume::Volume patchVolume(const volume::Volume* scan, const volume::PatchBox& box,
                           std::vector<float> values);
/// The same of labels.
volume::Volume patchVolume(const volume::Volume* scan, const volume::PatchBox& box,
                           std::vector<std::int32_t> values);

}  // namespace highwater::engine
