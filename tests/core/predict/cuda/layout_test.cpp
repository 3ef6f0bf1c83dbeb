#include <gmock/gmock.h>

#include <algorithm>

#include "tests/core/predict/cuda/walks.h"

/// The layouts that operators read and write in a walk, and the rows of norms.
namespace highwater::predict::testing {
namespace {

using memory::Phase;

constexpr double kLayoutVoxels = 16.0 * 16 * 16, kLayoutAll = 8 * kLayoutVoxels;  // of a tensor of 8 channels
const std::string kLayoutConv8 =
    R"({"type": "conv", "dims": 3, "out_channels": 8, "kernel_size": 3, "padding": 1})";
const char* const kInChannelsLast = R"(, "channels_last": true)";

Walk layoutWalk(const std::string& layers, const std::string& step, const char* input = "[4, 16, 16, 16]") {
    return walkOf(experiment(input, layers, step));
}

/// The values of the second step at a layer in a phase, summed.
LayoutCopies copiesOf(const Walk& w, Phase phase, int layer) {
    LayoutCopies sum;
    for (const WalkOp& op : w.ops) {
        if (op.step == 1 && op.phase == phase && op.layer == layer) {
            sum.toChannelsLast += op.layoutCopies.toChannelsLast;
            sum.toContiguous += op.layoutCopies.toContiguous;
            sum.beyondCache += op.layoutCopies.beyondCache;
        }
    }
    return sum;
}

double cyclesOf(const Walk& w, Phase phase, int layer) {
    double most = 0;
    for (const WalkOp& op : w.ops) {
        if (op.step == 1 && op.phase == phase && op.layer == layer) {
            most = std::max(most, op.blockCycles);
        }
    }
    return most;
}

double movedOf(const Walk& w, Phase phase, int layer) {
    double sum = 0;
    for (const WalkOp& op : w.ops) {
        sum += op.step == 1 && op.phase == phase && op.layer == layer ? op.bytesMoved : 0;
    }
    return sum;
}

TEST(Layouts, NothingIsTurnedWhereAllIsContiguous) {
    const Walk w =
        layoutWalk(kLayoutConv8 + R"(, {"type": "instance_norm"}, {"type": "leaky_relu", "inplace": true},
        {"type": "max_pool", "kernel_size": 2})",
                   "");
    for (const WalkOp& op : w.ops) {
        EXPECT_EQ(op.layoutCopies, LayoutCopies{}) << op.family;
    }
}

/// LibTorch's instance_norm copies to contiguous memory, and the following layers keep that layout.
TEST(Layouts, InstanceNormTurnsToContiguous) {
    const Walk w =
        layoutWalk(kLayoutConv8 + R"(, {"type": "instance_norm"}, {"type": "leaky_relu"})", kInChannelsLast);
    EXPECT_EQ(copiesOf(w, Phase::Forward, 1), (LayoutCopies{.toContiguous = kLayoutAll}));
    EXPECT_EQ(copiesOf(w, Phase::Forward, 2), LayoutCopies{});
    // The convolution's backward needs the gradient in its own layout.
    EXPECT_EQ(copiesOf(w, Phase::Backward, 0), (LayoutCopies{.toChannelsLast = kLayoutAll}));
    EXPECT_EQ(copiesOf(layoutWalk(kLayoutConv8 + R"(, {"type": "batch_norm"}, {"type": "leaky_relu"})",
                                  kInChannelsLast),
                       Phase::Forward, 1),
              LayoutCopies{});
}

/// The second convolution reads the norm's contiguous output, and its gradient comes back in channels_last.
TEST(Layouts, AnActivationsGradientIsReadAcross) {
    const Walk w =
        layoutWalk(kLayoutConv8 + R"(, {"type": "instance_norm"}, {"type": "leaky_relu"}, )" + kLayoutConv8,
                   kInChannelsLast);
    EXPECT_EQ(copiesOf(w, Phase::Forward, 3), (LayoutCopies{.toChannelsLast = kLayoutAll}));
    EXPECT_EQ(copiesOf(w, Phase::Backward, 2), (LayoutCopies{.toContiguous = kLayoutAll}));
    EXPECT_EQ(movedOf(w, Phase::Backward, 2), kLayoutAll * 4);  // of three tensors two are in the copy
    const Walk last =
        layoutWalk(kLayoutConv8 + R"(, {"type": "leaky_relu"}, )" + kLayoutConv8, kInChannelsLast);
    EXPECT_EQ(copiesOf(last, Phase::Backward, 1), LayoutCopies{});
    EXPECT_EQ(movedOf(last, Phase::Backward, 1), 3 * kLayoutAll * 4);
}

TEST(Layouts, WhatIsJoinedIsTurnedWhereTheResultLiesOtherwise) {
    const std::string layers =
        kLayoutConv8 + R"(, {"type": "leaky_relu", "id": "a"}, {"type": "instance_norm"},
        {"type": "concat", "with": "a"})";
    EXPECT_EQ(copiesOf(layoutWalk(layers, kInChannelsLast), Phase::Forward, 3),
              (LayoutCopies{.toContiguous = kLayoutAll}));
    EXPECT_EQ(copiesOf(layoutWalk(layers, ""), Phase::Forward, 3), LayoutCopies{});
}

TEST(Layouts, BeyondTheCacheALargeSampleIsReadAgainAndAgain) {
    const std::string layers = kLayoutConv8 + R"(, {"type": "instance_norm"})";
    const double large = 8.0 * 128 * 128 * 128;  // 64 MiB; an H100's L2 has 50
    EXPECT_EQ(copiesOf(layoutWalk(layers, kInChannelsLast, "[4, 128, 128, 128]"), Phase::Forward, 1),
              (LayoutCopies{.beyondCache = large}));
}

/// A thread block handles a channel, for instance_norm one of a sample, for group_norm a group.
TEST(Rows, DecideTheTimeOfNormsOfContiguousTensors) {
    const auto forward = [](const std::string& norm, const std::string& step = "") {
        return cyclesOf(layoutWalk(kLayoutConv8 + ", " + norm, step), Phase::Forward, 1);
    };
    const std::string batch = R"({"type": "batch_norm"})",
                      instance = R"({"type": "instance_norm", "affine": true})";
    EXPECT_DOUBLE_EQ(forward(batch), 1.05 * kLayoutVoxels);
    EXPECT_DOUBLE_EQ(forward(instance), 1.05 * kLayoutVoxels);
    EXPECT_DOUBLE_EQ(forward(R"({"type": "group_norm", "num_groups": 2})"), 1.65 * 4 * kLayoutVoxels);
    EXPECT_DOUBLE_EQ(forward(batch, R"(, "precision": "fp16")"), 1.3 * kLayoutVoxels);
    EXPECT_DOUBLE_EQ(forward(batch, R"(, "precision": "bf16")"),
                     3.1 * kLayoutVoxels);  // LibTorch's own kernel
    EXPECT_DOUBLE_EQ(forward(batch, kInChannelsLast), 0);
    EXPECT_DOUBLE_EQ(forward(instance, kInChannelsLast), 1.05 * kLayoutVoxels);
    EXPECT_DOUBLE_EQ(cyclesOf(layoutWalk(kLayoutConv8 + ", " + batch, ""), Phase::Backward, 1),
                     2.85 * kLayoutVoxels);
}

TEST(Rows, OfABatchAreLongerForBatchNormAlone) {
    const auto two = [](const char* norm) {
        auto e = stack::testing::experimentOf(
            "[4, 16, 16, 16]", kLayoutConv8 + R"(, {"type": ")" + norm + R"(", "affine": true})",
            R"("loss": "mean", "step": {"batch_size": 2})");
        EXPECT_TRUE(e) << e.error().message;
        return cyclesOf(walkOf(*e), Phase::Forward, 1);
    };
    EXPECT_DOUBLE_EQ(two("batch_norm"), 2 * 1.05 * kLayoutVoxels);
    EXPECT_DOUBLE_EQ(two("instance_norm"), 1.05 * kLayoutVoxels);
}

}  // namespace
}  // namespace highwater::predict::testing
