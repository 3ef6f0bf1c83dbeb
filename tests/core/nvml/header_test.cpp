// Compares core/nvml/api.h with NVIDIA's own header if it is available, mostly at compile time.
#include <gtest/gtest.h>

#if __has_include(<nvml.h>)
#include <nvml.h>

#include <cstddef>
#include <type_traits>

#include "core/nvml/api.h"

namespace highwater::nvml::api {
namespace {

static_assert(sizeof(Return) == sizeof(nvmlReturn_t) && sizeof(Device) == sizeof(nvmlDevice_t));
static_assert(kSuccess == NVML_SUCCESS && kNotSupported == NVML_ERROR_NOT_SUPPORTED);
static_assert(kNoPermission == NVML_ERROR_NO_PERMISSION && kNotFound == NVML_ERROR_NOT_FOUND);
static_assert(kInsufficientSize == NVML_ERROR_INSUFFICIENT_SIZE);
static_assert(kDriverNotLoaded == NVML_ERROR_DRIVER_NOT_LOADED);
static_assert(kFunctionNotFound == NVML_ERROR_FUNCTION_NOT_FOUND && kGpuIsLost == NVML_ERROR_GPU_IS_LOST);
static_assert(kResetRequired == NVML_ERROR_RESET_REQUIRED);
static_assert(kVersionMismatch == NVML_ERROR_LIB_RM_VERSION_MISMATCH);
static_assert(kGpuNotFound == 28);  // newer than many an nvml.h
static_assert(kClockSm == NVML_CLOCK_SM && kClockMemory == NVML_CLOCK_MEM);
static_assert(kTemperatureOfGpu == NVML_TEMPERATURE_GPU);
static_assert(kTextSize >= NVML_DEVICE_NAME_V2_BUFFER_SIZE && kTextSize >= NVML_DEVICE_UUID_V2_BUFFER_SIZE &&
              kTextSize >= NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);

static_assert(sizeof(Memory) == sizeof(nvmlMemory_t));
static_assert(offsetof(Memory, total) == offsetof(nvmlMemory_t, total));
static_assert(offsetof(Memory, free) == offsetof(nvmlMemory_t, free));
static_assert(offsetof(Memory, used) == offsetof(nvmlMemory_t, used));
static_assert(sizeof(MemoryV2) == sizeof(nvmlMemory_v2_t));
static_assert(offsetof(MemoryV2, total) == offsetof(nvmlMemory_v2_t, total));
static_assert(offsetof(MemoryV2, reserved) == offsetof(nvmlMemory_v2_t, reserved));
static_assert(offsetof(MemoryV2, free) == offsetof(nvmlMemory_v2_t, free));
static_assert(offsetof(MemoryV2, used) == offsetof(nvmlMemory_v2_t, used));
static_assert(versionOf<MemoryV2>(2) == nvmlMemory_v2);

static_assert(sizeof(PciInfo) == sizeof(nvmlPciInfo_t));
static_assert(offsetof(PciInfo, busIdLegacy) == offsetof(nvmlPciInfo_t, busIdLegacy));
static_assert(offsetof(PciInfo, busId) == offsetof(nvmlPciInfo_t, busId));
static_assert(sizeof(PciInfo::busId) == sizeof(nvmlPciInfo_t::busId));
static_assert(sizeof(PciInfo::busIdLegacy) == sizeof(nvmlPciInfo_t::busIdLegacy));

static_assert(sizeof(ProcessV1) == sizeof(nvmlProcessInfo_v1_t));
static_assert(offsetof(ProcessV1, usedGpuMemory) == offsetof(nvmlProcessInfo_v1_t, usedGpuMemory));
static_assert(sizeof(ProcessV2) == sizeof(nvmlProcessInfo_v2_t));
static_assert(offsetof(ProcessV2, usedGpuMemory) == offsetof(nvmlProcessInfo_v2_t, usedGpuMemory));
static_assert(offsetof(ProcessV2, gpuInstanceId) == offsetof(nvmlProcessInfo_v2_t, gpuInstanceId));

static_assert(
    std::is_same_v<decltype(nvmlDeviceGetCudaComputeCapability), nvmlReturn_t(nvmlDevice_t, int*, int*)>);
static_assert(std::is_same_v<decltype(nvmlDeviceGetName), nvmlReturn_t(nvmlDevice_t, char*, unsigned int)>);
static_assert(std::is_same_v<decltype(nvmlDeviceGetUUID), nvmlReturn_t(nvmlDevice_t, char*, unsigned int)>);
static_assert(std::is_same_v<decltype(nvmlSystemGetDriverVersion), nvmlReturn_t(char*, unsigned int)>);
static_assert(std::is_same_v<decltype(nvmlSystemGetCudaDriverVersion_v2), nvmlReturn_t(int*)>);
static_assert(
    std::is_same_v<decltype(nvmlDeviceGetHandleByIndex_v2), nvmlReturn_t(unsigned int, nvmlDevice_t*)>);
static_assert(std::is_same_v<decltype(nvmlDeviceGetHandleByUUID), nvmlReturn_t(const char*, nvmlDevice_t*)>);
static_assert(
    std::is_same_v<decltype(nvmlDeviceGetHandleByPciBusId_v2), nvmlReturn_t(const char*, nvmlDevice_t*)>);
static_assert(std::is_same_v<decltype(nvmlDeviceGetPciInfo_v3), nvmlReturn_t(nvmlDevice_t, nvmlPciInfo_t*)>);
static_assert(std::is_same_v<decltype(nvmlDeviceGetClockInfo),
                             nvmlReturn_t(nvmlDevice_t, nvmlClockType_t, unsigned int*)>);
static_assert(std::is_same_v<decltype(nvmlDeviceGetPowerUsage), nvmlReturn_t(nvmlDevice_t, unsigned int*)>);
static_assert(std::is_same_v<decltype(nvmlDeviceGetComputeRunningProcesses_v3),
                             nvmlReturn_t(nvmlDevice_t, unsigned int*, nvmlProcessInfo_t*)>);

#ifdef nvmlTemperature_v1
static_assert(sizeof(Temperature) == sizeof(nvmlTemperature_v1_t));
static_assert(offsetof(Temperature, sensor) == offsetof(nvmlTemperature_v1_t, sensorType));
static_assert(offsetof(Temperature, celsius) == offsetof(nvmlTemperature_v1_t, temperature));
static_assert(versionOf<Temperature>(1) == nvmlTemperature_v1);
#endif

#ifdef nvmlClocksEventReasonGpuIdle
static_assert(kIdle == nvmlClocksEventReasonGpuIdle && kPowerCap == nvmlClocksEventReasonSwPowerCap);
static_assert(kClockSetting == nvmlClocksEventReasonApplicationsClocksSetting);
static_assert(kSyncBoost == nvmlClocksEventReasonSyncBoost);
static_assert(kSoftwareThermal == nvmlClocksEventReasonSwThermalSlowdown);
static_assert(kDisplayClocks == nvmlClocksEventReasonDisplayClockSetting);
#endif
#ifdef nvmlClocksEventReasonBoardLimit
static_assert(kBoardLimit == nvmlClocksEventReasonBoardLimit &&
              kReliability == nvmlClocksEventReasonReliability);
#endif
static_assert(kHardwareSlowdown == nvmlClocksThrottleReasonHwSlowdown);
static_assert(kHardwareThermal == nvmlClocksThrottleReasonHwThermalSlowdown);
static_assert(kPowerBrake == nvmlClocksThrottleReasonHwPowerBrakeSlowdown);

TEST(NvmlHeader, IsAsItsMakersHaveIt) {
    SUCCEED() << "compared while compiling with version " << NVML_API_VERSION;
}

}  // namespace
}  // namespace highwater::nvml::api

#else

TEST(NvmlHeader, IsAsItsMakersHaveIt) {
    GTEST_SKIP()
        << "nvml.h is not here; CMake looks in CUDA_HOME and /usr/local/cuda, or -DNVML_INCLUDE_DIR=";
}

#endif
