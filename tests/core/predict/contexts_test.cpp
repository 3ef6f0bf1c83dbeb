#include "core/predict/tables/contexts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/predict/tables/profile.h"
#include "tests/core/temporary_folder.h"

namespace highwater::predict {
namespace {

using base::kMiB;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Kept = DeviceProfile::Kept;

constexpr const char* kName = "NVIDIA GeForce RTX 4070";

class Contexts : public ::testing::Test {
protected:
    void SetUp() override { ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1); }
    static DeviceProfile profile(std::string_view id = "rtx4070") { return loadProfile(id).value(); }
    void measure(base::Bytes bytes, std::string_view name = kName) {
        const auto kept = keepMeasuredContext(name, own_.memory, bytes);
        EXPECT_TRUE(kept) << kept.error().message;
    }
    test::TemporaryFolder folder_;
    DeviceProfile own_ = profile();
};

TEST_F(Contexts, OneThatWasGivenCountsUntilItIsForgotten) {
    ASSERT_TRUE(keepGivenContext("rtx4070", 700 * kMiB));
    EXPECT_EQ(profile().context, givenContext(700 * kMiB));
    EXPECT_EQ(profile().contextKept, Kept::Given);
    EXPECT_EQ(profile("rtx4090").contextKept, Kept::No);
    const auto profiles = loadProfiles().value();
    for (const DeviceProfile& each : profiles) {
        EXPECT_EQ(each.contextKept == Kept::Given, each.id == "rtx4070") << each.id;
    }
    measure(400 * kMiB);
    EXPECT_EQ(profile().context.expected, 700 * kMiB) << "the user knows better than a run";
    ASSERT_TRUE(forgetContext("rtx4070"));
    EXPECT_EQ(profile().context, own_.context);
    EXPECT_EQ(profile().contextKept, Kept::No);
}

TEST_F(Contexts, RunsWidenTheRangeThatTheyMeasured) {
    measure(450 * kMiB);
    EXPECT_EQ(profile().context, Estimate::of(450 * kMiB));
    EXPECT_EQ(profile().contextKept, Kept::Measured);
    measure(500 * kMiB);
    measure(470 * kMiB);
    EXPECT_EQ(profile().context, (Estimate{450 * kMiB, 470 * kMiB, 500 * kMiB}));
}

TEST_F(Contexts, NothingIsKeptOfAGpuWithoutAProfileOrOfAPretendedOne) {
    measure(450 * kMiB, "NVIDIA GeForce RTX 4070 Ti");
    measure(450 * kMiB, "NVIDIA GeForce RTX 4070 (pretended device: nothing is executed)");
    EXPECT_FALSE(std::filesystem::exists(contextsFile()));
}

TEST_F(Contexts, WhatCannotBeIsRefused) {
    const auto large = keepGivenContext("rtx4070", own_.memory);
    ASSERT_FALSE(large);
    EXPECT_THAT(large.error().message, AllOf(HasSubstr("leaves nothing of"), HasSubstr("RTX 4070")));
    EXPECT_FALSE(keepGivenContext("rtx0", kMiB));
    ASSERT_TRUE(keepGivenContext("rtx4070", kMiB));
    std::ofstream(contextsFile()) << R"({"schema": "highwater.contexts/1",
        "contexts": {"rtx4070": {"low": 2, "expected": 1, "high": 2, "source": "given"}}})";
    const auto damaged = loadProfile("rtx4070");
    ASSERT_FALSE(damaged);
    EXPECT_THAT(damaged.error().message,
                AllOf(HasSubstr("contexts.json: "), HasSubstr("/contexts/rtx4070"), HasSubstr("low <=")));
}

}  // namespace
}  // namespace highwater::predict
