#pragma once

#include <vector>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/wire/engine_process.h"

/// Command lines for highwater-engine.
namespace highwater::wire {

/// The engine's command line for a request, without its volumes.
base::Launch engineLaunch(const EngineRequest& request, const std::filesystem::path& program);

/// Duplicates the volumes' descriptors for the engine, with numbers above 2, so that they cannot collide with
/// its standard streams. Raises the limit of open files if needed, for both programs. Errors name the volume,
/// or say that there are too many.
base::Result<std::vector<base::Descriptor>> ownCopies(const std::vector<int>& fds);

/// Passes the volumes to the engine: --volume FD for each.
void addVolumes(base::Launch& launch, const std::vector<base::Descriptor>& volumes);

}  // namespace highwater::wire
