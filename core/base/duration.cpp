#include "core/base/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace highwater::base {

std::string formatTimeLeft(Millis ms) {
    if (!std::isfinite(ms)) {
        return "—";
    }
    const std::int64_t seconds = std::max<std::int64_t>(1, std::llround(ms / 1000));
    if (seconds < 60) {
        return fmt::format("{} s", seconds);
    }
    return seconds < 3600 ? fmt::format("{} min {} s", seconds / 60, seconds % 60)
                          : fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

}  // namespace highwater::base
