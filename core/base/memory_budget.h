#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

/// How much memory may be made of one file that a stranger may have written. Readers count the values that
/// they make, not only the bytes that they parse: a reference of two bytes can stand for a value of a
/// megabyte. What they count is an estimate of what the allocator hands out.
class MemoryBudget {
public:
    static constexpr Bytes kFloor = 128 * kMiB;  ///< what a file of any size may take
    static constexpr Bytes kFactor = 32;         ///< of the file's size
    /// Of the machine's memory, as divisors; the larger share is for files that are large by nature.
    static constexpr int kShare = 16, kLargeShare = 2;

    /// kFactor times the size of the file, at least kFloor, at most the machine's memory divided by `share`.
    explicit MemoryBudget(Bytes fileBytes, int share = kShare);

    /// Counts `bytes`. Returns false, from then on always, once more was counted than the file may take.
    bool take(std::size_t bytes) {
        exceeded_ = exceeded_ || bytes > left_;
        left_ -= exceeded_ ? 0 : bytes;
        return !exceeded_;
    }
    /// Counts `count` values of `bytes` each.
    bool take(std::size_t count, std::size_t bytes) {
        return take(count == 0 || bytes <= SIZE_MAX / count ? count * bytes : SIZE_MAX);
    }
    /// Counts a text that is stored.
    bool take(const std::string& text) { return take(bytesOf(text)); }
    /// The memory of a std::string.
    static std::size_t bytesOf(const std::string& text) {
        constexpr std::size_t kInside = 15;  // bytes that need no memory of their own
        return sizeof(std::string) + (text.size() > kInside ? text.size() + 1 : 0);
    }

    bool exceeded() const { return exceeded_; }
    Bytes most() const { return most_; }
    /// Why the reader gives up, without the file's name.
    Error error() const;

private:
    Bytes most_;
    std::size_t left_;
    bool exceeded_ = false;
};

}  // namespace highwater::base
