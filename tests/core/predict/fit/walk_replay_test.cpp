#include "core/predict/fit/walk_replay.h"

#include <gtest/gtest.h>

#include "core/memory/allocator_config.h"
#include "tests/core/predict/cuda/walks.h"

/// tests/core/memory compares the simulated allocator with recordings of PyTorch's.
namespace highwater::predict {
namespace {

constexpr const char* kConv = R"({"type": "conv", "out_channels": 8, "kernel_size": 3})";
constexpr base::Bytes kKiB = base::kKiB, kMiB = base::kMiB;

memory::AllocatorConfig rules() {
    return testing::target(testing::experiment("[4, 16, 16, 16]", kConv)).allocator;
}

/// Allocates these, the second half of them after the first half has been freed.
Walk walkOf(const std::vector<Estimate>& first, const std::vector<Estimate>& then = {}) {
    Walk walk;
    const auto add = [&](const Estimate& bytes) {
        WalkBlock block;
        block.bytes = bytes;
        WalkEvent event;
        event.block = static_cast<std::uint32_t>(walk.blocks.size());
        walk.blocks.push_back(block);
        walk.events.push_back(event);
    };
    for (const Estimate& bytes : first) {
        add(bytes);
    }
    for (std::uint32_t i = 0; !then.empty() && i < first.size(); ++i) {
        WalkEvent event;
        event.block = i;
        event.kind = WalkEvent::Kind::Free;
        walk.events.push_back(event);
    }
    for (const Estimate& bytes : then) {
        add(bytes);
    }
    return walk;
}

base::Bytes wholeBlocks(const Walk& walk, Level level = Level::Expected) {
    return replay(walk, level, false, rules(), kMostMemory).peakAllocated;
}

Estimate of(base::Bytes bytes) {
    return Estimate::of(bytes);
}

TEST(WholeBlocks, AreRoundedUp) {
    EXPECT_EQ(wholeBlocks(walkOf({of(1), of(513), of(2 * kMiB)})), 512 + 1024 + 2 * kMiB);
}

/// A remainder of up to 1 MiB is not split off in segments for large blocks.
TEST(WholeBlocks, HaveTheEndsThatAreNotSplit) {
    EXPECT_EQ(wholeBlocks(walkOf({of(11 * kMiB + 512)})), 12 * kMiB);
    EXPECT_EQ(wholeBlocks(walkOf({of(19 * kMiB)}, {of(18 * kMiB)})), 20 * kMiB);
}

TEST(WholeBlocks, AreARangeWhereSizesAre) {
    const Estimate range{kKiB, 2 * kKiB, 3 * kKiB + 1};
    EXPECT_EQ(wholeBlocks(walkOf({range}), Level::Low), kKiB);
    EXPECT_EQ(wholeBlocks(walkOf({range})), 2 * kKiB);
    EXPECT_EQ(wholeBlocks(walkOf({range}), Level::High), 3 * kKiB + 512);
}

TEST(WholeBlocks, ArePredictedOfAGpu) {
    const auto e = testing::experiment("[4, 16, 16, 16]", kConv);
    const auto info = stack::inferShapes(e);
    const auto prediction = predict(e, *info, testing::target(e), {.inPython = true});
    ASSERT_TRUE(prediction);
    EXPECT_GE(prediction->maxMemoryAllocated.expected, prediction->peakAllocated.expected);
    EXPECT_LE(prediction->maxMemoryAllocated.expected, prediction->peakReserved.expected);
}

}  // namespace
}  // namespace highwater::predict
