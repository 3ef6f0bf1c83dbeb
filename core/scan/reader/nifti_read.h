#pragma once

#include <functional>
#include <string_view>

#include "core/base/result.h"
#include "core/scan/reader/input.h"
#include "core/scan/reader/nifti_check.h"
#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// stage ("inflating", "reading"), 0 to 1 or negative when unknown.
using ProgressSink = std::function<void(std::string_view stage, double fraction)>;

/// The header of a .nii or .nii.gz, checked as far as it goes without inflating the voxels.
base::Result<NiftiLayout> readNiftiLayout(const Mapping& file);

/// Reads volume number `volume` into the handover file `out` in one pass that also counts its statistics; the
/// header is written last. Takes the file, at most 4 MiB, and for a .nii.gz a temporary file of its inflated
/// size.
base::Result<volume::Header> readNifti(const Mapping& file, std::int64_t volume, int out,
                                       const ProgressSink& progress);

}  // namespace highwater::scan::reader
