#include <algorithm>

#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

namespace {

constexpr std::pair<std::string_view, Translate> kTranslators[] = {{"Conv", conv},
                                                                   {"ConvTranspose", convTranspose},
                                                                   {"Gemm", gemm},
                                                                   {"MatMul", matmul},
                                                                   {"BatchNormalization", batchNorm},
                                                                   {"InstanceNormalization", instanceNorm},
                                                                   {"LayerNormalization", layerNorm},
                                                                   {"GroupNormalization", groupNorm},
                                                                   {"LRN", localResponseNorm},
                                                                   {"Clip", clip},
                                                                   {"PRelu", prelu},
                                                                   {"Softmax", softmax},
                                                                   {"Dropout", dropout},
                                                                   {"MaxPool", maxPool},
                                                                   {"AveragePool", averagePool},
                                                                   {"GlobalAveragePool", globalPool},
                                                                   {"GlobalMaxPool", globalPool},
                                                                   {"ReduceMean", reduceMean},
                                                                   {"Resize", resize},
                                                                   {"Upsample", resize},
                                                                   {"Pad", pad},
                                                                   {"Add", arithmetic},
                                                                   {"Sub", arithmetic},
                                                                   {"Mul", arithmetic},
                                                                   {"Div", arithmetic},
                                                                   {"Pow", arithmetic},
                                                                   {"Sum", sum},
                                                                   {"Concat", concat},
                                                                   {"Tile", tile},
                                                                   {"RandomUniformLike", random},
                                                                   {"RandomNormalLike", random},
                                                                   {"RandomUniform", random},
                                                                   {"RandomNormal", random},
                                                                   {"Bernoulli", random},
                                                                   {"Less", less},
                                                                   {"Identity", identity},
                                                                   {"Cast", cast},
                                                                   {"CastLike", cast},
                                                                   {"Flatten", view},
                                                                   {"Reshape", view},
                                                                   {"Squeeze", view},
                                                                   {"Unsqueeze", view},
                                                                   {"Expand", expand},
                                                                   {"Transpose", transpose},
                                                                   {"Slice", slice}};

}  // namespace

/// An operator without a row may be an activation, which has a separate table.
Translate translatorOf(std::string_view kind) {
    const auto* found = std::find_if(std::begin(kTranslators), std::end(kTranslators),
                                     [kind](const auto& row) { return row.first == kind; });
    return found == std::end(kTranslators) ? activation : found->second;
}

std::string named(std::string_view stem, const Shape& shape, std::string_view tail) {
    return std::string(stem) + std::to_string(shape.size() < 2 ? 0 : shape.size() - 2) + std::string(tail);
}

}  // namespace highwater::stack::onnx
