#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/predict/tables/asked_table.h"
#include "core/stack/experiment.h"

namespace highwater::gpu {

/// Asks a cuDNN about the convolutions of experiments on the GPU that the pretended device claims to be by
/// default, an H200, and tells the pretended device its answers.
class AskedWorkspaces {
public:
    /// `library`: the folder of libcudnn.so.9. `plans`: the file that $HIGHWATER_PRETEND_PLANS names.
    AskedWorkspaces(std::filesystem::path library, std::filesystem::path plans);

    /// Asks what is new in this experiment. Errors, one line: it cannot be predicted; cuDNN does not answer
    /// everything.
    base::Status learn(const stack::Experiment& experiment);
    std::shared_ptr<const predict::AskedTable> table() const { return table_; }

private:
    std::filesystem::path library_, plans_;
    std::shared_ptr<const predict::AskedTable> table_;
};

}  // namespace highwater::gpu
