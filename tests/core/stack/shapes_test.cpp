#include "core/stack/shapes.h"

#include "tests/core/stack/build.h"

namespace highwater::stack {
namespace {

using testing::errorOf;
using testing::infer;
using testing::outputOf;

struct Case {
    const char* input;
    const char* layers;
    Shape output;
};

class OutputShapes : public ::testing::TestWithParam<Case> {};

TEST_P(OutputShapes, AreThoseOfPyTorch) {
    EXPECT_EQ(outputOf(GetParam().input, GetParam().layers), GetParam().output) << GetParam().layers;
}

// Numbers from the examples of torch.nn's documentation if there are any; otherwise computed by hand.
INSTANTIATE_TEST_SUITE_P(
    Conv, OutputShapes,
    ::testing::Values(
        Case{"[16, 50]", R"({"type": "conv", "out_channels": 33, "kernel_size": 3, "stride": 2})", {33, 24}},
        Case{"[16, 50, 100]",
             R"({"type": "conv", "out_channels": 33, "kernel_size": 3, "stride": 2})",
             {33, 24, 49}},
        Case{
            "[16, 50, 100]",
            R"({"type": "conv", "out_channels": 33, "kernel_size": [3, 5], "stride": [2, 1], "padding": [4, 2]})",
            {33, 28, 100}},
        Case{
            "[16, 50, 100]",
            R"({"type": "conv", "out_channels": 33, "kernel_size": [3, 5], "stride": [2, 1], "padding": [4, 2], "dilation": [3, 1]})",
            {33, 26, 100}},
        Case{"[16, 10, 50, 100]",
             R"({"type": "conv", "out_channels": 33, "kernel_size": 3, "stride": 2})",
             {33, 4, 24, 49}},
        Case{
            "[16, 10, 50, 100]",
            R"({"type": "conv", "out_channels": 33, "kernel_size": [3, 5, 2], "stride": [2, 1, 1], "padding": [4, 2, 0]})",
            {33, 8, 50, 99}},
        Case{
            "[1, 1024]",
            R"({"type": "avg_pool", "kernel_size": 2}, {"type": "conv", "out_channels": 4, "kernel_size": 3})",
            {4, 510}},
        Case{"[2, 9, 8, 7]",
             R"({"type": "conv", "out_channels": 4, "kernel_size": [3, 4, 5], "padding": "same"})",
             {4, 9, 8, 7}},
        Case{"[2, 6]",
             R"({"type": "conv", "out_channels": 4, "kernel_size": 4, "dilation": 5, "padding": "same"})",
             {4, 6}},
        Case{
            "[2, 6]",
            R"({"type": "conv", "out_channels": 4, "kernel_size": 5, "padding": 5, "padding_mode": "reflect"})",
            {4, 12}},
        Case{
            "[2, 6]",
            R"({"type": "conv", "out_channels": 4, "kernel_size": 5, "padding": 6, "padding_mode": "circular"})",
            {4, 14}},
        Case{"[2, 6]", R"({"type": "conv", "out_channels": 4, "kernel_size": 6, "dims": 1})", {4, 1}}));

INSTANTIATE_TEST_SUITE_P(
    ConvTranspose, OutputShapes,
    ::testing::Values(
        Case{"[16, 10, 50, 100]",
             R"({"type": "conv_transpose", "out_channels": 33, "kernel_size": 3, "stride": 2})",
             {33, 21, 101, 201}},
        Case{
            "[16, 10, 50, 100]",
            R"({"type": "conv_transpose", "out_channels": 33, "kernel_size": [3, 5, 2], "stride": [2, 1, 1], "padding": [0, 4, 2]})",
            {33, 21, 46, 97}},
        Case{
            "[16, 6, 6]",
            R"({"type": "conv_transpose", "out_channels": 16, "kernel_size": 3, "stride": 2, "padding": 1, "output_padding": 1})",
            {16, 12, 12}},
        Case{
            "[4, 5]",
            R"({"type": "conv_transpose", "out_channels": 2, "kernel_size": 3, "dilation": 2, "output_padding": 1})",
            {2, 10}},
        Case{"[8, 12, 12, 12]",
             R"({"type": "conv_transpose", "out_channels": 4, "stride": 2})",
             {4, 24, 24, 24}}));

INSTANTIATE_TEST_SUITE_P(
    Others, OutputShapes,
    ::testing::Values(
        Case{"[16, 50, 44, 31]", R"({"type": "max_pool", "kernel_size": 3, "stride": 2})", {16, 24, 21, 15}},
        Case{"[16, 50, 44, 31]",
             R"({"type": "max_pool", "kernel_size": [3, 2, 2], "stride": [2, 1, 2]})",
             {16, 24, 43, 15}},
        Case{
            "[16, 50, 32]", R"({"type": "avg_pool", "kernel_size": [3, 2], "stride": [2, 1]})", {16, 24, 31}},
        Case{"[3, 7]", R"({"type": "max_pool", "kernel_size": 3})", {3, 2}},
        Case{"[3, 7]", R"({"type": "max_pool", "kernel_size": 3, "padding": 1})", {3, 3}},
        Case{"[1, 2, 2]",
             R"({"type": "upsample", "scale_factor": 2, "mode": "bilinear", "align_corners": true})",
             {1, 4, 4}},
        Case{"[1, 5]", R"({"type": "upsample", "scale_factor": 1.5, "mode": "linear"})", {1, 7}},
        Case{"[1, 5, 5, 5]",
             R"({"type": "upsample", "scale_factor": [0.5, 1, 2.4], "mode": "trilinear"})",
             {1, 2, 5, 12}},
        Case{"[1, 5, 5]", R"({"type": "upsample", "size": [3, 9]})", {1, 3, 9}},
        Case{"[1, 5, 5]", R"({"type": "upsample", "size": 8})", {1, 8, 8}},
        Case{"[3, 512]", R"({"type": "separable_conv", "out_channels": 8, "kernel_size": 3})", {8, 510}},
        Case{"[3, 9, 9]",
             R"({"type": "separable_conv", "out_channels": 8, "stride": 2, "padding": 1})",
             {8, 5, 5}},
        Case{"[3, 9, 9]",
             R"({"type": "custom_conv", "transform_channels": 2, "out_channels": 6, "kernel_size": 5})",
             {6, 5, 5}},
        Case{"[20, 35, 45]", R"({"type": "batch_norm"})", {20, 35, 45}},
        Case{"[100, 40]", R"({"type": "instance_norm"})", {100, 40}},
        Case{"[6, 10, 10]", R"({"type": "group_norm", "num_groups": 3})", {6, 10, 10}},
        Case{"[3, 8]",
             R"({"type": "conv", "out_channels": 4, "kernel_size": 1}, {"type": "inplace_abn"})",
             {4, 8}},
        Case{
            "[3, 8]",
            R"({"type": "relu"}, {"type": "leaky_relu"}, {"type": "elu"}, {"type": "gelu"}, {"type": "silu"})",
            {3, 8}},
        Case{"[3, 8]",
             R"({"type": "sigmoid"}, {"type": "tanh"}, {"type": "relu6"}, {"type": "hardswish"}, )"
             R"({"type": "hardsigmoid"}, {"type": "mish"}, {"type": "prelu", "num_parameters": 3}, )"
             R"({"type": "softmax", "dim": -1}, {"type": "scale", "value": 0.5})",
             {3, 8}},
        Case{"[3, 8]", R"({"type": "dropout", "p": 1, "feature": true})", {3, 8}},
        Case{"[3, 8]",
             R"({"type": "gelu", "id": "a"}, {"type": "gelu"}, {"type": "add", "with": "a"})",
             {3, 8}},
        Case{"[3, 8]",
             R"({"type": "gelu", "id": "a"}, {"type": "gelu"}, {"type": "concat", "with": "a"})",
             {6, 8}},
        Case{"[3, 8]",
             R"({"type": "gelu", "id": "a"}, {"type": "gelu", "id": "b"}, )"
             R"({"type": "concat", "with": ["b", "a", "a"]})",
             {12, 8}},
        // A size of 1 is broadcast, whichever of the two has it.
        Case{"[3, 8, 6]",
             R"({"type": "gelu", "id": "a"}, {"type": "upsample", "size": 1}, {"type": "sigmoid"}, )"
             R"({"type": "mul", "with": "a"})",
             {3, 8, 6}},
        Case{"[3, 8, 6]",
             R"({"type": "conv", "out_channels": 1, "kernel_size": 1, "id": "a"}, )"
             R"({"type": "conv", "out_channels": 5, "kernel_size": [8, 1]}, {"type": "sub", "with": "a"})",
             {5, 8, 6}},
        Case{"[3, 8, 6]", R"({"type": "adaptive_avg_pool"}, {"type": "flatten"})", {3}},
        Case{"[3, 8, 6]", R"({"type": "adaptive_max_pool", "output_size": [9, 2]})", {3, 9, 2}},
        Case{"[3, 8, 6]",
             R"({"type": "flatten"}, {"type": "flatten"}, {"type": "linear", "out_features": 7, "id": "a"}, )"
             R"({"type": "group_norm"}, {"type": "dropout"}, {"type": "mul", "with": "a"}, )"
             R"({"type": "concat", "with": "a"})",
             {14}},
        Case{"[3, 8, 6]", R"({"type": "pad", "padding": [1, 2]})", {3, 8, 9}},
        Case{"[3, 8, 6]", R"({"type": "pad", "padding": [0, 0, 0, 0], "mode": "replicate"})", {3, 8, 6}},
        Case{"[3, 8, 6]", R"({"type": "pad", "padding": [1, 2, 3, 0, 4, 1, 0, 0]})", {8, 11, 9}},
        Case{"[3, 8, 6]", R"({"type": "crop", "start": [1, 0], "size": [7, 2]})", {3, 7, 2}},
        Case{"[3, 8, 6]", R"({"type": "crop", "size": 4})", {3, 4, 4}},
        Case{"[3, 8, 6]",
             R"({"type": "layer_norm", "normalized_shape": [8, 6]}, {"type": "local_response_norm"})",
             {3, 8, 6}},
        Case{
            "[3, 8, 6]",
            R"({"type": "conv", "out_channels": 3, "kernel_size": 3, "id": "a"}, {"type": "shared", "with": "a"})",
            {3, 4, 2}},
        Case{
            "[3, 8]",
            R"({"type": "conv", "out_channels": 2, "id": "a"}, {"type": "gelu"}, {"type": "head", "out_channels": 4}, )"
            R"({"type": "branch", "with": "a"})",
            {2, 6}},
        Case{"[3, 8, 7]", R"({"type": "max_pool", "kernel_size": 3, "ceil_mode": true})", {3, 3, 3}},
        Case{"[3, 5, 1]",
             R"({"type": "avg_pool", "kernel_size": 2, "stride": 3, "ceil_mode": true, "padding": 1})",
             {3, 2, 1}},
        Case{"[3, 8, 6]", R"({"type": "reshape", "shape": [-1, 24, 2, 1, 3]})", {24, 2, 1, 3}},
        Case{"[3, 8, 6]", R"({"type": "permute", "dims": [0, 3, 1, 2]})", {6, 3, 8}},
        Case{"[3, 8, 6]",
             R"({"type": "permute", "dims": [0, 2, 3, 1]}, {"type": "linear", "out_features": 5})",
             {8, 6, 5}},
        Case{"[3, 8, 6]", R"({"type": "select", "dim": -2, "index": 7})", {3, 6}},
        Case{
            "[3, 8, 6]",
            R"({"type": "layer_scale", "shape": [3, 1, 1]}, {"type": "position_embedding", "shape": [1, 3, 8, 6]}, )"
            R"({"type": "stochastic_depth", "p": 0.1, "mode": "batch"}, {"type": "clone"}, {"type": "contiguous"})",
            {3, 8, 6}},
        Case{"[3, 8, 6]",
             R"({"type": "clone", "id": "a"}, {"type": "permute", "dims": [0, 1, 3, 2]}, )"
             R"({"type": "matmul", "with": "a"})",
             {3, 6, 6}},
        Case{"[3, 8, 6]",
             R"({"type": "clone", "id": "q"}, {"type": "slice", "dim": 2, "end": 5, "id": "k"}, )"
             R"({"type": "slice", "dim": 3, "end": 2, "id": "v"}, {"type": "branch", "with": "q"}, )"
             R"({"type": "scaled_dot_product_attention", "with": ["k", "v"], "is_causal": true})",
             {3, 8, 2}},
        Case{"[3, 8, 6]", R"({"type": "slice", "dim": -1, "start": 1, "end": 6, "step": 2})", {3, 8, 3}},
        Case{"[3, 8, 6]",
             R"({"type": "roll", "shifts": [-3, 20], "dims": [1, 3]}, {"type": "offset", "value": 2})",
             {3, 8, 6}},
        Case{"[3, 8, 6]",
             R"({"type": "relu", "id": "a"}, {"type": "slice", "dim": 2, "end": 5}, )"
             R"({"type": "concat", "with": "a", "dim": -2})",
             {3, 13, 6}},
        Case{
            "[48, 8, 8]",
            R"({"type": "reshape", "shape": [-1, 4, 3, 16, 16], "id": "a"}, )"
            R"({"type": "window_mask", "size": [8, 8], "window_size": [4, 4], "shift_size": [0, 1], "id": "m"}, )"
            R"({"type": "branch", "with": "a"}, {"type": "add", "with": "m"}, {"type": "reshape", "shape": [-1, 3, 16, 16], "id": "b"}, )"
            R"({"type": "relative_position_bias", "window_size": [4, 5], "num_heads": 3, "places": 16}, )"
            R"({"type": "add", "with": "b"})",
            {3, 16, 16}},
        Case{"[3, 8]", R"({"type": "class_token", "shape": [1, 2, 8]})", {5, 8}},
        Case{"[3, 8]", R"({"type": "class_token", "shape": [1, 5, 8], "tokens": [1, 4]})", {8, 8}},
        Case{"[3, 8, 6]",
             R"({"type": "sum", "dim": [-1]}, {"type": "expand", "shape": [-1, 3, 8, 5]}, )"
             R"({"type": "vector_norm", "dim": [1, 3], "keepdim": false})",
             {8}},
        Case{"[3, 8, 6]",
             R"({"type": "affine", "shape": [3, 1, 1], "id": "a"}, {"type": "var", "dim": [2, 3]}, )"
             R"({"type": "sqrt"}, {"type": "div", "with": "a"})",
             {3, 8, 6}},
        Case{"[3, 8, 6]",
             R"({"type": "clone", "id": "q"}, {"type": "slice", "dim": 2, "end": 5, "id": "k"}, )"
             R"({"type": "permute", "dims": [0, 1, 3, 2], "id": "t"}, {"type": "branch", "with": "q"}, )"
             R"({"type": "matmul", "with": "t"}, {"type": "amax", "dim": [1], "id": "mask"}, )"
             R"({"type": "branch", "with": "q"}, )"
             R"({"type": "scaled_dot_product_attention", "with": ["k", "k", "mask"]})",
             {3, 8, 6}},
        Case{"[3, 8]", R"({"type": "block", "layers": []})", {3, 8}}));

std::int64_t parametersOf(const char* input, const char* layers) {
    const auto info = infer(input, layers);
    return info ? info->parameters : -1;
}

TEST(Parameters, EqualPyTorchs) {
    EXPECT_EQ(parametersOf("[3, 8, 8]", R"({"type": "conv", "out_channels": 64, "kernel_size": 7})"), 9472);
    EXPECT_EQ(parametersOf("[64, 8, 8]",
                           R"({"type": "conv", "out_channels": 64, "kernel_size": 3, "bias": false})"),
              36864);
    EXPECT_EQ(parametersOf("[3, 4]", R"({"type": "flatten"}, {"type": "linear", "out_features": 5})"),
              5 * 12 + 5);
    EXPECT_EQ(parametersOf("[3, 4]",
                           R"({"type": "flatten"}, {"type": "linear", "out_features": 5, "bias": false})"),
              5 * 12);
    EXPECT_EQ(parametersOf("[3, 4]", R"({"type": "layer_norm", "normalized_shape": [3, 4]})"), 2 * 12);
    EXPECT_EQ(
        parametersOf("[2, 4, 4]", R"({"type": "relu", "id": "a"}, {"type": "relative_position_bias", )"
                                  R"("window_size": [2, 2], "num_heads": 2}, {"type": "add", "with": "a"})"),
        3 * 3 * 2);
    EXPECT_EQ(parametersOf("[3, 4]", R"({"type": "class_token", "shape": [1, 2, 4]})"), 2 * 4);
    EXPECT_EQ(parametersOf("[3, 4]", R"({"type": "affine", "shape": [3, 1]})"), 2 * 3);
    EXPECT_EQ(
        parametersOf("[3, 8, 8]", R"({"type": "conv", "out_channels": 5, "kernel_size": 3, "bias": false, )"
                                  R"("standardize": "scaled"})"),
        5 * 3 * 9 + 5);
    EXPECT_EQ(parametersOf("[3, 4]", R"({"type": "linear", "out_features": 5}, {"type": "layer_scale", )"
                                     R"("shape": [3, 1]})"),
              5 * 4 + 5 + 3);
    EXPECT_EQ(
        parametersOf("[3, 4]",
                     R"({"type": "prelu"}, {"type": "layer_norm", "normalized_shape": 4, "affine": false})"),
        1);
    EXPECT_EQ(
        parametersOf(
            "[3, 4]",
            R"({"type": "block", "layers": [{"type": "conv", "out_channels": 3, "kernel_size": 1, "id": "a"}]},
                              {"type": "shared", "with": "a"}, {"type": "shared", "with": "a"})"),
        3 * 3 + 3);
    EXPECT_EQ(parametersOf("[3, 4]", R"({"type": "prelu"}, {"type": "prelu", "num_parameters": 3})"), 1 + 3);
    EXPECT_EQ(
        parametersOf("[8, 9]", R"({"type": "conv", "out_channels": 12, "kernel_size": 3, "groups": 4})"),
        12 * 2 * 3 + 12);
    EXPECT_EQ(parametersOf("[8, 4, 4, 4]",
                           R"({"type": "conv_transpose", "out_channels": 6, "kernel_size": 2, "groups": 2})"),
              8 * 3 * 8 + 6);
    EXPECT_EQ(
        parametersOf("[8, 9, 9]", R"({"type": "separable_conv", "out_channels": 5, "depth_multiplier": 2})"),
        (16 * 9 + 16) + (16 * 5 + 5));
    EXPECT_EQ(
        parametersOf("[8, 9, 9]", R"({"type": "custom_conv", "transform_channels": 2, "out_channels": 6})"),
        2 * 8 + 6);
    EXPECT_EQ(parametersOf("[8, 9]", R"({"type": "batch_norm"})"), 16);  // running statistics are buffers
    EXPECT_EQ(parametersOf("[8, 9]", R"({"type": "batch_norm", "affine": false})"), 0);
    EXPECT_EQ(parametersOf("[8, 9]", R"({"type": "instance_norm"})"), 0);
    EXPECT_EQ(parametersOf("[8, 9]", R"({"type": "group_norm", "num_groups": 4})"), 16);
}

TEST(LayerList, ANameThatNoFileBroughtIsOneLineToo) {
    auto e = testing::experimentOf("[1, 8]", R"({"type": "block", "name": "a", "layers": [{"type": "relu"}]},
        {"type": "block", "name": "b", "layers": [{"type": "relu"}]})",
                                   R"("loss": "mean", "step": {"train": false})");
    ASSERT_TRUE(e) << e.error().message;
    std::get<Block>(e->stack[0].op).name = "a\nb";
    std::get<Block>(e->stack[1].op).name = "\n";
    const auto info = inferShapes(*e);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->layers[0].name, "a b");
    EXPECT_EQ(info->layers[1].name, "a b · 1 relu");
    EXPECT_EQ(info->layers[2].name, "3 block");
}

TEST(LayerList, NamesNumbersAndSums) {
    const auto info = infer("[1, 8, 8]", R"(
        {"type": "conv", "out_channels": 4, "padding": 1, "id": "skip"},
        {"type": "block", "name": "enc", "layers": [
            {"type": "conv", "out_channels": 4, "padding": 1}, {"type": "batch_norm"},
            {"type": "block", "layers": [{"type": "relu", "inplace": true}]}]},
        {"type": "add", "with": "skip"}, {"type": "block", "name": "enc", "layers": [{"type": "gelu"}]})",
                            R"("loss": "mean", "step": {"batch_size": 2, "precision": "bf16"})");
    ASSERT_TRUE(info) << info.error().message;
    std::vector<std::string> names;
    for (const auto& layer : info->layers) {
        names.push_back(layer.name);
    }
    EXPECT_THAT(names,
                ::testing::ElementsAre("1 conv", "enc", "enc · 1 conv", "enc · 2 batch_norm", "enc · 3 block",
                                       "enc · 3 block · 1 relu", "7 add", "enc (2)", "enc (2) · 1 gelu"));
    EXPECT_EQ(info->layers[5].path, (std::vector<int>{1, 2, 0}));
    EXPECT_EQ(info->layers[5].block, 4);
    EXPECT_EQ(info->layers[5].depth, 2);
    EXPECT_EQ(info->layers[6].with, std::vector{0});
    EXPECT_EQ(info->layers[0].outputBytes, 2 * 4 * 64 * 2);
    EXPECT_EQ(info->layers[5].newBytes, 0);
    EXPECT_EQ(info->layers[1].newBytes, 2 * info->layers[0].outputBytes);
    EXPECT_EQ(info->layers[1].parameters, 4 * 4 * 9 + 4 + 8);
    EXPECT_EQ(info->parameters, (4 * 9 + 4) + (4 * 4 * 9 + 4 + 8));
    EXPECT_EQ(info->input, (Shape{2, 1, 8, 8}));
}

TEST(Ids, CrossBlocksBothWays) {
    EXPECT_EQ(outputOf("[1, 8]", R"({"type": "conv", "out_channels": 2, "padding": 1, "id": "out"},
        {"type": "block", "checkpoint": true, "layers": [{"type": "gelu", "id": "in"}, {"type": "add", "with": "out"}]},
        {"type": "add", "with": "in"})"),
              (Shape{2, 8}));
}

TEST(Scans, GiveChannelsAndPatch) {
    Experiment e;
    e.input = testing::scanInput({"a.nii", "b.nii"}, {32, 48, 64});
    e.step.batchSize = 3;
    EXPECT_EQ(*inputShape(e), (Shape{3, 2, 32, 48, 64}));
    std::get<ScanInput>(e.input).patch = {16};
    EXPECT_EQ(*inputShape(e), (Shape{3, 2, 16, 16, 16}));
    std::get<ScanInput>(e.input).patch = {16, 16};
    EXPECT_EQ(inputShape(e).error().message, "input: patch has 2 numbers; give one or three");
    e.input = ScanInput{};
    EXPECT_EQ(inputShape(e).error().message,
              "input: no scan is chosen; give a scan, a cohort or a synthetic shape");
}

}  // namespace
}  // namespace highwater::stack
