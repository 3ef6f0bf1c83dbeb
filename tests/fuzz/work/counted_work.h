#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

namespace highwater::fuzz {

/// The work of a thread, in numbers that are the same on every machine and day, unlike times.
struct Work {
    std::uint64_t allocations = 0, allocatedBytes = 0;
    std::uint64_t comparisons = 0, comparedBytes = 0;  ///< of text comparisons: memcmp
    std::uint64_t copies = 0, copiedBytes = 0;         ///< memcpy and memmove

    /// One number: a call counts like 64 bytes.
    std::uint64_t units() const;
};

/// The work of the calling thread since it started. Zero if a sanitizer replaces these functions.
Work workSoFar();
/// Whether workSoFar() counts anything.
bool countsWork();

/// Makes an input of a size, and returns the function whose work is counted.
using Prepare = std::function<std::function<void()>(std::size_t size)>;

/// Expects at most six times the work for four times the size: n log n passes, n squared would be 16 times.
void expectLinearWork(std::size_t size, const Prepare& prepare);

}  // namespace highwater::fuzz
