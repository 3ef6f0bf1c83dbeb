#include "core/engine/device/usable_text.h"

#include <gmock/gmock.h>

#include "core/engine/device/device.h"

namespace highwater::engine {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr int kCuda13 = 13000, kCuda124 = 12040;

TEST(UsableText, anOldDriverIsNamedWithBothVersionsAndTheWayOut) {
    EXPECT_EQ(
        oldDriverText("550.54.14", kCuda124, kCuda13),
        "the NVIDIA driver 550.54.14 supports CUDA 12.4, this LibTorch is built for CUDA 13.0: update the "
        "driver to 580 or newer, or build with a LibTorch for CUDA 12");
    EXPECT_THAT(oldDriverText("", 11080, 12060), AllOf(HasSubstr("the NVIDIA driver supports CUDA 11.8"),
                                                       HasSubstr("update the driver to 525 or newer")));
    EXPECT_THAT(oldDriverText("999.1", kCuda13, 15000), HasSubstr("to one that supports CUDA 15.0"));
}

TEST(UsableText, aMissingDriverIsSaidWithWhatIsNeeded) {
    EXPECT_THAT(noDriverText(kCuda13), AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("580 or newer")));
}

TEST(UsableText, aGpuThatIsNotThereIsSaidWithThoseThatAre) {
    EXPECT_EQ(noSuchGpuText("cuda:3", 1, nullptr), "there is no cuda:3: this program sees one GPU, cuda:0");
    EXPECT_EQ(
        noSuchGpuText("cuda:3", 2, "1,4"),
        "there is no cuda:3: this program sees 2 GPUs, cuda:0 to cuda:1 (CUDA_VISIBLE_DEVICES is \"1,4\")");
    EXPECT_THAT(noGpuText(""), HasSubstr("(CUDA_VISIBLE_DEVICES is \"\")"));
    EXPECT_THAT(noGpuText(nullptr), Not(HasSubstr("CUDA_VISIBLE_DEVICES")));
    EXPECT_THAT(noGpuText("1\n2"), Not(HasSubstr("\n")));
}

TEST(UsableText, missingKernelsAreSaidWithTheArchitecturesThereAre) {
    const std::string config =
        "  - NVCC architecture flags: "
        "-gencode;arch=compute_75,code=sm_75;-gencode;arch=compute_80,code=sm_80;"
        "-gencode;arch=compute_90,code=sm_90a;-gencode;arch=compute_120,code=sm_120;"
        "-gencode;arch=compute_120,code=compute_120\n  - CuDNN 91.9\n";
    EXPECT_EQ(
        noKernelsText("cuda:0", "Tesla V100-SXM2-32GB", 70, config),
        "cuda:0 (Tesla V100-SXM2-32GB) has compute capability 7.0, for which this LibTorch has no kernels: "
        "it has them for 7.5, 8.0, 9.0, 12.0, 12.0 or newer");
    EXPECT_EQ(noKernelsText("cuda:0", "X", 121, "code=what code="),
              "cuda:0 (X) has compute capability 12.1, for which this LibTorch has no kernels");
}

TEST(UsableText, theCpuCanAlwaysBeUsed) {
    EXPECT_EQ(unusable(Device{}), std::nullopt);
    EXPECT_FALSE(deviceIsLost(Device{}));
    EXPECT_FALSE(deviceMemory(Device{}));
    EXPECT_EQ(peakDeviceUsed(Device{}), 0);
    releaseCached(Device{});
}

}  // namespace

}  // namespace highwater::engine
