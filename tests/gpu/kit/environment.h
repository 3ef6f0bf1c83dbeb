#pragma once

#include "tests/gpu/kit/session.h"

namespace highwater::kit {

/// "gpu", "cpu", or "standin": a device that executes nothing (core/pretend), named by
/// HIGHWATER_PRETEND_GPU; such a file is no measurement.
std::string kindOf(const std::string& device);

/// Writes versions and device to the journal. If there is no usable GPU, the device is "cpu".
void noteEnvironment(const Session& session);
/// Clocks, temperature, power and use of the device at a moment: "before", "after". Nothing on the CPU.
void noteConditions(const Session& session, const char* moment);

/// Streaming multiprocessors of a GPU; 0 if this build cannot query it.
int multiprocessors(int index);

}  // namespace highwater::kit
