#include "tests/fuzz/work/counted_work.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

namespace highwater::fuzz {
Work workSoFar() {
    return {};
}
bool countsWork() {
    return false;
}
}  // namespace highwater::fuzz

#else

#include <dlfcn.h>

#include <cstdlib>
#include <new>

namespace {

thread_local highwater::fuzz::Work gWork;

using Compare = int (*)(const void*, const void*, std::size_t);
using Copy = void* (*)(void*, const void*, std::size_t);
Compare gCompare = nullptr;
Copy gCopy = nullptr, gMove = nullptr;

__attribute__((constructor)) void findThem() {
    gCompare = reinterpret_cast<Compare>(dlsym(RTLD_NEXT, "memcmp"));
    gMove = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "memmove"));
    gCopy = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "memcpy"));
}

void* allocated(std::size_t bytes) {
    ++gWork.allocations;
    gWork.allocatedBytes += bytes;
    if (void* const made = std::malloc(bytes == 0 ? 1 : bytes)) {
        return made;
    }
    throw std::bad_alloc();
}

}  // namespace

// These replace the functions of the C and C++ libraries in this program, also for the libraries that it
// uses.
// NOLINTBEGIN: their names and types are fixed
void* operator new(std::size_t bytes) {
    return allocated(bytes);
}
void* operator new[](std::size_t bytes) {
    return allocated(bytes);
}
void operator delete(void* held) noexcept {
    std::free(held);
}
void operator delete[](void* held) noexcept {
    std::free(held);
}
void operator delete(void* held, std::size_t) noexcept {
    std::free(held);
}
void operator delete[](void* held, std::size_t) noexcept {
    std::free(held);
}

// The loops serve the dynamic linker's calls before the real functions are found. The compiler must not turn
// them into a call of memcpy.
#define HIGHWATER_PLAIN __attribute__((optimize("no-tree-loop-distribute-patterns", "no-tree-vectorize")))
extern "C" {
HIGHWATER_PLAIN int memcmp(const void* a, const void* b, std::size_t bytes) noexcept {
    ++gWork.comparisons;
    gWork.comparedBytes += bytes;
    if (gCompare != nullptr) {
        return gCompare(a, b, bytes);
    }
    const auto* const first = static_cast<const unsigned char*>(a);
    const auto* const second = static_cast<const unsigned char*>(b);
    for (std::size_t i = 0; i < bytes; ++i) {
        if (first[i] != second[i]) {
            return first[i] < second[i] ? -1 : 1;
        }
    }
    return 0;
}
HIGHWATER_PLAIN void* memmove(void* to, const void* from, std::size_t bytes) noexcept {
    ++gWork.copies;
    gWork.copiedBytes += bytes;
    if (gMove != nullptr) {
        return gMove(to, from, bytes);
    }
    auto* const target = static_cast<unsigned char*>(to);
    const auto* const source = static_cast<const unsigned char*>(from);
    for (std::size_t i = 0; i < bytes; ++i) {
        const std::size_t at = target < source ? i : bytes - 1 - i;
        target[at] = source[at];
    }
    return to;
}
HIGHWATER_PLAIN void* memcpy(void* to, const void* from, std::size_t bytes) noexcept {
    if (gCopy == nullptr) {
        return memmove(to, from, bytes);
    }
    ++gWork.copies;
    gWork.copiedBytes += bytes;
    return gCopy(to, from, bytes);
}
}
// NOLINTEND

namespace highwater::fuzz {
Work workSoFar() {
    return gWork;
}
bool countsWork() {
    return true;
}
}  // namespace highwater::fuzz

#endif

namespace highwater::fuzz {

std::uint64_t Work::units() const {
    constexpr std::uint64_t kCall = 64;  // bytes
    return allocations + comparisons + copies + (allocatedBytes + comparedBytes + copiedBytes) / kCall;
}

void expectLinearWork(std::size_t size, const Prepare& prepare) {
    if (!countsWork()) {
        GTEST_SKIP() << "a sanitizer has memcmp, memcpy and operator new of its own";
    }
    const auto unitsOf = [&](std::size_t of) {
        const auto run = prepare(of);
        const std::uint64_t before = workSoFar().units();
        run();
        return workSoFar().units() - before;
    };
    unitsOf(4);  // things that are created once
    const std::uint64_t small = unitsOf(size), large = unitsOf(4 * size);
    EXPECT_GE(small, size) << "nothing was counted";
    EXPECT_LE(large, 6 * small) << small << " for " << size << ", " << large << " for " << 4 * size;
    ::testing::Test::RecordProperty("factor",
                                    std::to_string(static_cast<double>(large) / static_cast<double>(small)));
}

}  // namespace highwater::fuzz
