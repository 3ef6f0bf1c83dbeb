#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/program.h"
#include "core/stack/shapes.h"

/// The parts of an exported program. Each is Python text that ends with a newline, or empty where the
/// experiment has no need of it. Private to core/stack.
namespace highwater::stack::python {

/// A constructor with its arguments, which may be constructors themselves (of an nn.Sequential).
struct Module {
    std::string name;
    std::vector<std::string> arguments;
    std::vector<Module> inside;
    std::string remark;  ///< said behind it
};

/// The module of a layer that has one: any but Merge and Block. `input`: N, C, spatial. `runs`: how often
/// a step runs its forward, counting recomputation.
Module moduleOf(const Op& op, const Shape& input, int runs);
/// self.name = Module(...), indented.
std::string assignment(const Module& module, const std::string& name, int indent);
/// Classes of our own that the stack's modules need.
std::string ownModules(const Program& program);

/// class Network(nn.Module).
std::string networkClass(const Experiment& experiment, const StackInfo& info, const Program& program);

/// The functions beside the network: loss, windows, one step of training or evaluation.
std::string lossFunction(const Experiment& experiment, const StackInfo& info, const Program& program);
std::string windowFunctions(const Experiment& experiment, const StackInfo& info);
std::string stepFunction(const Experiment& experiment, const StackInfo& info, const Program& program);
/// What gives batches, and what that needs.
std::string dataFunctions(const Experiment& experiment, const StackInfo& info);
/// run(), measured() and main().
std::string mainFunctions(const Experiment& experiment, const StackInfo& info);

/// Something is compared with the output: all losses but the mean.
inline bool hasTarget(const Experiment& experiment) {
    return experiment.loss != Loss::Mean;
}

}  // namespace highwater::stack::python
