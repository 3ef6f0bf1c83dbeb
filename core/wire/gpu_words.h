#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/events.h"

/// Texts about a GPU run, the same in the terminal, in the window and in reports.
namespace highwater::wire {

struct DevicePart {
    std::string_view name;     ///< "tensors", "rounding", "split", "cache", "context", "others"
    std::string_view meaning;  ///< one sentence
    Bytes bytes = 0;
    bool estimate = false;  ///< true for a context that the driver reports no figure for
};

inline constexpr std::size_t kDeviceParts = 6;
/// The parts in the order of the stacked bar; they sum to DeviceMemory::used(), what nvidia-smi shows.
std::array<DevicePart, kDeviceParts> deviceParts(const DeviceMemory& device);
/// The name, followed by "(an estimate)" if the figure is one.
std::string partName(const DevicePart& part);

/// The values in MiB, nvidia-smi's unit, rounded so that they sum to their rounded sum. Each is within 1 MiB
/// of its exact value.
std::vector<std::int64_t> inMebibytes(const std::vector<Bytes>& values);

/// "1980 MHz of 1980, 54 °C, 310 W", as far as the driver reports values; empty if it reports none.
std::string conditionsText(const GpuConditions& conditions);
/// "slowed down by power cap, thermal": the reasons at either moment; empty if there are none.
std::string throttledText(const std::optional<GpuConditions>& before,
                          const std::optional<GpuConditions>& after);

/// True if the GPU waited for its host: if the host's time is at least 95 % of the GPU's. The GPU's phases
/// then last as long as the host takes to launch them (an event is recorded in the stream when the host
/// reaches it).
bool hostIsSlower(const PhaseTimes& gpu, const PhaseTimes& host);
inline constexpr std::string_view kWaitsForHost = "the GPU waits for the host";

/// Lines about lack of memory, for each kind that occurred: "cuDNN could not have its first choice 3 times:
/// its workspace did not fit", "The allocator emptied its cache twice to make room".
std::vector<std::string> pressureLines(const RunResult& result);

/// The largest workspace of a layer over its phases; 0 if it had none.
Bytes workspaceOf(const RunResult& result, int layer);

}  // namespace highwater::wire
