#include <gmock/gmock.h>

#include "core/nvml/nvml.h"
#include "tests/core/nvml/environment.h"

namespace highwater::nvml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> throttledBy(const char* reasons) {
    const Environment environment({{"FAKE_NVML_REASONS", reasons}});
    const auto now = conditions(kFirst);
    return now ? now->throttled : std::vector{now.error().message};
}

TEST(Conditions, OfAGpu) {
    const Environment environment({});
    const auto now = conditions(kFirst);
    ASSERT_TRUE(now) << now.error().message;
    EXPECT_EQ(now->smClockMHz, 1755);
    EXPECT_EQ(now->memoryClockMHz, 3201);
    EXPECT_EQ(now->maxSmClockMHz, 1980);
    EXPECT_EQ(now->temperatureC, 62);
    EXPECT_DOUBLE_EQ(now->powerW, 412.5);
    EXPECT_THAT(now->throttled, IsEmpty());
}

TEST(Conditions, FromAnOldDriver) {
    const Environment environment({}, FAKE_NVML_BEFORE);
    const auto now = conditions(kFirst);
    ASSERT_TRUE(now) << now.error().message;
    EXPECT_EQ(now->smClockMHz, 1755);
    EXPECT_EQ(now->temperatureC, 61);
    EXPECT_THAT(now->throttled, IsEmpty());
}

TEST(Conditions, WhatIsNotGivenIsZero) {
    const Environment environment(
        {{"FAKE_NVML_REASONS", "4"},
         {"FAKE_NVML_FAIL",
          "nvmlDeviceGetClockInfo=3,nvmlDeviceGetMaxClockInfo=3,nvmlDeviceGetTemperature=3,"
          "nvmlDeviceGetTemperatureV=13,nvmlDeviceGetPowerUsage=3,nvmlDeviceGetCurrentClocksEventReasons="
          "3"}});
    const auto now = conditions(kFirst);
    ASSERT_TRUE(now) << now.error().message;
    EXPECT_EQ(now->smClockMHz, 0);
    EXPECT_EQ(now->memoryClockMHz, 0);
    EXPECT_EQ(now->maxSmClockMHz, 0);
    EXPECT_EQ(now->temperatureC, 0);
    EXPECT_EQ(now->powerW, 0);
    EXPECT_THAT(now->throttled, IsEmpty());
}

TEST(Conditions, WhatHoldsTheClocksDown) {
    EXPECT_THAT(throttledBy("0"), IsEmpty());
    EXPECT_THAT(throttledBy("1"), IsEmpty()) << "idle is not a throttling";
    EXPECT_THAT(throttledBy("0x4"), ElementsAre("power cap"));
    EXPECT_THAT(throttledBy("0x20"), ElementsAre("thermal"));
    EXPECT_THAT(throttledBy("0x60"), ElementsAre("thermal"));
    EXPECT_THAT(throttledBy("0x48"), ElementsAre("thermal")) << "the slowdown is the thermal one";
    EXPECT_THAT(throttledBy("0x88"), ElementsAre("power brake"));
    EXPECT_THAT(throttledBy("0x8"), ElementsAre("hardware slowdown"));
    EXPECT_THAT(throttledBy("0x26"), ElementsAre("power cap", "thermal", "clock setting"));
    EXPECT_THAT(throttledBy("0x711"),
                ElementsAre("sync boost", "display clocks", "board limit", "reliability"));
    EXPECT_THAT(throttledBy("0x1804"), ElementsAre("power cap", "reason 0x1800"));
}

TEST(Conditions, OfAGpuThatIsLost) {
    const Environment environment({{"FAKE_NVML_FAIL", "nvmlDeviceGetPowerUsage=15"}});
    const auto now = conditions(kFirst);
    ASSERT_FALSE(now);
    EXPECT_THAT(now.error().message, HasSubstr("fallen off the bus"));
}

TEST(Conditions, OfNoGpu) {
    const Environment environment({});
    EXPECT_FALSE(conditions("GPU-0"));
}

}  // namespace
}  // namespace highwater::nvml
