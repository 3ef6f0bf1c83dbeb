#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "core/pretend/abi/device_properties.h"
#include "core/pretend/abi/driver.h"
#include "core/pretend/abi/nvml.h"
#include "core/pretend/abi/runtime.h"
#include "core/pretend/work.h"
#include "tests/core/pretend/fat_binary.h"
#include "tests/core/pretend/pretend_fixture.h"

extern "C" {
void** __cudaRegisterFatBinary(void* binary);
void __cudaRegisterFunction(void** module, const char* function, char*, const char* name, int, void*, void*,
                            void*, void*, int*);
}

// The devices, streams, events, failures and NVML of the pretended device.
namespace highwater::pretend {
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

TEST(PretendedDevice, IsTheGpuOfItsSettingsAndSaysWhatItIs) {
    inDevice(
        {{"GPU", "v100"}},
        [] {
            cudaDeviceProp properties{};
            EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
            EXPECT_EQ(properties.major * 10 + properties.minor, 70);
            EXPECT_EQ(properties.multiProcessorCount, 80);
            EXPECT_EQ(properties.totalGlobalMem, 34080817152U);
            EXPECT_NE(std::strstr(properties.name, "V100"), nullptr);
            EXPECT_NE(std::strstr(properties.name, "pretended device: nothing is executed"), nullptr);
            int value = 0;
            EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
            EXPECT_EQ(value, 7);
            EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
            EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
        },
        "pretended device: nothing is executed: this is no NVIDIA V100 32 GB");
}

TEST(PretendedDevice, CanBeSeveralWithMemoryOfTheirOwn) {
    inDevice({{"DEVICES", "3"}, {"MEMORY", "4294967296"}, {"CONTEXT", "1073741824"}}, [] {
        int number = 0;
        EXPECT_EQ(cudaGetDeviceCount(&number), cudaSuccess);
        EXPECT_EQ(number, 3);
        EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
        EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
        EXPECT_EQ(cudaGetDevice(&number), cudaSuccess);
        EXPECT_EQ(number, 2);
        void* at = nullptr;
        EXPECT_EQ(cudaMalloc(&at, 2 * kGiB), cudaSuccess);
        cudaPointerAttributes attributes{};
        EXPECT_EQ(cudaPointerGetAttributes(&attributes, at), cudaSuccess);
        EXPECT_EQ(attributes.device, 2);
        unsigned flags = 0;
        for (const int device : {0, 1, 2}) {
            EXPECT_EQ(cuDevicePrimaryCtxGetState(device, &flags, &number), CUDA_SUCCESS);
            EXPECT_EQ(number, device == 2 ? 1 : 0) << "device " << device << " has a context";
        }
        std::size_t free = 0;
        std::size_t total = 0;
        EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
        EXPECT_EQ(free, kGiB);
        EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
        EXPECT_EQ(free, 3 * kGiB);
        EXPECT_EQ(cudaFree(at), cudaSuccess) << "from another device";
        EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
        EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
        EXPECT_EQ(free, 3 * kGiB);

        CUmemAllocationProp where{};
        where.location.id = 1;
        CUmemGenericAllocationHandle handle{};
        EXPECT_EQ(cuMemCreate(&handle, kGiB, &where, 0), CUDA_SUCCESS);
        EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
        EXPECT_EQ(free, 3 * kGiB) << "it is on device 1";

        nvmlDevice_t device = nvmlDevice();
        nvmlMemory_t memory{};
        unsigned count = 0;
        EXPECT_EQ(nvml<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count), kNvmlSuccess);
        EXPECT_EQ(count, 3U);
        for (const unsigned index : {0U, 1U, 2U}) {
            EXPECT_EQ((nvml<int(unsigned, nvmlDevice_t*)>("nvmlDeviceGetHandleByIndex_v2")(index, &device)),
                      kNvmlSuccess);
            EXPECT_EQ((nvml<int(nvmlDevice_t, unsigned*)>("nvmlDeviceGetIndex")(device, &count)),
                      kNvmlSuccess);
            EXPECT_EQ(count, index);
            EXPECT_EQ((nvml<int(nvmlDevice_t, nvmlMemory_t*)>("nvmlDeviceGetMemoryInfo")(device, &memory)),
                      kNvmlSuccess);
            const std::size_t used = index == 0 ? 0 : index == 1 ? 2 * kGiB : kGiB;
            EXPECT_EQ(memory.used, used) << "contexts on 1 and 2, and 1 GiB on 1";
        }
    });
}

TEST(PretendedDevice, TellsCuda12AndCuda13TheSameInTheirOwnLayouts) {
    inDevice({{"GPU", "rtx3090"}}, [] {
        cudaDeviceProp of13{};
        cudaDeviceProp12 of12{};
        EXPECT_EQ(cudaGetDeviceProperties(&of13, 0), cudaSuccess);
        EXPECT_EQ(cudaGetDeviceProperties_v2(&of12, 0), cudaSuccess);
        for (const auto& [first, second] :
             {std::pair{of13.multiProcessorCount, of12.multiProcessorCount},
              {of13.l2CacheSize, of12.l2CacheSize},
              {of13.major, of12.major},
              {of13.pciBusID, of12.pciBusID},
              {of13.maxBlocksPerMultiProcessor, of12.maxBlocksPerMultiProcessor},
              {static_cast<int>(of13.sharedMemPerBlockOptin),
               static_cast<int>(of12.sharedMemPerBlockOptin)}}) {
            EXPECT_EQ(first, second);
            EXPECT_NE(second, 0);
        }
        EXPECT_STREQ(of13.name, of12.name);
        EXPECT_EQ(of12.totalGlobalMem, 25436356608U);
        EXPECT_EQ(cudaGetDeviceProperties_v2(&of12, 1), cudaErrorInvalidDevice);
    });
}

TEST(PretendedDevice, WritesOnlyWhatCuda12KnowsOfAPointer) {
    inDevice({}, [] {
        struct {
            cudaPointerAttributes attributes;
            std::array<char, 64> behind;
        } of12{};
        of12.behind.fill(7);
        EXPECT_EQ(cudaPointerGetAttributes(&of12.attributes, &of12), cudaSuccess);
        EXPECT_EQ(of12.attributes.hostPointer, &of12);
        std::array<char, 64> untouched{};
        untouched.fill(7);
        EXPECT_EQ(of12.behind, untouched);
    });
}

TEST(PretendedDevice, IsNotCapturingForCuda12Either) {
    inDevice({}, [] {
        auto status = static_cast<cudaStreamCaptureStatus>(7);
        unsigned long long id = 7;
        std::size_t count = 7;
        EXPECT_EQ(cudaStreamGetCaptureInfo_v2(nullptr, &status, &id, nullptr, nullptr, &count), cudaSuccess);
        EXPECT_EQ(status, cudaStreamCaptureStatusNone);
        EXPECT_EQ(id, 0U);
        EXPECT_EQ(count, 0U);
    });
}

TEST(PretendedDevice, KeepsTheLimitsOfAContext) {
    inDevice({}, [] {
        std::size_t bytes = 0;
        EXPECT_EQ(cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE), CUDA_SUCCESS);
        EXPECT_EQ(bytes, 8 * kMiB);
        EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
        EXPECT_EQ(bytes, 4096U);
        EXPECT_EQ(cuCtxGetLimit(&bytes, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MAX, 1), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
    });
}

TEST(PretendedDevice, SaysWhichSettingsItCannotUse) {
    const auto count = [] {
        int devices = 0;
        EXPECT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
        EXPECT_EQ(devices, 1);
    };
    inDevice({{"GPU", "h20"}}, count,
             "HIGHWATER_PRETEND_GPU=h20 is none of h100, h200, .*, gb10; h200 is used");
    inDevice({{"MEMORY", "12GB"}}, count, "HIGHWATER_PRETEND_MEMORY=12GB is not a whole number");
    inDevice({{"DRIVER", "new"}}, count, "HIGHWATER_PRETEND_DRIVER=new is not a version");
    inDevice({{"LOST", "soon"}}, count, "HIGHWATER_PRETEND_LOST=soon is not LAUNCH or LAUNCH,CODE");
}

TEST(PretendedDevice, HasNoDriverOrAnOldOneWhenAsked) {
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

TEST(PretendedDevice, IsLostAtTheLaunchOfItsSettings) {
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

TEST(PretendedDevice, IsLostAndHealedFromInside) {
    inDevice({}, [] {
        EXPECT_EQ(launchOne(), cudaSuccess);
        highwaterPretendLose(2, 719);
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(launchOne(), cudaErrorLaunchFailure);
        highwaterPretendLose(0, 0);
        EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(highwaterPretendLaunches(), 4U);
    });
}

TEST(PretendedDevice, HasNoKernelsWhenAsked) {
    inDevice({{"NO_KERNELS", "1"}}, [] {
        EXPECT_EQ(launchOne(), cudaErrorNoKernelImageForDevice);
        cudaFuncAttributes attributes{};
        EXPECT_EQ(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&kernel)),
                  cudaErrorNoKernelImageForDevice);
    });
}

TEST(PretendedDevice, RunsOnlyKernelsThatHaveCodeForIt) {
    const auto launch = [](cudaError_t expected) {
        return [expected] {
            static FatBinary binary(std::vector<Image>{{75}, {80}});
            binary.read();
            __cudaRegisterFunction(__cudaRegisterFatBinary(&binary.registered),
                                   reinterpret_cast<const char*>(&kernel), nullptr, "kernel", 0, nullptr,
                                   nullptr, nullptr, nullptr, nullptr);
            EXPECT_EQ(launchOne(), expected);
            EXPECT_EQ(launchOne(), expected);
            cudaFuncAttributes attributes{};
            EXPECT_EQ(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&kernel)), expected);
        };
    };
    inDevice({{"GPU", "t4"}}, launch(cudaSuccess));
    inDevice({{"GPU", "v100"}}, launch(cudaErrorNoKernelImageForDevice),
             "no code for the GPU, which is sm_70: it was built for sm_75, sm_80");
}

TEST(PretendedDevice, IsTheGpuOfItsSettingsAtItsFirstUse) {
    inDevice({{"GPU", "t4"}}, [] {
        static FatBinary binary(std::vector<Image>{{75}});
        binary.read();
        __cudaRegisterFatBinary(&binary.registered);  // as libraries do when they are loaded
        setenv("HIGHWATER_PRETEND_GPU", "h100", 1);
        int major = 0;
        EXPECT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
        EXPECT_EQ(major, 9);
    });
}

TEST(PretendedDevice, TimesEventsByItsOwnClock) {
    inDevice({}, [] {
        cudaEvent_t begin{};
        cudaEvent_t end{};
        float ms = -1;
        EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
        EXPECT_EQ(cudaEventCreateWithFlags(&end, cudaEventBlockingSync), cudaSuccess);
        EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaEventRecord(begin, nullptr), cudaSuccess);
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(launchOne(), cudaSuccess);
        EXPECT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
        EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaSuccess);
        EXPECT_EQ(ms, 2) << "a launch takes a millisecond of the device's own clock";
        EXPECT_EQ(cudaEventDestroy(begin), cudaSuccess);
        EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
    });
}

TEST(PretendedDevice, RunsWhatTheHostPutsOnAStream) {
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

TEST(PretendedDevice, AnswersUnmodeledDriverFunctions) {
    inDevice(
        {{"VERBOSE", "1"}},
        [] {
            void* function = nullptr;
            EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMulticastCreate", &function, 13000, 0, nullptr),
                      cudaSuccess);
            ASSERT_NE(function, nullptr);
            EXPECT_EQ(reinterpret_cast<CUresult (*)()>(function)(), CUDA_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuGraphAddNode", &function, 13000, 0, nullptr),
                      cudaSuccess);
            ASSERT_NE(function, nullptr);
            EXPECT_EQ(reinterpret_cast<CUresult (*)()>(function)(), CUDA_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMemCreate", &function, 13000, 0, nullptr),
                      cudaSuccess);
            EXPECT_EQ(function, reinterpret_cast<void*>(&cuMemCreate));
            function = nullptr;
            EXPECT_EQ(cudaGetDriverEntryPoint("cuMemCreate", &function, 0, nullptr), cudaSuccess);
            EXPECT_EQ(function, reinterpret_cast<void*>(&cuMemCreate));
        },
        "pretended device: cuMulticastCreate is not modeled: not supported\n"
        "pretended device: driver function cuGraphAddNode is not modeled\n");
}

TEST(PretendedNvml, AgreesWithTheRuntime) {
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

TEST(PretendedNvml, FindsTheDeviceByUuidAndBus) {
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

TEST(PretendedNvml, WantsToBeInitialized) {
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
}  // namespace highwater::pretend
