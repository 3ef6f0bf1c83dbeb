#pragma once

#include <string>
#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/program.h"
#include "core/stack/shapes.h"

/// The parts of an exported program. Each is Python text that ends with a newline, or empty if the experiment
/// does not need it. Private to core/stack.
namespace highwater::stack::python {

/// Returns the module of a layer, which must not be a Shared, a Merge or a Block. `input`: N, C, spatial.
/// `runs`: how often a step runs its forward, including recomputation.
Module moduleOf(const Op& op, const Shape& input, int runs);
/// Returns "self.name = Module(...)", indented.
std::string assignment(const Module& module, const std::string& name, int indent);
/// Returns the classes of custom layers that the stack needs.
std::string ownModules(const Program& program);

/// Returns exportedModules().
std::vector<std::string> moduleNames(const Experiment& experiment, const StackInfo& info,
                                     const Program& program);
/// Returns class Network(nn.Module).
std::string networkClass(const Experiment& experiment, const StackInfo& info, const Program& program);

/// The functions outside the network: loss, windows, one step of training or evaluation.
std::string lossFunction(const Experiment& experiment, const StackInfo& info, const Program& program);
std::string windowFunctions(const Experiment& experiment, const StackInfo& info);
std::string stepFunction(const Experiment& experiment, const StackInfo& info, const Program& program);
/// Returns the code that makes batches, and its helpers.
std::string dataFunctions(const Experiment& experiment, const StackInfo& info);
/// Returns run(), measured() and main().
std::string mainFunctions(const Experiment& experiment, const StackInfo& info);

/// Whether the loss compares the output with a target: all losses do except the mean.
inline bool hasTarget(const Experiment& experiment) {
    return experiment.loss != Loss::Mean;
}

}  // namespace highwater::stack::python
