#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/pretend/memory.h"
#include "core/pretend/settings.h"
#include "core/pretend/values.h"

namespace highwater::pretend {
namespace {

constexpr std::size_t kPiece = 4 << 20;  // bytes inspected at a time

std::uintptr_t number(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

// True if no page of the piece was ever written or read: it is zero, and takes no memory.
bool untouched(const void* address, std::size_t bytes) {
    const std::uintptr_t page = sysconf(_SC_PAGESIZE);
    const std::uintptr_t begin = number(address) / page * page;
    const std::size_t length = (number(address) + bytes - begin + page - 1) / page * page;
    std::vector<unsigned char> resident(length / page);
    if (mincore(reinterpret_cast<void*>(begin), length, resident.data()) != 0) {
        return false;
    }
    return std::none_of(resident.begin(), resident.end(), [](unsigned char one) { return one & 1; });
}

// Zeroes memory; whole pages are returned to the system instead of being written.
void clear(char* at, std::size_t bytes) {
    const std::uintptr_t page = sysconf(_SC_PAGESIZE);
    const std::uintptr_t first = (number(at) + page - 1) / page * page;
    const std::uintptr_t last = (number(at) + bytes) / page * page;
    if (last <= first || madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) != 0) {
        std::memset(at, 0, bytes);
        return;
    }
    std::memset(at, 0, first - number(at));
    std::memset(reinterpret_cast<void*>(last), 0, number(at) + bytes - last);
}

void copyOnDevice(char* to, const char* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += kPiece) {
        const std::size_t piece = std::min(kPiece, bytes - done);
        if (!untouched(from + done, piece)) {
            std::memmove(to + done, from + done, piece);
        } else if (!untouched(to + done, piece)) {
            clear(to + done, piece);
        }
    }
}

}  // namespace

void copy(void* to, const void* from, std::size_t bytes) {
    const bool intoDevice = deviceRange(to).has_value();
    const bool fromDevice = bytes > 0 && deviceRange(from).has_value();
    if (!bytes) {
        return;
    }
    if (intoDevice && settings().zeros) {
        fromDevice ? moveValues(to, from, bytes) : keepWritten(to, from, bytes);
        return;
    }
    if (intoDevice && fromDevice) {
        copyOnDevice(static_cast<char*>(to), static_cast<const char*>(from), bytes);
    } else {
        std::memmove(to, from, bytes);
    }
    if (fromDevice && settings().zeros) {
        readReceived(to, from, bytes);
    }
}

void fill(void* at, int value, std::size_t bytes) {
    constexpr std::size_t kSmall = 1 << 20;
    const bool onDevice = deviceRange(at).has_value();
    if (onDevice && settings().zeros) {
        forgetValues(at, bytes);
        return;
    }
    if (!onDevice || bytes <= kSmall) {
        std::memset(at, value, bytes);
    } else if (value == 0) {
        clear(static_cast<char*>(at), bytes);
    }
}

}  // namespace highwater::pretend
