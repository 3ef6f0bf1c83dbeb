#include "core/memory/sorted_blocks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace highwater::memory {
namespace {

TEST(SortedBlocks, AgreesWithAMap) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::mt19937_64 random(seed);
        SortedBlocks set;
        std::map<BlockKey, BlockIndex> right;
        // First mostly insertions, then mostly erasures, so that runs split and vanish.
        for (int i = 0; i < 3000; ++i) {
            const BlockKey key{static_cast<base::Bytes>(random() % 40),
                               static_cast<std::int64_t>(random() % 50)};
            const bool insert = random() % 10 < (i < 1500 ? 8 : 2);
            if (insert && right.emplace(key, static_cast<BlockIndex>(i)).second) {
                set.insert(key, static_cast<BlockIndex>(i));
            } else if (!insert && right.erase(key) > 0) {
                set.erase(key);
            }
            const auto found = set.lowerBound(key);
            const auto rightFound = right.lower_bound(key);
            ASSERT_EQ(found == set.end(), rightFound == right.end());
            if (rightFound != right.end()) {
                ASSERT_EQ(set.at(found).key, rightFound->first);
                ASSERT_EQ(set.at(found).block, rightFound->second);
            }
        }
        auto place = set.begin();
        for (const auto& [key, block] : right) {
            ASSERT_EQ(set.at(place).key, key);
            place = set.after(place);
        }
        EXPECT_EQ(place, set.end());
        for (auto it = right.rbegin(); it != right.rend(); ++it) {
            place = set.before(place);
            ASSERT_EQ(set.at(place).key, it->first);
        }
        EXPECT_EQ(place, set.begin());
        std::size_t count = 0;
        set.forEach([&](const SortedBlocks::Entry&) { ++count; });
        EXPECT_EQ(count, right.size());
        while (!set.empty()) {
            set.eraseAt(set.begin());
        }
        EXPECT_EQ(set.begin(), set.end());
    }
}

}  // namespace
}  // namespace highwater::memory
