#include <gmock/gmock.h>

#include <map>

#include "tests/core/stack/random_stack.h"

namespace highwater::stack {
namespace {

void countTypes(const std::vector<Layer>& layers, std::map<std::string_view, int>& seen) {
    for (const Layer& layer : layers) {
        ++seen[typeName(layer.op)];
        if (const auto* block = std::get_if<Block>(&layer.op)) {
            countTypes(block->layers, seen);
        }
    }
}

TEST(RandomExperiments, AreValidAndCoverEverything) {
    std::map<std::string_view, int> types;
    std::map<int, int> dims, optimizers, losses;
    testing::RandomLimits limits;
    limits.classTokens = true;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Experiment e = testing::randomExperiment(seed, limits);
        const auto info = inferShapes(e);
        ASSERT_TRUE(info) << seed << ": " << info.error().message;
        countTypes(e.stack, types);
        ++dims[static_cast<int>(info->input.size()) - 2];
        ++optimizers[static_cast<int>(e.optimizer.kind)];
        ++losses[static_cast<int>(e.loss)];
    }
    for (const std::string_view type : typeNames()) {
        if (type != "unknown") {  // it cannot be run
            EXPECT_GT(types[type], 10) << type;
        }
    }
    EXPECT_EQ(dims.size(), 3U);
    EXPECT_EQ(optimizers.size(), 3U);
    EXPECT_EQ(losses.size(), 5U);
}

/// A branch may go back to any size: its own input does not determine its output.
TEST(RandomExperiments, BranchAcrossSizes) {
    int across = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto info = inferShapes(testing::randomExperiment(seed));
        for (const LayerInfo& layer : info->layers) {
            across += layer.type == "branch" &&
                      !std::equal(layer.input.begin() + 2, layer.input.end(), layer.output.begin() + 2);
        }
    }
    EXPECT_GT(across, 10);
}

TEST(RandomExperiments, AreTheSameForTheSameSeed) {
    EXPECT_EQ(testing::randomExperiment(5), testing::randomExperiment(5));
    EXPECT_NE(testing::randomExperiment(5), testing::randomExperiment(6));
}

TEST(RandomExperiments, KeepTheirLimits) {
    testing::RandomLimits limits;
    limits.dims = 2;
    limits.without = {"custom_conv", "separable_conv", "inplace_abn", "elu"};
    limits.losses = {Loss::Mse};
    limits.checkpoint = false;
    limits.elements = 10000;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Experiment e = testing::randomExperiment(seed, limits);
        std::map<std::string_view, int> types;
        countTypes(e.stack, types);
        for (const auto& type : limits.without) {
            EXPECT_EQ(types.count(type), 0U) << type;
        }
        const auto info = inferShapes(e);
        ASSERT_TRUE(info);
        EXPECT_EQ(info->input.size(), 4U);
        for (const auto& layer : info->layers) {
            EXPECT_LE(layer.outputBytes, 4 * limits.elements);
        }
    }
}

/// A block's sums, the layers' inputs and the total are consistent.
TEST(StackInfos, AddUp) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto info = *inferShapes(testing::randomExperiment(seed));
        std::int64_t parameters = 0;
        std::set<std::string> names;
        for (std::size_t i = 0; i < info.layers.size(); ++i) {
            const LayerInfo& layer = info.layers[i];
            names.insert(layer.name);
            if (layer.block < 0) {
                parameters += layer.parameters;
            }
            EXPECT_EQ(layer.type == "block" ? 0 : layer.newBytes % layer.outputBytes, 0);
            for (const int with : layer.with) {
                EXPECT_LT(with, static_cast<int>(i));
            }
            const bool firstOfBlock = i > 0 && layer.block == static_cast<int>(i) - 1;
            EXPECT_EQ(layer.input, firstOfBlock ? info.layers[i - 1].input : layer.input);
        }
        EXPECT_EQ(parameters, info.parameters);
        EXPECT_EQ(names.size(), info.layers.size());
        EXPECT_EQ(info.layers.front().input, info.input);
    }
}

}  // namespace
}  // namespace highwater::stack
