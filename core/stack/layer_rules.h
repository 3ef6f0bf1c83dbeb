#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The output shape and the number of parameters of one layer, by PyTorch's rules (torch.nn's pages,
/// "Shape"). Private to core/stack. Errors say what does not fit; they do not name the layer, which the
/// caller adds.
namespace highwater::stack {

struct LayerRule {
    Shape output;
    std::int64_t parameters = 0;  ///< number of learned values; buffers (running statistics, fixed kernels)
                                  ///< are not counted
};

/// For every layer except Unknown, Shared, Merge and Block. `input` has 2 to kMostAxes sizes, each from 1 to
/// kMostSize.
base::Result<LayerRule> layerRule(const Op& op, const Shape& input, bool train);

// One family per file.
base::Result<LayerRule> convRule(const Conv& op, const Shape& input);
base::Result<LayerRule> convTransposeRule(const ConvTranspose& op, const Shape& input);
base::Result<LayerRule> separableConvRule(const SeparableConv& op, const Shape& input);
base::Result<LayerRule> customConvRule(const CustomConv& op, const Shape& input);
base::Result<LayerRule> headRule(const Head& op, const Shape& input);  ///< output: the side output
base::Result<LayerRule> reshapeRule(const Reshape& op, const Shape& input);
base::Result<LayerRule> permuteRule(const Permute& op, const Shape& input);
base::Result<LayerRule> selectRule(const Select& op, const Shape& input);
base::Result<LayerRule> sliceRule(const Slice& op, const Shape& input);
base::Result<LayerRule> rollRule(const Roll& op, const Shape& input);
base::Result<LayerRule> relativePositionBiasRule(const RelativePositionBias& op);
base::Result<LayerRule> windowMaskRule(const WindowMask& op);
base::Result<LayerRule> learnedRule(const Learned& op, const Shape& input);
base::Result<LayerRule> stochasticDepthRule(const StochasticDepth& op, const Shape& input);
/// Of a product of the matrices of the last two axes; `where` names the layer that made the right one.
base::Result<Shape> matmulShape(const Shape& left, const Shape& right, const std::string& where);
/// Of scaled_dot_product_attention: the shape of the queries with the last size of the values. All have at
/// least three axes; the last two are places and sizes. Error: they do not go together.
base::Result<Shape> attentionShape(const Shape& queries, const Shape& keys, const Shape& values);

/// "depth", "height", "width" (3d), "height", "width" (2d), "length" (1d).
std::string_view axisName(int dims, int axis);
inline int dimsOf(const Shape& shape) {
    return static_cast<int>(shape.size()) - 2;
}

using PerAxis = std::array<std::int64_t, 3>;
/// Expands one number for all axes, or one per axis. Error if one is outside [low, high]; `key` names the
/// field in the message.
base::Result<PerAxis> perAxis(const Sizes& sizes, int dims, std::string_view key, std::int64_t low,
                              std::int64_t high);
/// Returns an error unless low <= value <= high.
std::optional<base::Error> outside(std::string_view key, std::int64_t value, std::int64_t low,
                                   std::int64_t high);

/// Returns an error unless so much padding of this mode fits (canPad in axis_size.h).
std::optional<base::Error> checkPaddingMode(PaddingMode mode, std::int64_t padding, std::int64_t size,
                                            std::string_view axis);
/// Returns the number of a kernel's weights: the product of the factors and of its sizes. Error beyond
/// kMostTensorBytes / 8 values.
base::Result<std::int64_t> weightCount(std::initializer_list<std::int64_t> factors, const Sizes& kernel,
                                       int dims);

/// Returns the bytes of a tensor. Error beyond kMostTensorBytes; the message begins with `what`, e.g. "an
/// output".
base::Result<base::Bytes> tensorBytes(const Shape& shape, base::Bytes element, std::string_view what);

}  // namespace highwater::stack
