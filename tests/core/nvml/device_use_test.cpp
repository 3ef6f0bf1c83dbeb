#include <gmock/gmock.h>
#include <unistd.h>

#include "core/nvml/nvml.h"
#include "tests/core/nvml/environment.h"

namespace highwater::nvml {
namespace {

using base::kGiB;
using base::kMiB;
using testing::HasSubstr;

TEST(DeviceUse, SumsToTheDevice) {
    const Environment environment({});
    const auto use = deviceUse(kSecond);
    ASSERT_TRUE(use) << use.error().message;
    EXPECT_EQ(use->total, 24564 * kMiB);
    EXPECT_EQ(use->used, kGiB);
    EXPECT_EQ(use->reservedByDriver, 512 * kMiB);
    EXPECT_EQ(use->used + use->free + use->reservedByDriver, use->total);
    EXPECT_FALSE(use->process.has_value());
    EXPECT_EQ(use->otherProcesses, 0);
}

TEST(DeviceUse, AnOlderDriverCountsItsOwnAsUsed) {
    const Environment environment({{"FAKE_NVML_OWN", "5000"}, {"FAKE_NVML_OTHERS", "3"}}, FAKE_NVML_BEFORE);
    const auto use = deviceUse(kSecond);
    ASSERT_TRUE(use) << use.error().message;
    EXPECT_EQ(use->used, kGiB + 512 * kMiB);
    EXPECT_EQ(use->reservedByDriver, 0);
    EXPECT_EQ(use->used + use->free, use->total);
    EXPECT_EQ(use->process, 5000);
    EXPECT_EQ(use->otherProcesses, 3);
}

TEST(DeviceUse, AsksTheOlderFunctionWhereTheDriverDoesNotKnowTheNewer) {
    const Environment environment({{"FAKE_NVML_FAIL", "nvmlDeviceGetMemoryInfo_v2=13"}});
    const auto use = deviceUse(kFirst);
    ASSERT_TRUE(use) << use.error().message;
    EXPECT_EQ(use->used, kGiB + 512 * kMiB);
}

TEST(DeviceUse, ThisProcessAmongOthers) {
    for (const char* others : {"0", "1", "2", "15", "16", "40", "400"}) {
        const Environment environment({{"FAKE_NVML_OWN", "123456789"}, {"FAKE_NVML_OTHERS", others}});
        const auto use = deviceUse(kFirst);
        ASSERT_TRUE(use) << use.error().message;
        EXPECT_EQ(use->process, 123456789) << others;
        EXPECT_EQ(use->otherProcesses, std::stoi(others));
    }
}

TEST(DeviceUse, ProcessesOfTheDriversThatWriteMore) {
    for (const char* others : {"0", "1", "2", "15"}) {
        const Environment environment(
            {{"FAKE_NVML_OWN", "123456789"}, {"FAKE_NVML_OTHERS", others}, {"FAKE_NVML_WIDE", "1"}});
        const auto use = deviceUse(kFirst);
        ASSERT_TRUE(use) << use.error().message;
        EXPECT_EQ(use->process, 123456789) << others;
        EXPECT_EQ(use->otherProcesses, std::stoi(others));
    }
}

TEST(DeviceUse, AnotherProcess) {
    const Environment environment({{"FAKE_NVML_OWN", "5000"}, {"FAKE_NVML_OTHERS", "2"}});
    const auto use = deviceUse(kFirst, 1000001);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->process, 100 * kMiB);
    EXPECT_EQ(use->otherProcesses, 2);
}

TEST(DeviceUse, AShareThatIsNotGiven) {
    for (const char* own : {"unknown", "9000000000000000"}) {  // the latter is more than the device has
        const Environment environment({{"FAKE_NVML_OWN", own}, {"FAKE_NVML_OTHERS", "1"}});
        const auto use = deviceUse(kFirst);
        ASSERT_TRUE(use);
        EXPECT_FALSE(use->process.has_value()) << own;
        EXPECT_EQ(use->otherProcesses, 1);
    }
}

TEST(DeviceUse, ProcessesThatMayNotBeListed) {
    const Environment environment({{"FAKE_NVML_OWN", "5000"},
                                   {"FAKE_NVML_OTHERS", "1"},
                                   {"FAKE_NVML_FAIL",
                                    "nvmlDeviceGetComputeRunningProcesses=4,"
                                    "nvmlDeviceGetGraphicsRunningProcesses=3"}});
    const auto use = deviceUse(kFirst);
    ASSERT_TRUE(use) << use.error().message;
    EXPECT_FALSE(use->process.has_value());
    EXPECT_EQ(use->otherProcesses, 0);
}

TEST(DeviceUse, MoreListedThanAnyoneHas) {
    const Environment environment({{"FAKE_NVML_OTHERS", "4000000000"}});
    const auto use = deviceUse(kFirst);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->otherProcesses, 0);
}

TEST(DeviceUse, NamesOfAGpu) {
    const Environment environment({});
    for (const char* name : {kSecond, "22222222-aaaa-bbbb-cccc-000000000002", "00000000:CA:00.0",
                             "0000:CA:00.0", "0000:ca:00.0"}) {
        const auto use = deviceUse(name);
        ASSERT_TRUE(use) << name << use.error().message;
        EXPECT_EQ(use->total, 24564 * kMiB);
    }
    for (const char* name : {"", "GPU-", "cuda:0", "0000:17", "nobody", "\n\n"}) {
        const auto use = deviceUse(name);
        ASSERT_FALSE(use) << name;
        EXPECT_THAT(use.error().message, HasSubstr("there is no GPU"));
        EXPECT_EQ(use.error().message.find('\n'), std::string::npos);
    }
}

TEST(DeviceUse, AGpuThatIsLost) {
    const Environment environment(
        {{"FAKE_NVML_FAIL", "nvmlDeviceGetMemoryInfo=15,nvmlDeviceGetMemoryInfo_v2=15"}});
    const auto use = deviceUse(kFirst);
    ASSERT_FALSE(use);
    EXPECT_EQ(use.error().message,
              std::string("GPU ") + kFirst + ": it has fallen off the bus; restart the machine");
}

}  // namespace
}  // namespace highwater::nvml
