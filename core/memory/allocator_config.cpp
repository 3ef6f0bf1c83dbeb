#include "core/memory/allocator_config.h"

#include <fmt/format.h>

#include <bit>

namespace highwater::memory {
namespace {

using base::Bytes;
using base::Error;
using base::kMiB;

constexpr Bytes kMostMemory = Bytes{1} << 44;

bool wholeMiB(Bytes bytes) {
    return bytes % kMiB == 0;
}

bool powerOfTwo(std::int64_t value) {
    return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

base::Status checkEra(const AllocatorConfig& c) {
    const bool first = c.era == AllocatorEra::Torch1_13;
    if (first && c.expandableSegments) {
        return Error{"expandable segments need PyTorch 2.1 or later"};
    }
    if (!first && c.roundupBypass != kUnlimited) {
        return Error{"a rounding bypass needs PyTorch 1.13"};
    }
    for (const auto divisions : c.roundupDivisions) {
        if (first && divisions != c.roundupDivisions.front()) {
            return Error{"divisions that differ by interval need PyTorch 2.0 or later"};
        }
    }
    if (c.era != AllocatorEra::Torch2_4 && c.maxNonSplitRounding != 20 * kMiB) {
        return Error{"another rounding of unsplittable blocks than 20 MiB needs PyTorch 2.4 or later"};
    }
    if (c.era != AllocatorEra::Torch2_4 && c.largeSegmentSize != 20 * kMiB) {
        return Error{"other large segments than 20 MiB need PyTorch 2.11 or later"};
    }
    return {};
}

}  // namespace

AllocatorEra allocatorEra(TorchVersion version) {
    if (version >= TorchVersion{2, 4}) {
        return AllocatorEra::Torch2_4;
    }
    return version >= TorchVersion{2, 0} ? AllocatorEra::Torch2_0 : AllocatorEra::Torch1_13;
}

base::Status check(const AllocatorConfig& c) {
    if (c.largeSegmentSize < 11 * kMiB || c.largeSegmentSize > kMostMemory || !wholeMiB(c.largeSegmentSize)) {
        return Error{fmt::format("large segments have {} B; it must be whole MiB, 11 MiB to 16 TiB",
                                 c.largeSegmentSize)};
    }
    if (c.expandableSegments && c.largeSegmentSize % (2 * kMiB) != 0) {
        return Error{
            fmt::format("expandable large segments of {} MiB; CUDA maps memory in even numbers of MiB",
                        c.largeSegmentSize / kMiB)};
    }
    const auto least = c.largeSegmentSize / kMiB;
    if (c.maxSplitSize != kUnlimited && (c.maxSplitSize < c.largeSegmentSize || !wholeMiB(c.maxSplitSize))) {
        return Error{fmt::format("the largest split size is {} B; it must be whole MiB, {} MiB or more",
                                 c.maxSplitSize, least)};
    }
    if (c.maxNonSplitRounding < c.largeSegmentSize || !wholeMiB(c.maxNonSplitRounding)) {
        return Error{
            fmt::format("the rounding of unsplittable blocks is {} B; it must be whole MiB, {} MiB "
                        "or more",
                        c.maxNonSplitRounding, least)};
    }
    if (!(c.memoryFraction >= 0 && c.memoryFraction <= 1)) {
        return Error{fmt::format("the memory fraction is {}; it must be 0 to 1", c.memoryFraction)};
    }
    if (!(c.garbageCollectionThreshold >= 0 && c.garbageCollectionThreshold < 1)) {
        return Error{fmt::format("the garbage collection threshold is {}; it must be 0 or more and below 1",
                                 c.garbageCollectionThreshold)};
    }
    for (const auto divisions : c.roundupDivisions) {
        if (divisions != 0 && !powerOfTwo(divisions)) {
            return Error{fmt::format("{} divisions; they must be 0 or a power of two", divisions)};
        }
    }
    if (c.roundupBypass < 0) {
        return Error{fmt::format("the rounding bypass is {} B; it must be 0 or more", c.roundupBypass)};
    }
    return checkEra(c);
}

base::Status check(const DeviceMemory& device) {
    if (device.total < 1 || device.total > kMostMemory) {
        return Error{fmt::format("the device has {} B; it must be 1 B to 16 TiB", device.total)};
    }
    if (device.capacity < 0 || device.capacity > device.total) {
        return Error{fmt::format("the device leaves {} B; it must be 0 B to its total of {} B",
                                 device.capacity, device.total)};
    }
    if (device.allowed && *device.allowed < 0) {
        return Error{fmt::format("{} B are allowed; it must be 0 B or more", *device.allowed)};
    }
    return {};
}

}  // namespace highwater::memory
