#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "core/stack/pytorch/pytorch.h"
#include "core/stack/pytorch/values.h"

/// From steps to the experiment's file: the stack with its blocks, and notes about it. Private to
/// core/stack/pytorch.
namespace highwater::stack::pytorch {

/// A layer of the stack, before blocks are created.
struct Entry {
    base::Json layer;
    Scopes scopes;
    Roles parameters;
};
using Entries = std::deque<Entry>;  // entries keep their addresses when others are inserted
using Steps = std::vector<Step*>;

/// Writes steps as a list of layers, in which each continues from the previous one. If a step reads a value
/// other than the last one, `branch` goes back to it; `add`, `concat` and the like read the other values. The
/// list ends with the value `output`.
Entries writeStack(const Steps& steps, int output);

/// Removes `inplace` from the layers for which the engine would refuse it (core/stack/storages.h), so that
/// the file is always valid; returns these entries.
std::vector<const Entry*> settleInplace(Entries& entries);

/// Removes the scopes of checkpoints whose layers are not consecutive; returns how many there are.
std::size_t dropTornCheckpoints(Entries& entries);
/// Puts the layers of a module into a block with its name, and likewise those of a checkpoint.
base::Json nestBlocks(const Entries& entries);

/// Converts the 1x1 convolutions that compute the side outputs to heads, and returns notes about them.
/// `ends`: the values of the side outputs, whose names are `names`. `largest`: the name of the main output.
base::Result<std::vector<std::string>> makeHeads(const Steps& steps, const std::vector<int>& ends,
                                                 const std::vector<std::string>& names,
                                                 const std::string& largest);
/// Moves the layer that computes the stack's output to the end, if no other layer reads it, because a layer
/// list ends with it.
Steps outputLast(Steps steps, int output);
/// Moves each head directly after the layer that it reads, so that no branch is needed for it.
Steps headsFirst(const Steps& steps);

/// A layer with the parameters of an earlier one becomes a second use of it.
void shareParameters(const Steps& steps);

/// An error that lists each unsupported kind, unless `bounds` is set and all of them are layers `unknown`;
/// also if they are due to how the program was saved.
base::Status refuseUnknown(const Steps& steps, const Graph& graph, bool bounds = true);
/// The operators that the layers `unknown` stand for.
std::vector<std::string> unknownOf(const Steps& steps);
std::vector<std::string> remarksOf(const Steps& steps);
std::vector<std::string> refusalsOf(const std::vector<const Entry*>& refused);
/// About several inputs that form the experiment's input.
std::vector<std::string> aboutInputs(const Graph& graph);
/// About what was lost before the program was saved: dropouts in evaluation mode, in-place operators.
std::vector<std::string> aboutTheProgram(const Graph& graph);
/// About parameters that are left out, which are added to `left`, or frozen. If the file does not say which
/// are tied, those that may be are not counted.
std::vector<std::string> aboutParameters(const Graph& graph, const Entries& entries, LeftOut& left);
/// About outputs and activation checkpoints that are left out.
std::vector<std::string> aboutLeftOut(const LeftOut& left);

struct Network {
    std::string name;
    base::Json stack;
    Shape input, output;
    std::int64_t dtype = 0;  ///< type of the first parameter
    std::vector<std::string> notes;
    std::vector<Roles> parameters;  ///< parameters of each layer, without blocks
    LeftOut leftOut;
};

/// Only `output` and the options for the precision are used. Error if it takes more than `budget`.
base::Result<Network> convertGraph(const Graph& graph, const PytorchOptions& options,
                                   base::MemoryBudget& budget);

/// An error if a word is unknown.
base::Status checkOptions(const PytorchOptions& options);
/// "fp32", "bf16", ...: from the options, otherwise from the parameters' type.
std::string precisionOf(std::int64_t dtype, const PytorchOptions& options);
/// The network with its data, loss, optimizer and step.
base::Result<base::Json> experimentOf(const Network& network, const PytorchOptions& options);
/// The import of a graph read from `name`, with which errors begin and which is the network's name if no call
/// has its class. `budget`: the remainder of the file's.
base::Result<PytorchImport> importGraph(const base::Result<Graph>& graph, std::string_view name,
                                        const PytorchOptions& options, base::MemoryBudget& budget);
/// One line per layer; the layers of a block are indented.
std::string experimentText(const base::Json& experiment);

}  // namespace highwater::stack::pytorch
