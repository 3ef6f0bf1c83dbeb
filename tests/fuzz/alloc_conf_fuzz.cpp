#include <gtest/gtest.h>

#include <random>

#include "tests/core/memory/allocator_replay.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::memory {
namespace {

constexpr const char* kSeeds[] = {
    "",
    "max_split_size_mb:128",
    "max_split_size_mb:128,expandable_segments:True,garbage_collection_threshold:0.8",
    "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "roundup_power2_divisions:4,roundup_bypass_threshold_mb:512",
    "backend:native, max_non_split_rounding_mb:64, roundup_power2_divisions:[1:2,2:0,>:16],",
    "expandable_segments:False,pinned_num_register_threads:8,release_lock_on_cudamalloc:True"};
constexpr TorchVersion kVersions[] = {{1, 13}, {2, 0}, {2, 1}, {2, 4}, {2, 8}};

/// Inserts a piece of one text into another, so that damaged text still contains whole options.
std::string spliced(std::mt19937_64& random) {
    std::string text = kSeeds[random() % std::size(kSeeds)];
    const std::string other = kSeeds[random() % std::size(kSeeds)];
    text += ',' + other.substr(random() % 2 == 0 ? 0 : random() % (other.size() + 1));
    return text;
}

TEST(AllocConfFuzz, GivesAConfigurationThatRunsOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(20000);
    const DeviceMemory device{64 * base::kMiB, 64 * base::kMiB, 64 * base::kMiB};
    const AllocatorEvent events[] = {{AllocatorEvent::Kind::Allocate, 0, 0, 30 * base::kMiB},
                                     {AllocatorEvent::Kind::Free, 0, 0, 0},
                                     {AllocatorEvent::Kind::Allocate, 0, 0, 5000000}};
    std::uint64_t parsed = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::mt19937_64 random(round);
        std::string text = spliced(random);
        if (round % 2 != 0) {
            text = fuzz::mutate(std::move(text), round);
        }
        const auto config = parseAllocatorConfig(text, kVersions[random() % std::size(kVersions)]);
        if (!config) {
            EXPECT_LT(config.error().message.size(), 600U);
            EXPECT_EQ(config.error().message.find_first_of("\n\r"), std::string::npos) << text;
            continue;
        }
        ++parsed;
        EXPECT_TRUE(check(*config)) << text;
        EXPECT_TRUE(replayAllocator(*config, device, events)) << text;
    }
    EXPECT_GT(parsed, rounds / 20);
    EXPECT_LT(parsed, rounds);
}

}  // namespace
}  // namespace highwater::memory
