#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::stack {

struct Preset {
    std::string id;           ///< "plain-3d", "residual-3d", "unet-3d", "plain-2d", "signal-1d"
    std::string title;        ///< e.g. "3D U-Net (nnU-Net style)"
    std::string description;  ///< one sentence
    Experiment experiment;    ///< has synthetic input; the caller replaces it with a scan
};

/// Loads the presets in resources/presets, in menu order. Error if the folder is missing or a file is
/// invalid.
base::Result<std::vector<Preset>> loadPresets();

}  // namespace highwater::stack
