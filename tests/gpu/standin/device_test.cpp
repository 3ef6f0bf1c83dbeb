#include <cuda.h>
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>

#include "tests/gpu/standin/nvml_abi.h"
#include "tests/gpu/standin/standin_fixture.h"
#include "tests/gpu/standin/work.h"

// The stand-in's device, streams, events, failures and NVML.
namespace highwater::standin {
namespace {

void kernel() {}

cudaError_t launchOne() {
    return cudaLaunchKernel(reinterpret_cast<const void*>(&kernel), dim3(), dim3(), nullptr, 0, nullptr);
}

nvmlDevice_t nvmlDevice() {
    nvmlDevice_t device{};
    EXPECT_EQ(nvml<int()>("nvmlInit_v2")(), kNvmlSuccess);
    EXPECT_EQ((nvml<int(unsigned, nvmlDevice_t*)>("nvmlDeviceGetHandleByIndex_v2")(0, &device)),
              kNvmlSuccess);
    return device;
}

TEST(StandinDevice, IsTheGpuOfItsSettingsAndSaysWhatItIs) {
    inDevice(
        {{"GPU", "v100"}},
        [] {
            cudaDeviceProp properties{};
            EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
            EXPECT_EQ(properties.major * 10 + properties.minor, 70);
            EXPECT_EQ(properties.multiProcessorCount, 80);
            EXPECT_EQ(properties.totalGlobalMem, 34080817152U);
            EXPECT_NE(std::strstr(properties.name, "V100"), nullptr);
            EXPECT_NE(std::strstr(properties.name, "stand-in device: nothing is executed"), nullptr);
            int value = 0;
            EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
            EXPECT_EQ(value, 7);
            EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
            EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
        },
        "stand-in device: nothing is executed: this is no Tesla V100");
}

TEST(StandinDevice, SaysWhichSettingsItCannotUse) {
    const auto count = [] {
        int devices = 0;
        EXPECT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
        EXPECT_EQ(devices, 1);
    };
    inDevice({{"GPU", "h20"}}, count, "HIGHWATER_STANDIN_GPU=h20 is none of h200, h100, .*; h200 is taken");
    inDevice({{"MEMORY", "12GB"}}, count, "HIGHWATER_STANDIN_MEMORY=12GB is not a whole number");
    inDevice({{"DRIVER", "new"}}, count, "HIGHWATER_STANDIN_DRIVER=new is not a version");
    inDevice({{"LOST", "soon"}}, count, "HIGHWATER_STANDIN_LOST=soon is not LAUNCH or LAUNCH,CODE");
}

TEST(StandinDevice, HasNoDriverOrAnOldOneWhenAsked) {
    inDevice({{"DRIVER", "12.4"}}, [] {
        int count = 1;
        int version = 0;
        EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
        EXPECT_EQ(count, 0);
        EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
        EXPECT_EQ(version, 12040);
        void* at = nullptr;
        EXPECT_EQ(cudaMalloc(&at, 1), cudaErrorInsufficientDriver);
        EXPECT_EQ(launchOne(), cudaErrorInsufficientDriver);
    });
    inDevice({{"DRIVER", "none"}}, [] {
        int count = 1;
        EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
        EXPECT_EQ(count, 0);
        EXPECT_EQ(nvml<int()>("nvmlInit_v2")(), kNvmlDriverNotLoaded);
    });
}

TEST(StandinDevice, IsLostAtTheLaunchOfItsSettings) {
    inDevice({{"LOST", "3,700"}}, [] {
        const nvmlDevice_t device = nvmlDevice();
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(launchOne(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        void* at = nullptr;
        EXPECT_EQ(cudaMalloc(&at, 1), cudaErrorIllegalAddress);
        int current = 1;
        EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
        EXPECT_EQ(current, 0);
        unsigned degrees = 0;
        EXPECT_EQ((nvml<int(nvmlDevice_t, int, unsigned*)>("nvmlDeviceGetTemperature")(device, 0, &degrees)),
                  kNvmlGpuIsLost);
    });
}

TEST(StandinDevice, IsLostAndHealedFromInside) {
    inDevice({}, [] {
        EXPECT_EQ(launchOne(), cudaSuccess);
        highwaterStandinLose(2, 719);
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(launchOne(), cudaErrorLaunchFailure);
        highwaterStandinLose(0, 0);
        EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(highwaterStandinLaunches(), 4U);
    });
}

TEST(StandinDevice, HasNoKernelsWhenAsked) {
    inDevice({{"NO_KERNELS", "1"}}, [] {
        EXPECT_EQ(launchOne(), cudaErrorNoKernelImageForDevice);
        cudaFuncAttributes attributes{};
        EXPECT_EQ(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&kernel)),
                  cudaErrorNoKernelImageForDevice);
    });
}

TEST(StandinDevice, TimesEventsByTheHostsClock) {
    inDevice({}, [] {
        cudaEvent_t begin{};
        cudaEvent_t end{};
        float ms = -1;
        EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
        EXPECT_EQ(cudaEventCreateWithFlags(&end, cudaEventBlockingSync), cudaSuccess);
        EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaEventRecord(begin, nullptr), cudaSuccess);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
        EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaSuccess);
        EXPECT_GE(ms, 5);
        EXPECT_EQ(cudaEventDestroy(begin), cudaSuccess);
        EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
    });
}

TEST(StandinDevice, RunsWhatTheHostPutsOnAStream) {
    inDevice({}, [] {
        cudaStream_t stream{};
        EXPECT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2), cudaSuccess);
        int priority = 0;
        EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
        EXPECT_EQ(priority, -2);
        int runs = 0;
        EXPECT_EQ(
            cudaLaunchHostFunc(stream, [](void* data) { ++*static_cast<int*>(data); }, &runs), cudaSuccess);
        EXPECT_EQ(runs, 1);
        EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
        EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    });
}

TEST(StandinDevice, AnswersUnmodelledDriverFunctions) {
    inDevice(
        {{"VERBOSE", "1"}},
        [] {
            void* function = nullptr;
            EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMulticastCreate", &function, 13000, 0, nullptr),
                      cudaSuccess);
            ASSERT_NE(function, nullptr);
            EXPECT_EQ(reinterpret_cast<CUresult (*)()>(function)(), CUDA_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMemCreate", &function, 13000, 0, nullptr),
                      cudaSuccess);
            EXPECT_EQ(function, reinterpret_cast<void*>(&cuMemCreate));
        },
        "stand-in device: driver function cuMulticastCreate is not modelled");
}

TEST(StandinNvml, AgreesWithTheRuntime) {
    inDevice({{"MEMORY", "4294967296"}, {"CONTEXT", "104857600"}, {"OTHERS", "1073741824"}}, [] {
        const nvmlDevice_t device = nvmlDevice();
        auto* memory = nvml<int(nvmlDevice_t, nvmlMemory_t*)>("nvmlDeviceGetMemoryInfo");
        nvmlMemory_t idle{};
        EXPECT_EQ(memory(device, &idle), kNvmlSuccess);
        EXPECT_EQ(idle.used, kGiB);
        void* at = nullptr;
        EXPECT_EQ(cudaMalloc(&at, 3 * kMiB), cudaSuccess);
        std::size_t free = 0;
        std::size_t total = 0;
        EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
        nvmlMemory_t busy{};
        EXPECT_EQ(memory(device, &busy), kNvmlSuccess);
        EXPECT_EQ(busy.free, free);
        EXPECT_EQ(busy.total, total);
        EXPECT_EQ(busy.used, kGiB + 100 * kMiB + 4 * kMiB);
        auto* running = nvml<int(nvmlDevice_t, unsigned*, nvmlProcessInfo_v2_t*)>(
            "nvmlDeviceGetComputeRunningProcesses_v3");
        unsigned count = 0;
        EXPECT_EQ(running(device, &count, nullptr), kNvmlInsufficientSize);
        ASSERT_EQ(count, 2U);
        std::array<nvmlProcessInfo_v2_t, 2> processes{};
        EXPECT_EQ(running(device, &count, processes.data()), kNvmlSuccess);
        EXPECT_EQ(processes[0].usedGpuMemory, kGiB);
        EXPECT_EQ(processes[1].pid, static_cast<unsigned>(getpid()));
        EXPECT_EQ(processes[1].usedGpuMemory, 104 * kMiB);
    });
}

TEST(StandinNvml, FindsTheDeviceByUuidAndBus) {
    inDevice({}, [] {
        const nvmlDevice_t device = nvmlDevice();
        std::array<char, 96> uuid{};
        EXPECT_EQ((nvml<int(nvmlDevice_t, char*, unsigned)>("nvmlDeviceGetUUID")(device, uuid.data(), 96)),
                  kNvmlSuccess);
        EXPECT_EQ((nvml<int(nvmlDevice_t, char*, unsigned)>("nvmlDeviceGetUUID")(device, uuid.data(), 5)),
                  kNvmlInsufficientSize);
        auto* byUuid = nvml<int(const char*, nvmlDevice_t*)>("nvmlDeviceGetHandleByUUID");
        auto* byBus = nvml<int(const char*, nvmlDevice_t*)>("nvmlDeviceGetHandleByPciBusId_v2");
        nvmlDevice_t found{};
        EXPECT_EQ(byUuid(uuid.data(), &found), kNvmlSuccess);
        EXPECT_EQ(found, device);
        EXPECT_EQ(byUuid("GPU-0", &found), kNvmlNotFound);
        std::array<char, 32> bus{};
        EXPECT_EQ(cudaDeviceGetPCIBusId(bus.data(), 32, 0), cudaSuccess);
        EXPECT_EQ(byBus(bus.data(), &found), kNvmlSuccess);
        EXPECT_EQ(byBus("0000:99:00.0", &found), kNvmlNotFound);
        EXPECT_EQ(byBus("here", &found), kNvmlInvalidArgument);
    });
}

TEST(StandinNvml, WantsToBeInitialised) {
    inDevice({}, [] {
        unsigned count = 7;
        auto* devices = nvml<int(unsigned*)>("nvmlDeviceGetCount_v2");
        EXPECT_EQ(devices(&count), kNvmlUninitialized);
        EXPECT_EQ(nvml<int()>("nvmlShutdown")(), kNvmlUninitialized);
        EXPECT_EQ(nvml<int()>("nvmlInit_v2")(), kNvmlSuccess);
        EXPECT_EQ(devices(&count), kNvmlSuccess);
        EXPECT_EQ(count, 1U);
        EXPECT_EQ(nvml<int()>("nvmlShutdown")(), kNvmlSuccess);
        EXPECT_EQ(devices(&count), kNvmlUninitialized);
    });
}

}  // namespace
}  // namespace highwater::standin
