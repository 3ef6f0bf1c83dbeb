#include "core/pretend/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "core/pretend/ranges.h"
#include "core/pretend/report.h"
#include "core/pretend/settings.h"
#include "core/pretend/values.h"
#include "core/pretend/work.h"

namespace highwater::pretend {
namespace {

struct Arena {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
};

// Reserves addresses for the lifetime of the process; the size is halved until the system agrees.
Arena makeArena() {
    for (std::size_t bytes = 16ULL << 40; bytes >= (64ULL << 30); bytes /= 2) {
        void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) {
            const std::uintptr_t begin = roundUp(reinterpret_cast<std::uintptr_t>(at), kGranule);
            return {begin, bytes - kGranule};
        }
    }
    say("no addresses can be reserved here, so nothing can be allocated");
    return {};
}

struct DeviceState {
    std::uint64_t taken = 0;
    std::uint64_t context = 0;
    bool hasContext = false;
};

struct State {
    std::mutex mutex;
    Arena arena = makeArena();
    Ranges places;       // every reserved range of the arena
    Ranges allocations;  // those that allocate() returned
    Ranges open;         // memory that may be accessed: allocations, and mapped parts of places
    std::map<std::uintptr_t, int> devices;  // of each range in `open`
    std::array<DeviceState, kMostDevices> of;
};

thread_local int current = 0;

State& state() {
    static State& state = *new State;
    return state;
}

void* pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}

// First fit from the lowest address; 0 if the arena is full.
std::uintptr_t place(State& s, std::size_t bytes, std::size_t alignment) {
    std::uintptr_t at = roundUp(s.arena.begin, alignment);
    for (const auto& [begin, size] : s.places) {
        if (at + bytes <= begin) {
            break;
        }
        at = roundUp(begin + size, alignment);
    }
    if (!s.arena.bytes || at + bytes > s.arena.begin + s.arena.bytes) {
        return 0;
    }
    s.places.emplace(at, bytes);
    return at;
}

bool take(DeviceState& device, std::size_t bytes) {
    const std::uint64_t free = settings().gpu.bytes - settings().othersBytes - device.context - device.taken;
    if (bytes > free) {
        return false;
    }
    device.taken += bytes;
    return true;
}

void access(State& s, void* address, std::size_t bytes, int device) {
    s.open[reinterpret_cast<std::uintptr_t>(address)] = bytes;
    s.devices[reinterpret_cast<std::uintptr_t>(address)] = device;
    mprotect(address, bytes, PROT_READ | PROT_WRITE);
}

void drop(State& s, void* address, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    s.open.erase(s.open.lower_bound(begin), s.open.lower_bound(begin + bytes));
    s.devices.erase(s.devices.lower_bound(begin), s.devices.lower_bound(begin + bytes));
    forgetValues(address, bytes);
    mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace

int currentDevice() {
    return current;
}

bool setCurrentDevice(int device) {
    if (device < 0 || device >= settings().devices) {
        return false;
    }
    current = device;
    return true;
}

void ensureContext() {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    DeviceState& device = s.of[current];
    if (!device.hasContext) {
        device.hasContext = true;
        device.context = std::clamp<std::uint64_t>(settings().contextBytes, 0,
                                                   settings().gpu.bytes - settings().othersBytes);
        beginReport();
        sayOnce("nothing is executed: this is no " + std::string(settings().gpu.name) +
                ", results and times mean nothing");
    }
}

MemoryInfo memoryInfo(int device) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const DeviceState& of = s.of[device];
    return {settings().gpu.bytes, settings().othersBytes, of.context, of.taken, of.hasContext};
}

void* allocate(std::size_t bytes) {
    ensureContext();
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const std::size_t taken = bytes > settings().gpu.bytes ? bytes : roundUp(bytes, kGranule);
    DeviceState& device = s.of[current];
    const bool enough = take(device, taken);
    const std::uintptr_t at = enough ? place(s, taken, kGranule) : 0;
    if (enough && !at) {
        device.taken -= taken;
    }
    if (at) {
        s.allocations.emplace(at, taken);
        access(s, pointer(at), taken, current);
    }
    trace("malloc", bytes, at ? "" : "refused");
    return pointer(at);
}

bool release(void* address) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const auto found = s.allocations.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == s.allocations.end()) {
        return false;
    }
    trace("free", found->second, "");
    s.of[s.devices.at(found->first)].taken -= found->second;
    drop(s, address, found->second);
    s.places.erase(found->first);
    s.allocations.erase(found);
    return true;
}

bool takePhysical(std::size_t bytes, int device) {
    ensureContext();
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const bool enough = take(s.of[device], bytes);
    trace("create", bytes, enough ? "" : "refused");
    return enough;
}

void returnPhysical(std::size_t bytes, int device) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    trace("release", bytes, "");
    s.of[device].taken -= bytes;
}

void* reserveAddresses(std::size_t bytes, std::size_t alignment) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    trace("reserve", bytes, "");
    return pointer(place(s, roundUp(bytes, kGranule), std::max(alignment, kGranule)));
}

bool releaseAddresses(void* address) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const auto found = s.places.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == s.places.end() || s.allocations.contains(found->first)) {
        return false;
    }
    drop(s, address, found->second);
    s.places.erase(found);
    return true;
}

void makeAccessible(void* address, std::size_t bytes, int device) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    access(s, address, bytes, device);
}

void makeInaccessible(void* address, std::size_t bytes) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    drop(s, address, bytes);
}

bool accessible(const void* address, std::size_t bytes) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    auto at = reinterpret_cast<std::uintptr_t>(address);
    if (at < s.arena.begin || at >= s.arena.begin + s.arena.bytes) {
        return true;
    }
    const std::uintptr_t end = at + bytes;
    while (at < end) {
        const auto range = rangeIn(s.open, pointer(at));
        if (!range) {
            return false;
        }
        at = range->begin + range->bytes;
    }
    return true;
}

std::optional<Range> deviceRange(const void* address) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    return rangeIn(s.places, address);
}

int deviceOf(const void* address) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const auto range = rangeIn(s.open, address);
    return range ? s.devices.at(range->begin) : current;
}

}  // namespace highwater::pretend
