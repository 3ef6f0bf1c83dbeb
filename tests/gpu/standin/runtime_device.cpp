#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "tests/gpu/standin/attributes.h"
#include "tests/gpu/standin/memory.h"
#include "tests/gpu/standin/runtime.h"
#include "tests/gpu/standin/settings.h"
#include "tests/gpu/standin/work.h"

// Devices, versions, errors and entry points of the CUDA runtime.
using namespace highwater::standin;

namespace highwater::standin {
namespace {

thread_local cudaError_t last = cudaSuccess;

int runtimeVersion() {
    int version = CUDART_VERSION;
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
    for (const char* library : {"libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcudnn.so.9"}) {
        void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        void* found = loaded ? dlsym(loaded, name) : nullptr;
        if (found) {
            return found;
        }
    }
    return nullptr;
}

}  // namespace highwater::standin

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = highwater::standin::runtimeVersion();
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = settings().driverVersion;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = driverError() == cudaSuccess ? 1 : 0;
    return known(driverError());
}

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return known(driverError());
}

cudaError_t cudaSetDevice(int device) {
    if (driverError() == cudaSuccess && device == 0) {
        ensureContext();
    }
    return known(device == 0 ? driverError() : cudaErrorInvalidDevice);
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

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (device != 0) {
        return known(cudaErrorInvalidDevice);
    }
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "%s", settings().deviceName.c_str());
    const CUuuid uuid = deviceUuid();
    std::memcpy(&p.uuid, &uuid, sizeof uuid);
    const auto at = [](CUdevice_attribute which) { return attribute(which); };
    p.totalGlobalMem = settings().gpu.bytes;
    p.sharedMemPerBlock = at(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    p.sharedMemPerBlockOptin = at(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    p.sharedMemPerMultiprocessor = at(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    p.reservedSharedMemPerBlock = at(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    p.regsPerBlock = p.regsPerMultiprocessor = at(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    p.warpSize = at(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    p.memPitch = at(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    p.maxThreadsPerBlock = at(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    p.maxThreadsPerMultiProcessor = at(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    p.maxBlocksPerMultiProcessor = at(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    for (int axis = 0; axis < 3; ++axis) {
        p.maxThreadsDim[axis] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis);
        p.maxGridSize[axis] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis);
    }
    p.totalConstMem = at(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    p.major = settings().gpu.major;
    p.minor = settings().gpu.minor;
    p.textureAlignment = at(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    p.texturePitchAlignment = at(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
    p.multiProcessorCount = settings().gpu.multiprocessors;
    p.l2CacheSize = settings().gpu.l2Bytes;
    p.memoryBusWidth = at(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
    p.concurrentManagedAccess = p.streamPrioritiesSupported = p.computePreemptionSupported = 1;
    p.cooperativeLaunch = p.hostRegisterSupported = p.memoryPoolsSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.asyncEngineCount = at(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
    p.clusterLaunch = at(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
    p.pciBusID = kPciBus;
    p.pciDeviceID = kPciDevice;
    p.pciDomainID = kPciDomain;
    *properties = p;
    return known(driverError());
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int) {
    std::snprintf(id, length, "%s", kPciBusId);
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
    cuGetProcAddress(name, function, static_cast<int>(version), flags, nullptr);
    if (found) {
        *found = cudaDriverEntryPointSuccess;
    }
    return known(driverError());
}

cudaError_t cudaProfilerStart() {
    return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
    return cudaSuccess;
}

}  // extern "C"
