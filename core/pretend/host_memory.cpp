#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>

#include "core/pretend/ranges.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// Page-locked host memory: ordinary memory that is recorded. It is real, unlike the device's, so its total is
// limited to half of the memory available on this machine at the first allocation.
namespace highwater::pretend {
namespace {

// Of this machine, or of this process's control group, if that has less.
std::size_t hostMemoryAvailable() {
    std::size_t available = SIZE_MAX;
    std::ifstream machine("/proc/meminfo");
    for (std::string name, unit; machine >> name;) {
        std::size_t kib = 0;
        machine >> kib;
        std::getline(machine, unit);
        if (name == "MemAvailable:") {
            available = kib << 10;
        }
    }
    std::size_t most = 0;
    std::size_t now = 0;
    if (std::ifstream("/sys/fs/cgroup/memory.max") >> most &&
        std::ifstream("/sys/fs/cgroup/memory.current") >> now) {
        available = std::min(available, most - std::min(most, now));
    }
    return available;
}

struct Host {
    std::mutex mutex;
    Ranges own;             // allocated by allocateHost
    Ranges registered;      // the caller's memory
    std::size_t bytes = 0;  // total of `own`
    const std::size_t most = hostMemoryAvailable() / 2;
};

Host& state() {
    static Host& state = *new Host;
    return state;
}

}  // namespace

void* allocateHost(std::size_t bytes) {
    Host& s = state();
    const std::lock_guard lock(s.mutex);
    if (bytes > s.most - s.bytes) {
        sayOnce("pinned host memory is real here, and more than half of what this machine has available (" +
                std::to_string(s.most >> 20) + " MiB) was asked for: refused");
        return nullptr;
    }
    const std::size_t size = roundUp(std::max<std::size_t>(bytes, 1), sysconf(_SC_PAGESIZE));
    void* at =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return nullptr;
    }
    s.own.emplace(reinterpret_cast<std::uintptr_t>(at), size);
    s.bytes += std::min(size, s.most - s.bytes);
    trace("host", bytes, "");
    return at;
}

bool releaseHost(void* address) {
    Host& s = state();
    const std::lock_guard lock(s.mutex);
    const auto found = s.own.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == s.own.end()) {
        return false;
    }
    munmap(address, found->second);
    s.bytes -= std::min(found->second, s.bytes);
    s.own.erase(found);
    return true;
}

void registerHost(void* address, std::size_t bytes) {
    Host& s = state();
    const std::lock_guard lock(s.mutex);
    s.registered[reinterpret_cast<std::uintptr_t>(address)] = bytes;
}

bool unregisterHost(void* address) {
    Host& s = state();
    const std::lock_guard lock(s.mutex);
    return s.registered.erase(reinterpret_cast<std::uintptr_t>(address)) > 0;
}

std::optional<Range> hostRange(const void* address) {
    Host& s = state();
    const std::lock_guard lock(s.mutex);
    const auto own = rangeIn(s.own, address);
    return own ? own : rangeIn(s.registered, address);
}

}  // namespace highwater::pretend
