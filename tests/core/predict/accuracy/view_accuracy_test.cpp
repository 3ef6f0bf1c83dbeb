#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/stack/json/json.h"
#include "tests/core/predict/accuracy/foretold.h"

namespace highwater::predict::testing {
namespace {

/// Layers that may read a tensor whose memory order is not that of its axes, or which is a part of a larger
/// one.
constexpr const char* kLayers[] = {
    R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1})",
    R"({"type": "conv", "out_channels": 4, "kernel_size": 1})",
    R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "groups": 4, "padding": 1})",
    R"({"type": "conv_transpose", "out_channels": 4, "kernel_size": 2, "stride": 2})",
    R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1, "padding_mode": "reflect"})",
    R"({"type": "separable_conv", "out_channels": 4, "kernel_size": 3, "padding": 1})",
    R"({"type": "batch_norm"})",
    R"({"type": "batch_norm", "affine": false})",
    R"({"type": "instance_norm"})",
    R"({"type": "instance_norm", "affine": true})",
    R"({"type": "group_norm", "num_groups": 2})",
    R"({"type": "layer_norm", "normalized_shape": [LAST]})",
    R"({"type": "local_response_norm", "size": 3})",
    R"({"type": "relu"})",
    R"({"type": "leaky_relu"})",
    R"({"type": "gelu"})",
    R"({"type": "silu"})",
    R"({"type": "mish"})",
    R"({"type": "hardswish"})",
    R"({"type": "sigmoid"})",
    R"({"type": "prelu", "num_parameters": 4})",
    R"({"type": "prelu"})",
    R"({"type": "softmax"})",
    R"({"type": "scale", "value": 0.5})",
    R"({"type": "dropout", "p": 0.3})",
    R"({"type": "dropout", "p": 0.3, "feature": true})",
    R"({"type": "max_pool", "kernel_size": 2})",
    R"({"type": "max_pool", "kernel_size": 3, "stride": 2, "ceil_mode": true})",
    R"({"type": "avg_pool", "kernel_size": 2})",
    R"({"type": "adaptive_max_pool", "output_size": 2})",
    R"({"type": "adaptive_avg_pool", "output_size": 2})",
    R"({"type": "adaptive_avg_pool", "output_size": 1})",
    R"({"type": "upsample"})",
    R"({"type": "upsample", "mode": "LINEAR"})",
    R"({"type": "pad", "padding": [1, 1], "mode": "constant"})",
    R"({"type": "pad", "padding": [1, 1], "mode": "replicate"})",
    R"({"type": "pad", "padding": [1, 1], "mode": "reflect"})",
    R"({"type": "pad", "padding": [1, 1], "mode": "circular"})",
    R"({"type": "crop", "start": 1, "size": 3})",
    R"({"type": "add", "with": "cut"})",
    R"({"type": "mul", "with": "cut"})",
    R"({"type": "sub", "with": "cut"})",
    R"({"type": "concat", "with": "cut"})",
    R"({"type": "head", "out_channels": 2, "weight": 0.5})",
    R"({"type": "custom_conv", "out_channels": 4, "kernel_size": 3, "transform_channels": 2, "padding": 1})",
    R"({"type": "flatten"}, {"type": "linear", "out_features": 4}, {"type": "relu"})",
};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

/// A tensor that is a view, and how it is made.
struct View {
    const char* sizes;   ///< of the input's spatial axes
    const char* layers;  ///< that make "cut" of a tensor with four channels
    const char* last;    ///< the size of its last axis
};

constexpr View kCrops[] = {
    {"9", R"({"type": "crop", "start": 1, "size": 5, "id": "cut"})", "5"},
    {"9, 7", R"({"type": "crop", "start": 1, "size": 5, "id": "cut"})", "5"},
    {"9, 7, 7", R"({"type": "crop", "start": 1, "size": 5, "id": "cut"})", "5"},
};

/// The channels as the axis that is last in memory.
constexpr View kChannelsLast[] = {
    {"5", R"({"type": "permute", "dims": [0, 2, 1]}, {"type": "linear", "out_features": 4},
             {"type": "permute", "dims": [0, 2, 1], "id": "cut"})",
     "5"},
    {"32, 32", R"({"type": "permute", "dims": [0, 2, 3, 1]}, {"type": "linear", "out_features": 4},
                {"type": "permute", "dims": [0, 3, 1, 2], "id": "cut"})",
     "32"},
    {"6, 5, 4", R"({"type": "permute", "dims": [0, 2, 3, 4, 1]}, {"type": "linear", "out_features": 4},
                   {"type": "permute", "dims": [0, 4, 1, 2, 3], "id": "cut"})",
     "4"},
};

/// Swapped axes.
constexpr View kExchanged[] = {
    {"4", R"({"type": "permute", "dims": [0, 2, 1], "id": "cut"})", "4"},
    {"6, 5", R"({"type": "permute", "dims": [0, 1, 3, 2], "id": "cut"})", "6"},
    {"6, 5, 4", R"({"type": "permute", "dims": [0, 1, 4, 2, 3], "id": "cut"})", "5"},
};

std::string layerOf(std::size_t kind, std::size_t dims, const char* last) {
    std::string layer = replaced(kLayers[kind], "LINEAR",
                                 dims == 1   ? "linear"
                                 : dims == 2 ? "bilinear"
                                             : "trilinear");
    layer = replaced(layer, "LAST", last);
    if (dims > 1) {
        layer = replaced(layer, "\"padding\": [1, 1],",
                         dims == 2 ? "\"padding\": [1, 1, 1, 0]," : "\"padding\": [1, 1, 0, 1, 1, 0],");
    }
    return layer;
}

Case caseOf(int seed, const std::string& sizes, const std::string& layers, int batch) {
    const std::string text = fmt::format(
        R"({{"schema": "highwater.experiment/1", "name": "view", "input": {{"synthetic": [2, {}]}}, "loss": "mean",
            "stack": [{{"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}}, {}],
            "step": {{"batch_size": {}}}, "backend": {{"threads": {}}}}})",
        sizes, layers, batch, seed % 2 + 1);
    Case made;
    made.seed = seed;
    made.experiment = *stack::parseExperiment(text, layers);
    made.info = *stack::inferShapes(made.experiment);
    return made;
}

/// Each layer after a view, in 1 to 3 axes: followed by a layer that depends on the memory order, and as the
/// last layer for one or two samples.
Case makeViewCase(const View (&views)[3], int seed) {
    const auto index = static_cast<std::size_t>(seed);
    const std::size_t kind = index % std::size(kLayers), dims = index / std::size(kLayers) % 3 + 1;
    const std::size_t end = index / std::size(kLayers) / 3;
    const View& view = views[dims - 1];
    const std::string after = end == 0 ? R"(, {"type": "softmax"})" : "";
    return caseOf(seed, view.sizes,
                  fmt::format("{}, {}{}", view.layers, layerOf(kind, dims, view.last), after),
                  end == 2 ? 1 : 2);
}

/// Each layer before a permute of its axes, so that its gradient has another memory order.
Case makeGradientCase(int seed) {
    const auto index = static_cast<std::size_t>(seed);
    const std::size_t kind = index % std::size(kLayers), dims = index / std::size(kLayers) % 3 + 1;
    const std::size_t order = index / std::size(kLayers) / 3;
    constexpr const char* kSizes[] = {"5", "6, 5", "6, 5, 4"};
    constexpr const char* kLast[] = {"5", "5", "4"};
    constexpr const char* kOrders[][3] = {{"0, 2, 1", "0, 2, 3, 1", "0, 2, 3, 4, 1"},
                                          {"0, 2, 1", "0, 1, 3, 2", "0, 1, 4, 2, 3"}};
    const std::string layer = layerOf(kind, dims, kLast[dims - 1]);
    const std::string permute =
        layer.find("linear\", \"out") != std::string::npos
            ? ""
            : fmt::format(R"(, {{"type": "permute", "dims": [{}]}}, {{"type": "clone"}})",
                          kOrders[order % 2][dims - 1]);
    return caseOf(
        seed, kSizes[dims - 1],
        fmt::format(R"({{"type": "scale", "value": 3, "id": "cut"}}, {}{}, {{"type": "scale", "value": 2}})",
                    layer, permute),
        order == 2 ? 1 : 2);
}

void expectEveryLayer(const MakeCase& make) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    const int seeds = static_cast<int>(std::size(kLayers)) * 9;
    EXPECT_EQ(expectForetold(seeds, make), seeds);
}

TEST(ViewAccuracy, EveryLayerThatReadsACrop) {
    expectEveryLayer([](int seed) { return makeViewCase(kCrops, seed); });
}

TEST(ViewAccuracy, EveryLayerThatReadsChannelsThatAreLastInMemory) {
    expectEveryLayer([](int seed) { return makeViewCase(kChannelsLast, seed); });
}

TEST(ViewAccuracy, EveryLayerThatReadsAxesThatChangedPlaces) {
    expectEveryLayer([](int seed) { return makeViewCase(kExchanged, seed); });
}

TEST(ViewAccuracy, EveryLayerWhoseGradientLiesInAnotherOrder) {
    expectEveryLayer(makeGradientCase);
}

TEST(ViewAccuracy, RandomStacksWithClassTokensAreForetold) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    const int cases = expectForetold(300, [](int seed) -> std::optional<Case> {
        Case made = makeCase(seed, true);
        const auto has = [](const stack::LayerInfo& layer) { return layer.type == "class_token"; };
        return std::any_of(made.info.layers.begin(), made.info.layers.end(), has)
                   ? std::optional(std::move(made))
                   : std::nullopt;
    });
    EXPECT_GT(cases, 10);
}

}  // namespace
}  // namespace highwater::predict::testing
