#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "core/nvml/nvml.h"
#include "tests/core/nvml/environment.h"

namespace highwater::nvml {
namespace {

using testing::HasSubstr;

TEST(Nvml, ListsTheGpus) {
    const Environment environment({});
    EXPECT_TRUE(available()) << whyNot();
    EXPECT_EQ(whyNot(), "");
    EXPECT_EQ(driverVersion(), "580.159.03");
    EXPECT_EQ(cudaVersion(), "13.0");
    const auto list = gpus();
    ASSERT_TRUE(list) << list.error().message;
    ASSERT_EQ(list->size(), 2U);
    EXPECT_EQ((*list)[0], (Gpu{0, "NVIDIA H200", kFirst, "00000000:17:00.0", 143771 * base::kMiB, 90, ""}));
    EXPECT_EQ((*list)[1],
              (Gpu{1, "NVIDIA GeForce RTX 4090", kSecond, "00000000:CA:00.0", 24564 * base::kMiB, 89, ""}));
}

TEST(Nvml, AnOldDriverGivesWhatItHas) {
    const Environment environment({}, FAKE_NVML_BEFORE);
    EXPECT_EQ(cudaVersion(), "");
    const auto list = gpus();
    ASSERT_TRUE(list) << list.error().message;
    ASSERT_EQ(list->size(), 2U);
    EXPECT_EQ((*list)[1],
              (Gpu{1, "NVIDIA GeForce RTX 4090", kSecond, "0000:CA:00.0", 24564 * base::kMiB, 0, ""}));
}

TEST(Nvml, WithoutALibrarySaysSo) {
    const Environment environment({}, "libhighwater-none.so.1");
    EXPECT_FALSE(available());
    EXPECT_EQ(whyNot(), "libhighwater-none.so.1, which NVIDIA's driver brings, is not installed");
    EXPECT_EQ(driverVersion(), "");
    EXPECT_EQ(cudaVersion(), "");
    EXPECT_EQ(gpus().error().message, whyNot());
    EXPECT_EQ(deviceUse(kFirst).error().message, whyNot());
    EXPECT_EQ(conditions(kFirst).error().message, whyNot());
}

TEST(Nvml, AFileThatIsNoLibrary) {
    const Environment environment({}, HIGHWATER_SOURCE_DIR "/README.md");
    EXPECT_FALSE(available());
    EXPECT_THAT(whyNot(), HasSubstr("cannot be loaded"));
}

TEST(Nvml, ALibraryOfAnotherKind) {
    const Environment environment({}, "libm.so.6");
    EXPECT_FALSE(available());
    EXPECT_THAT(whyNot(), HasSubstr("too old, or not NVIDIA's"));
}

TEST(Nvml, ADriverThatIsNotLoadedAndThenIs) {
    // Another spelling of the path, so that no other test has initialized it.
    const std::string path = std::string(FAKE_NVML).insert(std::string(FAKE_NVML).rfind('/'), "/.");
    {
        const Environment environment({{"FAKE_NVML_FAIL", "nvmlInit=9"}}, path.c_str());
        EXPECT_FALSE(available());
        EXPECT_EQ(whyNot(), "NVIDIA's driver is installed but not loaded");
    }
    {
        const Environment environment({{"FAKE_NVML_FAIL", "nvmlInit=18"}}, path.c_str());
        EXPECT_THAT(whyNot(), HasSubstr("restart the machine"));
    }
    {
        const Environment environment({{"FAKE_NVML_FAIL", "nvmlInit=999"}}, path.c_str());
        EXPECT_THAT(whyNot(), HasSubstr("Unknown Error"));
    }
    const Environment environment({}, path.c_str());
    EXPECT_TRUE(available()) << whyNot();
}

TEST(Nvml, ADriverWithoutGpus) {
    const Environment environment({{"FAKE_NVML_COUNT", "0"}});
    const auto list = gpus();
    ASSERT_TRUE(list);
    EXPECT_TRUE(list->empty());
    EXPECT_TRUE(available());
}

TEST(Nvml, AGpuThatIsLostIsListedWithItsProblem) {
    const Environment environment({{"FAKE_NVML_FAIL", "nvmlDeviceGetHandleByIndex/0=15"}});
    const auto list = gpus();
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 2U);
    EXPECT_THAT((*list)[0].problem, HasSubstr("fallen off the bus"));
    EXPECT_EQ((*list)[1].problem, "");
    EXPECT_EQ(visibleToCuda(*list, {}).front().uuid, kSecond);
}

TEST(Nvml, AGpuOfAnotherContainerIsNotListed) {
    const Environment environment({{"FAKE_NVML_FAIL", "nvmlDeviceGetHandleByIndex/0=4"}});
    const auto list = gpus();
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 1U);
    EXPECT_EQ(list->front().index, 1);
}

TEST(Nvml, WhatTheDriverDoesNotGiveIsEmpty) {
    const Environment environment({{"FAKE_NVML_FAIL",
                                    "nvmlDeviceGetUUID=3,nvmlDeviceGetName=999,nvmlDeviceGetPciInfo=3,"
                                    "nvmlDeviceGetCudaComputeCapability=13,nvmlDeviceGetMemoryInfo=3"}});
    const auto list = gpus();
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 2U);
    EXPECT_EQ((*list)[1], (Gpu{1, "", "", "", 0, 0, ""}));
}

TEST(Nvml, FromManyThreadsAtOnce) {
    const Environment environment({{"FAKE_NVML_OWN", "4096"}});
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&good] {
            for (int j = 0; j < 200; ++j) {
                good += gpus().ok() && deviceUse(kSecond).ok() && conditions("0000:17:00.0").ok() ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(good, 8 * 200);
}

}  // namespace
}  // namespace highwater::nvml
