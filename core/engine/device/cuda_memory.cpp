#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "core/engine/books/device_parts.h"
#include "core/engine/device/cuda_device.h"
#include "core/nvml/nvml.h"

namespace highwater::engine {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenQuestions(100);

/// State kept for each GPU, in addition to the allocator's.
struct Use {
    bool noted = false;           ///< noteUseBefore() was called
    std::optional<Bytes> before;  ///< bytes in use before this process created its context
    std::optional<Clock::time_point> asked;
    std::optional<Outside> outside;  ///< the driver's figures at `asked`
    Bytes peak = 0;                  ///< largest DeviceMemory::used() since beginOnDevice
    bool begun = false;              ///< beginOnDevice was called
    std::optional<double> fraction;  ///< the allocator's memory fraction before a budget replaced it
};

struct Uses {
    std::mutex mutex;
    std::map<int, Use> byGpu;
};

Uses& uses() {
    static auto* const all = new Uses;  // never destroyed: other threads may still ask
    return *all;
}

template <class Stats>
Bytes now(const Stats& stats) {
    return stats[0].current;  // index 0: all pools together
}

AllocatorBytes allocatorBytes(const Device& device) {
    const auto stats = allocator::getDeviceStats(indexOf(device));
    return {.requested = now(stats.requested_bytes),
            .active = now(stats.active_bytes),
            .split = now(stats.inactive_split_bytes),
            .reserved = now(stats.reserved_bytes)};
}

struct Driver {
    Bytes used = 0;
    std::optional<Bytes> process;
};

std::optional<Driver> askDriver(const Device& device) {
    if (const std::string name = nvmlNameOf(device); !name.empty()) {
        if (const auto use = nvml::deviceUse(name)) {
            return Driver{use->used, use->process};
        }
    }
    const c10::cuda::OptionalCUDAGuard guard(indexOf(device));
    std::size_t free = 0, total = 0;
    if (C10_CUDA_ERROR_HANDLED(cudaMemGetInfo(&free, &total)) != cudaSuccess) {
        C10_CUDA_CLEAR_ERROR();
        return std::nullopt;
    }
    return Driver{static_cast<Bytes>(total - free), std::nullopt};
}

/// Queries the driver again. If the allocator reserved or freed a segment meanwhile, the two figures are
/// inconsistent: after three attempts the earlier figures are kept, if there are any.
void renew(const Device& device, Use& use) {
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Bytes before = allocatorBytes(device).reserved;
        const std::optional<Driver> driver = askDriver(device);
        const Bytes after = allocatorBytes(device).reserved;
        if (!driver) {
            return;
        }
        if (before == after || (!use.outside && attempt == 2)) {
            use.outside = outsideOf(driver->used, after, driver->process, use.before);
            return;
        }
    }
}

std::optional<wire::DeviceMemory> measure(const Device& device, Use& use, bool atOnce) {
    if (!use.begun) {
        return std::nullopt;
    }
    const Clock::time_point time = Clock::now();
    if (atOnce || !use.asked || time - *use.asked >= kBetweenQuestions) {
        use.asked = time;
        renew(device, use);
    }
    if (!use.outside) {
        return std::nullopt;
    }
    const wire::DeviceMemory memory = partsOf(allocatorBytes(device), *use.outside, gpuOf(device).memory);
    use.peak = std::max(use.peak, memory.used());
    return memory;
}

/// The total to which the memory fraction applies. Depending on its version, LibTorch uses one of these two;
/// they differ if a service limits a process's share. With the larger one the limit does not exceed the
/// budget.
Bytes totalOf(const Device& device) {
    std::size_t free = 0, total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return std::max(static_cast<Bytes>(total), gpuOf(device).memory);
}

/// The allocator's memory fraction; 1: no limit. LibTorch before 2.8 cannot be asked.
template <class Allocator>
double limitNow(Allocator& cuda, c10::DeviceIndex index) {
    if constexpr (requires { cuda.getMemoryFraction(index); }) {
        return cuda.getMemoryFraction(index);
    } else {
        return 1.0;
    }
}

void liftLimit(const Device& device, Use& use) {
    if (const auto fraction = std::exchange(use.fraction, std::nullopt)) {
        allocator::setMemoryFraction(*fraction, indexOf(device));
    }
}

}  // namespace

void noteUseBefore(const Device& device) {
    const std::string name = nvmlNameOf(device);
    const std::lock_guard lock(uses().mutex);
    Use& use = uses().byGpu[device.index];
    if (std::exchange(use.noted, true) || name.empty() || c10::cuda::hasPrimaryContext(indexOf(device))) {
        return;
    }
    if (const auto now = nvml::deviceUse(name)) {
        use.before = now->used;
    }
}

void beginOnDevice(const Device& device, std::optional<Bytes> budget) {
    if (!device.cuda) {
        return;
    }
    noteUseBefore(device);
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    c10::cuda::set_device(indexOf(device));
    C10_CUDA_CHECK(cudaFree(nullptr));  // creates the context
    allocator::resetPeakStats(indexOf(device));
    allocator::resetAccumulatedStats(indexOf(device));
    const std::lock_guard lock(uses().mutex);
    Use& use = uses().byGpu[device.index];
    liftLimit(device, use);
    if (budget) {
        use.fraction = limitNow(*allocator::get(), indexOf(device));
        const double wanted = fractionOf(*budget, totalOf(device));
        allocator::setMemoryFraction(std::min(wanted, *use.fraction), indexOf(device));
    }
    use.begun = true;
    use.peak = 0;
    measure(device, use, true);
}

void endOnDevice(const Device& device) {
    if (!device.cuda || deviceIsLost(device)) {
        return;
    }
    const std::lock_guard lock(uses().mutex);
    liftLimit(device, uses().byGpu[device.index]);
}

AllocatorNumbers allocatorNumbers(const Device& device) {
    if (!device.cuda) {
        return {};
    }
    const auto stats = allocator::getDeviceStats(indexOf(device));
    return {.reservedPeak = stats.reserved_bytes[0].peak, .retries = stats.num_alloc_retries};
}

std::optional<wire::DeviceMemory> deviceMemory(const Device& device) {
    if (!device.cuda) {
        return std::nullopt;
    }
    const std::lock_guard lock(uses().mutex);
    return measure(device, uses().byGpu[device.index], false);
}

Bytes peakDeviceUsed(const Device& device) {
    if (!device.cuda) {
        return 0;
    }
    const std::lock_guard lock(uses().mutex);
    Use& use = uses().byGpu[device.index];
    measure(device, use, true);
    return use.peak;
}

}  // namespace highwater::engine
