#include <cstring>

#include "core/pretend/memory.h"
#include "core/pretend/report.h"
#include "core/pretend/runtime.h"
#include "core/pretend/work.h"

// Memory of the CUDA runtime.
using namespace highwater::pretend;

namespace {

constexpr std::size_t kValueBytes = 16;  // larger copies are data, not a value

cudaError_t give(void** address, void* at) {
    *address = at;
    return done(at ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t obtain(void** address, size_t bytes) {
    if (driverError() != cudaSuccess || lost()) {
        return done(driverError());
    }
    if (!address) {
        return done(cudaErrorInvalidValue);
    }
    if (bytes == 0) {
        *address = nullptr;
        return done();
    }
    return give(address, allocate(bytes));
}

cudaError_t transfer(void* to, const void* from, size_t bytes, const char* how) {
    if (driverError() != cudaSuccess || lost()) {
        return done(driverError());
    }
    ensureContext();
    if (!accessible(to, bytes) || !accessible(from, bytes)) {
        return done(cudaErrorInvalidValue);
    }
    trace(how, bytes, "");
    copy(to, from, bytes);
    if (bytes <= kValueBytes && bytes > 0 && deviceRange(from) && !deviceRange(to)) {
        reportRead(bytes);
    }
    return done();
}

cudaError_t set(void* at, int value, size_t bytes) {
    if (!accessible(at, bytes)) {
        return done(cudaErrorInvalidValue);
    }
    if (!lost()) {
        trace("memset", bytes, "");
        fill(at, value, bytes);
    }
    return done();
}

const char* kindName(cudaMemcpyKind kind) {
    switch (kind) {
        case cudaMemcpyHostToDevice:
            return "copy-in";
        case cudaMemcpyDeviceToHost:
            return "copy-out";
        case cudaMemcpyDeviceToDevice:
            return "copy-device";
        default:
            return "copy";
    }
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
    return obtain(address, bytes);
}
cudaError_t cudaMallocManaged(void** address, size_t bytes, unsigned) {
    return obtain(address, bytes);
}
cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t) {
    return obtain(address, bytes);
}
cudaError_t cudaMallocFromPoolAsync(void** address, size_t bytes, cudaMemPool_t, cudaStream_t) {
    return obtain(address, bytes);
}

cudaError_t cudaFree(void* address) {
    if (!address) {
        if (driverError() == cudaSuccess) {
            ensureContext();
        }
        return done(driverError());
    }
    return done(release(address) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t) {
    return cudaFree(address);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    if (driverError() != cudaSuccess) {
        return done(driverError());
    }
    ensureContext();
    const MemoryInfo info = memoryInfo();
    *free = info.free();
    *total = info.total;
    return done();
}

cudaError_t cudaMallocHost(void** address, size_t bytes) {
    return give(address, allocateHost(bytes));
}
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned) {
    return give(address, allocateHost(bytes));
}
cudaError_t cudaFreeHost(void* address) {
    return done(!address || releaseHost(address) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned) {
    registerHost(address, bytes);
    return done();
}
cudaError_t cudaHostUnregister(void* address) {
    return done(unregisterHost(address) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    return give(device, host);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
    cudaPointerAttributes found{};
    const bool device = deviceRange(address).has_value();
    const bool host = !device && hostRange(address);
    found.type = device ? cudaMemoryTypeDevice : host ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
    found.device = device ? deviceOf(address) : host ? currentDevice() : -2;
    found.devicePointer = device || host ? const_cast<void*>(address) : nullptr;
    found.hostPointer = device ? nullptr : const_cast<void*>(address);
    *attributes = found;
    return done(driverError());
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return transfer(to, from, bytes, kindName(kind));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return transfer(to, from, bytes, kindName(kind));
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t) {
    return transfer(to, from, bytes, "copy-device");
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
    cudaError_t error = done();
    for (size_t row = 0; row < height && error == cudaSuccess; ++row) {
        error = transfer(static_cast<char*>(to) + row * toPitch,
                         static_cast<const char*>(from) + row * fromPitch, width, kindName(kind));
    }
    return error;
}

cudaError_t cudaMemset(void* at, int value, size_t bytes) {
    return set(at, value, bytes);
}
cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t) {
    return set(at, value, bytes);
}

// A variable of the device: the host's shadow variable is used, since no kernel reads it.
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
    return give(address, const_cast<void*>(symbol));
}
cudaError_t cudaMemcpyToSymbol(const void*, const void*, size_t, size_t, cudaMemcpyKind) {
    return done();
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    static int token;
    *pool = reinterpret_cast<cudaMemPool_t>(&token);
    return done();
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
    const MemoryInfo info = memoryInfo();
    std::memcpy(value, &info.taken, sizeof info.taken);
    return done();
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
    return done();
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) {
    return done();
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
    return done();
}

}  // extern "C"
