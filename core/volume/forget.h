#pragma once

#include "core/volume/volume.h"

namespace highwater::volume {

/// Lets the bytes [begin, end) of a volume's voxels leave this process's memory: they stay in the file's
/// cache and come back when they are read again. For passes over a whole volume that nearly fills the memory.
/// Whole pages only; the last one waits for the next range. Does nothing where no file lies behind the
/// voxels.
void forgetVoxels(const Volume& volume, base::Bytes begin, base::Bytes end);
/// All of them.
void forgetVoxels(const Volume& volume);

}  // namespace highwater::volume
