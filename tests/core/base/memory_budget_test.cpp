#include "core/base/memory_budget.h"

#include <gtest/gtest.h>

#include "core/base/json_reader.h"
#include "core/base/processor.h"

namespace highwater::base {
namespace {

TEST(MemoryBudget, GrowsWithTheFileUpToAShareOfTheMachine) {
    EXPECT_EQ(MemoryBudget(0).most(), MemoryBudget::kFloor);
    EXPECT_EQ(MemoryBudget(80 * kKiB).most(), MemoryBudget::kFloor);
    const Bytes share = std::max(MemoryBudget::kFloor, machineMemory() / MemoryBudget::kShare);
    EXPECT_EQ(MemoryBudget(5 * kMiB).most(), std::min(share, 160 * kMiB));
    EXPECT_EQ(MemoryBudget(std::numeric_limits<Bytes>::max()).most(), share);
    EXPECT_GE(MemoryBudget(kGiB, MemoryBudget::kLargeShare).most(), MemoryBudget(kGiB).most());
}

TEST(MemoryBudget, IsExceededOnceAndForAll) {
    MemoryBudget budget(0);
    EXPECT_TRUE(budget.take(static_cast<std::size_t>(MemoryBudget::kFloor) - 1));
    EXPECT_TRUE(budget.take(1));
    EXPECT_TRUE(budget.take(0, SIZE_MAX));
    EXPECT_FALSE(budget.exceeded());
    EXPECT_FALSE(budget.take(1));
    EXPECT_FALSE(budget.take(0));
    EXPECT_TRUE(budget.exceeded());
    EXPECT_EQ(budget.error().message,
              "would take more than 128 MiB of memory, which is more than a file of its size may");
}

TEST(MemoryBudget, ProductsDoNotOverflow) {
    MemoryBudget budget(0);
    EXPECT_FALSE(budget.take(SIZE_MAX / 2, 4));
}

TEST(MemoryBudget, HoldsForTheValuesOfJson) {
    std::string text = "[";
    for (int i = 0; i < 100'000; ++i) {
        text += "[],";
    }
    text += "0]";
    MemoryBudget small(0);
    ASSERT_TRUE(small.take(static_cast<std::size_t>(MemoryBudget::kFloor - kMiB)));
    const auto refused = parseJson(text, "a.json", small);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "a.json: " + small.error().message);
    MemoryBudget whole(0);
    const auto read = parseJson(text, "a.json", whole);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, Json::parse(text));
    EXPECT_GT(memoryOf(*read), 100'000 * sizeof(Json));
}

}  // namespace
}  // namespace highwater::base
