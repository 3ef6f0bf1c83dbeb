#pragma once

#include <cstdint>
#include <random>

namespace highwater::volume {

/// Returns a uniform number in [0, count) by multiply and shift; the same on every machine (std distributions
/// are not).
inline std::int64_t below(std::mt19937_64& random, std::int64_t count) {
    return static_cast<std::int64_t>(
        (static_cast<unsigned __int128>(random()) * static_cast<std::uint64_t>(count)) >> 64);
}

}  // namespace highwater::volume
