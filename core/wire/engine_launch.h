#pragma once

#include <vector>

#include "core/base/process.h"
#include "core/base/result.h"

/// How highwater-engine is started. Private to core/wire.
namespace highwater::wire {

/// Copies of volumes' descriptors for the engine, with numbers above 2, so that they cannot collide with its
/// standard streams. The limit of open files is raised if need be, for both programs. Errors name the volume,
/// or say that there are too many.
base::Result<std::vector<base::Descriptor>> ownCopies(const std::vector<int>& fds);

/// Hands the volumes to the engine: --volume FD for each.
void addVolumes(base::Launch& launch, const std::vector<base::Descriptor>& volumes);

}  // namespace highwater::wire
