// A fake of the driver's library for tests: two GPUs, an H200 and an RTX 4090. Environment variables, read in
// every call, control it:
//   FAKE_NVML_COUNT    GPUs, 0 to 2 (2)
//   FAKE_NVML_FAIL     "nvmlDeviceGetUUID=3,nvmlInit=9": the calls that fail and their codes, without
//                      _v2, _v3 in names; "nvmlDeviceGetHandleByIndex/1=15" only for the GPU with that index
//   FAKE_NVML_OWN      listed bytes of this process; "unknown": listed without bytes; unset: not listed
//   FAKE_NVML_OTHERS   number of other processes that are listed (0)
//   FAKE_NVML_WIDE     set: process entries have 32 bytes, as in drivers 535.43 to 535.86
//   FAKE_NVML_REASONS  what limits the clocks, a number
//   FAKE_NVML_USED     bytes in use on each GPU (1 GiB)
// With FAKE_NVML_OLD it has only the functions of drivers before 418.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/nvml/api.h"

namespace api = highwater::nvml::api;

namespace highwater::nvml::api {
struct DeviceHandle {
    int index;
    const char *name, *uuid;
    unsigned int bus;
    unsigned long long mebibytes;
    int major, minor;
};
}  // namespace highwater::nvml::api

namespace {

using api::Return;

constexpr unsigned long long kMiB = 1ULL << 20;

api::DeviceHandle devices[] = {
    {0, "NVIDIA H200", "GPU-11111111-aaaa-bbbb-cccc-000000000001", 0x17, 143771, 9, 0},
    {1, "NVIDIA GeForce RTX 4090", "GPU-22222222-aaaa-bbbb-cccc-000000000002", 0xCA, 24564, 8, 9}};

long long number(const char* name, long long fallback) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoll(text, nullptr, 0) : fallback;
}

unsigned int count() {
    return static_cast<unsigned int>(number("FAKE_NVML_COUNT", 2));
}

/// The code of "KEY=CODE" in FAKE_NVML_FAIL; 0 if there is none.
Return failureOf(const std::string& key) {
    const char* text = std::getenv("FAKE_NVML_FAIL");
    const std::string list = text ? "," + std::string(text) + "," : "";
    const std::size_t at = list.find("," + key + "=");
    return at == std::string::npos ? 0 : std::atoi(list.c_str() + at + key.size() + 2);
}

Return check(const char* function, api::Device device) {
    if (const Return all = failureOf(function)) {
        return all;
    }
    return device ? failureOf(function + std::string("/") + std::to_string(device->index)) : 0;
}

Return copy(const char* from, char* to, unsigned int size) {
    if (std::strlen(from) + 1 > size) {
        return api::kInsufficientSize;
    }
    std::memcpy(to, from, std::strlen(from) + 1);
    return 0;
}

std::string busId(const api::DeviceHandle& device, const char* format) {
    char text[32];
    std::snprintf(text, sizeof text, format, device.bus);
    return text;
}

unsigned long long used() {
    return static_cast<unsigned long long>(number("FAKE_NVML_USED", 1024 * static_cast<long long>(kMiB)));
}

/// `stride` bytes per process, of which those of its layout are written.
Return list(unsigned int* room, void* to, std::size_t stride) {
    const char* own = std::getenv("FAKE_NVML_OWN");
    const auto others = static_cast<unsigned int>(number("FAKE_NVML_OTHERS", 0));
    const unsigned int all = others + (own ? 1 : 0);
    if (*room < all) {
        return *room = all, api::kInsufficientSize;
    }
    *room = all;
    std::memset(to, 0, all * stride);
    for (unsigned int i = 0; i < all; ++i) {
        api::ProcessV1 process{1000000 + i, 100 * kMiB};
        if (i == others) {
            process.pid = static_cast<unsigned int>(::getpid());
            process.usedGpuMemory = std::string(own) == "unknown"
                                        ? api::kNotAvailable
                                        : static_cast<unsigned long long>(number("FAKE_NVML_OWN", 0));
        }
        std::memcpy(static_cast<char*>(to) + i * stride, &process, sizeof process);
    }
    return 0;
}

}  // namespace

extern "C" {

Return nvmlInit() {
    return failureOf("nvmlInit");
}
const char* nvmlErrorString(Return code) {
    return code == 999 ? "Unknown Error" : "Not Supported";
}
Return nvmlSystemGetDriverVersion(char* to, unsigned int size) {
    const Return code = failureOf("nvmlSystemGetDriverVersion");
    return code ? code : copy("580.159.03", to, size);
}
Return nvmlDeviceGetCount(unsigned int* to) {
    return *to = count(), failureOf("nvmlDeviceGetCount");
}
Return nvmlDeviceGetHandleByIndex(unsigned int index, api::Device* to) {
    if (index >= count()) {
        return 2;
    }
    *to = &devices[index];
    return check("nvmlDeviceGetHandleByIndex", *to);
}
Return nvmlDeviceGetHandleByUUID(const char* uuid, api::Device* to) {
    for (api::DeviceHandle& device : devices) {
        if (std::strcmp(device.uuid, uuid) == 0) {
            return *to = &device, check("nvmlDeviceGetHandleByUUID", &device);
        }
    }
    return api::kNotFound;
}
Return nvmlDeviceGetHandleByPciBusId(const char* id, api::Device* to) {
    for (api::DeviceHandle& device : devices) {
        for (const char* format : {"00000000:%02X:00.0", "0000:%02X:00.0"}) {
            if (busId(device, format) == id) {
                return *to = &device, check("nvmlDeviceGetHandleByPciBusId", &device);
            }
        }
    }
    return api::kNotFound;
}
Return nvmlDeviceGetName(api::Device device, char* to, unsigned int size) {
    const Return code = check("nvmlDeviceGetName", device);
    return code ? code : copy(device->name, to, size);
}
Return nvmlDeviceGetUUID(api::Device device, char* to, unsigned int size) {
    const Return code = check("nvmlDeviceGetUUID", device);
    return code ? code : copy(device->uuid, to, size);
}
Return nvmlDeviceGetMemoryInfo(api::Device device, api::Memory* to) {
    const unsigned long long total = device->mebibytes * kMiB, reserved = 512 * kMiB;
    *to = {total, total - reserved - used(), used() + reserved};
    return check("nvmlDeviceGetMemoryInfo", device);
}
Return nvmlDeviceGetComputeRunningProcesses(api::Device device, unsigned int* room, api::ProcessV1* to) {
    const Return code = check("nvmlDeviceGetComputeRunningProcesses", device);
    return code ? code : list(room, to, sizeof *to);
}
Return nvmlDeviceGetClockInfo(api::Device device, int type, unsigned int* to) {
    *to = type == api::kClockSm ? 1755 : 3201;
    return check("nvmlDeviceGetClockInfo", device);
}
Return nvmlDeviceGetMaxClockInfo(api::Device device, int, unsigned int* to) {
    return *to = 1980, check("nvmlDeviceGetMaxClockInfo", device);
}
Return nvmlDeviceGetPowerUsage(api::Device device, unsigned int* to) {
    return *to = 412500, check("nvmlDeviceGetPowerUsage", device);
}
Return nvmlDeviceGetTemperature(api::Device device, int, unsigned int* to) {
    return *to = 61, check("nvmlDeviceGetTemperature", device);
}

#ifdef FAKE_NVML_OLD

Return nvmlDeviceGetPciInfo(api::Device device, void* to) {
    const std::string id = busId(*device, "0000:%02X:00.0");
    std::memset(to, 0, 16 + 9 * sizeof(unsigned int));
    std::memcpy(to, id.c_str(), id.size());
    return check("nvmlDeviceGetPciInfo", device);
}

#else

Return nvmlInit_v2() {
    return failureOf("nvmlInit");
}
Return nvmlSystemGetCudaDriverVersion_v2(int* to) {
    return *to = 13000, failureOf("nvmlSystemGetCudaDriverVersion");
}
Return nvmlDeviceGetPciInfo_v3(api::Device device, api::PciInfo* to) {
    *to = {};
    to->bus = device->bus;
    std::strcpy(to->busId, busId(*device, "00000000:%02X:00.0").c_str());
    return check("nvmlDeviceGetPciInfo", device);
}
Return nvmlDeviceGetCudaComputeCapability(api::Device device, int* major, int* minor) {
    *major = device->major, *minor = device->minor;
    return check("nvmlDeviceGetCudaComputeCapability", device);
}
Return nvmlDeviceGetMemoryInfo_v2(api::Device device, api::MemoryV2* to) {
    if (to->version != (sizeof *to | 2U << 24U)) {
        return 25;
    }
    const unsigned long long total = device->mebibytes * kMiB, reserved = 512 * kMiB;
    *to = {to->version, total, reserved, total - reserved - used(), used()};
    return check("nvmlDeviceGetMemoryInfo_v2", device);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(api::Device device, unsigned int* room, void* to) {
    const Return code = check("nvmlDeviceGetComputeRunningProcesses", device);
    return code ? code : list(room, to, std::getenv("FAKE_NVML_WIDE") ? 32 : sizeof(api::ProcessV2));
}
Return nvmlDeviceGetGraphicsRunningProcesses_v3(api::Device device, unsigned int* room, void*) {
    return *room = 0, check("nvmlDeviceGetGraphicsRunningProcesses", device);
}
Return nvmlDeviceGetTemperatureV(api::Device device, api::Temperature* to) {
    return to->celsius = 62, check("nvmlDeviceGetTemperatureV", device);
}
Return nvmlDeviceGetCurrentClocksEventReasons(api::Device device, unsigned long long* to) {
    *to = static_cast<unsigned long long>(number("FAKE_NVML_REASONS", 0));
    return check("nvmlDeviceGetCurrentClocksEventReasons", device);
}

#endif

}  // extern "C"
