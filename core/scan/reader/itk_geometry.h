#pragma once

#include <cstddef>
#include <span>

#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// Asks ITK where the scan with this (already checked) NIfTI-1 header lies, and adds a warning where ITK, and
/// so most programs built on it, place it elsewhere than `header` says. ITK gets a private copy of the
/// header, so it neither sees the voxels nor another file of a similar name.
void addSecondOpinion(std::span<const std::byte> niftiHeader, volume::Header& header);

}  // namespace highwater::scan::reader
