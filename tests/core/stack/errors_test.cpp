#include <limits>

#include "tests/core/stack/build.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::stack {
namespace {

using testing::errorOf;
using testing::infer;

struct Wrong {
    const char* input;
    const char* layers;
    const char* message;
};

class Errors : public ::testing::TestWithParam<Wrong> {};

TEST_P(Errors, NameTheLayerAndWhatWouldBeRight) {
    EXPECT_EQ(errorOf(GetParam().input, GetParam().layers), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Conv, Errors,
    ::testing::Values(
        Wrong{
            "[1, 4, 9, 9]",
            R"({"type": "gelu"}, {"type": "gelu"}, {"type": "gelu"}, {"type": "gelu"}, {"type": "conv", "out_channels": 2, "kernel_size": 7})",
            "layer 5 `conv`: kernel 7 does not fit an input of 4 along depth"},
        Wrong{"[1, 9, 4]", R"({"type": "conv", "out_channels": 2, "kernel_size": [3, 7], "padding": 1})",
              "layer 1 `conv`: kernel 7 does not fit an input of 4 with padding 1 along width"},
        Wrong{"[1, 4]", R"({"type": "conv", "out_channels": 2, "kernel_size": 3, "dilation": 2})",
              "layer 1 `conv`: kernel 3 with dilation 2 does not fit an input of 4 along length"},
        Wrong{"[1, 4]", R"({"type": "conv", "out_channels": 2, "dims": 3})",
              "layer 1 `conv`: dims is 3, but the input is 1d; leave dims out or set it to 1"},
        Wrong{"[1, 9, 9, 9]", R"({"type": "conv", "out_channels": 2, "kernel_size": [3, 3]})",
              "layer 1 `conv`: kernel_size has 2 numbers, the input 3 axes; give one number or 3"},
        Wrong{"[1, 9]", R"({"type": "conv", "out_channels": 2, "stride": [1, 1]})",
              "layer 1 `conv`: stride has 2 numbers, the input 1 axis; give one number"},
        Wrong{"[1, 9]", R"({"type": "conv", "out_channels": 2, "stride": 2, "padding": "same"})",
              "layer 1 `conv`: padding \"same\" needs stride 1, not 2; give the padding as a number"},
        Wrong{"[3, 9]", R"({"type": "conv", "out_channels": 4, "groups": 2})",
              "layer 1 `conv`: groups 2 does not divide the 3 input channels"},
        Wrong{"[4, 9]", R"({"type": "conv", "out_channels": 3, "groups": 2})",
              "layer 1 `conv`: groups 2 does not divide out_channels 3"},
        Wrong{"[1, 3]", R"({"type": "conv", "out_channels": 1, "padding": 3, "padding_mode": "reflect"})",
              "layer 1 `conv`: reflect padding 3 does not fit an input of 3 along length; at most 2"},
        Wrong{"[1, 3]", R"({"type": "conv", "out_channels": 1, "padding": 4, "padding_mode": "circular"})",
              "layer 1 `conv`: circular padding 4 does not fit an input of 3 along length; at most 3"},
        Wrong{"[1, 9]", R"({"type": "conv_transpose", "out_channels": 1, "stride": 2, "output_padding": 2})",
              "layer 1 `conv_transpose`: output_padding 2 must be smaller than stride or dilation; at most 1 "
              "here"},
        Wrong{"[1, 1]", R"({"type": "conv_transpose", "out_channels": 1, "kernel_size": 2, "padding": 1})",
              "layer 1 `conv_transpose`: padding 1 leaves no output along length"},
        Wrong{"[1, 9]",
              R"({"type": "custom_conv", "transform_channels": 2, "out_channels": 4, "kernel": "laplacian",
                  "kernel_size": 2})",
              "layer 1 `custom_conv`: kernel \"laplacian\" needs a kernel_size of 3 or more along an axis"},
        Wrong{"[1, 9]", R"({"type": "custom_conv", "transform_channels": 2, "out_channels": 3})",
              "layer 1 `custom_conv`: out_channels 3 is not a multiple of transform_channels 2"}));

INSTANTIATE_TEST_SUITE_P(
    Branches, Errors,
    ::testing::Values(
        Wrong{
            "[2, 9]",
            R"({"type": "conv", "out_channels": 2, "id": "a"}, {"type": "gelu"}, {"type": "branch", "with": "a"})",
            "layer 3 `branch`: leaves the output before it without a use; give that an id and bring it back "
            "later"},
        Wrong{
            "[2, 9]",
            R"({"type": "conv", "out_channels": 2, "id": "a"}, {"type": "gelu", "id": "b"}, )"
            R"({"type": "branch", "with": "a"}, {"type": "silu", "inplace": true}, {"type": "add", "with": "b"})",
            "layer 4 `silu`: cannot work in place on what layer 3 `branch` brings back and another path "
            "reads; "
            "set inplace to false"},
        Wrong{
            "[2, 9]", R"({"type": "branch", "with": "a"}, {"type": "gelu", "id": "a"})",
            "layer 1 `branch`: the id \"a\" is layer 2 `gelu`'s, which comes later; name an earlier layer"}));

INSTANTIATE_TEST_SUITE_P(
    Heads, Errors,
    ::testing::Values(
        Wrong{"[2, 9]", R"({"type": "head", "id": "h", "out_channels": 2})",
              "layer 1 `head`: a head passes its input on and has no id; give \"h\" to the layer before"},
        Wrong{
            "[2, 9]",
            R"({"type": "conv", "out_channels": 2}, {"type": "head", "out_channels": 2}, {"type": "gelu"}, )"
            R"({"type": "block", "layers": [{"type": "head", "out_channels": 2}, {"type": "silu", "inplace": true}]})",
            "layer 6 `silu`: cannot work in place on what layer 5 `head` reads and keeps for backward; set "
            "inplace to false"}));

TEST(Heads, NeedAsManyChannelsAsTheOutput) {
    const std::string layers =
        R"({"type": "head", "out_channels": 4}, {"type": "conv", "out_channels": 3, "kernel_size": 1})";
    const std::string error =
        "layer 1 `head`: loss dice needs as many channels as the stack's output, 3, not 4";
    EXPECT_EQ(errorOf("[2, 9]", layers, R"("target": {"classes": 3}, "loss": "dice")"), error);
    EXPECT_EQ(errorOf("[2, 9]", layers, R"("loss": "mean")"), "no error");
    EXPECT_EQ(errorOf("[3, 9]", layers, R"("loss": "mse")"),
              "layer 1 `head`: loss mse needs as many channels as the stack's output, 3, not 4");
}

TEST(Heads, PassTheirInputOn) {
    const auto info =
        infer("[2, 9, 9]", R"({"type": "head", "out_channels": 5, "bias": false}, {"type": "gelu"})");
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->layers[0].output, (Shape{1, 5, 9, 9}));
    EXPECT_EQ(info->layers[0].newBytes, 4 * 5 * 81);
    EXPECT_EQ(info->layers[0].parameters, 10);
    EXPECT_EQ(info->output, (Shape{1, 2, 9, 9}));
}

INSTANTIATE_TEST_SUITE_P(
    Others, Errors,
    ::testing::Values(
        Wrong{"[4, 9]", R"({"type": "group_norm", "num_groups": 3})",
              "layer 1 `group_norm`: num_groups 3 does not divide the 4 input channels"},
        Wrong{"[4, 1, 1]", R"({"type": "instance_norm"})",
              "layer 1 `instance_norm`: has one value per channel to normalize over (spatial size 1); at "
              "least 2 are needed"},
        Wrong{"[1, 3]", R"({"type": "max_pool", "kernel_size": 4})",
              "layer 1 `max_pool`: kernel 4 does not fit an input of 3 along length"},
        // as in LibTorch, avg_pool in 3D does not count its padding
        Wrong{"[1, 3, 9, 9]", R"({"type": "avg_pool", "kernel_size": 4, "padding": 2})",
              "layer 1 `avg_pool`: kernel 4 does not fit an input of 3 along depth"},
        Wrong{"[1, 9]", R"({"type": "avg_pool", "kernel_size": 3, "padding": 2})",
              "layer 1 `avg_pool`: padding 2 is more than half of kernel 3; at most 1"},
        Wrong{"[1, 9, 9, 9]", R"({"type": "upsample", "mode": "bilinear"})",
              "layer 1 `upsample`: mode bilinear is for 2d, the input is 3d; use trilinear or nearest"},
        Wrong{"[1, 9, 9]", R"({"type": "upsample", "align_corners": true})",
              "layer 1 `upsample`: align_corners needs mode bilinear; nearest has none"},
        Wrong{"[1, 9, 9]", R"({"type": "upsample", "scale_factor": 0.1})",
              "layer 1 `upsample`: scale_factor 0.1 leaves no output of an input of 9 along height"},
        Wrong{"[1, 9, 9]", R"({"type": "upsample", "scale_factor": [1, 2, 3]})",
              "layer 1 `upsample`: scale_factor has 3 numbers for a 2d input; give one, or one an axis"},
        Wrong{
            "[1, 9]", R"({"type": "gelu", "id": "a"}, {"type": "max_pool"}, {"type": "add", "with": "a"})",
            "layer 3 `add`: adds 1 × 1 × 4 to the 1 × 1 × 9 of layer 1 `gelu`; the shapes must be equal, or "
            "one must have size 1 where they differ"},
        Wrong{"[1, 9]", R"({"type": "gelu", "id": "a"}, {"type": "max_pool"}, {"type": "sub", "with": "a"})",
              "layer 3 `sub`: subtracts the 1 × 1 × 9 of layer 1 `gelu` from 1 × 1 × 4; the shapes must be "
              "equal, or one must have size 1 where they differ"},
        Wrong{"[1, 9]", R"({"type": "gelu", "id": "a"}, {"type": "max_pool"}, {"type": "mul", "with": "a"})",
              "layer 3 `mul`: multiplies 1 × 1 × 4 by the 1 × 1 × 9 of layer 1 `gelu`; the shapes must be "
              "equal, or one must have size 1 where they differ"},
        Wrong{"[1, 9]", R"({"type": "gelu", "id": "a"}, {"type": "concat", "with": ["a", "b"]})",
              "layer 2 `concat`: no layer has the id \"b\"; did you mean \"a\"?"},
        Wrong{"[3, 4, 5]", R"({"type": "reshape", "shape": [3, 20]})",
              "layer 1 `reshape`: shape must begin with -1: the batch, times what the other sizes leave"},
        Wrong{"[3, 4, 5]", R"({"type": "reshape", "shape": [-1, 7, 2]})",
              "layer 1 `reshape`: shape 7 × 2 does not divide the 60 values of its input 1 × 3 × 4 × 5"},
        Wrong{"[3, 4, 5]", R"({"type": "reshape", "shape": [-1]})",
              "layer 1 `reshape`: shape has 1 number; give 2 to 8"},
        Wrong{"[3, 4, 5]",
              R"({"type": "reshape", "shape": [-1, 3, 2, 2, 5]}, {"type": "permute", "dims": )"
              R"([0, 1, 2, 4, 3]}, {"type": "reshape", "shape": [-1, 3, 2, 5, 1, 2]}, )"
              R"({"type": "conv", "out_channels": 2})",
              "layer 4 `conv`: takes at most 5 axes, its input 1 × 3 × 2 × 5 × 1 × 2 has 6"},
        Wrong{"[3, 4, 5]", R"({"type": "permute", "dims": [0, 1, 2]})",
              "layer 1 `permute`: dims must hold each axis of the input 1 × 3 × 4 × 5 once, from 0 to 3, and "
              "begin with 0, the batch"},
        Wrong{"[3, 4, 5]", R"({"type": "permute", "dims": [1, 0, 2, 3]})",
              "layer 1 `permute`: dims must hold each axis of the input 1 × 3 × 4 × 5 once, from 0 to 3, and "
              "begin with 0, the batch"},
        Wrong{
            "[3, 4, 5]", R"({"type": "select", "dim": 0})",
            "layer 1 `select`: dim 0 of the input 1 × 3 × 4 × 5 cannot be removed; give an axis from 1 to 3"},
        Wrong{"[3, 4, 5]", R"({"type": "slice", "dim": 0})",
              "layer 1 `slice`: dim 0 of the input 1 × 3 × 4 × 5 cannot be cut; give an axis from 1 to 3"},
        Wrong{"[3, 4, 5]", R"({"type": "slice", "dim": 2, "start": 2, "end": 5})",
              "layer 1 `slice`: start 2 and end 5 must lie within the 4 places of axis 2, with the end after "
              "the start"},
        Wrong{"[3, 4, 5]", R"({"type": "roll", "shifts": [1, 2]})",
              "layer 1 `roll`: shifts has 2 numbers and dims 1; give one shift for each axis"},
        Wrong{"[3, 4, 5]", R"({"type": "roll", "shifts": [1], "dims": [4]})",
              "layer 1 `roll`: dims: each axis must be from 1 to 3, not 4"},
        Wrong{"[3, 4, 5]", R"({"type": "relu", "id": "a"}, {"type": "concat", "with": "a", "dim": 0})",
              "layer 2 `concat`: dim 0 is not an axis of 1 × 3 × 4 × 5 that can be joined; give 1 to 3"},
        Wrong{
            "[3, 4, 5]",
            R"({"type": "relu", "id": "a"}, {"type": "max_pool"}, {"type": "concat", "with": "a", "dim": 3})",
            "layer 3 `concat`: joins 1 × 3 × 2 × 2 and the 1 × 3 × 4 × 5 of layer 1 `relu`; all sizes but "
            "those of axis 3 must be equal"},
        Wrong{"[3, 4, 5]",
              R"({"type": "relative_position_bias", "window_size": [2, 2], "num_heads": 1, "places": 5})",
              "layer 1 `relative_position_bias`: places must be from 0 to 4, not 5"},
        Wrong{
            "[3, 4, 5]",
            R"({"type": "window_mask", "size": [4, 6], "window_size": [2, 4], "shift_size": [1, 1]})",
            "layer 1 `window_mask`: a size of 6 with windows of 4 shifted by 1 cannot be; the size must be a "
            "multiple of the window, and the shift less than it"},
        Wrong{"[3, 4, 5]",
              R"({"type": "window_mask", "size": [4], "window_size": [2, 4], "shift_size": [1, 1]})",
              "layer 1 `window_mask`: size has 1 number; give 2"},
        Wrong{"[3, 4, 5]", R"({"type": "select", "dim": 2, "index": 4})",
              "layer 1 `select`: index must be from 0 to 3, not 4"},
        Wrong{
            "[3, 4, 5]", R"({"type": "layer_scale", "shape": [3, 2, 1]})",
            "layer 1 `layer_scale`: shape 3 × 2 × 1 does not fit its input 1 × 3 × 4 × 5; from the end, each "
            "size must be the input's or 1, and 1 for the batch"},
        Wrong{"[3, 4, 5]", R"({"type": "class_token", "shape": [1, 1, 5]})",
              "layer 1 `class_token`: shape 1 × 1 × 5 does not fit its input 1 × 3 × 4 × 5; an input has "
              "samples, places and features, and shape is 1, the number of tokens and the input's features"},
        Wrong{"[3, 4]", R"({"type": "class_token", "shape": [1, 1, 3]})",
              "layer 1 `class_token`: shape 1 × 1 × 3 does not fit its input 1 × 3 × 4; an input has "
              "samples, places and features, and shape is 1, the number of tokens and the input's features"},
        Wrong{"[3, 4]", R"({"type": "class_token", "shape": [1, 5, 4], "tokens": [1, 3]})",
              "layer 1 `class_token`: tokens 1 × 3 must add up to the 5 tokens of shape"},
        Wrong{"[3, 4, 5]", R"({"type": "expand", "shape": [-1, 3, 8, 5]})",
              "layer 1 `expand`: shape -1 × 3 × 8 × 5 does not repeat its input 1 × 3 × 4 × 5; it begins "
              "with -1, "
              "and each other size is the input's, or any where the input's is 1"},
        Wrong{"[3, 4, 5]", R"({"type": "sum", "dim": [1, -3]})",
              "layer 1 `sum`: dim 1 × -3 does not fit its input 1 × 3 × 4 × 5; give different axes from 1 to "
              "3, "
              "and leave one if keepdim is off"},
        Wrong{"[3, 4, 5]", R"({"type": "affine", "shape": [3, 2, 1]})",
              "layer 1 `affine`: shape 3 × 2 × 1 does not fit its input 1 × 3 × 4 × 5; from the end, each "
              "size must be the input's or 1, and 1 for the batch"},
        Wrong{"[3, 4, 5]", R"({"type": "hardtanh", "min_val": 1})",
              "layer 1 `hardtanh`: min_val 1 must be below max_val 1"},
        Wrong{"[3, 4, 5]",
              R"({"type": "gelu", "id": "a"}, )"
              R"({"type": "scaled_dot_product_attention", "with": ["a", "a", "a"]})",
              "layer 2 `scaled_dot_product_attention`: cannot add the mask 1 × 3 × 4 × 5 to the products "
              "1 × 3 × 4 × 4; each size must be the products' or 1"},
        Wrong{"[3, 4, 5]", R"({"type": "gelu", "id": "a"}, {"type": "matmul", "with": "a"})",
              "layer 2 `matmul`: multiplies 1 × 3 × 4 × 5 by the 1 × 3 × 4 × 5 of layer 1 `gelu`; all sizes "
              "but "
              "the last two must be equal, and the last of one the second to last of the other"},
        Wrong{"[3, 4, 5]",
              R"({"type": "gelu", "id": "a"}, {"type": "scaled_dot_product_attention", "with": "a"})",
              "layer 2 `scaled_dot_product_attention`: brings back two outputs, the keys and the values, not "
              "1"},
        Wrong{
            "[3, 4, 5]",
            R"({"type": "gelu", "id": "a"}, {"type": "slice", "dim": 3, "end": 4}, )"
            R"({"type": "scaled_dot_product_attention", "with": ["a", "a"]})",
            "layer 3 `scaled_dot_product_attention`: cannot compare the queries 1 × 3 × 4 × 4 with the keys "
            "1 × 3 × 4 × 5 and take the values 1 × 3 × 4 × 5; all sizes but the last two must be equal, "
            "those "
            "of queries and keys in the last one, and those of keys and values in the one before"},
        Wrong{"[3, 4, 5]", R"({"type": "flatten"}, {"type": "conv", "out_channels": 2})",
              "layer 2 `conv`: needs spatial axes, which its input of 1 × 60 no longer has; put it before "
              "the flatten"},
        Wrong{"[3, 4, 5]", R"({"type": "flatten"}, {"type": "instance_norm"})",
              "layer 2 `instance_norm`: needs spatial axes, which its input of 1 × 60 no longer has; put it "
              "before the flatten"},
        Wrong{"[3, 4, 5]", R"({"type": "flatten"}, {"type": "softmax", "dim": 2})",
              "layer 2 `softmax`: dim 2 is not an axis of the input; use 1 (the channels) to 1"},
        Wrong{
            "[3, 4, 5]", R"({"type": "adaptive_avg_pool", "output_size": [1, 1, 1]})",
            "layer 1 `adaptive_avg_pool`: output_size has 3 numbers, the input 2 axes; give one number or 2"},
        Wrong{"[2000000, 2000, 5]", R"({"type": "flatten"})",
              "layer 1 `flatten`: an output of 1 × 2147483648 is larger than 2147483647 along one axis"},
        Wrong{"[3, 4, 5]", R"({"type": "pad", "padding": [1, 1, 1]})",
              "layer 1 `pad`: padding has 3 numbers for a 2d input; give 2 to 8, before and after each axis, "
              "the last axis "
              "first"},
        Wrong{"[3, 4, 5]", R"({"type": "pad", "padding": [1, 1], "mode": "reflect"})",
              "layer 1 `pad`: padding has 2 numbers for a 2d input; give 4, before and after each axis, the "
              "last axis first"},
        Wrong{"[3, 4, 5]", R"({"type": "pad", "padding": [1, 1, 4, 0], "mode": "reflect"})",
              "layer 1 `pad`: reflect padding 4 does not fit an input of 4 along height; at most 3"},
        Wrong{"[3, 4, 5]", R"({"type": "pad", "padding": [0, 0, 0, 0, 0, 0, 0, 1]})",
              "layer 1 `pad`: adds samples to the batch; its last two numbers must be 0"},
        Wrong{"[3, 4, 5]", R"({"type": "crop", "start": [0, 3], "size": [4, 3]})",
              "layer 1 `crop`: size 3 from start 3 along width exceeds the input of 5"},
        Wrong{"[3, 4, 5]", R"({"type": "layer_norm", "normalized_shape": [3, 5]})",
              "layer 1 `layer_norm`: normalized_shape 3 × 5 is not how its input 1 × 3 × 4 × 5 ends; give 3 "
              "× 4 × 5, or "
              "fewer of them from the end"},
        Wrong{"[3, 4]", R"({"type": "relu", "id": "a"}, {"type": "shared", "with": "a"})",
              "layer 2 `shared`: uses layer 1 `relu` again, which has no parameters; name a layer that has"},
        Wrong{
            "[3, 4]",
            R"({"type": "conv", "out_channels": 2, "id": "a", "kernel_size": 1}, {"type": "shared", "with": "a"})",
            "layer 2 `shared`: uses layer 1 `conv` again, whose input is 1 × 3 × 4, not 1 × 2 × 4; the "
            "channels and the "
            "number of axes must be equal"},
        Wrong{"[3, 4]", R"({"type": "shared", "with": "b"})",
              "layer 1 `shared`: no layer has the id \"b\"; give the id to an earlier layer"},
        Wrong{"[3, 9]", R"({"type": "prelu", "num_parameters": 2})",
              "layer 1 `prelu`: num_parameters 2 must be 1 or as many as the 3 input channels"},
        Wrong{"[3, 9]", R"({"type": "softmax", "dim": 3})",
              "layer 1 `softmax`: dim 3 is not an axis of the input; use 1 (the channels) to 2"},
        Wrong{
            "[3, 9]", R"({"type": "softmax", "dim": -3})",
            "layer 1 `softmax`: dim -3 is the batch, whose samples are independent; use 1 (the channels) to "
            "2"},
        Wrong{"[1, 9]",
              R"({"type": "gelu", "id": "a"}, {"type": "max_pool"}, {"type": "concat", "with": "a"})",
              "layer 3 `concat`: joins 1 × 1 × 4 and the 1 × 1 × 9 of layer 1 `gelu`; all sizes but the "
              "channels must be equal"},
        Wrong{"[1, 9]", R"({"type": "gelu", "id": "skip1"}, {"type": "add", "with": "skip2"})",
              "layer 2 `add`: no layer has the id \"skip2\"; did you mean \"skip1\"?"},
        Wrong{"[1, 9]", R"({"type": "add", "with": "b"}, {"type": "gelu", "id": "b"})",
              "layer 1 `add`: the id \"b\" is layer 2 `gelu`'s, which comes later; name an earlier layer"},
        Wrong{"[1, 9]", R"({"type": "add", "with": "b", "id": "b"})",
              "layer 1 `add`: brings back its own output \"b\"; name an earlier layer"},
        Wrong{
            "[1, 9]", R"({"type": "block", "id": "b", "layers": [{"type": "add", "with": "b"}]})",
            "layer 2 `add`: lies inside layer 1 `block`, whose output \"b\" it uses; name an earlier layer"},
        Wrong{"[1, 9]",
              R"({"type": "gelu", "id": "b"}, {"type": "block", "layers": [{"type": "silu", "id": "b"}]})",
              "layer 3 `silu`: the id \"b\" is taken by layer 1 `gelu`; give it another"},
        Wrong{"[1, 9]", "", "the stack is empty; add a layer"}));

constexpr const char* kConv = R"({"type": "conv", "out_channels": 2, "padding": 1, "id": "c"}, )";

class InPlace : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(InPlace, IsRefusedWhereTheValueIsStillWanted) {
    EXPECT_EQ(errorOf("[1, 9]", std::string(kConv) + GetParam().first), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    Refused, InPlace,
    ::testing::Values(
        std::pair{R"({"type": "crop", "size": 2}, {"type": "relu", "inplace": true})",
                  "layer 3 `relu`: cannot work in place on what layer 2 `crop` cuts out of a larger tensor; "
                  "set inplace to "
                  "false"},
        std::pair{
            R"({"type": "sigmoid"}, {"type": "flatten"}, {"type": "relu", "inplace": true})",
            "layer 4 `relu`: cannot work in place on the output of layer 2 `sigmoid`, which is saved for "
            "backward; set inplace to false"},
        std::pair{
            R"({"type": "relu"}, {"type": "leaky_relu", "inplace": true})",
            "layer 3 `leaky_relu`: cannot work in place on the output of layer 2 `relu`, which is saved for "
            "backward; set inplace to false"},
        std::pair{R"({"type": "relu", "inplace": true}, {"type": "relu", "inplace": true})",
                  "layer 3 `relu`: cannot work in place on the output of layer 2 `relu`, which is saved for "
                  "backward; set inplace to false"},
        std::pair{R"({"type": "leaky_relu", "inplace": true}, {"type": "inplace_abn"})",
                  "layer 3 `inplace_abn`: cannot work in place on the output of layer 2 `leaky_relu`, which "
                  "is saved "
                  "for backward; use batch_norm and an activation instead"},
        std::pair{
            R"({"type": "inplace_abn"}, {"type": "elu", "inplace": true})",
            "layer 3 `elu`: cannot work in place on the output of layer 2 `inplace_abn`, which is saved for "
            "backward; set inplace to false"},
        std::pair{
            R"({"type": "sigmoid"}, {"type": "mish", "inplace": true})",
            "layer 3 `mish`: cannot work in place on the output of layer 2 `sigmoid`, which is saved for "
            "backward; set inplace to false"},
        std::pair{
            R"({"type": "softmax"}, {"type": "relu6", "inplace": true})",
            "layer 3 `relu6`: cannot work in place on the output of layer 2 `softmax`, which is saved for "
            "backward; set inplace to false"},
        std::pair{
            R"({"type": "hardswish", "inplace": true}, {"type": "gelu"}, )"
            R"({"type": "concat", "with": ["c", "c"]})",
            "layer 2 `hardswish`: cannot work in place on the output \"c\" of layer 1 `conv`, which layer "
            "4 `concat` brings back; set inplace to false"},
        std::pair{R"({"type": "relu", "id": "r"}, {"type": "add", "with": "r", "inplace": true})",
                  "layer 3 `add`: cannot work in place on the output of layer 2 `relu`, which is saved for "
                  "backward; set inplace to false"},
        std::pair{R"({"type": "conv", "out_channels": 2, "padding": 1}, {"type": "silu", "id": "s"}, )"
                  R"({"type": "branch", "with": "c"}, {"type": "add", "with": "s", "inplace": true})",
                  "layer 5 `add`: cannot work in place on what layer 4 `branch` brings back and another path "
                  "reads; set inplace to false"},
        std::pair{R"({"type": "mul", "with": "c", "id": "m"}, {"type": "branch", "with": "c"}, )"
                  R"({"type": "add", "with": "m", "inplace": true})",
                  "layer 4 `add`: cannot work in place on what layer 3 `branch` brings back and another path "
                  "reads; set inplace to false"},
        std::pair{R"({"type": "elu", "inplace": true}, {"type": "silu", "inplace": true})",
                  "layer 3 `silu`: cannot work in place on the output of layer 2 `elu`, which is saved for "
                  "backward; "
                  "set inplace to false"},
        // The value passes through an effectless dropout, and out of a block.
        std::pair{
            R"({"type": "block", "layers": [{"type": "relu"}]}, {"type": "dropout", "p": 0}, {"type": "elu", "inplace": true})",
            "layer 5 `elu`: cannot work in place on the output of layer 3 `relu`, which is saved for "
            "backward; "
            "set inplace to false"},
        std::pair{R"({"type": "relu", "inplace": true}, {"type": "gelu"}, {"type": "add", "with": "c"})",
                  "layer 2 `relu`: cannot work in place on the output \"c\" of layer 1 `conv`, which layer 4 "
                  "`add` brings back; set inplace to false"}));

/// Nothing has read the output that it goes back to.
TEST(InPlace, ASumMayGoBackToWhatIsWrittenOver) {
    EXPECT_EQ(errorOf("[2, 9]",
                      R"({"type": "conv", "out_channels": 2, "id": "a"}, {"type": "gelu", "id": "b"}, )"
                      R"({"type": "conv", "out_channels": 2, "id": "c"}, {"type": "branch", "with": "b"}, )"
                      R"({"type": "conv", "out_channels": 2, "id": "d"}, {"type": "branch", "with": "c"}, )"
                      R"({"type": "add", "with": "d", "inplace": true})"),
              "no error");
}

TEST(InPlace, ASumKeepsTheInputsSizes) {
    EXPECT_EQ(errorOf("[2, 9]", R"({"type": "conv", "out_channels": 2, "kernel_size": 1, "id": "a"}, )"
                                R"({"type": "adaptive_avg_pool", "output_size": 1}, )"
                                R"({"type": "add", "with": "a", "inplace": true})"),
              "layer 3 `add`: in place, the sum of 1 × 2 × 9 does not fit into the input of 1 × 2 × 1; set "
              "inplace to "
              "false");
}

TEST(InPlace, IsRefusedOnTheInput) {
    EXPECT_EQ(errorOf("[1, 9]", R"({"type": "relu", "inplace": true})"),
              "layer 1 `relu`: cannot work in place on the network's input, which is the data; set inplace "
              "to false");
    EXPECT_EQ(errorOf("[1, 9]", R"({"type": "dropout", "p": 0}, {"type": "relu", "inplace": true})"),
              "layer 2 `relu`: cannot work in place on the network's input, which is the data; set inplace "
              "to false");
}

TEST(InPlace, IsAllowedWhereNobodyKeepsTheValue) {
    for (
        const char* layers :
        {R"({"type": "relu", "inplace": true})",                          // conv keeps its input
         R"({"type": "batch_norm"}, {"type": "relu", "inplace": true})",  // so does a norm
         R"({"type": "leaky_relu"}, {"type": "gelu"}, {"type": "elu"}, {"type": "relu", "inplace": true})",
         R"({"type": "silu", "inplace": true}, {"type": "relu", "inplace": true})",  // silu_ keeps a copy
         R"({"type": "max_pool"}, {"type": "relu", "inplace": true})",
         R"({"type": "prelu"}, {"type": "relu6", "inplace": true}, {"type": "hardsigmoid", "inplace": true})",
         R"({"type": "sigmoid"}, {"type": "mul", "with": "c"}, {"type": "mish", "inplace": true})",
         R"({"type": "scale", "value": 2}, {"type": "hardswish", "inplace": true})",
         R"({"type": "gelu"}, {"type": "relu", "inplace": true}, {"type": "add", "with": "c"}, {"type": "relu", "inplace": true})",
         R"({"type": "relu", "inplace": true, "id": "r"}, {"type": "gelu"}, {"type": "add", "with": "r"})",
         R"({"type": "block", "checkpoint": true, "layers": [{"type": "relu", "inplace": true}]})",
         R"({"type": "inplace_abn"})"}) {
        EXPECT_TRUE(infer("[1, 9]", std::string(kConv) + layers, R"("loss": "mean")"))
            << layers << ": " << errorOf("[1, 9]", std::string(kConv) + layers);
    }
}

TEST(InPlace, NeedsAFormOfItsOwn) {
    Experiment e = *testing::experimentOf("[1, 9]", std::string(kConv) + R"({"type": "gelu"})");
    std::get<Activation>(e.stack[1].op).inplace = true;
    EXPECT_EQ(inferShapes(e).error().message, "layer 2 `gelu`: has no in-place form; set inplace to false");
    std::get<Activation>(e.stack[1].op).kind = Activation::Kind::Tanh;
    EXPECT_EQ(inferShapes(e).error().message, "layer 2 `tanh`: has no in-place form; set inplace to false");
    EXPECT_EQ(errorOf("[1, 9]", std::string(kConv) +
                                    R"({"type": "leaky_relu", "inplace": true, "negative_slope": -1})"),
              "layer 2 `leaky_relu`: in place needs a negative_slope of at least 0; set inplace to false");
}

std::string lossError(const std::string& channels, const std::string& more) {
    return errorOf("[1, 8]", R"({"type": "conv", "out_channels": )" + channels + R"(, "padding": 1})", more);
}

TEST(Losses, MustFitTheOutputAndTheTarget) {
    EXPECT_EQ(lossError("1", R"("loss": "mse")"), "no error");
    EXPECT_EQ(lossError("2", R"("loss": "mse")"),
              "loss mse: the target is the input with 1 channel, the stack's output has 2");
    EXPECT_EQ(lossError("1", R"("loss": "mse", "target": {"threshold": 3})"), "no error");
    EXPECT_EQ(lossError("2", R"("loss": "mse", "target": {"threshold": 3})"),
              "loss mse: a label map needs 1 output channel, the stack's output has 2");
    EXPECT_EQ(lossError("2", R"("loss": "cross_entropy")"),
              "loss cross_entropy: needs class labels; set the target to a threshold, labels or classes");
    EXPECT_EQ(lossError("2", R"("loss": "cross_entropy", "target": {"threshold": 3})"), "no error");
    EXPECT_EQ(
        lossError("3", R"("loss": "dice", "target": {"threshold": 3})"),
        "loss dice: the target has 2 classes, the stack's output 3 channels; give the last layer 2 channels");
    EXPECT_EQ(lossError("1", R"("loss": "dice_cross_entropy", "target": {"classes": 4})"),
              "loss dice_cross_entropy: the target has 4 classes, the stack's output 1 channel; give the "
              "last layer 4 "
              "channels");
    EXPECT_EQ(lossError("2", R"("loss": "dice", "target": {"labels": "l.nii"})"),
              "target labels: a labels file needs a scan as input; use classes with a synthetic one");
    EXPECT_EQ(lossError("2", R"("loss": "dice", "target": {"classes": 2}, "step": {"soft_targets": true})"),
              "no error");
    for (const std::string loss : {"mse", "mean"}) {
        EXPECT_EQ(lossError("1", "\"loss\": \"" + loss + R"(", "step": {"soft_targets": true})"),
                  "loss " + loss +
                      ": has no classes that soft_targets could turn into probabilities; set soft_targets to "
                      "false");
    }
    EXPECT_EQ(errorOf("[1, 8]", R"({"type": "conv", "out_channels": 1})", R"("loss": "mse")"),
              "loss mse: the stack's output must be as large as the target, 8, not 6");
}

TEST(Losses, OfProbabilitiesCompareWithZeroAndOne) {
    for (const std::string loss : {"bce", "sigmoid_dice", "sigmoid_dice_bce"}) {
        const std::string name = "\"loss\": \"" + loss + "\"";
        EXPECT_EQ(lossError("1", name + R"(, "target": {"classes": 2})"), "no error");
        EXPECT_EQ(lossError("1", name + R"(, "target": {"threshold": 0})"), "no error");
        EXPECT_EQ(
            lossError("1", name),
            "loss " + loss + ": needs labels of 0 and 1; set the target to a threshold, labels or 2 classes");
        EXPECT_EQ(lossError("1", name + R"(, "target": {"classes": 3})"),
                  "loss " + loss + ": needs 2 classes, the target has 3");
        EXPECT_EQ(lossError("3", name + R"(, "target": {"classes": 2})"), "no error");
        EXPECT_EQ(
            lossError("2", name + R"(, "target": {"threshold": 0})"),
            "loss " + loss +
                ": a label map needs 1 output channel, the stack's output has 2; for several take the target "
                "{\"classes\": 2}, random labels of each");
        EXPECT_THAT(lossError("1", name + R"(, "target": {"classes": 2}, "step": {"soft_targets": true})"),
                    ::testing::HasSubstr("has no classes that soft_targets could turn"));
    }
    EXPECT_EQ(lossError("1", R"("loss": "dice", "target": {"threshold": 0})"),
              "loss dice: the target has 2 classes, the stack's output 1 channel; give the last layer 2 "
              "channels, or "
              "take the loss sigmoid_dice");
}

TEST(Losses, OfAClassifierCompareWithOneNumberASample) {
    const auto error = [](const std::string& features, const std::string& more,
                          const std::string& head = "") {
        return errorOf("[1, 8]",
                       R"({"type": "conv", "out_channels": 3}, )" + head +
                           R"({"type": "flatten"}, {"type": "linear", "out_features": )" + features + "}",
                       more);
    };
    EXPECT_EQ(error("4", R"("loss": "cross_entropy", "target": {"classes": 4})"), "no error");
    EXPECT_EQ(error("1", R"("loss": "mse", "target": {"classes": 4})"), "no error");
    EXPECT_EQ(error("4", R"("loss": "mean")"), "no error");
    EXPECT_EQ(error("4", R"("loss": "dice", "target": {"classes": 4})"),
              "loss dice: needs an output with spatial axes, not 1 × 4; use cross_entropy");
    EXPECT_EQ(error("2", R"("loss": "cross_entropy", "target": {"threshold": 0})"),
              "loss cross_entropy: the stack's output 1 × 2 has no spatial axes, so the target must be a "
              "number for each sample: {\"classes\": N}");
    EXPECT_EQ(error("4", R"("loss": "cross_entropy", "target": {"classes": 4})",
                    R"({"type": "head", "out_channels": 4}, )"),
              "layer 2 `head`: loss cross_entropy needs an output with spatial axes, not 1 × 4; use the loss "
              "mean, or remove the head");
    EXPECT_EQ(error("4", R"("loss": "mean", "windows": {"size": 4})"),
              "windows: the stack's output 1 × 4 has no spatial axes; remove windows");
}

TEST(Losses, LabelsTakeTheirClassesFromTheOutput) {
    Experiment e = *testing::experimentOf("[1, 8]", R"({"type": "conv", "out_channels": 3, "padding": 1})");
    e.input = testing::scanInput({"a.nii"}, {8});
    e.loss = Loss::CrossEntropy;
    e.target = testing::labelsTarget("l.nii");
    EXPECT_EQ(inferShapes(e)->targetClasses, 3);
    std::get<Conv>(e.stack[0].op).outChannels = 1;
    EXPECT_EQ(
        inferShapes(e).error().message,
        "loss cross_entropy: needs one output channel a class, at least 2; the stack's output has 1; give it "
        "2, or take the loss bce");
}

TEST(Settings, ThatNoRunCanHave) {
    constexpr auto conv = R"({"type": "conv", "out_channels": 1, "padding": 1})";
    EXPECT_EQ(errorOf("[1, 8]", conv, R"("optimizer": {"type": "sgd", "nesterov": true})"),
              "optimizer: nesterov needs a momentum above 0, such as 0.9");
    EXPECT_EQ(errorOf("[1, 8]", conv, R"("step": {"batch_size": 3, "micro_batches": 2})"),
              "step: micro_batches 2 does not divide batch_size 3");
    EXPECT_EQ(
        errorOf("[1, 8]", R"({"type": "gelu"})", R"("loss": "mean")"),
        "the stack has nothing to train; add a layer with parameters, such as conv, or set train to false");
    EXPECT_EQ(errorOf("[4, 1]", R"({"type": "batch_norm"})", R"("loss": "mean")"),
              "layer 1 `batch_norm`: has one value per channel to normalize over (batch and spatial size 1); "
              "at least 2 are needed");
    Experiment e = *testing::experimentOf("[1, 8]", conv);
    e.step.batchSize = 0;
    EXPECT_EQ(inferShapes(e).error().message, "step: batch_size must be from 1 to 2147483647, not 0");
}

TEST(Overflow, EndsInAPlainError) {
    EXPECT_EQ(errorOf("[1, 8]", R"({"type": "conv", "out_channels": 1000000000000})"),
              "test: /stack/0/out_channels: must be a whole number from 1 to 2147483647, not 1000000000000");
    Experiment e = *testing::experimentOf("[1, 8]", R"({"type": "conv", "out_channels": 1})");
    std::get<Conv>(e.stack[0].op).outChannels = 1'000'000'000'000;
    EXPECT_EQ(inferShapes(e).error().message,
              "layer 1 `conv`: out_channels must be from 1 to 2147483647, not 1000000000000");
    EXPECT_EQ(
        errorOf("[2000000000, 8]", R"({"type": "conv", "out_channels": 2000000000})"),
        "layer 1 `conv`: the weights alone would take more than 512 TiB; lower the channels or the kernel");
    EXPECT_EQ(errorOf("[1, 2000000000]", R"({"type": "conv", "out_channels": 2000000000})"),
              "layer 1 `conv`: an output of 1 × 2000000000 × 1999999998 would take more than 1.00 PiB");
    EXPECT_EQ(errorOf("[1, 2000000000, 2000000000]", R"({"type": "gelu"})"),
              "input: a batch of 1 × 1 × 2000000000 × 2000000000 would take more than 1.00 PiB");
    EXPECT_EQ(errorOf("[1, 2000000]", R"({"type": "conv_transpose", "out_channels": 1, "stride": 1048576})"),
              "layer 1 `conv_transpose`: an output of 1 × 1 × 2097150951426 is larger than 2147483647 along "
              "one axis");
    EXPECT_EQ(
        errorOf("[2000000000, 8]", R"({"type": "separable_conv", "out_channels": 1, "depth_multiplier": 9})"),
        "layer 1 `separable_conv`: depth_multiplier 9 of 2000000000 input channels makes 18000000000 "
        "channels; "
        "at most 2147483647");
}

TEST(Augment, NonsenseIsNamedWithWhatWouldBeRight) {
    const auto errorOf = [](const std::string& input, const std::string& step) {
        const auto info =
            testing::infer(input, R"({"type": "conv", "out_channels": 1, "kernel_size": 1})",
                           R"("loss": "mean", "data": {"augment": [{"type": "noise"}, )" + step + "]}");
        return info ? "" : info.error().message;
    };
    const std::string cube = "[1, 8, 8, 8]";
    EXPECT_EQ(errorOf(cube, R"({"type": "flip"}, {"type": "rotate90"}, {"type": "rotate", "amount": 180})"),
              "");
    EXPECT_EQ(errorOf(cube, R"({"type": "flip", "amount": 2})"),
              "/data/augment/1: flip has no amount; remove it");
    EXPECT_EQ(errorOf(cube, R"({"type": "scale", "amount": 1})"),
              "/data/augment/1: scale's amount must be from 0 to 0.9 (a fraction; 0 is the default), not 1");
    EXPECT_EQ(errorOf(cube, R"({"type": "blur", "amount": 100})"),
              "/data/augment/1: blur's amount must be from 0 to 16 (a standard deviation in voxels; 0 is the "
              "default), not 100");
    EXPECT_EQ(errorOf("[1, 64]", R"({"type": "scale"}, {"type": "rotate"})"),
              "/data/augment/2: rotate needs two spatial axes of more than one voxel; the data has 1");
    EXPECT_EQ(errorOf("[1, 4, 6, 8]", R"({"type": "rotate90"})"),
              "/data/augment/1: rotate90 needs two sides of equal length; the data has 4 × 6 × 8");
    EXPECT_EQ(errorOf("[1, 4, 6, 6]", R"({"type": "rotate90"})"), "");
}

/// Every number of a random stack is replaced by an extreme one: an error or a valid stack, never overflow
/// (the sanitizer builds watch).
TEST(Overflow, SurvivesExtremeValuesEverywhere) {
    constexpr std::int64_t extremes[] = {0,
                                         -1,
                                         std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min(),
                                         2147483647,
                                         1 << 20};
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        for (const std::int64_t extreme : extremes) {
            Experiment e = testing::randomExperiment(seed);
            for (Layer& layer : e.stack) {
                if (auto* conv = std::get_if<Conv>(&layer.op)) {
                    (seed % 2 ? conv->stride : conv->kernelSize) = {extreme};
                }
                if (auto* pool = std::get_if<Pool>(&layer.op)) {
                    pool->padding = {extreme};
                }
                if (auto* up = std::get_if<Upsample>(&layer.op)) {
                    up->size = {extreme};
                }
                if (auto* norm = std::get_if<Norm>(&layer.op)) {
                    norm->numGroups = extreme;
                }
                if (auto* transpose = std::get_if<ConvTranspose>(&layer.op)) {
                    transpose->dilation = {extreme};
                }
            }
            if (seed % 3 == 0) {
                e.step.batchSize = extreme;
            }
            refused += !inferShapes(e);
        }
    }
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace highwater::stack
