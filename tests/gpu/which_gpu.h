#pragma once

#include <optional>
#include <string>

#include "core/engine/device/device.h"

namespace highwater::gpu {

inline bool isPretended() {
    wire::Environment environment;
    engine::describe({true, 0}, environment);
    return environment.deviceName.find("pretended") != std::string::npos;
}

/// Why a test that needs a device that computes must be skipped.
inline std::optional<std::string> noGpu() {
    const auto why = engine::unusable({true, 0});
    return why || !isPretended() ? why : "the pretended device computes nothing";
}

/// Why a test that needs the pretended device (core/pretend) must be skipped.
inline std::optional<std::string> noPretendedDevice() {
    const auto why = engine::unusable({true, 0});
    return why || isPretended() ? why : "this is a GPU, not the pretended device";
}

}  // namespace highwater::gpu
