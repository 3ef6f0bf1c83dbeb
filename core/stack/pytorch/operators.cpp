#include "core/stack/pytorch/operators.h"

#include <map>

namespace highwater::stack::pytorch {

namespace {

std::map<std::string_view, Convert> makeTable() {
    const std::pair<Convert, std::vector<std::string_view>> rows[] = {
        {conv, {"conv1d", "conv2d", "conv3d"}},
        {convTranspose, {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}},
        {linear, {"linear"}},
        {batchNorm, {"batch_norm", "_native_batch_norm_legit_functional"}},
        {instanceNorm, {"instance_norm"}},
        {groupNorm, {"group_norm"}},
        {layerNorm, {"layer_norm"}},
        {activation, {"relu",  "relu_",    "leaky_relu", "leaky_relu_", "elu",         "elu_",
                      "gelu",  "gelu_",    "silu",       "silu_",       "sigmoid",     "tanh",
                      "tanh_", "sigmoid_", "relu6",      "relu6_",      "hardtanh",    "hardtanh_",
                      "mish",  "mish_",    "hardswish",  "hardswish_",  "hardsigmoid", "hardsigmoid_"}},
        {activation, {"selu", "selu_", "softplus", "sqrt"}},
        {clamp, {"clamp_min", "clamp"}},
        {addcmul, {"addcmul"}},
        {prelu, {"prelu"}},
        {softmax, {"softmax", "_softmax"}},
        {dropout, {"dropout", "dropout_", "feature_dropout", "feature_dropout_"}},
        {pool, {"max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d"}},
        {adaptivePool,
         {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
          "adaptive_max_pool2d", "adaptive_max_pool3d"}},
        {mean, {"mean"}},
        {reduce, {"sum", "var", "amax", "linalg_vector_norm"}},
        {upsample,
         {"upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d",
          "upsample_bilinear2d", "upsample_trilinear3d"}},
        {pad, {"pad", "constant_pad_nd"}},
        {arithmetic, {"add", "add_", "sub", "sub_", "mul", "mul_"}},
        {divide, {"div", "div_"}},
        {negative, {"neg", "neg_"}},
        {concat, {"cat", "concat", "concatenate"}},
        {repeat, {"repeat"}},
        {viewOf,
         {"view", "reshape", "reshape_as", "_unsafe_view", "flatten", "squeeze", "unsqueeze", "view_as",
          "unflatten", "squeeze_", "unsqueeze_", "expand", "expand_as"}},
        {sameAs, {"to", "_to_copy", "type_as", "contiguous", "alias", "lift_fresh_copy", "requires_grad_"}},
        {permute, {"permute", "transpose"}},
        {select, {"select", "unbind"}},
        {matmul, {"matmul", "bmm"}},
        {einsum, {"einsum"}},
        {attention, {"scaled_dot_product_attention"}},
        {stack, {"stack"}},
        {clone, {"clone"}},
        {detach, {"detach"}},
        {slice, {"slice"}},
        {split, {"split", "split_with_sizes", "chunk", "tensor_split", "unsafe_split", "unsafe_chunk"}},
        {roll, {"roll"}}};
    std::map<std::string_view, Convert> table;
    for (const auto& [convert, names] : rows) {
        for (const std::string_view name : names) {
            table.emplace(name, convert);
        }
    }
    return table;
}

}  // namespace

Convert converterOf(std::string_view name) {
    static const auto table = makeTable();
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

}  // namespace highwater::stack::pytorch
