#pragma once

#include "core/engine/device/device.h"

/// The GPU that these tests use: the first.
inline const highwater::engine::Device kGpu{true, 0};
