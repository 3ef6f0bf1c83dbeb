#include "core/devices/devices.h"

#include <gmock/gmock.h>

#include "tests/core/nvml/environment.h"

namespace highwater::devices {
namespace {

using nvml::Environment;
using testing::HasSubstr;

const predict::EngineVersions kForCuda{"2.11.0", "3.7.1", "13.0", "9.19.0"};
const predict::EngineVersions kForCpu{"1.13.1", "2.6.3", "", ""};

TEST(GpusHere, AreDescribedForRuns) {
    const Environment environment({{"FAKE_NVML_OTHERS", "2"}});
    const GpusHere here = gpusHere(kForCuda);
    EXPECT_EQ(here.none, "");
    EXPECT_EQ(here.driver, "580.159.03");
    EXPECT_EQ(here.driverCuda, "13.0");
    EXPECT_EQ(here.engineCuda, "13.0");
    ASSERT_EQ(here.gpus.size(), 2U);
    EXPECT_EQ(here.gpus[0].id, "cuda:0");
    EXPECT_EQ(here.gpus[0].profile, "h200");
    EXPECT_EQ(here.gpus[0].whyNot, "");
    EXPECT_EQ(here.gpus[1].id, "cuda:1");
    EXPECT_EQ(here.gpus[1].profile, "rtx4090");
    ASSERT_TRUE(here.gpus[1].use);
    EXPECT_EQ(here.gpus[1].use->used, base::kGiB);
    EXPECT_EQ(here.gpus[1].use->otherProcesses, 2);
}

TEST(GpusHere, WithoutADriverSayWhy) {
    const Environment environment({}, "libhighwater-none.so.1");
    const GpusHere here = gpusHere(kForCuda);
    EXPECT_TRUE(here.gpus.empty());
    EXPECT_EQ(
        here.none,
        "no NVIDIA driver here: libhighwater-none.so.1, which NVIDIA's driver brings, is not installed");
    EXPECT_EQ(here.engineCuda, "13.0");
}

TEST(GpusHere, WithoutGpusSayWhy) {
    const Environment environment({{"FAKE_NVML_COUNT", "0"}});
    const GpusHere here = gpusHere(kForCuda);
    EXPECT_TRUE(here.gpus.empty());
    EXPECT_THAT(here.none, HasSubstr("no GPU"));
}

TEST(GpusHere, AnEngineForTheCpuUsesNone) {
    const Environment environment({});
    for (const GpuHere& gpu : gpusHere(kForCpu).gpus) {
        EXPECT_THAT(gpu.whyNot, HasSubstr("built for the CPU only"));
    }
    for (const GpuHere& gpu : gpusHere(base::Error{"highwater-engine is not installed"}).gpus) {
        EXPECT_EQ(gpu.whyNot, "highwater-engine is not installed");
    }
    EXPECT_EQ(gpusHere(base::Error{"no engine"}).noEngine, "no engine");
    EXPECT_EQ(gpusHere(kForCpu).noEngine, "");
}

TEST(GpusHere, FollowCudaVisibleDevices) {
    const Environment environment({{"CUDA_VISIBLE_DEVICES", "1"}});
    const GpusHere here = gpusHere(kForCuda);
    ASSERT_EQ(here.gpus.size(), 2U);
    EXPECT_EQ(here.gpus[0].id, "");
    EXPECT_THAT(here.gpus[0].whyNot, HasSubstr("CUDA_VISIBLE_DEVICES"));
    EXPECT_EQ(here.gpus[1].id, "cuda:0");
    EXPECT_EQ(here.gpus[1].whyNot, "");
}

TEST(GpusHere, OneThatIsLostIsNoRuns) {
    const Environment environment({{"FAKE_NVML_FAIL", "nvmlDeviceGetHandleByIndex/0=15"}});
    const GpusHere here = gpusHere(kForCuda);
    ASSERT_EQ(here.gpus.size(), 2U);
    EXPECT_EQ(here.gpus[0].id, "");
    EXPECT_THAT(here.gpus[0].whyNot, HasSubstr("fallen off the bus"));
    EXPECT_FALSE(here.gpus[0].use);
    EXPECT_EQ(here.gpus[1].id, "cuda:0");
}

TEST(Obstacle, ADriverOlderThanTheEnginesCuda) {
    nvml::Gpu gpu;
    gpu.architecture = 90;
    EXPECT_EQ(obstacle("13.0", "13.0", gpu), "");
    EXPECT_EQ(obstacle("13.1", "13.0", gpu), "") << "minor versions go together";
    EXPECT_EQ(obstacle("12.8", "13.0", gpu), "");
    EXPECT_THAT(obstacle("13.0", "12.8", gpu), HasSubstr("update the driver"));
    EXPECT_EQ(obstacle("13.0", "", gpu), "") << "not known";
}

TEST(Obstacle, AGpuOlderThanTheEnginesCuda) {
    nvml::Gpu volta;
    volta.architecture = 70;
    EXPECT_THAT(obstacle("13.0", "13.0", volta), HasSubstr("compute capability 7.0"));
    EXPECT_EQ(obstacle("12.8", "13.0", volta), "");
    volta.architecture = 0;
    EXPECT_EQ(obstacle("13.0", "13.0", volta), "") << "not known";
}

}  // namespace
}  // namespace highwater::devices
