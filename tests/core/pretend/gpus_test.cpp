#include "core/pretend/gpus.h"

#include <gtest/gtest.h>

#include "core/predict/tables/profile.h"

// The pretended device can be any GPU that has a profile, with its figures.
namespace highwater::pretend {
namespace {

TEST(PretendedGpus, AreThoseOfTheProfiles) {
    const auto profiles = predict::loadProfiles();
    ASSERT_TRUE(profiles) << profiles.error().message;
    ASSERT_FALSE(profiles->empty());
    for (const auto& profile : *profiles) {
        const Gpu* const gpu = findGpu(profile.id);
        ASSERT_NE(gpu, nullptr) << profile.id;
        EXPECT_EQ(gpu->name, profile.name);
        EXPECT_EQ(gpu->capability, profile.architecture) << profile.id;
        EXPECT_EQ(gpu->bytes, static_cast<std::uint64_t>(profile.memory)) << profile.id;
        ASSERT_TRUE(profile.attributes) << profile.id;
        EXPECT_EQ(gpu->multiprocessors, profile.attributes->multiprocessors) << profile.id;
        EXPECT_EQ(gpu->sharedPerBlockOptin, profile.attributes->sharedPerBlockOptIn) << profile.id;
    }
}

TEST(PretendedGpus, HaveTheSharedMemoryOfTheirGeneration) {
    EXPECT_EQ(findGpu("h200")->sharedPerMultiprocessor(), 228 * 1024);
    EXPECT_EQ(findGpu("a100")->sharedPerMultiprocessor(), 164 * 1024);
    EXPECT_EQ(findGpu("rtx3090")->sharedPerMultiprocessor(), 100 * 1024);
    EXPECT_EQ(findGpu("t4")->sharedPerMultiprocessor(), 64 * 1024);
    EXPECT_EQ(findGpu("p100")->sharedPerMultiprocessor(), 64 * 1024);
    EXPECT_EQ(findGpu("gtx1080ti")->sharedPerMultiprocessor(), 96 * 1024);
    EXPECT_EQ(findGpu("gb10")->sharedPerMultiprocessor(), 100 * 1024);
    EXPECT_EQ(findGpu("h20"), nullptr);
}

}  // namespace
}  // namespace highwater::pretend
