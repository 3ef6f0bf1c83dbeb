#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "core/pretend/abi/driver.h"
#include "core/pretend/attributes.h"
#include "core/pretend/memory.h"
#include "core/pretend/report.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// Devices, contexts, errors and entry points of libcuda.so.1.
using namespace highwater::pretend;

namespace {

// The context of each device; callers need no more than a non-null pointer.
int contexts[kMostDevices];

CUcontext contextOf(int device) {
    return reinterpret_cast<CUcontext>(&contexts[device]);
}

// The current device's context, which is created if there is none.
CUcontext theContext() {
    ensureContext();
    return contextOf(currentDevice());
}

bool exists(CUdevice device) {
    return device >= 0 && device < settings().devices;
}

thread_local CUcontext current = nullptr;

void makeCurrent(CUcontext context) {
    current = context;
    if (context) {
        setCurrentDevice(static_cast<int>(reinterpret_cast<int*>(context) - contexts));
    }
}

// For queries that still work after the device is lost.
CUresult known() {
    return settings().driverVersion == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult answer() {
    return lost() ? static_cast<CUresult>(lost()) : known();
}

// Anonymous, so that one function can stand for all of them; entryPoint() prints the requested name.
CUresult refused() {
    return static_cast<CUresult>(unmodeled("a function of the driver", CUDA_ERROR_NOT_SUPPORTED));
}

// The newest version of a driver function that this library has.
void* entryPoint(const std::string& name) {
    static void* const self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    for (const char* version : {"_v4", "_v3", "_v2", ""}) {
        if (void* found = dlsym(self ? self : RTLD_DEFAULT, (name + version).c_str())) {
            return found;
        }
    }
    note("driver function " + name + " is not modeled");
    return reinterpret_cast<void*>(&refused);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
    return known();
}

CUresult cuDriverGetVersion(int* version) {
    *version = settings().driverVersion;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    *count = settings().driverVersion ? settings().devices : 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    *device = ordinal;
    return exists(ordinal) ? known() : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice) {
    std::snprintf(name, length, "%s", settings().deviceName.c_str());
    return known();
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    *uuid = deviceUuid(device);
    return known();
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
    *bytes = settings().gpu.bytes;
    return known();
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    *value = attribute(which);
    return known();
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
    std::snprintf(id, length, "%s", pciBusId(device).c_str());
    return known();
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    *flags = 0;
    *active = exists(device) && memoryInfo(device).hasContext;
    return known();
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (!exists(device)) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    const int before = currentDevice();
    setCurrentDevice(device);
    *context = theContext();
    setCurrentDevice(before);
    return answer();
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
    *context = current ? contextOf(currentDevice()) : (memoryInfo().hasContext ? theContext() : nullptr);
    return known();
}

CUresult cuCtxSetCurrent(CUcontext context) {
    makeCurrent(context);
    return known();
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
    makeCurrent(context);
    return known();
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
    if (context) {
        *context = current;
    }
    return answer();
}

CUresult cuCtxGetDevice(CUdevice* device) {
    *device = currentDevice();
    return known();
}

CUresult cuCtxSynchronize() {
    return answer();
}

CUresult cuStreamGetCtx(CUstream, CUcontext* context) {
    *context = theContext();
    return answer();
}

CUresult cuStreamSynchronize(CUstream) {
    return answer();
}

CUresult cuGetErrorName(CUresult error, const char** name) {
    thread_local std::string text;
    text = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_" + std::to_string(error);
    *name = text.c_str();
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** name) {
    thread_local std::string text;
    text = "pretended device: driver error " + std::to_string(error);
    *name = text.c_str();
    return CUDA_SUCCESS;
}

// The driver's unpublished tables: CUDA's own libraries request them and work without. A CUDA runtime that is
// linked statically into an extension does not.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
    *table = nullptr;
    Dl_info caller{};
    if (dladdr(__builtin_return_address(0), &caller) != 0 && caller.dli_fname) {
        const std::string file = caller.dli_fname;
        const std::string name = file.substr(file.rfind('/') + 1);
        if (!name.starts_with("libcu") && !name.starts_with("libnv")) {
            sayOnce(name +
                    " has a CUDA runtime of its own linked in, which finds no device here: link cudart as a "
                    "shared library");
        }
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* found) {
    *function = entryPoint(name);
    if (found) {
        *found = CU_GET_PROC_ADDRESS_SUCCESS;
    }
    return CUDA_SUCCESS;
}

}  // extern "C"
