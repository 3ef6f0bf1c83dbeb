#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

// The memory of the pretended devices: addresses of this process, reserved in one piece and assigned at the
// lowest free address, so that the same calls return addresses in the same order in every run. The operating
// system commits pages only when the host writes to them.
namespace highwater::pretend {

constexpr std::size_t kGranule = 2 << 20;  // bytes; capacity is counted in these units, as in drivers

struct MemoryInfo {
    std::uint64_t total;
    std::uint64_t others;   // used by another process
    std::uint64_t context;  // 0 before a context is created
    std::uint64_t taken;    // used by allocations and physical handles, in granules
    bool hasContext;
    std::uint64_t free() const { return total - others - context - taken; }
};

struct Range {
    std::uintptr_t begin;
    std::size_t bytes;
};

// The device that this thread uses: 0 until it sets another. False if there is no such device.
int currentDevice();
bool setCurrentDevice(int device);

// Creates the current device's context if there is none: takes its bytes, and prints once that nothing is
// executed.
void ensureContext();
MemoryInfo memoryInfo(int device = currentDevice());

// On the current device. Null if its capacity is exceeded.
void* allocate(std::size_t bytes);
// False if `address` is not the beginning of an allocation.
bool release(void* address);

// Physical memory without an address, and addresses without memory (expandable segments).
bool takePhysical(std::size_t bytes, int device = currentDevice());
void returnPhysical(std::size_t bytes, int device = currentDevice());
void* reserveAddresses(std::size_t bytes, std::size_t alignment);
bool releaseAddresses(void* address);
void makeAccessible(void* address, std::size_t bytes, int device = currentDevice());
void makeInaccessible(void* address, std::size_t bytes);

// Page-locked host memory; not part of the device's capacity.
void* allocateHost(std::size_t bytes);
bool releaseHost(void* address);
void registerHost(void* address, std::size_t bytes);
bool unregisterHost(void* address);

// The range that contains an address.
std::optional<Range> deviceRange(const void* address);
// The device that has the memory at an address; the current one if none has.
int deviceOf(const void* address);
std::optional<Range> hostRange(const void* address);

// False if a part of these bytes is in the device's address range but not allocated or mapped.
bool accessible(const void* address, std::size_t bytes);

// Copies; device pages that were never written stay so.
void copy(void* to, const void* from, std::size_t bytes);
// Fills; a fill with zero returns pages to the system, and a large fill with any other value is skipped.
void fill(void* at, int value, std::size_t bytes);

}  // namespace highwater::pretend
