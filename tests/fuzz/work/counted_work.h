#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

namespace highwater::fuzz {

/// What a thread has done, in numbers that are the same on every machine and on every day: a time is not.
struct Work {
    std::uint64_t allocations = 0, allocatedBytes = 0;
    std::uint64_t comparisons = 0, comparedBytes = 0;  ///< of texts: memcmp
    std::uint64_t copies = 0, copiedBytes = 0;         ///< memcpy and memmove

    /// One number: a call counts as 64 bytes do.
    std::uint64_t units() const;
};

/// What the calling thread has done since it began. Zeros where a sanitizer has these functions of its own.
Work workSoFar();
/// Whether workSoFar() counts anything.
bool countsWork();

/// Makes an input of a size, and returns what is to be counted of it.
using Prepare = std::function<std::function<void()>(std::size_t size)>;

/// Expects at most six times the work for four times the size: n log n passes, n squared is 16 times.
void expectLinearWork(std::size_t size, const Prepare& prepare);

}  // namespace highwater::fuzz
