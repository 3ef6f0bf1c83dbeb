#include "app/desktop/experiment/stack/new_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

using testing::experimentFrom;

/// Layers that change the resolution keep the whole valid only if the rest of the stack allows it.
const std::set<std::string_view> kResizes = {"conv_transpose", "max_pool", "avg_pool", "upsample", "pad"};

std::string why(const stack::Experiment& e) {
    const auto info = stack::inferShapes(e);
    return info ? "valid" : info.error().message;
}

TEST(NewLayer, EveryTypeIsValidAfterAConvolution) {
    for (const std::string_view type : stack::typeNames()) {
        if (type == "block") {
            continue;
        }
        stack::Experiment e = experimentFrom("conv conv conv");
        // No such convolution can follow.
        if (type == "flatten" || type == "linear" || type == "select" || type == "class_token") {
            e.stack.pop_back();
        }
        const Paths added = insertNewLayer(e, type, {}, 2);
        if (type == "linear" || type == "class_token") {
            EXPECT_EQ(added, (Paths{{2}, {3}})) << "with the flatten or reshape that it needs";
            EXPECT_EQ(stack::typeName(e.stack[3].op), type);
            EXPECT_EQ(why(e), "valid") << type;
            continue;
        }
        EXPECT_EQ(added, (Paths{{2}})) << type;
        EXPECT_EQ(stack::typeName(e.stack[2].op), type);
        EXPECT_EQ(why(e), "valid") << type;
    }
}

TEST(NewLayer, ValidEverywhereInThePresets) {
    const auto presets = stack::loadPresets();
    ASSERT_TRUE(presets);
    int tried = 0;
    for (const stack::Preset& preset : *presets) {
        if (!stack::inferShapes(preset.experiment)) {
            continue;
        }
        for (const std::string_view type : {"conv", "separable_conv", "custom_conv", "batch_norm",
                                            "group_norm", "leaky_relu", "dropout", "head"}) {
            for (const Path& place : allPaths(preset.experiment.stack)) {
                stack::Experiment e = preset.experiment;
                const Path parent(place.begin(), place.end() - 1);
                ASSERT_FALSE(insertNewLayer(e, type, parent, place.back() + 1).empty());
                const std::string reason = why(e);
                // The output of the layer before an in-place layer may be one that must not be overwritten.
                EXPECT_TRUE(reason == "valid" || reason.find("in place") != std::string::npos)
                    << preset.title << ", " << type << ": " << reason;
                tried += reason == "valid" ? 1 : 0;
            }
        }
    }
    EXPECT_GT(tried, 50);
}

TEST(NewLayer, GoesWithTheChannelsThere) {
    stack::Experiment e = experimentFrom("conv relu conv");
    std::get<stack::Conv>(e.stack[0].op).outChannels = 12;
    insertNewLayer(e, "custom_conv", {}, 2);
    const auto& custom = std::get<stack::CustomConv>(e.stack[2].op);
    EXPECT_EQ(custom.transformChannels, 12);
    EXPECT_EQ(custom.outChannels, 12);
    EXPECT_EQ(custom.padding.sizes, (stack::Sizes{1}));
    insertNewLayer(e, "group_norm", {}, 2);
    EXPECT_EQ(std::get<stack::Norm>(e.stack[2].op).numGroups, 4) << "divides 12";
    insertNewLayer(e, "conv", {}, 0);
    EXPECT_EQ(std::get<stack::Conv>(e.stack[0].op).outChannels, 1) << "the input's";
}

TEST(NewLayer, GoesWithTheChannelsThereAlsoWhereTheRestIsNotValid) {
    stack::Experiment e = experimentFrom("conv relu conv");
    std::get<stack::Conv>(e.stack[0].op).outChannels = 12;
    std::get<stack::Conv>(e.stack[2].op).kernelSize = {99};
    insertNewLayer(e, "conv", {}, 1);
    EXPECT_EQ(std::get<stack::Conv>(e.stack[1].op).outChannels, 12);
}

TEST(NewLayer, AHeadHasTheOutputsChannels) {
    stack::Experiment e = experimentFrom("conv conv");
    std::get<stack::Conv>(e.stack[0].op).outChannels = 8;
    std::get<stack::Conv>(e.stack[1].op).outChannels = 3;
    e.loss = stack::Loss::CrossEntropy;
    e.target.kind = stack::Target::Kind::Classes;
    e.target.classes = 3;
    ASSERT_EQ(why(e), "valid");
    insertNewLayer(e, "head", {}, 1);
    EXPECT_EQ(std::get<stack::Head>(e.stack[1].op).outChannels, 3);
    EXPECT_EQ(why(e), "valid");
}

TEST(NewLayer, AMergeFindsWhatFits) {
    stack::Experiment e = experimentFrom("conv:a conv:b relu conv");
    std::get<stack::Conv>(e.stack[0].op).outChannels = 4;
    insertNewLayer(e, "add", {}, 4);
    EXPECT_EQ(testing::textOf(e.stack), "conv:a conv:b relu conv add=b") << "a has other channels";
    e = experimentFrom("conv relu conv");
    insertNewLayer(e, "add", {}, 3);
    EXPECT_EQ(testing::textOf(e.stack), "conv relu:skip1 conv add=skip1") << "named where nothing is";
    EXPECT_EQ(why(e), "valid");
    e = experimentFrom("conv");
    insertNewLayer(e, "add", {}, 0);
    EXPECT_EQ(testing::textOf(e.stack), "add conv") << "nothing to bring back: the stack says so";
}

TEST(NewLayer, ABranchComesWithItsWayBack) {
    stack::Experiment e = experimentFrom("conv conv conv");
    insertNewLayer(e, "branch", {}, 2);
    EXPECT_EQ(testing::textOf(e.stack), "conv:path1 conv:path2 branch=path1 add=path2 conv");
    EXPECT_EQ(why(e), "valid");
    e = experimentFrom("conv:a conv:b conv add=b");
    insertNewLayer(e, "branch", {}, 2);
    EXPECT_EQ(testing::textOf(e.stack), "conv:a conv:b branch=a conv add=b") << "b is brought back already";
    EXPECT_EQ(why(e), "valid");
}

TEST(NewLayer, NothingForWhatIsNot) {
    stack::Experiment e = experimentFrom("conv");
    const stack::Experiment before = e;
    EXPECT_TRUE(insertNewLayer(e, "nothing", {}, 0).empty());
    EXPECT_TRUE(insertNewLayer(e, "conv", {}, 5).empty());
    EXPECT_TRUE(insertNewLayer(e, "conv", {0}, 0).empty()) << "a conv holds no layers";
    EXPECT_EQ(e, before);
}

}  // namespace
}  // namespace highwater::desktop
