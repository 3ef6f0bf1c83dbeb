#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::script {

/// What the forward of a module of the script costs.
struct ModuleCost {
    int root = 0;           ///< the model that it belongs to, from 0
    std::string name;       ///< within the model: "encoder.stages.0"; empty: the model itself
    std::string className;  ///< "BasicBlockD"
    base::Bytes held = 0;   ///< allocated after its forward and not before, its output included
    base::Bytes output = 0;
    double flops = 0;  ///< of convolutions and linear layers
    std::int64_t calls = 0;
    std::int64_t batch = 0;     ///< the first size of its first input
    bool splits = false;        ///< the first size of all its inputs and outputs is the batch
    bool batchNorm = false;     ///< it contains batch norms
    bool recomputable = false;  ///< inputs are tensors and numbers, which it does not modify
    /// Freed until the backward pass if it is recomputed there.
    base::Bytes saved() const { return std::max<base::Bytes>(0, held - output); }
};

struct OptimizerUse {
    std::string className;
    bool foreach = false, fused = false, canFuse = false;
};

/// RUN/script-modules.json: the models of a script, and what it does with them.
struct ScriptModules {
    bool autocast = false;        ///< it uses autocast
    bool compiled = false;        ///< a model is compiled
    bool channelsLast = false;    ///< inputs are in this format
    bool keepsGradients = false;  ///< zero_grad(set_to_none=False)
    bool dropout = false;
    std::int64_t loaderBatch = 0;              ///< the largest batch of a DataLoader; 0: there is none
    std::vector<std::int64_t> ownCheckpoints;  ///< models with gradient_checkpointing_enable()
    std::vector<ModuleCost> modules;           ///< those called in training; each before the modules in it
    std::vector<OptimizerUse> optimizers;

    /// The model that holds the most; null: there is none.
    const ModuleCost* model() const;
};
base::Result<ScriptModules> readModules(const std::filesystem::path& runFolder);

/// Modules of the model to recompute, none of which is inside another.
struct ModuleSet {
    std::vector<const ModuleCost*> modules;
    base::Bytes estimate = 0;  ///< of the peak with them recomputed
    double flops = 0;          ///< of what is recomputed
};
/// Sets that are worth trying, without repetition: those with the least recomputation that are estimated to
/// bring a peak of `peak` down to `target`, with less and more to spare; the one with the lowest estimate;
/// and all modules of the class that is best recomputed.
std::vector<ModuleSet> setsToRecompute(const ScriptModules& script, base::Bytes peak, base::Bytes target);

}  // namespace highwater::script
