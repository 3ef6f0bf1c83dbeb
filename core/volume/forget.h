#pragma once

#include "core/volume/volume.h"

namespace highwater::volume {

/// Releases the bytes [begin, end) of a volume's voxels from this process's memory. They stay in the file's
/// cache and are mapped again when they are read. For passes over a whole volume that nearly fills the
/// memory. Releases whole pages only; the last one waits for the next range. Does nothing if the voxels are
/// not in a file.
void forgetVoxels(const Volume& volume, base::Bytes begin, base::Bytes end);
/// Releases all voxels.
void forgetVoxels(const Volume& volume);

}  // namespace highwater::volume
