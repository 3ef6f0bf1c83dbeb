#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/report/canvas.h"
#include "core/volume/patch.h"
#include "core/volume/volume.h"

namespace highwater::report {

/// The axial, coronal and sagittal slices through the patch's center (without a patch: the volume's), in the
/// radiological convention, with the letters of the patient's sides and the patch's outline. Each fills a
/// square of `size` pixels. The volume must not be empty.
std::array<Chart, 3> sliceCharts(const volume::Volume& scan, const std::optional<volume::PatchBox>& patch,
                                 double size = 286);

}  // namespace highwater::report
