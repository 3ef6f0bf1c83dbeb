#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The experiments of the validation kit, as values.
namespace highwater::kit {

/// The purpose of the sizes. A GPU's are chosen so that peaks are between some hundred MiB and 20 GiB; the
/// rehearsal's are divided, so that a small CPU can run them.
enum class Scale { Gpu, Rehearsal };

struct Case {
    std::string family;            ///< "networks", "layers", ...
    stack::Experiment experiment;  ///< its name is unique in the kit
    int warmup = 2, steps = 3;
    bool big = false;  ///< its size matters, so it is left out of a rehearsal
    const std::string& name() const { return experiment.name; }
};

/// Sizes, divided in a rehearsal: by 4 per axis in 3D, by 8 in 2D, by 64 in 1D; never below 16, and multiples
/// of 16 remain multiples, so that networks with four stages fit.
std::int64_t size3d(Scale scale, std::int64_t size);
std::int64_t size2d(Scale scale, std::int64_t size);
std::int64_t size1d(Scale scale, std::int64_t size);

/// The settings of an experiment that apply to a whole process: the allocator's settings and, for cuDNN's
/// plans, which LibTorch caches by convolution only, whether they were timed (`benchmark`) and with which
/// limit. Experiments are run in one process only if these words are equal; empty if all settings are
/// LibTorch's defaults.
std::string processWords(const stack::Experiment& experiment);

/// One family each, the most valuable case first. Errors: presets that cannot be read.
base::Result<std::vector<Case>> networkCases(Scale scale);  ///< stacks, U-Nets, imported nnU-Net plans
std::vector<Case> layerCases(Scale scale);                  ///< one kind of layer each
std::vector<Case> trainingCases(Scale scale);  ///< losses, optimizers, checkpointing, micro-batches, dropout
base::Result<std::vector<Case>> leverCases(Scale scale);      ///< the backend's switches and precisions
base::Result<std::vector<Case>> ladderCases(Scale scale);     ///< batch and patch, rung by rung
std::vector<Case> cliffCases(Scale scale);                    ///< shapes on both sides of the cliffs that fit
base::Result<std::vector<Case>> allocatorCases(Scale scale);  ///< alloc_conf

/// Experiments with increasing needs. They are run within the memory that the middle rung needed, so that
/// some fit and some do not.
struct CapacityLadder {
    std::string name;
    std::vector<stack::Experiment> rungs;  ///< ascending in what they need
};
base::Result<std::vector<CapacityLadder>> capacityLadders(Scale scale);

/// The first of each list, then the second of each, ...
std::vector<Case> interleaved(const std::vector<std::vector<Case>>& lists);

/// All of them in the order in which they are run: first the first case of each family, so that a short
/// budget covers every family. `quick`: one in four.
base::Result<std::vector<Case>> allCases(Scale scale, bool quick);

}  // namespace highwater::kit
