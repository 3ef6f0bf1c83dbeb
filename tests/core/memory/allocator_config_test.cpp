#include "core/memory/allocator_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/memory/caching_allocator.h"

namespace highwater::memory {
namespace {

using base::kMiB;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr TorchVersion kNow{2, 8};

AllocatorConfig parsed(std::string_view text, TorchVersion version = kNow) {
    const auto config = parseAllocatorConfig(text, version);
    EXPECT_TRUE(config) << config.error().message;
    return config ? *config : AllocatorConfig{};
}

std::string refused(std::string_view text, TorchVersion version = kNow) {
    const auto config = parseAllocatorConfig(text, version);
    EXPECT_FALSE(config) << text;
    return config ? "" : config.error().message;
}

TEST(AllocatorConfigText, EmptyTextGivesTheDefaults) {
    EXPECT_EQ(parsed(""), AllocatorConfig{});
    EXPECT_EQ(parsed("  "), AllocatorConfig{});
}

TEST(AllocatorConfigText, ErasBeginWith1_13And2_0And2_4) {
    EXPECT_EQ(parsed("", {1, 13}).era, AllocatorEra::Torch1_13);
    EXPECT_EQ(parsed("", {2, 0}).era, AllocatorEra::Torch2_0);
    EXPECT_EQ(parsed("", {2, 3}).era, AllocatorEra::Torch2_0);
    EXPECT_EQ(parsed("", {2, 4}).era, AllocatorEra::Torch2_4);
    EXPECT_EQ(parsed("", {3, 0}).era, AllocatorEra::Torch2_4);
    EXPECT_THAT(refused("", {1, 12}), HasSubstr("use 1.13 or later"));
}

TEST(AllocatorConfigText, ReadsEveryOption) {
    const auto config = parsed(
        "max_split_size_mb:128, expandable_segments:True,garbage_collection_threshold:0.8,"
        "roundup_power2_divisions:8,max_non_split_rounding_mb:64,backend:native,"
        "pinned_num_register_threads:8,");
    EXPECT_EQ(config.maxSplitSize, 128 * kMiB);
    EXPECT_TRUE(config.expandableSegments);
    EXPECT_EQ(config.garbageCollectionThreshold, 0.8);
    EXPECT_THAT(config.roundupDivisions, Each(8));
    EXPECT_EQ(config.maxNonSplitRounding, 64 * kMiB);
}

TEST(AllocatorConfigText, ALaterOptionOverridesAnEarlierOne) {
    EXPECT_EQ(parsed("max_split_size_mb:128,max_split_size_mb:64").maxSplitSize, 64 * kMiB);
    EXPECT_FALSE(parsed("expandable_segments:True,expandable_segments:False").expandableSegments);
}

TEST(AllocatorConfigText, ReadsDivisionsByInterval) {
    // 256 MiB is interval 8 = log2(256): it and all before it get 1; then 512 MiB 2; "greater" starts with
    // the last named interval (1024 MiB, 10), so that its own 4 does not survive.
    const auto d = parsed("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]").roundupDivisions;
    const std::array<std::int64_t, kRoundupIntervals> right = {1, 1, 1, 1, 1, 1, 1, 1,
                                                               1, 2, 8, 8, 8, 8, 8, 8};
    EXPECT_EQ(d, right);
}

TEST(AllocatorConfigText, GreaterBeginsAfterTheLastNamedIntervalFrom2_10On) {
    const auto d = parsed("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]", {2, 10}).roundupDivisions;
    const std::array<std::int64_t, kRoundupIntervals> right = {1, 1, 1, 1, 1, 1, 1, 1,
                                                               1, 2, 4, 8, 8, 8, 8, 8};
    EXPECT_EQ(d, right);
    EXPECT_EQ(parsed("roundup_power2_divisions:[>:4]", {2, 10}).roundupDivisions[0], 0);
    EXPECT_EQ(parsed("roundup_power2_divisions:[>:4]", {2, 9}).roundupDivisions[0], 4);
    EXPECT_EQ(parsed("roundup_power2_divisions:[32768:2,>:4]", {2, 11}).roundupDivisions[15], 2);
}

TEST(AllocatorConfigText, IntervalsBetweenNamedOnesAndAfterThemStayOff) {
    const auto d = parsed("roundup_power2_divisions:[2:4,16:2]").roundupDivisions;
    const std::array<std::int64_t, kRoundupIntervals> right = {4, 4, 0, 0, 2};
    EXPECT_EQ(d, right);
    // Beyond the last interval counts to the last; 0 turns an interval off.
    const auto last = parsed("roundup_power2_divisions:[1:0,1048576:16]").roundupDivisions;
    EXPECT_EQ(last[0], 0);
    EXPECT_EQ(last[15], 16);
}

TEST(AllocatorConfigText, OldReleasesRefuseWhatTheyDoNotKnow) {
    EXPECT_EQ(refused("expandable_segments:True", {1, 13}),
              "PYTORCH_CUDA_ALLOC_CONF: expandable_segments needs PyTorch 2.1 or later; this is 1.13");
    EXPECT_THAT(refused("expandable_segments:True", {2, 0}), HasSubstr("2.1 or later"));
    EXPECT_TRUE(parsed("expandable_segments:True", {2, 1}).expandableSegments);
    EXPECT_THAT(refused("roundup_power2_divisions:[256:1]", {1, 13}),
                HasSubstr("needs PyTorch 2.0 or later"));
    EXPECT_THAT(parsed("roundup_power2_divisions:4", {1, 13}).roundupDivisions, Each(4));
    EXPECT_THAT(refused("max_non_split_rounding_mb:64", {2, 5}), HasSubstr("2.6 or later"));
    EXPECT_THAT(refused("backend:native", {1, 13}), HasSubstr("2.0 or later"));
}

TEST(AllocatorConfigText, LargeSegmentsHaveAnotherSizeFrom2_11On) {
    constexpr TorchVersion now{2, 11};
    const auto config = parsed("max_split_size_mb:32,large_segment_size_mb:32", now);
    EXPECT_EQ(config.largeSegmentSize, 32 * kMiB);
    EXPECT_EQ(config.maxNonSplitRounding, 32 * kMiB);
    EXPECT_EQ(config.maxSplitSize, 32 * kMiB);
    EXPECT_EQ(parsed("max_split_size_mb:20", now).maxSplitSize, 20 * kMiB);
    EXPECT_THAT(refused("max_split_size_mb:20", {2, 9}), HasSubstr("from 21"));
    EXPECT_THAT(refused("max_split_size_mb:19", now), HasSubstr("from 20"));
    EXPECT_THAT(refused("max_split_size_mb:21,large_segment_size_mb:32", now), HasSubstr("from 32"));
    EXPECT_THAT(refused("max_non_split_rounding_mb:19", now), HasSubstr("from 20"));
    EXPECT_THAT(refused("large_segment_size_mb:10", now), HasSubstr("from 11"));
    EXPECT_THAT(refused("expandable_segments:True,large_segment_size_mb:13", now),
                HasSubstr("an even number"));
    EXPECT_THAT(refused("large_segment_size_mb:32", {2, 10}), HasSubstr("2.11 or later"));
}

TEST(AllocatorConfigText, AFractionCapsWhatIsReserved) {
    EXPECT_EQ(parsed("per_process_memory_fraction:0.5", {2, 11}).memoryFraction, 0.5);
    EXPECT_THAT(refused("per_process_memory_fraction:1.5", {2, 11}), HasSubstr("from 0 to 1"));
    EXPECT_THAT(refused("per_process_memory_fraction:nan", {2, 11}), HasSubstr("from 0 to 1"));
    auto a = CachingAllocator::create(parsed("per_process_memory_fraction:0.5", {2, 11}),
                                      {100 * kMiB, 100 * kMiB, std::nullopt});
    ASSERT_TRUE(a);
    EXPECT_TRUE(a->allocate(50 * kMiB));
    EXPECT_FALSE(a->allocate(10 * kMiB));
}

TEST(AllocatorConfigText, OnlyPyTorch1_13HasABypass) {
    EXPECT_EQ(parsed("roundup_bypass_threshold_mb:64", {1, 13}).roundupBypass, 64 * kMiB);
    EXPECT_THAT(refused("roundup_bypass_threshold_mb:64", {2, 0}), HasSubstr("only PyTorch 1.13 has"));
}

TEST(AllocatorConfigText, WrongValuesAreRefusedWithWhatWouldBeRight) {
    EXPECT_EQ(refused("max_split_size_mb:20"),
              "PYTORCH_CUDA_ALLOC_CONF: max_split_size_mb is \"20\"; write a whole number of MiB from 21 to "
              "2147483647");
    EXPECT_THAT(refused("max_split_size_mb:"), HasSubstr("from 21"));
    EXPECT_THAT(refused("max_split_size_mb:1.5"), HasSubstr("from 21"));
    EXPECT_THAT(refused("max_split_size_mb:99999999999999999999"), HasSubstr("from 21"));
    EXPECT_THAT(refused("garbage_collection_threshold:0"), HasSubstr("above 0 and below 1"));
    EXPECT_THAT(refused("garbage_collection_threshold:1.0"), HasSubstr("above 0 and below 1"));
    EXPECT_THAT(refused("garbage_collection_threshold:nan"), HasSubstr("above 0 and below 1"));
    EXPECT_THAT(refused("expandable_segments:true"), HasSubstr("True or False"));
    EXPECT_THAT(refused("roundup_power2_divisions:3"), HasSubstr("power of two"));
    EXPECT_THAT(refused("roundup_power2_divisions:0"), HasSubstr("power of two"));
    EXPECT_THAT(refused("roundup_power2_divisions:[256:1"), HasSubstr("[256:1,512:2"));
    EXPECT_THAT(refused("roundup_power2_divisions:[3:1]"), HasSubstr("powers of two"));
    EXPECT_THAT(refused("roundup_power2_divisions:[256:3]"), HasSubstr("powers of two"));
    EXPECT_THAT(refused("roundup_power2_divisions:[256]"), HasSubstr("powers of two"));
    EXPECT_THAT(refused("backend:cudaMallocAsync"), HasSubstr("native"));
}

TEST(AllocatorConfigText, OptionsOf2_15AreReadOrRefusedByName) {
    constexpr TorchVersion now{2, 15};
    EXPECT_EQ(parsed("throw_on_cudamalloc_oom:True,pinned_free_catch_all:True", now), parsed("", now));
    EXPECT_THAT(refused("throw_on_cudamalloc_oom:True", {2, 11}), HasSubstr("or later"));
    EXPECT_THAT(refused("expandable_segments_reserve:0.5", now), HasSubstr("not simulated"));
    EXPECT_THAT(refused("expandable_segments_reserve_by_class:[a:0.5,b:2G]", now), HasSubstr("leave it out"));
}

TEST(AllocatorConfigText, UnknownAndMalformedOptionsAreNamed) {
    EXPECT_THAT(refused("max_split_size:128"), HasSubstr("did you mean max_split_size_mb?"));
    EXPECT_THAT(refused("color:blue"), HasSubstr("unknown option \"color\""));
    EXPECT_THAT(refused("max_split_size_mb"), HasSubstr("option:value"));
    EXPECT_THAT(refused(":4"), HasSubstr("option:value"));
    EXPECT_THAT(refused("max_split_size_mb:64,,backend:native"), HasSubstr("option:value"));
    EXPECT_THAT(refused(std::string(5000, 'x')), HasSubstr("at most 4096"));
    EXPECT_EQ(refused("a\nb:1").find('\n'), std::string::npos);
}

TEST(AllocatorConfigCheck, RefusesWhatNoTextCouldSay) {
    const auto message = [](const AllocatorConfig& c) {
        const auto status = check(c);
        return status ? std::string() : status.error().message;
    };
    AllocatorConfig c;
    EXPECT_EQ(message(c), "");
    c.maxSplitSize = 19 * kMiB;
    EXPECT_THAT(message(c), HasSubstr("20 MiB or more"));
    c.maxSplitSize = 21 * kMiB + 512;
    EXPECT_THAT(message(c), HasSubstr("whole MiB"));
    c = {};
    c.garbageCollectionThreshold = 1;
    EXPECT_THAT(message(c), HasSubstr("below 1"));
    c = {};
    c.roundupDivisions[3] = 6;
    EXPECT_THAT(message(c), HasSubstr("power of two"));
    c = {};
    c.era = AllocatorEra::Torch1_13;
    c.expandableSegments = true;
    EXPECT_THAT(message(c), HasSubstr("2.1"));
    c.expandableSegments = false;
    c.roundupDivisions[3] = 4;
    EXPECT_THAT(message(c), HasSubstr("2.0"));
    c = {};
    c.roundupBypass = kMiB;
    EXPECT_THAT(message(c), HasSubstr("1.13"));
    c = {};
    c.era = AllocatorEra::Torch2_0;
    c.maxNonSplitRounding = 64 * kMiB;
    EXPECT_THAT(message(c), HasSubstr("2.4"));
    c = {};
    c.largeSegmentSize = 10 * kMiB;
    EXPECT_THAT(message(c), HasSubstr("11 MiB to 16 TiB"));
    c.largeSegmentSize = 32 * kMiB;
    EXPECT_THAT(message(c), HasSubstr("32 MiB or more")) << "the rounding of unsplittable blocks";
    c.maxNonSplitRounding = 32 * kMiB;
    EXPECT_EQ(message(c), "");
    c.era = AllocatorEra::Torch2_0;
    EXPECT_NE(message(c), "");
    c = {};
    c.expandableSegments = true;
    c.largeSegmentSize = 13 * kMiB;
    EXPECT_THAT(message(c), HasSubstr("even numbers"));
    c = {};
    c.memoryFraction = 1.5;
    EXPECT_THAT(message(c), HasSubstr("0 to 1"));
}

TEST(DeviceMemoryCheck, RefusesWhatNoDeviceIs) {
    EXPECT_TRUE(check(DeviceMemory{kMiB, 0, 0}));
    for (const DeviceMemory wrong :
         {DeviceMemory{0, 0, {}}, DeviceMemory{kMiB, kMiB + 1, {}}, DeviceMemory{kMiB, -1, {}},
          DeviceMemory{kMiB, kMiB, -1}, DeviceMemory{(base::Bytes{1} << 44) + 1, kMiB, {}}}) {
        EXPECT_FALSE(check(wrong));
        EXPECT_FALSE(CachingAllocator::create({}, wrong));
    }
}

}  // namespace
}  // namespace highwater::memory
