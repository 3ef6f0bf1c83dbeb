#include "core/engine/books/device_parts.h"

#include <gtest/gtest.h>

#include <random>

namespace highwater::engine {
using highwater::base::kGiB;
using highwater::base::kMiB;

namespace {

/// Like c10's allocator, which computes its limit this way.
Bytes limitOf(double fraction, Bytes total) {
    return static_cast<Bytes>(static_cast<std::size_t>(fraction * static_cast<double>(total)));
}

TEST(DeviceParts, theAllocatorsPartsSumToItsSegments) {
    const AllocatorBytes allocator{
        .requested = 900, .active = 1024, .split = 3 * kMiB, .reserved = 22 * kMiB};
    const auto parts = partsOf(allocator, {500, 70, true}, 80 * kGiB);
    EXPECT_EQ(parts.tensors, 900);
    EXPECT_EQ(parts.rounding, 124);
    EXPECT_EQ(parts.split, 3 * kMiB);
    EXPECT_EQ(parts.cache, 19 * kMiB - 1024);
    EXPECT_EQ(parts.reserved(), allocator.reserved);
    EXPECT_EQ(parts.used(), allocator.reserved + 570);
    EXPECT_EQ(parts.capacity, 80 * kGiB);
}

TEST(DeviceParts, theContextIsWhatTheProcessHasBeyondTheAllocator) {
    const Outside outside = outsideOf(10 * kGiB, 4 * kGiB, 4 * kGiB + 500 * kMiB, {});
    EXPECT_EQ(outside.context, 500 * kMiB);
    EXPECT_EQ(outside.others, 6 * kGiB - 500 * kMiB);
    EXPECT_TRUE(outside.contextKnown);
}

TEST(DeviceParts, withoutTheProcessAllGrowthIsItsContext) {
    const Outside outside = outsideOf(10 * kGiB, 4 * kGiB, {}, 5 * kGiB);
    EXPECT_EQ(outside.context, kGiB);
    EXPECT_EQ(outside.others, 5 * kGiB);
    EXPECT_FALSE(outside.contextKnown);
}

TEST(DeviceParts, whereNothingIsKnownTheContextCountsAsOthers) {
    const Outside outside = outsideOf(10 * kGiB, 4 * kGiB, {}, {});
    EXPECT_EQ(outside.context, 0);
    EXPECT_EQ(outside.others, 6 * kGiB);
    EXPECT_FALSE(outside.contextKnown);
}

TEST(DeviceParts, noPartIsNegativeWhateverTheDriverSays) {
    std::mt19937_64 dice(7);
    std::uniform_int_distribution<Bytes> any(0, 100);
    for (int i = 0; i < 20000; ++i) {
        const Bytes used = any(dice), reserved = any(dice);
        const auto process = i % 2 ? std::optional(any(dice)) : std::nullopt;
        const auto before = i % 3 ? std::optional(any(dice)) : std::nullopt;
        const Outside outside = outsideOf(used, reserved, process, before);
        ASSERT_GE(outside.context, 0);
        ASSERT_GE(outside.others, 0);
        ASSERT_EQ(reserved + outside.context + outside.others, std::max(used, reserved))
            << used << " " << reserved;
    }
}

TEST(DeviceParts, theLimitIsExactlyTheBudget) {
    std::mt19937_64 dice(11);
    for (const Bytes total : {Bytes{1}, 2 * kMiB, 12626952192, 84943044608, 150022914048, 600 * kGiB + 1}) {
        std::uniform_int_distribution<Bytes> any(0, total - 1);
        for (int i = 0; i < 20000; ++i) {
            const Bytes budget = any(dice);
            const double fraction = fractionOf(budget, total);
            ASSERT_EQ(limitOf(fraction, total), budget) << "of " << total;
            ASSERT_GE(fraction, 0);
            ASSERT_LT(fraction, 1) << "1 is not a limit";
        }
    }
    EXPECT_EQ(limitOf(fractionOf(150022914047, 150022914048), 150022914048), 150022914047);
}

TEST(DeviceParts, aBudgetOfAllThereIsOrMoreIsNoLimit) {
    EXPECT_EQ(fractionOf(80 * kGiB, 80 * kGiB), 1.0);
    EXPECT_EQ(fractionOf(81 * kGiB, 80 * kGiB), 1.0);
    EXPECT_EQ(limitOf(fractionOf(-1, 80 * kGiB), 80 * kGiB), 0);
}

}  // namespace

}  // namespace highwater::engine
