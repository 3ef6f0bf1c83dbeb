#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::stack {

/// The properties of one layer that follow from the experiment. Layers are listed in the order of execution,
/// a block before the layers in it.
struct LayerInfo {
    /// Indices into the nested lists: {3} is the fourth entry, {3, 0} the first layer within it.
    std::vector<int> path;
    std::string name;  ///< unique and readable: "5 conv", "enc2 · 1 conv"
    std::string type;
    int depth = 0;   ///< 0 at the top level, 1 inside a block, ...
    Shape input;     ///< N, C, spatial; N, C after a flatten
    Shape output;    ///< for a head, that of its side output; the next layer gets the head's input
    int owner = -1;  ///< for a Shared the layer whose parameters it uses; otherwise -1
    std::int64_t parameters = 0;  ///< number of learned values (a block's: the sum over its layers)
    base::Bytes outputBytes = 0;  ///< the output at the experiment's precision
    /// outputBytes, or 0 if the layer works in place or is a branch (a block: the sum over its layers).
    base::Bytes newBytes = 0;
    std::vector<int> with;  ///< merges: indices in StackInfo::layers of the outputs that are read again
    int block = -1;         ///< index of the block that contains it; -1 at the top level
};

struct StackInfo {
    std::vector<LayerInfo> layers;
    Shape data;   ///< N, C, spatial of the data, with the experiment's batch size
    Shape input;  ///< the network's input: the data, or with Experiment::windows one window of it
    Shape output;
    std::int64_t parameters = 0;
    std::int64_t targetClasses = 0;  ///< channels of the output if the loss needs classes; 0 otherwise
    /// Channels of a target that is neither classes nor the input: those of the output if the loss compares
    /// probabilities, otherwise 1.
    std::int64_t targetChannels = 1;
};

/// Returns the shape of the network's input (N, C, spatial), from the experiment alone. Checks batch size,
/// channels and patch.
base::Result<Shape> inputShape(const Experiment& experiment);

/// Whether the input is a cohort.
bool isCohort(const Experiment& experiment);
/// How many volumes make one case's input: the number of scans, or the channels of a cohort's cases.
std::int64_t channelsOf(const ScanInput& scan);
/// The spatial sizes of the input as given in the experiment, one per axis: a scan's patch, or a synthetic
/// shape without its channels. Unchecked.
Sizes patchOf(const Experiment& experiment);
/// Changes the input's spatial sizes; the channels stay.
void setPatch(Experiment& experiment, const Sizes& patch);

/// The input if it is a scan, otherwise a scan without a path, with the patch of the synthetic volume.
ScanInput asScanInput(const Experiment& experiment);

/// `shape` with the spatial sizes of `like` (N, C, spatial) at its end.
Shape withSizesOf(Shape shape, const Shape& like);

/// Computes all shapes with PyTorch's rules (torch.nn's pages; ceil_mode off). No arithmetic can overflow:
/// one tensor or one layer's weights take at most 1 PiB (limits.h). Checks everything that a run needs: sizes
/// fit, groups divide the channels, ids exist, are unique and come before their use (blocks do not hide ids;
/// a head has none), in-place layers are safe, the loss fits the output and the target, and the settings of
/// the optimizer and the step are valid. Errors are one line and name the layer: "layer 5 `conv`: kernel 7
/// does not fit an input of 4 along depth". Layers are numbered from 1 in the order of `StackInfo::layers`,
/// as the editor shows them.
///
/// In place (docs/memory-model.md sections 2 and 5). A layer may overwrite its input unless that tensor is
/// - the network's input: it is the target of mse, and the next step may read it again;
/// - the output of a layer that saves its result for backward: relu, sigmoid, tanh, softmax, and in place
///   leaky_relu, elu, inplace_abn (other in-place activations save a copy; every other layer saves its input
///   or nothing);
/// - a tensor that a head has read (it is saved for backward), or that a branch continues from after another
///   layer has read it;
/// - an output that a later merge reads by its id: that layer would get the overwritten value;
/// - the output of a crop: a part of another tensor.
/// A tensor keeps its identity through layers in place, blocks, flatten, and dropout without effect (p 0, or
/// not training). The rules are the same with and without training and checkpointing, so that changing these
/// settings never makes a stack invalid. A checkpointed block may begin with an in-place layer: the schedule
/// clones its input.
base::Result<StackInfo> inferShapes(const Experiment& experiment);

/// Whether this version's engine can run a valid experiment, on a GPU (`cuda`) or on the CPU. The error is
/// one line that names the layer or field and what would work instead.
base::Status checkSupported(const Experiment& experiment, const StackInfo& info, bool cuda);
/// The same for predictions, which do not need every operator.
base::Status checkPredictable(const Experiment& experiment, const StackInfo& info, bool cuda);
/// The operators that the layers `unknown` of a stack stand for, without duplicates, with their counts:
/// "cumsum", "roll (3 times)".
std::vector<std::string> unknownOperators(const std::vector<Layer>& stack);

}  // namespace highwater::stack
