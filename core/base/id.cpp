#include "core/base/id.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <random>

namespace highwater::base {

namespace {

std::tm utc(std::time_t now) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    return parts;
}

}  // namespace

std::string newId() {
    std::random_device random;
    return fmt::format("{:%Y%m%d-%H%M%S}-{:06x}", utc(std::time(nullptr)), random() & 0xffffffU);
}

std::string isoNow() {
    const auto now = std::chrono::system_clock::now();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03d}Z", utc(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

}  // namespace highwater::base
