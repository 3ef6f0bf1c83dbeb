#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "core/stack/pytorch/pytorch.h"
#include "core/stack/pytorch/values.h"

/// From steps to the file: the stack with its blocks, and what has to be said about it. Private to
/// core/stack/pytorch.
namespace highwater::stack::pytorch {

/// A layer of the stack, before blocks are made.
struct Entry {
    base::Json layer;
    Scopes scopes;
    Roles parameters;
};
using Entries = std::deque<Entry>;  // an entry stays where it is while others are put around it
using Steps = std::vector<Step*>;

/// Writes steps as a list of layers, in which each continues from the one before. Where a step reads another
/// value than the last one made, `branch` goes back to it; `add`, `concat` and the like bring back the other
/// values that they read. The list ends with the value `output`.
Entries writeStack(const Steps& steps, int output);

/// Takes `inplace` from the layers that the engine would refuse (core/stack/storages.h), so that the file is
/// always valid; returns these entries.
std::vector<const Entry*> settleInplace(Entries& entries);

/// Takes the scopes of checkpoints whose layers do not follow each other; returns how many there are.
std::size_t dropTornCheckpoints(Entries& entries);
/// Puts the layers of a module into a block with its name, and so those of a checkpoint.
base::Json nestBlocks(const Entries& entries);

/// Makes heads of the 1x1 convolutions that give the side outputs, and says what has to be said of them.
/// `ends`: the values of the side outputs, which are called `names`. `largest`: what the other one is called.
base::Result<std::vector<std::string>> makeHeads(const Steps& steps, const std::vector<int>& ends,
                                                 const std::vector<std::string>& names,
                                                 const std::string& largest);
/// The layer that makes the stack's output behind all others, where no other reads it: a layer list ends with
/// it.
Steps outputLast(Steps steps, int output);
/// Each head right behind the layer that it reads, so that nothing has to go back for it.
Steps headsFirst(const Steps& steps);

/// A layer with the parameters of an earlier one becomes its second use.
void shareParameters(const Steps& steps);

/// An error with each kind that no layer stands for, where one of them is more than the layer `unknown` can
/// say, or comes of how the program was saved; also of others unless `bounds`.
base::Status refuseUnknown(const Steps& steps, const Graph& graph, bool bounds = true);
/// What the layers `unknown` stand for.
std::vector<std::string> unknownOf(const Steps& steps);
std::vector<std::string> remarksOf(const Steps& steps);
std::vector<std::string> refusalsOf(const std::vector<const Entry*>& refused);
/// Of several inputs that the experiment's input holds.
std::vector<std::string> aboutInputs(const Graph& graph);
/// Of what was lost before the program was saved: dropouts in evaluation, what worked in place.
std::vector<std::string> aboutTheProgram(const Graph& graph);
/// Of parameters that are left out, which are added to `left`, or that are frozen. Where the file does not
/// say which are tied, those that may be are not counted.
std::vector<std::string> aboutParameters(const Graph& graph, const Entries& entries, LeftOut& left);
/// Of outputs and activation checkpoints that are left out.
std::vector<std::string> aboutLeftOut(const LeftOut& left);

struct Network {
    std::string name;
    base::Json stack;
    Shape input, output;
    std::int64_t dtype = 0;  ///< of the first parameter
    std::vector<std::string> notes;
    std::vector<Roles> parameters;  ///< of each layer, blocks not counted
    LeftOut leftOut;
};

/// Of the options only `output` and what says the precision matter. Error if it takes more than `budget`.
base::Result<Network> convertGraph(const Graph& graph, const PytorchOptions& options,
                                   base::MemoryBudget& budget);

/// An error where a word is unknown.
base::Status checkOptions(const PytorchOptions& options);
/// "fp32", "bf16", ...: what the options say, else as the parameters are.
std::string precisionOf(std::int64_t dtype, const PytorchOptions& options);
/// The network with its data, loss, optimizer and step.
base::Result<base::Json> experimentOf(const Network& network, const PytorchOptions& options);
/// The import of a graph that was read from `name`, which an error begins with and which is the network's
/// name where no call says its class. `budget`: what is left of the file's.
base::Result<PytorchImport> importGraph(const base::Result<Graph>& graph, std::string_view name,
                                        const PytorchOptions& options, base::MemoryBudget& budget);
/// A layer a line; the layers of a block further in.
std::string experimentText(const base::Json& experiment);

}  // namespace highwater::stack::pytorch
