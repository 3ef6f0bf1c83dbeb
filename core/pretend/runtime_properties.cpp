#include <cstdio>
#include <cstring>

#include "core/pretend/abi/device_properties.h"
#include "core/pretend/attributes.h"
#include "core/pretend/runtime.h"
#include "core/pretend/settings.h"

// The device's properties. CUDA 12 and 13 have different layouts and call functions of different names, so
// the name identifies the caller's layout.
using namespace highwater::pretend;

namespace {

template <typename Properties>
Properties deviceProperties(int device) {
    Properties p{};
    std::snprintf(p.name, sizeof p.name, "%s", settings().deviceName.c_str());
    const CUuuid uuid = deviceUuid(device);
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
    p.major = settings().gpu.major();
    p.minor = settings().gpu.minor();
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
    p.pciBusID = kPciBus + device;
    p.pciDeviceID = kPciDevice;
    p.pciDomainID = kPciDomain;
    return p;
}

template <typename Properties>
cudaError_t give(Properties* properties, int device) {
    if (device < 0 || device >= settings().devices) {
        return known(cudaErrorInvalidDevice);
    }
    *properties = deviceProperties<Properties>(device);
    return known(driverError());
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return give(properties, device);
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp12* properties, int device) {
    return give(properties, device);
}

}  // extern "C"
