#include "core/pretend/attributes.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>

#include "core/pretend/settings.h"

namespace highwater::pretend {
namespace {

using Values = std::unordered_map<int, int>;

Values limits() {
    constexpr int kMaxInt = 2147483647;
    return {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, kMaxInt},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
        {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_PITCH, kMaxInt},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
        {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
        {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
        {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, kPciDomain},
        {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, kPciBus},
        {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, kPciDevice},
    };
}

Values abilities() {
    return {
        {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
        {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
        {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
        {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
        {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
        {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
        {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
        {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    };
}

Values ofSettings() {
    const Gpu& gpu = settings().gpu;
    return {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu.major()},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu.minor()},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu.multiprocessors},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, gpu.l2Bytes},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, gpu.sharedPerMultiprocessor()},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, gpu.sharedPerBlockOptin},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, gpu.threadsPerMultiprocessor},
        {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, gpu.sharedReservedPerBlock()},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, gpu.blocksPerMultiprocessor},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, gpu.clockKhz},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, gpu.memoryClockKhz},
        {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, gpu.major() >= 9 ? 1 : 0},
    };
}

Values all() {
    Values values = limits();
    values.merge(abilities());
    values.merge(ofSettings());
    return values;
}

}  // namespace

int attribute(int which) {
    static const Values& values = *new Values(all());
    const auto found = values.find(which);
    if (found == values.end()) {
        note("device attribute " + std::to_string(which) + " is not modeled: 0");
        return 0;
    }
    return found->second;
}

CUuuid deviceUuid(int device) {
    CUuuid uuid{};
    const std::string text = std::string("pretend") + settings().gpu.id;
    std::memcpy(uuid.bytes, text.data(), std::min(text.size(), sizeof uuid.bytes));
    uuid.bytes[sizeof uuid.bytes - 1] = static_cast<char>(uuid.bytes[sizeof uuid.bytes - 1] + device);
    return uuid;
}

std::string pciBusId(int device) {
    char text[16];
    std::snprintf(text, sizeof text, "%04X:%02X:%02X.0", kPciDomain, kPciBus + device, kPciDevice);
    return text;
}

}  // namespace highwater::pretend
