#include "app/desktop/experiment/stack/layer_tree.h"

#include <gtest/gtest.h>

#include "app/desktop/experiment/stack/layer_words.h"
#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

using testing::layersFrom;
using testing::textOf;

TEST(LayerTree, MovesWithinAListBothWays) {
    Layers layers = layersFrom("conv relu gelu silu");
    EXPECT_EQ(moveLayers(layers, {{0}}, {}, 3), (Paths{{2}}));
    EXPECT_EQ(textOf(layers), "relu gelu conv silu");
    EXPECT_EQ(moveLayers(layers, {{3}}, {}, 0), (Paths{{0}}));
    EXPECT_EQ(textOf(layers), "silu relu gelu conv");
}

TEST(LayerTree, MovesIntoABlockAfterWhatItLeaves) {
    Layers layers = layersFrom("conv relu [gelu] silu");
    EXPECT_EQ(moveLayers(layers, {{0}, {3}}, {2}, 1), (Paths{{1, 1}, {1, 2}}));
    EXPECT_EQ(textOf(layers), "relu [gelu conv silu]");
}

TEST(LayerTree, MovesOutOfABlock) {
    Layers layers = layersFrom("conv [relu gelu]");
    EXPECT_EQ(moveLayers(layers, {{1, 0}}, {}, 0), (Paths{{0}}));
    EXPECT_EQ(textOf(layers), "relu conv [gelu]");
}

TEST(LayerTree, ABlockDoesNotMoveIntoItself) {
    Layers layers = layersFrom("[conv [relu]]");
    EXPECT_FALSE(moveLayers(layers, {{0}}, {0, 1}, 0));
    EXPECT_FALSE(moveLayers(layers, {{0}}, {0}, 0));
    EXPECT_EQ(textOf(layers), "[conv [relu]]");
}

TEST(LayerTree, ShiftsToTheEndThenOutOfTheBlock) {
    Layers layers = layersFrom("conv [relu gelu] silu");
    EXPECT_EQ(shiftLayers(layers, {{1, 0}}, 1), (Paths{{1, 1}}));
    EXPECT_EQ(shiftLayers(layers, {{1, 1}}, 1), (Paths{{2}}));
    EXPECT_EQ(textOf(layers), "conv [gelu] relu silu");
    EXPECT_FALSE(shiftLayers(layers, {{0}}, -1));
}

TEST(LayerTree, DuplicatesNeighborsAsOneGroupWithFreshIds) {
    Layers layers = layersFrom("conv:a add=a relu");
    EXPECT_EQ(duplicateLayers(layers, {{0}, {1}}), (Paths{{2}, {3}}));
    EXPECT_EQ(textOf(layers), "conv:a add=a conv:a_2 add=a_2 relu");
}

TEST(LayerTree, CopiesOfBlocksHaveNamesOfTheirOwn) {
    const auto named = [](const std::string& name) {
        return stack::Layer{"", stack::Block{name, false, {}}};
    };
    Layers layers = {named("res1"), named("res2"), named(""), named("7")};
    duplicateLayers(layers, {{0}, {1}, {2}, {3}});
    std::vector<std::string> names;
    for (const stack::Layer& layer : layers) {
        names.push_back(std::get<stack::Block>(layer.op).name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"res1", "res2", "", "7", "res3", "res4", "", "2"}));
}

TEST(LayerTree, DuplicatesDistantLayersAndTellsWhereTheyAre) {
    Layers layers = layersFrom("conv relu gelu");
    EXPECT_EQ(duplicateLayers(layers, {{0}, {2}}), (Paths{{1}, {4}}));
    EXPECT_EQ(textOf(layers), "conv conv relu gelu gelu");
}

TEST(LayerTree, GroupsAndUngroups) {
    Layers layers = layersFrom("conv relu gelu silu");
    EXPECT_EQ(groupLayers(layers, {{1}, {2}}, "b"), (Path{1}));
    EXPECT_EQ(textOf(layers), "conv [relu gelu] silu");
    EXPECT_FALSE(groupLayers(layers, {{0}, {1, 0}}, "b"));
    EXPECT_EQ(ungroupLayers(layers, {{1}}), (Paths{{1}, {2}}));
    EXPECT_EQ(textOf(layers), "conv relu gelu silu");
}

TEST(LayerTree, UngroupsSeveralAndTellsWhereTheirLayersAre) {
    Layers layers = layersFrom("[conv relu] gelu [silu]");
    EXPECT_EQ(ungroupLayers(layers, {{0}, {2}}), (Paths{{0}, {1}, {3}}));
    EXPECT_EQ(textOf(layers), "conv relu gelu silu");
}

TEST(LayerTree, RemovesABlockWithWhatIsSelectedInIt) {
    Layers layers = layersFrom("conv [relu gelu] silu");
    removeLayers(layers, {{1, 0}, {1}, {0}});
    EXPECT_EQ(textOf(layers), "silu");
}

TEST(LayerTree, PathsThatLeadNowhereChangeNothing) {
    Layers layers = layersFrom("conv");
    EXPECT_EQ(layerAt(layers, {7}), nullptr);
    EXPECT_EQ(layerAt(layers, {0, 0}), nullptr);
    EXPECT_EQ(layerAt(layers, {}), nullptr);
    removeLayers(layers, {{5}, {-1}});
    EXPECT_TRUE(insertLayers(layers, {0}, 0, layersFrom("relu")).empty());
    EXPECT_EQ(textOf(layers), "conv");
}

TEST(LayerText, GoesThroughTheClipboardUnchanged) {
    const Layers layers = layersFrom("conv:a [relu batch_norm] concat=a");
    const auto back = layersFromText(layersToText(layers));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, layers);
}

TEST(LayerText, ReadsOneLayerAndRefusesOthersInOneLine) {
    const auto one = layersFromText(R"({"type": "relu"})");
    ASSERT_TRUE(one.ok()) << one.error().message;
    EXPECT_EQ(textOf(*one), "relu");
    for (const char* bad : {"", "hello", "[1]", R"([{"type": "cnv"}])", R"([{"type": "relu", "x": 1}])"}) {
        const auto result = layersFromText(bad);
        ASSERT_FALSE(result.ok()) << bad;
        EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace highwater::desktop
