#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/predict/tables/asked_table.h"
#include "core/stack/experiment.h"

namespace highwater::gpu {

/// Asks a cuDNN about the convolutions of experiments on the pretended device's default GPU, an H200, and
/// passes its answers to the pretended device.
class AskedWorkspaces {
public:
    /// `library`: the folder of libcudnn.so.9. `plans`: the file of $HIGHWATER_PRETEND_PLANS.
    AskedWorkspaces(std::filesystem::path library, std::filesystem::path plans);

    /// Asks the new questions of this experiment. Errors, one line: it cannot be predicted; cuDNN does not
    /// answer everything.
    base::Status learn(const stack::Experiment& experiment);
    std::shared_ptr<const predict::AskedTable> table() const { return table_; }

private:
    std::filesystem::path library_, plans_;
    std::shared_ptr<const predict::AskedTable> table_;
};

}  // namespace highwater::gpu
