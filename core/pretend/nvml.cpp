#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/pretend/attributes.h"
#include "core/pretend/memory.h"
#include "core/pretend/nvml_answer.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// NVML's view of the pretended device, as seen from the process that uses it.
namespace highwater::pretend {
namespace {

std::atomic<int> users{0};

}  // namespace

nvmlReturn_t nvmlState() {
    if (settings().driverVersion == 0) {
        return kNvmlDriverNotLoaded;
    }
    if (users <= 0) {
        return kNvmlUninitialized;
    }
    return lost() ? kNvmlGpuIsLost : kNvmlSuccess;
}

}  // namespace highwater::pretend

using namespace highwater::pretend;

namespace {

struct Process {
    unsigned pid;
    unsigned long long bytes;
};

nvmlReturn_t giveText(char* out, unsigned length, const std::string& text) {
    if (!out) {
        return kNvmlInvalidArgument;
    }
    if (text.size() + 1 > length) {
        return kNvmlInsufficientSize;
    }
    std::memcpy(out, text.c_str(), text.size() + 1);
    return nvmlState();
}

// A device's handle points to its number here.
int tokens[kMostDevices] = {0, 1, 2, 3, 4, 5, 6, 7};

int numberOf(nvmlDevice_t device) {
    return *reinterpret_cast<const int*>(device);
}

// The first device for which `is` holds.
template <typename Is>
nvmlReturn_t giveDevice(nvmlDevice_t* device, const Is& is) {
    for (int number = 0; number < settings().devices; ++number) {
        if (is(number)) {
            return give(device, reinterpret_cast<nvmlDevice_t>(&tokens[number]));
        }
    }
    return kNvmlNotFound;
}

std::string uuidText(int device) {
    const CUuuid uuid = deviceUuid(device);
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        char hex[4];
        const char* dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        std::snprintf(hex, sizeof hex, "%s%02x", dash, static_cast<unsigned char>(uuid.bytes[i]));
        text += hex;
    }
    return text;
}

std::vector<Process> processes(int device) {
    std::vector<Process> found;
    const MemoryInfo info = memoryInfo(device);
    if (info.others) {
        found.push_back({1, info.others});
    }
    if (info.hasContext) {
        found.push_back({static_cast<unsigned>(getpid()), info.context + info.taken});
    }
    return found;
}

template <typename T>
nvmlReturn_t giveProcesses(nvmlDevice_t device, unsigned* count, T* infos) {
    if (!count) {
        return kNvmlInvalidArgument;
    }
    if (nvmlState() != kNvmlSuccess) {
        return nvmlState();
    }
    const std::vector<Process> all = processes(numberOf(device));
    const unsigned room = *count;
    *count = static_cast<unsigned>(all.size());
    if (room < all.size()) {
        return kNvmlInsufficientSize;
    }
    for (std::size_t i = 0; i < all.size() && infos; ++i) {
        infos[i] = {};
        infos[i].pid = all[i].pid;
        infos[i].usedGpuMemory = all[i].bytes;
    }
    return kNvmlSuccess;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() {
    if (settings().driverVersion == 0) {
        return kNvmlDriverNotLoaded;
    }
    ++users;
    return kNvmlSuccess;
}
nvmlReturn_t nvmlInit() {
    return nvmlInit_v2();
}
nvmlReturn_t nvmlInitWithFlags(unsigned) {
    return nvmlInit_v2();
}
nvmlReturn_t nvmlShutdown() {
    return users-- > 0 ? kNvmlSuccess : (++users, kNvmlUninitialized);
}

const char* nvmlErrorString(nvmlReturn_t code) {
    switch (code) {
        case kNvmlSuccess:
            return "Success";
        case kNvmlUninitialized:
            return "Uninitialized";
        case kNvmlInvalidArgument:
            return "Invalid Argument";
        case kNvmlNotSupported:
            return "Not Supported";
        case kNvmlNotFound:
            return "Not Found";
        case kNvmlInsufficientSize:
            return "Insufficient Size";
        case kNvmlDriverNotLoaded:
            return "Driver Not Loaded";
        case kNvmlGpuIsLost:
            return "GPU is lost";
        default:
            return "Unknown Error";
    }
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
    return give(version, settings().driverVersion);
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
    return give(version, settings().driverVersion);
}
nvmlReturn_t nvmlSystemGetDriverVersion(char* text, unsigned length) {
    const int version = settings().driverVersion;
    return giveText(
        text, length,
        "pretended " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
}
nvmlReturn_t nvmlSystemGetNVMLVersion(char* text, unsigned length) {
    return nvmlSystemGetDriverVersion(text, length);
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
    return give(count, static_cast<unsigned>(settings().devices));
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
    return index < static_cast<unsigned>(settings().devices)
               ? giveDevice(
                     device, [&](int number) { return number == static_cast<int>(index); })
               : kNvmlInvalidArgument;
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
    return uuid ? giveDevice(device, [&](int number) { return uuid == uuidText(number); })
                : kNvmlInvalidArgument;
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_t* device) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = 0;
    const bool read = id && std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) == 3;
    return read ? giveDevice(device,
                             [&](int number) {
                                 return domain == kPciDomain && slot == kPciDevice &&
                                        bus == static_cast<unsigned>(kPciBus + number);
                             })
                : kNvmlInvalidArgument;
}
nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
    return give(index, static_cast<unsigned>(numberOf(device)));
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t, char* text, unsigned length) {
    return giveText(text, length, settings().deviceName);
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* text, unsigned length) {
    return giveText(text, length, uuidText(numberOf(device)));
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t, int* major, int* minor) {
    return give(major, settings().gpu.major()) == kNvmlSuccess ? give(minor, settings().gpu.minor())
                                                               : nvmlState();
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* out) {
    const std::string id = pciBusId(numberOf(device));
    nvmlPciInfo_t info{};
    info.domain = kPciDomain;
    info.bus = static_cast<unsigned>(kPciBus + numberOf(device));
    info.device = kPciDevice;
    std::snprintf(info.busIdLegacy, sizeof info.busIdLegacy, "%s", id.c_str());
    std::snprintf(info.busId, sizeof info.busId, "0000%s", id.c_str());
    return give(out, info);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* out) {
    const MemoryInfo info = memoryInfo(numberOf(device));
    return give(out, nvmlMemory_t{info.total, info.free(), info.total - info.free()});
}
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* out) {
    const MemoryInfo info = memoryInfo(numberOf(device));
    return out ? give(out,
                      nvmlMemory_v2_t{out->version, info.total, 0, info.free(), info.total - info.free()})
               : kNvmlInvalidArgument;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                  nvmlProcessInfo_v1_t* infos) {
    return giveProcesses(device, count, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_v2_t* infos) {
    return giveProcesses(device, count, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_v2_t* infos) {
    return giveProcesses(device, count, infos);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t, unsigned* count, nvmlProcessInfo_v1_t*) {
    return give(count, 0U);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t, unsigned* count, nvmlProcessInfo_v2_t*) {
    return give(count, 0U);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t, unsigned* count, nvmlProcessInfo_v2_t*) {
    return give(count, 0U);
}

}  // extern "C"
