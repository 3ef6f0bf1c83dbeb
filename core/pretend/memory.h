#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

// The memory of the pretended device: addresses of this process, reserved in one piece and given out at the
// lowest free place, so that the same calls get the same order of addresses in every run. Pages are committed
// by the operating system when the host writes them; nothing else does.
namespace highwater::pretend {

constexpr std::size_t kGranule = 2 << 20;  // bytes; capacity is taken in these units, as drivers do

struct MemoryInfo {
    std::uint64_t total;
    std::uint64_t others;   // another process's
    std::uint64_t context;  // 0 before a context is made
    std::uint64_t taken;    // by allocations and physical handles, in granules
    bool hasContext;
    std::uint64_t free() const { return total - others - context - taken; }
};

struct Range {
    std::uintptr_t begin;
    std::size_t bytes;
};

// Makes the context where there is none: takes its bytes, and says once that nothing is executed.
void ensureContext();
MemoryInfo memoryInfo();

// Null where the capacity does not suffice.
void* allocate(std::size_t bytes);
// False where `address` is not the begin of an allocation.
bool release(void* address);

// Physical memory without an address, and addresses without memory (expandable segments).
bool takePhysical(std::size_t bytes);
void returnPhysical(std::size_t bytes);
void* reserveAddresses(std::size_t bytes, std::size_t alignment);
bool releaseAddresses(void* address);
void makeAccessible(void* address, std::size_t bytes);
void makeInaccessible(void* address, std::size_t bytes);

// Page-locked host memory; not of the device's capacity.
void* allocateHost(std::size_t bytes);
bool releaseHost(void* address);
void registerHost(void* address, std::size_t bytes);
bool unregisterHost(void* address);

// The range that an address lies in.
std::optional<Range> deviceRange(const void* address);
std::optional<Range> hostRange(const void* address);

// False where a part of these bytes is in the device's addresses, but nothing is allocated or mapped there.
bool accessible(const void* address, std::size_t bytes);

// Copies, leaving never-written device pages never written.
void copy(void* to, const void* from, std::size_t bytes);
// Fills; zero gives pages back, and a large fill with anything else is left out.
void fill(void* at, int value, std::size_t bytes);

}  // namespace highwater::pretend
