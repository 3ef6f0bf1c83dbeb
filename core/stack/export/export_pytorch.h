#pragma once

#include <string>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::stack {

/// A Python program that is the experiment in PyTorch (1.13 or newer, nothing else but numpy; a scan is read
/// with nibabel or SimpleITK): the model as a torch.nn.Module, its levers (checkpointing, precision, windows,
/// data loading), and a training step, with a main that trains N steps and prints one loss a line. It makes
/// its weights as torch.nn does from the experiment's seed, which are the engine's to the bit, and synthetic
/// input from a generator of its own, as the engine does. Errors: an experiment that is not valid, or what
/// cannot be said in Python, naming the layer.
base::Result<std::string> exportPytorch(const Experiment& experiment);

/// True where the program reads base::kHeadPhantomFile, which must lie beside it.
bool readsPhantom(const Experiment& experiment);

}  // namespace highwater::stack
