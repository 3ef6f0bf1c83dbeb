#pragma once

#include <cstddef>

/// The few declarations of NVIDIA's nvml.h that are used here, with its layouts and values. NVML never
/// changes either; a changed function gets a new name (_v2, _v3). tests/core/nvml/header_test.cpp checks them
/// against nvml.h if it is installed.
namespace highwater::nvml::api {

using Return = int;  // an enum in nvml.h
inline constexpr Return kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kNotFound = 6,
                        kInsufficientSize = 7, kDriverNotLoaded = 9, kFunctionNotFound = 13, kGpuIsLost = 15,
                        kResetRequired = 16, kVersionMismatch = 18, kGpuNotFound = 28;

using Device = struct DeviceHandle*;  // opaque

inline constexpr int kClockSm = 1, kClockMemory = 2;
inline constexpr int kTemperatureOfGpu = 0;
inline constexpr std::size_t kTextSize = 96;  // for names, UUIDs, versions: the largest of nvml.h's sizes
inline constexpr unsigned long long kNotAvailable = ~0ULL;

struct Memory {
    unsigned long long total, free, used;
};
struct MemoryV2 {
    unsigned int version;
    unsigned long long total, reserved, free, used;
};
struct PciInfo {
    char busIdLegacy[16];
    unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
};
struct ProcessV1 {
    unsigned int pid;
    unsigned long long usedGpuMemory;
};
struct ProcessV2 {
    unsigned int pid;
    unsigned long long usedGpuMemory;
    unsigned int gpuInstanceId, computeInstanceId;
};
struct Temperature {
    unsigned int version;
    int sensor, celsius;
};

/// The value of nvml.h's NVML_STRUCT_VERSION.
template <class Struct>
constexpr unsigned int versionOf(unsigned int version) {
    return static_cast<unsigned int>(sizeof(Struct)) | (version << 24U);
}

enum Reason : unsigned long long {
    kIdle = 0x1,
    kClockSetting = 0x2,
    kPowerCap = 0x4,
    kHardwareSlowdown = 0x8,
    kSyncBoost = 0x10,
    kSoftwareThermal = 0x20,
    kHardwareThermal = 0x40,
    kPowerBrake = 0x80,
    kDisplayClocks = 0x100,
    kBoardLimit = 0x200,
    kReliability = 0x400,
};

/// The library's functions; null if it lacks a function. If the arguments of an older and a newer version
/// differ, both are here.
struct Functions {
    Return (*init)() = nullptr;
    const char* (*errorString)(Return) = nullptr;
    Return (*driverVersion)(char*, unsigned int) = nullptr;
    Return (*cudaVersion)(int*) = nullptr;
    Return (*count)(unsigned int*) = nullptr;
    Return (*byIndex)(unsigned int, Device*) = nullptr;
    Return (*byUuid)(const char*, Device*) = nullptr;
    Return (*byPciBusId)(const char*, Device*) = nullptr;
    Return (*name)(Device, char*, unsigned int) = nullptr;
    Return (*uuid)(Device, char*, unsigned int) = nullptr;
    Return (*pciInfo)(Device, PciInfo*) = nullptr;
    Return (*capability)(Device, int*, int*) = nullptr;
    Return (*memory)(Device, Memory*) = nullptr;
    Return (*memoryV2)(Device, MemoryV2*) = nullptr;
    Return (*computing)(Device, unsigned int*, void*) = nullptr;  // ProcessV2
    Return (*computingV1)(Device, unsigned int*, void*) = nullptr;
    Return (*drawing)(Device, unsigned int*, void*) = nullptr;  // ProcessV2
    Return (*drawingV1)(Device, unsigned int*, void*) = nullptr;
    Return (*clock)(Device, int, unsigned int*) = nullptr;
    Return (*maxClock)(Device, int, unsigned int*) = nullptr;
    Return (*temperature)(Device, int, unsigned int*) = nullptr;
    Return (*temperatureV)(Device, Temperature*) = nullptr;
    Return (*power)(Device, unsigned int*) = nullptr;
    Return (*reasons)(Device, unsigned long long*) = nullptr;
};

/// Calls the function. If the library lacks it, returns kFunctionNotFound, which NVML returns if the driver
/// lacks it.
template <class... Parameters, class... Arguments>
Return call(Return (*function)(Parameters...), Arguments... arguments) {
    return function ? function(arguments...) : kFunctionNotFound;
}

}  // namespace highwater::nvml::api
