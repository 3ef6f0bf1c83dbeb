#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/memory/caching_allocator.h"

namespace highwater::memory::testing {

using base::Bytes;
using base::kGiB;
using base::kKiB;
using base::kMiB;

inline DeviceMemory deviceOf(Bytes capacity) {
    return {capacity, capacity, std::nullopt};
}

/// An allocator with a configuration that is known to be valid.
inline CachingAllocator allocatorOf(const AllocatorConfig& config = {}, Bytes capacity = 16 * kGiB) {
    return *CachingAllocator::create(config, deviceOf(capacity));
}

inline CachingAllocator allocatorOf(const AllocatorConfig& config, const DeviceMemory& device) {
    return *CachingAllocator::create(config, device);
}

/// The sizes of the segments by address, in MiB.
inline std::vector<Bytes> segmentsMiB(const CachingAllocator& allocator) {
    std::vector<Bytes> sizes;
    for (const auto& segment : allocator.snapshot()) {
        sizes.push_back(segment.size / kMiB);
    }
    return sizes;
}

inline Bytes reserved(const CachingAllocator& allocator) {
    return allocator.stats().all.reservedBytes.current;
}

}  // namespace highwater::memory::testing
