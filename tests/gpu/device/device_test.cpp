#include "core/engine/device/device.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <gmock/gmock.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "core/engine/device/cuda_device.h"
#include "core/nvml/nvml.h"
#include "tests/gpu/device/gpu.h"

// On a GPU, or on the pretended device, whose memory is real to the allocator and whose kernels do nothing.
using namespace highwater;
using namespace highwater::engine;
using base::kMiB;
using testing::HasSubstr;
using testing::Not;

namespace {

at::Tensor bytesOn(Bytes bytes) {
    return at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(kGpu.torch()));
}

Bytes reserved() {
    return c10::cuda::CUDACachingAllocator::getDeviceStats(0).reserved_bytes[0].current;
}

/// The result of deviceMemory() after the driver has been asked again.
std::optional<wire::DeviceMemory> memoryNow() {
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    return deviceMemory(kGpu);
}

void expectWithinOnePercent(Bytes value, Bytes of) {
    EXPECT_NEAR(static_cast<double>(value), static_cast<double>(of), 0.01 * static_cast<double>(of));
}

/// The memory that nvidia-smi shows as used; nothing if there is no nvidia-smi.
std::optional<Bytes> usedBySmi() {
    const std::string command = "nvidia-smi -i " + nvmlNameOf(kGpu) +
                                " --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
    long long mib = 0;
    if (!pipe || std::fscanf(pipe.get(), "%lld", &mib) != 1) {
        return std::nullopt;
    }
    return mib * kMiB;
}

struct OnGpu : testing::Test {
    void SetUp() override {
        if (const auto why = unusable(kGpu)) {
            GTEST_SKIP() << *why;
        }
        beginOnDevice(kGpu, std::nullopt);
        releaseCached(kGpu);
    }
    void TearDown() override {
        if (!IsSkipped()) {
            endOnDevice(kGpu);
            releaseCached(kGpu);
        }
    }
};

TEST_F(OnGpu, isDescribed) {
    wire::Environment environment;
    describe(kGpu, environment);
    EXPECT_THAT(environment.deviceName, Not(testing::IsEmpty()));
    EXPECT_GE(environment.architecture, 50);
    EXPECT_GT(environment.memoryBytes, 1024 * kMiB);
    EXPECT_THAT(environment.versions["cuda"], testing::MatchesRegex("[0-9]+\\.[0-9]+"));
    EXPECT_THAT(environment.versions["cudnn"], testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+|none"));
    EXPECT_THAT(environment.versions["driver"], Not(testing::IsEmpty()));
}

TEST_F(OnGpu, thePartsOfTheMemoryAreExact) {
    releaseCached(kGpu);
    const auto before = memoryNow();
    ASSERT_TRUE(before);
    const at::Tensor small = bytesOn(100), large = bytesOn(30 * kMiB), dropped = bytesOn(50 * kMiB);
    at::Tensor middle = bytesOn(5 * kMiB);  // a segment of 20 MiB, the rest of it split off
    {
        const at::Tensor alsoDropped = bytesOn(200 * kMiB);
    }
    const auto after = memoryNow();
    ASSERT_TRUE(after);
    EXPECT_EQ(after->tensors - before->tensors, 100 + 85 * kMiB);
    EXPECT_EQ(after->rounding - before->rounding, 412);
    EXPECT_EQ(after->cache - before->cache, 200 * kMiB);
    EXPECT_EQ(after->split - before->split, 15 * kMiB + 2 * kMiB - 512);
    EXPECT_EQ(after->reserved(), reserved());
    EXPECT_EQ(after->capacity, gpuOf(kGpu).memory);
}

TEST_F(OnGpu, thePartsSumToWhatTheDriverShows) {
    const at::Tensor held = bytesOn(512 * kMiB);
    const auto memory = memoryNow();
    ASSERT_TRUE(memory);
    EXPECT_GE(memory->context, 0);
    EXPECT_GE(memory->others, 0);
    if (const auto use = nvml::deviceUse(nvmlNameOf(kGpu))) {
        expectWithinOnePercent(memory->used(), use->used);
        if (use->process) {
            EXPECT_TRUE(memory->contextKnown);
            expectWithinOnePercent(memory->reserved() + memory->context, *use->process);
        }
    }
    if (const auto used = usedBySmi()) {
        expectWithinOnePercent(memory->used(), *used);
    }
}

TEST_F(OnGpu, theDriverIsNotAskedEachTimeButTheTensorsAreExact) {
    ASSERT_TRUE(memoryNow());
    for (int i = 1; i < 50; ++i) {
        const auto before = deviceMemory(kGpu);
        const at::Tensor held = bytesOn(i * kMiB);
        const auto after = deviceMemory(kGpu);
        ASSERT_TRUE(before && after);
        ASSERT_EQ(after->tensors - before->tensors, i * kMiB);
        ASSERT_EQ(after->reserved(), reserved());
    }
}

TEST_F(OnGpu, thePeakOfTheWholeDeviceIsKept) {
    Bytes high = 0;
    {
        const at::Tensor held = bytesOn(600 * kMiB);
        high = memoryNow()->used();
    }
    releaseCached(kGpu);
    EXPECT_LT(memoryNow()->used(), high);
    EXPECT_GE(peakDeviceUsed(kGpu), high);
    beginOnDevice(kGpu, std::nullopt);
    EXPECT_LT(peakDeviceUsed(kGpu), high) << "begins anew";
}

TEST_F(OnGpu, aBudgetIsExact) {
    const Bytes room = 40 * kMiB;  // in a separate segment
    for (const Bytes missing : {0, 1}) {
        releaseCached(kGpu);
        beginOnDevice(kGpu, reserved() + room - missing);
        if (missing > 0) {
            EXPECT_THROW(bytesOn(room), c10::OutOfMemoryError);
        } else {
            const at::Tensor held = bytesOn(room);
            EXPECT_EQ(allocatorNumbers(kGpu).reservedPeak, reserved());
            EXPECT_THROW(bytesOn(12 * kMiB), c10::OutOfMemoryError);
        }
        EXPECT_FALSE(deviceIsLost(kGpu));
    }
    endOnDevice(kGpu);
    EXPECT_NO_THROW(bytesOn(2 * room)) << "the limit is lifted";
}

TEST_F(OnGpu, theNumbersOfTheAllocatorBeginAnew) {
    {
        const at::Tensor held = bytesOn(300 * kMiB);
    }
    releaseCached(kGpu);
    const Bytes base = reserved();
    beginOnDevice(kGpu, base + 60 * kMiB);
    EXPECT_EQ(allocatorNumbers(kGpu).reservedPeak, base);
    EXPECT_EQ(allocatorNumbers(kGpu).retries, 0);
    {
        const at::Tensor held = bytesOn(40 * kMiB);
    }
    {
        const at::Tensor held = bytesOn(50 * kMiB);
    }  // over the budget until the cache is emptied
    EXPECT_EQ(allocatorNumbers(kGpu).reservedPeak, base + 50 * kMiB);
    EXPECT_EQ(allocatorNumbers(kGpu).retries, 1);
}

TEST_F(OnGpu, allThatIsCachedIsGivenBack) {
    {
        const auto options = at::TensorOptions().device(kGpu.torch());
        const at::Tensor a = at::ones({64, 64}, options);
        const at::Tensor b = at::mm(a, a);  // cuBLAS allocates a workspace and keeps it
        EXPECT_GT(reserved(), 0);
    }
    releaseCached(kGpu);
    EXPECT_EQ(reserved(), 0);
}

TEST_F(OnGpu, itsConditionsAreKnownWhereTheDriverGivesThem) {
    const auto now = conditions(kGpu);
    if (!now) {
        GTEST_SKIP() << "the driver gives none: " << nvml::whyNot();
    }
    EXPECT_GT(now->smClockMHz, 0);
    EXPECT_GE(now->maxSmClockMHz, now->smClockMHz);
    EXPECT_GT(now->temperatureC, 0);
}

TEST_F(OnGpu, itsGeneratorIsTheDevices) {
    EXPECT_EQ(defaultGenerator(kGpu).device(), kGpu.torch());
    EXPECT_EQ(defaultGenerator(Device{}).device(), c10::Device(c10::kCPU));
}

}  // namespace
