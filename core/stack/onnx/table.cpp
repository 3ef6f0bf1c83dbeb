#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

Translate translatorOf(std::string_view kind) {
    static const std::map<std::string_view, Translate> table = {{"Conv", conv},
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
    const auto found = table.find(kind);
    return found == table.end() ? activation : found->second;
}

std::string named(std::string_view stem, const Shape& shape, std::string_view tail) {
    return std::string(stem) + std::to_string(shape.size() < 2 ? 0 : shape.size() - 2) + std::string(tail);
}

}  // namespace highwater::stack::onnx
