#pragma once

#include <vector>

#include "core/base/units.h"
#include "core/memory/trace.h"
#include "core/predict/tables/profile.h"

namespace highwater::script {

/// A GPU on which the same requests were played again, through the simulated allocator.
struct ScriptFit {
    predict::DeviceProfile profile;
    bool fits = false;
    base::Bytes reserved = 0;  ///< the peak, or at the refused request
    base::Bytes refused = 0;   ///< what was asked for when it ran out; 0: it fits
};

/// Plays a trace's requests again on every profile, which has its memory without the context and `others`.
/// The workspaces stay those of the GPU that was pretended.
std::vector<ScriptFit> whereItFits(const memory::Trace& trace,
                                   const std::vector<predict::DeviceProfile>& profiles, base::Bytes others);

}  // namespace highwater::script
