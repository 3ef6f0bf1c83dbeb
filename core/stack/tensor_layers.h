#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Layers that know nothing of channels and space: views of a tensor, copies, and products with what has
/// another shape. Names and defaults are PyTorch's where it has such a layer or function.
namespace highwater::stack {

using Sizes = std::vector<std::int64_t>;  ///< one number for all axes, or one per axis (depth, height, width)
/// A tensor's shape: N, C, then 1 to 3 spatial sizes (D, H, W); after a flatten N, C alone; after a reshape
/// or a permute 2 to kMostAxes sizes in any order, of which the first is the batch or a multiple of it.
using Shape = std::vector<std::int64_t>;

/// The same numbers in another shape: a view where the strides allow it, otherwise a copy.
struct Reshape {
    Sizes shape = {-1, 1};  ///< the first is -1: the batch, times what the other sizes leave
    bool operator==(const Reshape&) const = default;
};

/// The axes in another order: a view.
struct Permute {
    Sizes dims = {0, 1};  ///< output axis i is the input's axis dims[i]; the first stays 0
    bool operator==(const Permute&) const = default;
};

/// One place of an axis, which the output does not have: a view.
struct Select {
    int dim = 1;  ///< not the batch; below 0: counted from the end
    std::int64_t index = 0;
    bool operator==(const Select&) const = default;
};

/// Some places of an axis: a view.
struct Slice {
    int dim = 1;  ///< not the batch; below 0: counted from the end
    std::int64_t start = 0;
    std::int64_t end = 1;   ///< the first place behind what is kept
    std::int64_t step = 1;  ///< every step-th place is kept
    bool operator==(const Slice&) const = default;
};

/// Moves the places of some axes; those that leave at one end come in at the other: torch.roll.
struct Roll {
    Sizes shifts = {1};  ///< one for each of `dims`; below 0: towards the axis's first place
    Sizes dims = {2};    ///< not the batch
    bool operator==(const Roll&) const = default;
};

/// The same numbers in memory of their own, in the order of the axes. Contiguous: only where they do not lie
/// in this order already.
struct Copy {
    enum class Kind { Clone, Contiguous };
    Kind kind = Kind::Clone;
    bool operator==(const Copy&) const = default;
};

/// The input times, or plus, a learned tensor, which is repeated along its axes of size 1 and along the axes
/// before them. layer_scale (arXiv 2103.17239) begins with 1e-6, position_embedding with numbers of variance
/// 0.02^2. class_token puts learned places before those of an input of [N, places, features], the same for
/// each sample (arXiv 2010.11929); it begins as position_embedding does.
struct Learned {
    enum class Kind { LayerScale, PositionEmbedding, ClassToken };
    Kind kind = Kind::LayerScale;
    Sizes shape = {1};  ///< aligned with the input's last axes; of a class_token [1, tokens, features]
    bool operator==(const Learned&) const = default;
};

/// The input times 0 or 1, drawn for each sample (Row) or once (Batch): torchvision.ops.StochasticDepth
/// (arXiv 1603.09382). Only while training.
struct StochasticDepth {
    enum class Mode { Row, Batch };
    double p = 0.5;  ///< the probability of 0
    Mode mode = Mode::Row;
    bool scaleByKeep = true;  ///< what is kept is divided by 1 - p
    bool operator==(const StochasticDepth&) const = default;
};

/// What is added to the products of queries and keys within windows of a volume, by how far apart two places
/// lie (Swin Transformer, arXiv 2103.14030): a learned row for each distance, looked up for each pair of
/// places. Reads nothing. Output: [1, num_heads, places, places]. The table has the product of 2 w - 1 rows
/// over the window's sizes w, of num_heads values each, and begins with numbers of variance 0.02^2.
struct RelativePositionBias {
    Sizes windowSize = {7, 7, 7};  ///< one to three sizes
    std::int64_t numHeads = 1;
    std::int64_t places = 0;  ///< only the first so many of a window; 0: all
    bool copyIndex = false;   ///< the indices are copied before they are used, as MONAI does
    bool operator==(const RelativePositionBias&) const = default;
};

/// The places of a window, or the rows of a RelativePositionBias' table for one: products of sizes.
std::int64_t placesOf(const Sizes& window);
std::int64_t distancesOf(const Sizes& window);

/// What is added to the same products where the windows were shifted: -100 for two places that lay apart
/// before, else 0. Computed in each step. Reads nothing. Output: [1, windows, 1, places, places].
struct WindowMask {
    Sizes size = {7, 7, 7};        ///< the volume's, one to three sizes: multiples of the window's
    Sizes windowSize = {7, 7, 7};  ///< as many
    Sizes shiftSize = {3, 3, 3};   ///< as many, each below the window's
    bool operator==(const WindowMask&) const = default;
};

/// Stands for an operator that no layer says. What it takes is not counted, so that a prediction is a bound
/// from below; it cannot run.
struct Unknown {
    std::string operatorName;       ///< PyTorch's name, or what of it no layer says
    Sizes shape = {1, 1};           ///< of its output for one sample; the first is times the batch
    std::vector<std::string> with;  ///< ids of the other outputs that it reads
    bool operator==(const Unknown&) const = default;
};

}  // namespace highwater::stack
