#pragma once

#include <optional>
#include <string>

#include "core/engine/device/device.h"

namespace highwater::gpu {

inline bool isStandIn() {
    wire::Environment environment;
    engine::describe({true, 0}, environment);
    return environment.deviceName.find("stand-in") != std::string::npos;
}

/// Why a test that needs a device that computes is to be skipped.
inline std::optional<std::string> noGpu() {
    const auto why = engine::unusable({true, 0});
    return why || !isStandIn() ? why : "the stand-in device computes nothing";
}

/// Why a test that needs the stand-in device (tests/gpu/standin) is to be skipped.
inline std::optional<std::string> noStandIn() {
    const auto why = engine::unusable({true, 0});
    return why || isStandIn() ? why : "this is a GPU, not the stand-in device";
}

}  // namespace highwater::gpu
