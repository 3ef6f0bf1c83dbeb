#pragma once

#include <string>

#include "app/cli/target_options.h"

namespace highwater::cli {

struct SnapshotOptions {
    TargetOptions target;
    std::string library;  ///< --cudnn-library
    bool learn = false;   ///< keep the workspaces that were found
    bool json = false;
};

/// compare EXPERIMENT SNAPSHOT: the prediction against what PyTorch recorded on a GPU. Returns the exit code.
int compareSnapshot(const std::string& experiment, const std::string& snapshot,
                    const SnapshotOptions& options);

}  // namespace highwater::cli
