#include "core/wire/gpu_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::wire {

namespace {

constexpr double kHostShare = 0.95;

std::string times(std::int64_t count) {
    return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

std::int64_t roundedMebibytes(Bytes bytes) {
    return bytes / base::kMiB + (bytes % base::kMiB >= base::kMiB / 2 ? 1 : 0);
}

}  // namespace

std::array<DevicePart, kDeviceParts> deviceParts(const DeviceMemory& device) {
    return {{{"tensors", "what was asked of the allocator and is alive, workspaces included", device.tensors},
             {"rounding", "what the allocator's rounding adds, and remainders too small to split off",
              device.rounding},
             {"split", "free parts of segments that are partly in use; other programs cannot use them",
              device.split},
             {"cache", "wholly free segments that the allocator keeps for later", device.cache},
             {"context", "this process outside the allocator: the CUDA context, kernels, libraries",
              device.context, !device.contextKnown},
             {"others", "other processes, and what the driver keeps", device.others}}};
}

std::string partName(const DevicePart& part) {
    return std::string(part.name) + (part.estimate ? " (an estimate)" : "");
}

std::vector<std::int64_t> inMebibytes(const std::vector<Bytes>& values) {
    std::vector<std::int64_t> rounded;
    Bytes sum = 0;
    for (const Bytes value : values) {
        const std::int64_t before = roundedMebibytes(sum);
        sum += value;
        rounded.push_back(roundedMebibytes(sum) - before);
    }
    return rounded;
}

std::string conditionsText(const GpuConditions& conditions) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (conditions.smClockMHz > 0) {
        add(conditions.maxSmClockMHz > 0
                ? fmt::format("{} MHz of {}", conditions.smClockMHz, conditions.maxSmClockMHz)
                : fmt::format("{} MHz", conditions.smClockMHz));
    }
    if (conditions.temperatureC > 0) {
        add(fmt::format("{} °C", conditions.temperatureC));
    }
    if (std::isfinite(conditions.powerW) && conditions.powerW > 0) {
        add(fmt::format("{:.0f} W", conditions.powerW));
    }
    return text;
}

std::string throttledText(const std::optional<GpuConditions>& before,
                          const std::optional<GpuConditions>& after) {
    std::vector<std::string> reasons;
    for (const auto* moment : {&before, &after}) {
        if (*moment) {
            for (const std::string& reason : (*moment)->throttled) {
                if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
                    reasons.push_back(reason);
                }
            }
        }
    }
    return reasons.empty() ? "" : fmt::format("slowed down by {}", fmt::join(reasons, ", "));
}

bool hostIsSlower(const PhaseTimes& gpu, const PhaseTimes& host) {
    return host.total() > 0 && host.total() >= kHostShare * gpu.total();
}

std::vector<std::string> pressureLines(const RunResult& result) {
    std::vector<std::string> lines;
    if (result.workspacesRefused > 0) {
        lines.push_back(
            fmt::format("cuDNN could not use its first choice {}: the workspace it requested did not fit",
                        times(result.workspacesRefused)));
    }
    if (result.allocationRetries > 0) {
        lines.push_back(
            fmt::format("The allocator emptied its cache {} to make room", times(result.allocationRetries)));
    }
    return lines;
}

Bytes workspaceOf(const RunResult& result, int layer) {
    Bytes largest = 0;
    for (const LayerWorkspace& workspace : result.workspaces) {
        if (workspace.layer == layer) {
            largest = std::max(largest, workspace.bytes);
        }
    }
    return largest;
}

}  // namespace highwater::wire
