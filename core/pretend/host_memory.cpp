#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "core/pretend/ranges.h"
#include "core/pretend/work.h"

// Page-locked host memory: ordinary memory, remembered.
namespace highwater::pretend {
namespace {

struct Host {
    std::mutex mutex;
    Ranges own;         // given out by allocateHost
    Ranges registered;  // the caller's
};

Host& state() {
    static Host& state = *new Host;
    return state;
}

}  // namespace

void* allocateHost(std::size_t bytes) {
    const std::size_t size = roundUp(std::max<std::size_t>(bytes, 1), sysconf(_SC_PAGESIZE));
    void* at =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return nullptr;
    }
    Host& s = state();
    const std::lock_guard lock(s.mutex);
    s.own.emplace(reinterpret_cast<std::uintptr_t>(at), size);
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
