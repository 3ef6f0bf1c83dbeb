#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/layers/activation.h"
#include "core/layers/adaptive_pool.h"
#include "core/layers/affine.h"
#include "core/layers/conv.h"
#include "core/layers/conv_transpose.h"
#include "core/layers/copy.h"
#include "core/layers/crop.h"
#include "core/layers/custom_conv.h"
#include "core/layers/dropout.h"
#include "core/layers/expand.h"
#include "core/layers/flatten.h"
#include "core/layers/head.h"
#include "core/layers/inplace_abn.h"
#include "core/layers/layer_norm.h"
#include "core/layers/learned.h"
#include "core/layers/linear.h"
#include "core/layers/local_response_norm.h"
#include "core/layers/merge.h"
#include "core/layers/norm.h"
#include "core/layers/pad.h"
#include "core/layers/permute.h"
#include "core/layers/pool.h"
#include "core/layers/prelu.h"
#include "core/layers/reduce.h"
#include "core/layers/relative_position_bias.h"
#include "core/layers/reshape.h"
#include "core/layers/roll.h"
#include "core/layers/scale.h"
#include "core/layers/select.h"
#include "core/layers/separable_conv.h"
#include "core/layers/shared_layer.h"
#include "core/layers/slice.h"
#include "core/layers/softmax.h"
#include "core/layers/stochastic_depth.h"
#include "core/layers/unknown.h"
#include "core/layers/upsample.h"
#include "core/layers/window_mask.h"

/// All types of layers, and queries that work for any type. about.h explains the answers.
namespace highwater::stack {

struct Layer;

struct Block {
    std::string name;
    bool checkpoint = false;
    std::vector<Layer> layers;
    bool operator==(const Block&) const;
};

template <>
struct About<Block> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"block"};
    static void words(const Block& op, Words& w);
    template <class V>
    static void fields(V& v, const Block&) {
        v.text("name", &Block::name, "Name of the block in lists and reports", "e.g. enc1");
        v.toggle("checkpoint", &Block::checkpoint,
                 "Keep only the block's input and recompute its layers in the backward pass:\nless memory, "
                 "more time, the same gradients. Used where checkpointing is “by block”");
        v.layers("layers", &Block::layers);
    }
};

/// The only list of types: names, the menu, defaults and files are derived from it.
using Op = std::variant<Conv, ConvTranspose, SeparableConv, CustomConv, Norm, LayerNorm, LocalResponseNorm,
                        InplaceAbn, Activation, Prelu, Softmax, Pool, AdaptivePool, Reduce, Pad, Crop,
                        Upsample, Dropout, StochasticDepth, Scale, Learned, Affine, Flatten, Reshape, Permute,
                        Select, Slice, Expand, Roll, Copy, Linear, RelativePositionBias, WindowMask, Unknown,
                        Head, Shared, Merge, Block>;

struct Layer {
    std::string id;  ///< name of the output for a later merge; empty if it has none
    Op op;
    bool operator==(const Layer&) const = default;
};

inline bool Block::operator==(const Block& other) const {
    return name == other.name && checkpoint == other.checkpoint && layers == other.layers;
}

/// Calls `question(About<T>(), value)` with the layer's type T and its value.
template <class Question>
decltype(auto) ask(const Op& op, Question&& question) {
    return std::visit([&]<class T>(const T& value) -> decltype(auto) { return question(About<T>(), value); },
                      op);
}

/// A layer's `type` in files and on screen: "conv", "batch_norm", "add", "block", ...
std::string_view typeName(const Op& op);
/// All type names, in the order of `Op`.
const std::vector<std::string_view>& typeNames();
/// Returns a default layer of that type; std::nullopt for an unknown name.
std::optional<Op> makeOp(std::string_view type);
/// The types of a group, in the order of `Op`.
std::vector<std::string_view> typesOf(Group group);

bool learns(const Op& op);
bool worksInPlace(const Op& op);
bool readsNothing(const Op& op);
bool savesResult(const Op& op);
/// Whether the output is stored in the input (Lies::InInput).
bool isPart(const Op& op);
/// Whether it is stored on the input or in it.
bool passesThrough(const Op& op, bool train);
bool drawsRandomly(const Op& op);
bool resumable(const Op& op);
bool mixesAxes(const Op& op);
/// Sets options of `op` to suit its input, which has no axes if it is unknown.
void suit(Op& op, const Shape& input);

/// For every layer except Unknown, Shared, Merge and Block, which need more than the input.
base::Result<LayerRule> layerRule(const Op& op, const Shape& input, bool train);
/// Returns the output's size along an axis for any valid layer except Shared, Merge and Block. For a Head it
/// is the input's size, and also for a Permute or a Select, which renumber the axes; for a Flatten it is 1.
/// `axis` counts the spatial axes from 0; 0: the layer does not fit (axis_size.h).
std::int64_t outputSize(std::int64_t size, const Op& op, int dims, std::size_t axis);
/// Returns the factor of a layer. {1, 1} for layers that keep sizes, for Merge, Block, and an upsample to a
/// fixed size or by a factor that is neither a whole number nor one over a whole number.
AxisScale scaleAlong(const Op& op, std::size_t axis);
/// The options in words, without the id.
std::vector<std::string> wordsOf(const Op& op, Words words);

}  // namespace highwater::stack
