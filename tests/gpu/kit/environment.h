#pragma once

#include "tests/gpu/kit/session.h"

namespace highwater::kit {

/// "gpu", "cpu", or "standin": a device that executes nothing (core/pretend), named by
/// HIGHWATER_PRETEND_GPU; such a file is no measurement.
std::string kindOf(const std::string& device);

/// Versions and device into the journal. Where there is no GPU to use, the device said there is "cpu".
void noteEnvironment(const Session& session);
/// Clocks, temperature, power, use of the device at a moment: "before", "after". Nothing on the CPU.
void noteConditions(const Session& session, const char* moment);

/// Streaming multiprocessors of a GPU; 0 where this build cannot ask.
int multiprocessors(int index);

}  // namespace highwater::kit
