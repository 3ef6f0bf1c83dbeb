#pragma once

#include <vector>

#include "core/base/units.h"
#include "core/memory/trace.h"
#include "core/predict/tables/profile.h"

namespace highwater::script {

/// A GPU on which the same requests were replayed with the simulated allocator.
struct ScriptFit {
    predict::DeviceProfile profile;
    bool fits = false;
    base::Bytes reserved = 0;  ///< the peak, or at the refused request
    base::Bytes refused = 0;   ///< the request that failed when memory ran out; 0: it fits
};

/// Replays a trace's requests on every profile, with its memory minus the context and `others`. The
/// workspaces stay those of the pretended GPU.
std::vector<ScriptFit> whereItFits(const memory::Trace& trace,
                                   const std::vector<predict::DeviceProfile>& profiles, base::Bytes others);

}  // namespace highwater::script
