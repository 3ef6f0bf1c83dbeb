#include "core/capture/address_space.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace highwater::capture {
namespace {

TEST(AddressSpace, TakesTheSmallestHoleThatIsLargeEnough) {
    AddressSpace space;
    EXPECT_EQ(space.take(2000), 0);     // 2,048
    EXPECT_EQ(space.take(512), 2048);   // keeps the holes apart
    EXPECT_EQ(space.take(1000), 2560);  // 1,024
    EXPECT_EQ(space.take(0), 3584);     // 512: an empty block has its own address
    space.give(0, 2000);
    space.give(2560, 1000);
    EXPECT_EQ(space.take(1024), 2560);
    EXPECT_EQ(space.take(1024), 0);
    EXPECT_EQ(space.take(1025), 4096);
    EXPECT_EQ(space.extent(), 4096 + 1536);
}

TEST(AddressSpace, NeighboringHolesBecomeOne) {
    AddressSpace space;
    for (int i = 0; i < 4; ++i) {
        space.take(512);
    }
    space.give(512, 512);
    space.give(1024, 512);
    EXPECT_EQ(space.take(1024), 512);
    space.give(512, 1024);
    space.give(0, 512);
    EXPECT_EQ(space.take(1536), 0);
}

TEST(AddressSpace, GrowsFromTheHoleAtTheEnd) {
    AddressSpace space;
    space.take(512);
    space.take(512);
    space.give(512, 512);
    EXPECT_EQ(space.take(4096), 512);
    EXPECT_EQ(space.extent(), 512 + 4096);
}

TEST(AddressSpace, EndsAtTwoToThe62) {
    AddressSpace space;
    EXPECT_TRUE(space.take((base::Bytes{1} << 62) - 512));
    EXPECT_TRUE(space.take(512));
    EXPECT_FALSE(space.take(0));
    EXPECT_FALSE(AddressSpace().take((base::Bytes{1} << 62) + 1));
}

TEST(AddressSpace, NeverGivesOverlappingBlocks) {
    std::mt19937_64 random(1);
    AddressSpace space;
    struct Block {
        std::int64_t at;
        base::Bytes bytes;
    };
    std::vector<Block> living;
    std::vector<bool> used(20000);  // units of 512
    const auto mark = [&](const Block& block, bool to) {
        for (auto unit = block.at / 512; unit < (block.at + AddressSpace::rounded(block.bytes)) / 512;
             ++unit) {
            if (static_cast<std::size_t>(unit) >= used.size()) {
                used.resize(static_cast<std::size_t>(unit) + 1000);
            }
            ASSERT_NE(used[static_cast<std::size_t>(unit)], to);
            used[static_cast<std::size_t>(unit)] = to;
        }
    };
    for (int i = 0; i < 20000; ++i) {
        if (living.size() < 100 || random() % 2 == 0) {
            const auto bytes = static_cast<base::Bytes>(random() % 20000);
            living.push_back({*space.take(bytes), bytes});
            mark(living.back(), true);
        } else {
            std::swap(living[random() % living.size()], living.back());
            mark(living.back(), false);
            space.give(living.back().at, living.back().bytes);
            living.pop_back();
        }
    }
}

}  // namespace
}  // namespace highwater::capture
