#include "core/engine/device/cuda_hooks.h"

#include <ATen/core/Tensor.h>

#ifdef HIGHWATER_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <array>
#include <atomic>
#include <stdexcept>

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

#ifdef HIGHWATER_CUDA

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using memory::DeviceEvent;

constexpr std::size_t kMostDevices = 64;
std::array<std::atomic<DeviceBooks*>, kMostDevices> gBooks{};
std::atomic<Bytes> gGemmWorkspace{0};

std::optional<DeviceEvent::Kind> kindOf(allocator::TraceEntry::Action action) {
    using Action = allocator::TraceEntry::Action;
    switch (action) {
        case Action::ALLOC:
            return DeviceEvent::Kind::Allocate;
        case Action::FREE_REQUESTED:
            return DeviceEvent::Kind::FreeRequested;
        case Action::FREE_COMPLETED:
            return DeviceEvent::Kind::FreeCompleted;
        case Action::SEGMENT_ALLOC:
            return DeviceEvent::Kind::SegmentAllocate;
        case Action::SEGMENT_FREE:
            return DeviceEvent::Kind::SegmentFree;
        case Action::SEGMENT_MAP:
            return DeviceEvent::Kind::SegmentMap;
        case Action::SEGMENT_UNMAP:
            return DeviceEvent::Kind::SegmentUnmap;
        case Action::OOM:
            return DeviceEvent::Kind::OutOfMemory;
        default:
            return std::nullopt;
    }
}

/// Called under the allocator's lock, so it must not call any LibTorch function that takes that lock.
void hear(const allocator::TraceEntry& entry) {
    const auto index = static_cast<std::size_t>(entry.device_);
    DeviceBooks* const books = index < kMostDevices ? gBooks[index].load(std::memory_order_acquire) : nullptr;
    const auto kind = kindOf(entry.action_);
    if (books == nullptr || !kind) {
        return;
    }
    books->took({*kind, static_cast<std::int64_t>(entry.addr_), static_cast<Bytes>(entry.size_),
                 reinterpret_cast<std::uint64_t>(entry.stream_)},
                operatorNow(), gGemmWorkspace.load(std::memory_order_relaxed));
}

DeviceBooks* booksOf(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage() || !tensor.is_cuda()) {
        return nullptr;
    }
    const auto index = static_cast<std::size_t>(tensor.get_device());
    return index < kMostDevices ? gBooks[index].load(std::memory_order_acquire) : nullptr;
}

std::uintptr_t addressOf(const at::Tensor& tensor) {
    return reinterpret_cast<std::uintptr_t>(tensor.storage().data_ptr().get());
}

}  // namespace

DeviceBooks& installCudaBooks(int index) {
    const auto place = static_cast<std::size_t>(index);
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (DeviceBooks* const there = gBooks.at(place).load(std::memory_order_acquire)) {
        return *there;
    }
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    static const bool listening = [] {
        allocator::attachAllocatorTraceTracker(&hear);
        return true;
    }();
    static_cast<void>(listening);
    gBooks[place].store(new DeviceBooks, std::memory_order_release);
    gGemmWorkspace.store(static_cast<Bytes>(at::cuda::getChosenWorkspaceSize()), std::memory_order_relaxed);
    followOperators(true);
    return *gBooks[place];
}

bool retagCuda(const at::Tensor& tensor, Category category, bool onlyTemporaries) {
    DeviceBooks* const books = booksOf(tensor);
    return books != nullptr && books->retag(addressOf(tensor), category, onlyTemporaries);
}

std::optional<Category> categoryOnCuda(const at::Tensor& tensor) {
    const DeviceBooks* const books = booksOf(tensor);
    return books != nullptr ? books->categoryOf(addressOf(tensor)) : std::nullopt;
}

#else

DeviceBooks& installCudaBooks(int) {
    throw std::logic_error("a GPU's books in a build without CUDA");
}

bool retagCuda(const at::Tensor&, Category, bool) {
    return false;
}

std::optional<Category> categoryOnCuda(const at::Tensor&) {
    return std::nullopt;
}

#endif

}  // namespace highwater::engine
