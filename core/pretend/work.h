#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/pretend/settings.h"

// Work submitted to the device: counted, written to the trace, and never executed.
namespace highwater::pretend {

// The result of device work from now on: 0, or a cudaError_t once the device is lost or if it has no kernels
// for this GPU.
int launch(const char* what);
// The error code of the loss, 0 before it. All later calls return it.
int lost();
std::uint64_t launches();

// The device's own clock, in microseconds: a launch takes 1000 of them, everything else none. Times are
// meaningless, but a choice by time is the same in every run.
std::uint64_t deviceTime();
// Advances the clock for a cuDNN plan with this workspace, so that the plan selected in the settings is the
// fastest.
void passTime(Winner winner, std::uint64_t workspace);

// Writes a line "what bytes remark" to the file HIGHWATER_PRETEND_TRACE.
void trace(const char* what, std::size_t bytes, const std::string& remark);

}  // namespace highwater::pretend

// For tests in the same process: the `launch`-th launch from now loses the device with `code`; 0 restores it.
extern "C" void highwaterPretendLose(std::uint64_t launch, int code);
// Launches since the process began.
extern "C" std::uint64_t highwaterPretendLaunches();
