#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stack/experiment.h"

/// The modules of nnU-Net's network and the layers that stand for them in an imported experiment.
namespace highwater::stack {

/// A module that takes one tensor and returns one, as named_modules() names it: "encoder.stages.0.blocks.1".
/// Its layers are [first, last) in the order of execution, without blocks and branches, as in PlanPart.
struct NnunetModule {
    std::string name;
    std::int64_t first = 0, last = 0;
    bool operator==(const NnunetModule&) const = default;
};

/// Stages: the stem and every stage of encoder and decoder. Blocks: their parts, which are residual blocks or
/// convolutions with norm and activation.
enum class NnunetGrain { Stages, Blocks };

/// The modules of an experiment that importNnunet() made, in the order of execution, without overlap.
/// Transposed and 1x1 output convolutions are in none.
std::vector<NnunetModule> nnunetModules(const Experiment& experiment, NnunetGrain grain);

}  // namespace highwater::stack
