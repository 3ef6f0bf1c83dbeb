#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace highwater::base {

using Bytes = std::int64_t;  ///< a number of bytes; 1 KiB = 1024 B
using Millis = double;       ///< a duration in milliseconds

inline constexpr Bytes kKiB = Bytes{1} << 10;
inline constexpr Bytes kMiB = Bytes{1} << 20;
inline constexpr Bytes kGiB = Bytes{1} << 30;

/// a * b, a + b; std::nullopt if the result does not fit in 64 bits.
inline std::optional<std::int64_t> checkedMul(std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}
inline std::optional<std::int64_t> checkedAdd(std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}

}  // namespace highwater::base
