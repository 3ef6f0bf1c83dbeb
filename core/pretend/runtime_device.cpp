#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "core/pretend/abi/driver.h"
#include "core/pretend/attributes.h"
#include "core/pretend/memory.h"
#include "core/pretend/runtime.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// Devices, versions, errors and entry points of the CUDA runtime.
using namespace highwater::pretend;

namespace highwater::pretend {
namespace {

thread_local cudaError_t last = cudaSuccess;

int runtimeVersion() {
    int version = 13000;  // if none of NVIDIA's runtimes is loaded
    if (auto* real = realFunction<decltype(cudaRuntimeGetVersion)>("cudaRuntimeGetVersion")) {
        real(&version);
    }
    return version;
}

}  // namespace

cudaError_t known(cudaError_t error) {
    if (error != cudaSuccess) {
        last = error;
    }
    return error;
}

cudaError_t done(cudaError_t error) {
    return known(lost() ? static_cast<cudaError_t>(lost()) : error);
}

cudaError_t driverError() {
    if (settings().driverVersion == 0) {
        return cudaErrorNoDevice;
    }
    static const int major = runtimeVersion() / 1000;
    return settings().driverVersion / 1000 < major ? cudaErrorInsufficientDriver : cudaSuccess;
}

void* realAddress(const char* name) {
    for (const char* library : {"libcudart.so.13", "libcudart.so.12", "libcublas.so.13", "libcublas.so.12",
                                "libcublasLt.so.13", "libcublasLt.so.12", "libcudnn.so.9", "libnccl.so.2"}) {
        void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        void* found = loaded ? dlsym(loaded, name) : nullptr;
        if (found) {
            return found;
        }
    }
    return nullptr;
}

}  // namespace highwater::pretend

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = highwater::pretend::runtimeVersion();
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = settings().driverVersion;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = driverError() == cudaSuccess ? settings().devices : 0;
    return known(driverError());
}

cudaError_t cudaGetDevice(int* device) {
    *device = currentDevice();
    return known(driverError());
}

cudaError_t cudaSetDevice(int device) {
    if (driverError() != cudaSuccess) {
        return known(driverError());
    }
    if (!setCurrentDevice(device)) {
        return known(cudaErrorInvalidDevice);
    }
    ensureContext();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    return done(driverError());
}
cudaError_t cudaDeviceReset() {
    return done(driverError());
}
cudaError_t cudaSetDeviceFlags(unsigned) {
    return done(driverError());
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
    *value = attribute(which);
    return known(driverError());
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
    std::snprintf(id, length, "%s", pciBusId(device).c_str());
    return known(driverError());
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    *can = 0;
    return known(driverError());
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = done(last);
    last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() {
    return done(last);
}

const char* cudaGetErrorName(cudaError_t error) {
    if (auto* real = realFunction<decltype(cudaGetErrorName)>("cudaGetErrorName")) {
        return real(error);
    }
    thread_local std::string name;
    name = "cudaError " + std::to_string(error);
    return name.c_str();
}

const char* cudaGetErrorString(cudaError_t error) {
    if (auto* real = realFunction<decltype(cudaGetErrorString)>("cudaGetErrorString")) {
        return real(error);
    }
    return cudaGetErrorName(error);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* found) {
    cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, nullptr);
    if (found) {
        *found = cudaDriverEntryPointSuccess;
    }
    return known(driverError());
}

// CUDA 12's: no version is requested.
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* found) {
    return cudaGetDriverEntryPointByVersion(name, function, 0, flags, found);
}

cudaError_t cudaProfilerStart() {
    return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
    return cudaSuccess;
}

}  // extern "C"
