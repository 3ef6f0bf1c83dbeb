#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::stack {

/// What is known of one layer from the experiment alone. Layers are listed in the order of execution, a block
/// before what it contains.
struct LayerInfo {
    std::vector<int>
        path;          ///< indices into the nested lists: {3} the fourth entry, {3, 0} the first within it
    std::string name;  ///< unique and readable: "5 conv", "enc2 · 1 conv"
    std::string type;
    int depth = 0;  ///< 0 at the top level, 1 inside a block, ...
    Shape input;    ///< N, C, spatial
    Shape output;
    std::int64_t parameters = 0;  ///< learned values (a block's: the sum of what it contains)
    base::Bytes outputBytes = 0;  ///< the output at the experiment's precision
    base::Bytes newBytes = 0;  ///< outputBytes, or 0 where the layer works in place (a block: the sum within)
    int with = -1;             ///< add/concat: the index in StackInfo::layers whose output is brought back
    int block = -1;            ///< the index of the block it lies in; -1 at the top level
};

struct StackInfo {
    std::vector<LayerInfo> layers;
    Shape input;  ///< N, C, spatial, with the experiment's batch size
    Shape output;
    std::int64_t parameters = 0;
    std::int64_t targetClasses = 0;  ///< channels of the output where the loss wants classes; 0 otherwise
};

/// The shape of the network's input (N, C, spatial), from the experiment alone; checks batch size, channels,
/// patch.
base::Result<Shape> inputShape(const Experiment& experiment);

/// Walks the stack with PyTorch's shape rules; no arithmetic can overflow. Checks everything a run needs:
/// sizes fit, channels divide groups, ids exist, are unique and come before their use, in-place safety
/// (memory-model.md section 5: refuses in place after a layer whose output is saved, naming both), the loss
/// against the output and the target. Errors are one line and name the layer: "layer 5 `conv`: kernel 7 does
/// not fit an input of 4 along depth". Layers are numbered from 1 in the order of `StackInfo::layers`, as the
/// editor shows them.
base::Result<StackInfo> inferShapes(const Experiment& experiment);

}  // namespace highwater::stack
