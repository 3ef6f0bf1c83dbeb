#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

/// Limits the memory that an untrusted file may use when it is parsed. Readers count the values that they
/// create, not only the bytes that they parse: a two-byte reference can expand to a value of a megabyte. The
/// counts estimate the allocator's block sizes.
class MemoryBudget {
public:
    static constexpr Bytes kFloor = 128 * kMiB;  ///< limit for a file of any size
    static constexpr Bytes kFactor = 32;         ///< multiple of the file's size
    /// Of the machine's memory, as divisors; the larger share is for files that are usually large.
    static constexpr int kShare = 16, kLargeShare = 2;

    /// kFactor times the size of the file, at least kFloor, at most the machine's memory divided by `share`.
    explicit MemoryBudget(Bytes fileBytes, int share = kShare);

    /// Counts `bytes`. Returns false once the total exceeds the limit, and always from then on.
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
        constexpr std::size_t kInside = 15;  // strings this short need no heap memory
        return sizeof(std::string) + (text.size() > kInside ? text.size() + 1 : 0);
    }

    bool exceeded() const { return exceeded_; }
    Bytes most() const { return most_; }
    /// The error message for an exceeded budget, without the file's name.
    Error error() const;

private:
    Bytes most_;
    std::size_t left_;
    bool exceeded_ = false;
};

}  // namespace highwater::base
