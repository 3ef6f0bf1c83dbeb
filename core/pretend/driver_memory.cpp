#include <algorithm>
#include <map>
#include <mutex>

#include "core/pretend/abi/driver.h"
#include "core/pretend/memory.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// Memory of libcuda.so.1: plain allocations, and physical handles mapped to reserved addresses.
using namespace highwater::pretend;

namespace {

struct Handle {
    std::size_t bytes;
    int users;  // the handle itself, and each of its mappings
    int device;
};

struct Handles {
    std::mutex mutex;
    std::map<CUmemGenericAllocationHandle, Handle> all;
    std::map<CUdeviceptr, CUmemGenericAllocationHandle> mapped;
    CUmemGenericAllocationHandle next = 1;
};

Handles& handles() {
    static Handles& handles = *new Handles;
    return handles;
}

void* pointer(CUdeviceptr address) {
    return reinterpret_cast<void*>(address);
}

// The memory is returned when neither the handle nor a mapping uses it.
void drop(Handles& h, CUmemGenericAllocationHandle handle) {
    const auto found = h.all.find(handle);
    if (found != h.all.end() && --found->second.users == 0) {
        returnPhysical(found->second.bytes, found->second.device);
        h.all.erase(found);
    }
}

CUresult answer(bool good, CUresult otherwise) {
    if (lost()) {
        return static_cast<CUresult>(lost());
    }
    return good ? CUDA_SUCCESS : otherwise;
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
    ensureContext();
    const MemoryInfo info = memoryInfo();
    *free = info.free();
    *total = info.total;
    return answer(true, CUDA_SUCCESS);
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
    void* at = lost() ? nullptr : allocate(bytes);
    *address = reinterpret_cast<CUdeviceptr>(at);
    return answer(at, CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    return answer(!address || release(pointer(address)), CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
    const auto range = deviceRange(pointer(address));
    if (!range) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (begin) {
        *begin = range->begin;
    }
    if (bytes) {
        *bytes = range->bytes;
    }
    return answer(true, CUDA_SUCCESS);
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute which, CUdeviceptr address) {
    const bool device = deviceRange(pointer(address)).has_value();
    if (!device && !hostRange(pointer(address))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (which) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            *static_cast<unsigned*>(data) = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *static_cast<int*>(data) = deviceOf(pointer(address));
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            *static_cast<void**>(data) = pointer(address);
            return CUDA_SUCCESS;
        default:
            note("pointer attribute " + std::to_string(which) + " is not modeled: not supported");
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream) {
    if (!accessible(pointer(address), count * sizeof(value))) {
        return answer(false, CUDA_ERROR_INVALID_VALUE);
    }
    if (value == 0) {
        fill(pointer(address), 0, count * sizeof(value));
    } else {
        std::fill_n(static_cast<unsigned*>(pointer(address)), count, value);
    }
    return answer(true, CUDA_SUCCESS);
}

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
    *bytes = kGranule;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long) {
    void* at = reserveAddresses(bytes, alignment);
    *address = reinterpret_cast<CUdeviceptr>(at);
    return answer(at, CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t) {
    return answer(releaseAddresses(pointer(address)), CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* wanted,
                     unsigned long long) {
    const int device = wanted ? wanted->location.id : currentDevice();
    if (bytes % kGranule || device < 0 || device >= settings().devices) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (lost() || !takePhysical(bytes, device)) {
        return answer(false, CUDA_ERROR_OUT_OF_MEMORY);
    }
    Handles& h = handles();
    const std::lock_guard lock(h.mutex);
    *handle = h.next++;
    h.all[*handle] = {bytes, 1, device};
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    Handles& h = handles();
    const std::lock_guard lock(h.mutex);
    const bool known = h.all.contains(handle);
    drop(h, handle);
    return answer(known, CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
    Handles& h = handles();
    const std::lock_guard lock(h.mutex);
    const auto found = h.mapped.find(reinterpret_cast<CUdeviceptr>(address));
    if (found == h.mapped.end()) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *handle = found->second;
    ++h.all[*handle].users;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
    Handles& h = handles();
    const std::lock_guard lock(h.mutex);
    const auto found = h.all.find(handle);
    if (found == h.all.end() || h.mapped.contains(address) || !deviceRange(pointer(address))) {
        return answer(false, CUDA_ERROR_INVALID_VALUE);
    }
    ++found->second.users;
    h.mapped[address] = handle;
    trace("map", bytes, "");
    makeAccessible(pointer(address), bytes, found->second.device);
    return answer(true, CUDA_SUCCESS);
}

CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) {
    return answer(true, CUDA_SUCCESS);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    Handles& h = handles();
    const std::lock_guard lock(h.mutex);
    auto first = h.mapped.lower_bound(address);
    if (first == h.mapped.end() || first->first >= address + bytes) {
        return answer(false, CUDA_ERROR_INVALID_VALUE);
    }
    while (first != h.mapped.end() && first->first < address + bytes) {
        drop(h, first->second);
        first = h.mapped.erase(first);
    }
    trace("unmap", bytes, "");
    makeInaccessible(pointer(address), bytes);
    return answer(true, CUDA_SUCCESS);
}

}  // extern "C"
