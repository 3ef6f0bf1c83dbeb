#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

/// Writes the experiment as a Python program for PyTorch (1.13 or newer; it needs only numpy, and nibabel or
/// SimpleITK for a scan). It contains the model as a torch.nn.Module, its levers (checkpointing, precision,
/// windows, data loading), a training step, and a main function that trains N steps and prints one loss per
/// line. Weights are initialized as in torch.nn from the experiment's seed, so they are bit-equal to the
/// engine's. Synthetic input comes from a separate generator, as in the engine. Errors: an experiment that is
/// not valid, or one that cannot be written in Python; the message names the layer.
base::Result<std::string> exportPytorch(const Experiment& experiment);

/// The module of the program that stands for each layer of StackInfo, as named_modules() names it: "conv5",
/// "enc.0". Empty for a block, for what is an expression in the program, and for a Shared, which calls
/// another's. `info` is the result of inferShapes for the experiment.
std::vector<std::string> exportedModules(const Experiment& experiment, const StackInfo& info);

/// Whether the program reads base::kHeadPhantomFile, which must be in the program's folder.
bool readsPhantom(const Experiment& experiment);

}  // namespace highwater::stack
