#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "core/engine/device/device.h"
#include "core/engine/device/stream_clock.h"
#include "tests/gpu/device/gpu.h"

// What happens if a GPU cannot be used or is lost. The pretended device simulates it: each test needs a
// separate process, with the variable that it names.
using namespace highwater::engine;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

namespace {

bool pretended(const char* variable, const std::string& value) {
    const char* const set = std::getenv(variable);
    return set != nullptr && set == value;
}

#define NEEDS(variable, value)       \
    if (!pretended(variable, value)) \
    GTEST_SKIP() << variable << "=" << value << " and the pretended device are needed"

TEST(Trouble, anOldDriver) {
    NEEDS("HIGHWATER_PRETEND_DRIVER", "12.4");
    EXPECT_THAT(unusable(kGpu),
                Optional(AllOf(HasSubstr("supports CUDA 12.4"), HasSubstr("built for CUDA 13"),
                               HasSubstr("update the driver to 580 or newer"))));
}

TEST(Trouble, noDriver) {
    NEEDS("HIGHWATER_PRETEND_DRIVER", "none");
    EXPECT_THAT(unusable(kGpu), Optional(HasSubstr("this machine has no NVIDIA driver")));
}

TEST(Trouble, noKernels) {
    NEEDS("HIGHWATER_PRETEND_NO_KERNELS", "1");
    EXPECT_THAT(unusable(kGpu), Optional(AllOf(HasSubstr("compute capability"), HasSubstr("no kernels"),
                                               HasSubstr("it has them for"))));
    EXPECT_FALSE(deviceIsLost(kGpu));
}

TEST(Trouble, noSuchGpu) {
    if (const auto why = unusable(kGpu)) {
        GTEST_SKIP() << *why;
    }
    EXPECT_THAT(unusable(Device{true, 63}), Optional(HasSubstr("there is no cuda:63: this program sees ")));
}

TEST(Trouble, aGpuThatIsLostInTheMiddle) {
    NEEDS("HIGHWATER_PRETEND_LOST", "40,719");
    ASSERT_EQ(unusable(kGpu), std::nullopt);
    beginOnDevice(kGpu, std::nullopt);
    {
        const auto clock = makeStreamClock(kGpu, 1);
        at::Tensor held = at::ones({1024}, at::TensorOptions().device(kGpu.torch()));
        std::string text;
        try {
            for (int i = 0; i < 100; ++i) {
                clock->beginStep(true);
                held.add_(1);
                clock->endStep();
                static_cast<void>(clock->take(true));
            }
        } catch (const std::exception& error) {
            text = deviceErrorText(error).value_or(error.what());
            EXPECT_FALSE(isDeviceFull(error));
        }
        EXPECT_THAT(text, HasSubstr("the GPU was lost"));
        EXPECT_TRUE(deviceIsLost(kGpu));
        clock->abandon();
    }
    EXPECT_NO_THROW(deviceMemory(kGpu));
    EXPECT_NO_THROW(peakDeviceUsed(kGpu));
    EXPECT_GT(allocatorNumbers(kGpu).reservedPeak, 0);
    EXPECT_NO_THROW(conditions(kGpu));
    EXPECT_NO_THROW(endOnDevice(kGpu));
    EXPECT_NO_THROW(releaseCached(kGpu));
    EXPECT_THAT(unusable(kGpu), Optional(HasSubstr("only a new process can use it again")));
    EXPECT_EQ(unusable(Device{}), std::nullopt) << "the CPU works on";
}

}  // namespace
