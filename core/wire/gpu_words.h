#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/events.h"

/// What a GPU run adds, in words for people: the same in the terminal, in the window and in reports.
namespace highwater::wire {

struct DevicePart {
    std::string_view name;     ///< "tensors", "rounding", "split", "cache", "context", "others"
    std::string_view meaning;  ///< one sentence
    Bytes bytes = 0;
    bool estimate = false;  ///< a context that the driver does not name
};

inline constexpr std::size_t kDeviceParts = 6;
/// The parts in the order of the stacked bar; they sum to DeviceMemory::used(), what nvidia-smi shows.
std::array<DevicePart, kDeviceParts> deviceParts(const DeviceMemory& device);
/// The name, with "(an estimate)" where it is one.
std::string partName(const DevicePart& part);

/// The values in MiB, nvidia-smi's unit, so that they sum to their rounded sum: each lies within 1 of its
/// own.
std::vector<std::int64_t> inMebibytes(const std::vector<Bytes>& values);

/// "1980 MHz of 1980, 54 °C, 310 W": as far as the driver says; empty where it says nothing.
std::string conditionsText(const GpuConditions& conditions);
/// "slowed down by power cap, heat" of either moment; empty where nothing did.
std::string throttledText(const std::optional<GpuConditions>& before,
                          const std::optional<GpuConditions>& after);

/// Whether the GPU waited for its host. Where it did, its phases last as long as the host takes to say them
/// (an event in the stream lies where the host put it): the host counts as the slower one from 95 % of the
/// GPU's time on.
bool hostIsSlower(const PhaseTimes& gpu, const PhaseTimes& host);
inline constexpr std::string_view kWaitsForHost = "the GPU waits for the host";

/// "cuDNN could not have its first choice 3 times: its workspace did not fit", "The allocator emptied its
/// cache twice to make room": one line each, only what happened.
std::vector<std::string> pressureLines(const RunResult& result);

/// The largest workspace of a layer over its phases; 0 where it had none.
Bytes workspaceOf(const RunResult& result, int layer);

}  // namespace highwater::wire
