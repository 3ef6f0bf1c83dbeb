#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/pretend/settings.h"

// What the device is asked to do: counted, written to the trace, and never done.
namespace highwater::pretend {

// The code with which device work ends from now on: 0, or a cudaError_t once the device is lost or where it
// has no kernels for this GPU.
int launch(const char* what);
// The code of the loss, 0 before it. Everything answers with it afterwards.
int lost();
std::uint64_t launches();

// The device's own clock, in microseconds: a launch takes 1000 of them, everything else none. Times mean
// nothing, but whoever chooses by them chooses the same in every run.
std::uint64_t deviceTime();
// A plan of cuDNN's with this workspace takes longer, so that the one that the settings want wins a search.
void passTime(Winner winner, std::uint64_t workspace);

// A line "what bytes remark" in the file HIGHWATER_PRETEND_TRACE.
void trace(const char* what, std::size_t bytes, const std::string& remark);

}  // namespace highwater::pretend

// For tests inside the process: the `launch`-th launch from now loses the device with `code`; 0 heals it.
extern "C" void highwaterPretendLose(std::uint64_t launch, int code);
// Launches since the process began.
extern "C" std::uint64_t highwaterPretendLaunches();
