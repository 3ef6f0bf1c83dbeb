#include "core/predict/fit/transfers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/predict/fit/roofline.h"
#include "core/stack/program.h"
#include "tests/core/predict/cuda/walks.h"

namespace highwater::predict {
namespace {

using memory::Category;

/// 10 GB/s to the host, of which the fraction `share` is reached; every operator takes 1 ms.
struct Stream {
    Walk walk;
    std::vector<TimeEstimate> times;

    void runs(int operators) {
        for (int i = 0; i < operators; ++i) {
            walk.ops.emplace_back();
            times.push_back({1, 1, 1});
        }
    }
    std::int32_t begins(bool toHost, base::Millis expected) {
        const double bytes = expected * 1e7 * kHostLink.expected;
        walk.transfers.push_back({walk.ops.size(), toHost, static_cast<base::Bytes>(bytes)});
        return static_cast<std::int32_t>(walk.transfers.size() - 1);
    }
    std::size_t waits(std::int32_t transfer) {
        walk.ops.emplace_back().transfer = transfer;
        times.emplace_back();
        return walk.ops.size() - 1;
    }
    const std::vector<TimeEstimate>& filled() {
        Target target;
        target.gpu.emplace().hostBytesPerSecond = 1e10;
        addWaits(walk, target, times);
        return times;
    }
};

TEST(Transfers, WhatIsHiddenBehindOperatorsTakesNoTime) {
    Stream stream;
    stream.runs(1);
    const auto short_ = stream.begins(true, 2.5);
    stream.runs(3);
    const std::size_t hidden = stream.waits(short_);
    const auto long_ = stream.begins(true, 5);
    stream.runs(3);
    const std::size_t left = stream.waits(long_);
    EXPECT_EQ(stream.filled()[hidden].expected, 0);
    EXPECT_NEAR(stream.filled()[left].expected, 2, 1e-6);
    EXPECT_LT(stream.filled()[left].low, 2);
    EXPECT_GT(stream.filled()[left].high, 2);
}

TEST(Transfers, OfOneDirectionOneFollowsTheOther) {
    Stream stream;
    const auto first = stream.begins(true, 3), second = stream.begins(true, 3),
               back = stream.begins(false, 3);
    const std::size_t one = stream.waits(first), other = stream.waits(second), third = stream.waits(back);
    EXPECT_NEAR(stream.filled()[one].expected, 3, 1e-6);
    EXPECT_NEAR(stream.filled()[other].expected, 3, 1e-6);
    EXPECT_EQ(stream.filled()[third].expected, 0) << "both directions are used at once";
}

/// Four convolutions of 32 MiB each; the second and the third are offloaded together with their norms.
const char* const kLayers = R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1},
    {"type": "instance_norm"}, {"type": "relu"},
    {"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1}, {"type": "instance_norm"}, {"type": "relu"},
    {"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1}, {"type": "instance_norm"}, {"type": "relu"},
    {"type": "conv", "out_channels": 1, "kernel_size": 1})";

/// The bytes of the activations once the loss has been computed.
base::Bytes keptAtTurn(const Walk& walk) {
    base::Bytes live = 0;
    for (const WalkEvent& event : walk.events) {
        if (event.step == Walk::kSteps - 1 && event.phase == memory::Phase::Backward) {
            break;
        }
        const base::Bytes bytes = walk.blocks[event.block].bytes.expected;
        live += event.category == Category::Activations && event.kind != WalkEvent::Kind::Free ? bytes : 0;
        const Category before = event.kind == WalkEvent::Kind::Free ? event.category : event.from;
        live -= event.kind != WalkEvent::Kind::Allocate && before == Category::Activations ? bytes : 0;
    }
    return live;
}

TEST(Transfers, WhatIsOffloadedIsNotOnTheDeviceBetweenForwardAndBackward) {
    const std::string step = R"(, "checkpoint": {"plan": [[1, 4, "offload"], [4, 7, "offload"]]})";
    const auto plain = testing::experiment("[8, 64, 128, 128]", kLayers);
    const auto planned = testing::experiment("[8, 64, 128, 128]", kLayers, step);
    const Walk all = testing::walkOf(plain), offloaded = testing::walkOf(planned);
    constexpr base::Bytes kOne = base::Bytes{8} * 64 * 128 * 128 * 4;
    // Of each part: the convolution's output (which the norm saves), the norm's and the activation's. The
    // relu saves its result, which the next convolution saves too.
    EXPECT_EQ(keptAtTurn(all) - keptAtTurn(offloaded), 4 * kOne);
    EXPECT_EQ(mostOnHost(offloaded), 4 * kOne);
    EXPECT_EQ(mostOnHost(all), 0);
    EXPECT_TRUE(all.transfers.empty());
    base::Bytes sent = 0, back = 0;
    for (const WalkTransfer& each : offloaded.transfers) {
        (each.toHost ? sent : back) += each.bytes;
    }
    EXPECT_EQ(sent, 2 * 4 * kOne) << "in two steps";
    EXPECT_EQ(back, sent);
}

TEST(Transfers, APredictionSaysWhatWaitsAndThatItsTimeIsAGuess) {
    const std::string step = R"(, "checkpoint": {"plan": [[1, 4, "offload"], [4, 7, "offload"]]})";
    const auto planned = testing::experiment("[8, 64, 128, 128]", kLayers, step);
    const auto prediction =
        predict(planned, *stack::inferShapes(planned), testing::target(planned, "2.4", "9.1", "t4"));
    ASSERT_TRUE(prediction) << prediction.error().message;
    EXPECT_EQ(prediction->onHost, base::Bytes{4} * 8 * 64 * 128 * 128 * 4);
    const auto& guesses = prediction->guesses;
    EXPECT_EQ(
        std::count(guesses.begin(), guesses.end(),
                   "times of transfers to the host's memory follow the datasheet's rate of the link, not "
                   "measurements"),
        1);
    const auto onCpu = predict(planned, *stack::inferShapes(planned), Target{});
    ASSERT_FALSE(onCpu);
    EXPECT_EQ(onCpu.error().message.substr(0, 21), "/step/checkpoint/plan");
}

}  // namespace
}  // namespace highwater::predict
