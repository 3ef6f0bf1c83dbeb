#include "tests/core/capture/replay/replay.h"

#include <set>

#include "tests/core/capture/replay/search.h"
#include "tests/core/capture/replay/settings.h"

namespace highwater::capture {

namespace {

base::Result<StreamNumbers> streamsOf(const DeviceHistory& device) {
    std::set<std::uint64_t> handles;
    for (const HistoryEvent& event : device.events) {
        handles.insert(event.stream);
    }
    for (const HistorySegment& segment : device.segments) {
        handles.insert(segment.stream);
    }
    if (handles.size() >= memory::kMostStreams) {
        return base::Error{"more streams than the simulation has"};
    }
    StreamNumbers numbers;
    for (const std::uint64_t handle : handles) {
        numbers.emplace(handle, static_cast<memory::Stream>(numbers.size()));
    }
    return numbers;
}

/// Error if the device cannot be replayed.
base::Status playDevice(const History& history, const DeviceHistory& device, const ReplayOptions& options,
                        DeviceReplay& result) {
    if (const std::string why = obstacle(history, device); !why.empty()) {
        return base::Error{why};
    }
    const auto streams = HIGHWATER_TRY(streamsOf(device));
    const memory::AllocatorConfig config = configOf(history, device, options);
    result.expandable = config.expandableSegments;
    return search(device, config, streams, result);
}

}  // namespace

Replay replay(const History& history, const ReplayOptions& options) {
    Replay all;
    all.torch = history.torch;
    for (const DeviceHistory& device : history.devices) {
        if (device.events.empty() && device.segments.empty()) {
            continue;
        }
        DeviceReplay result;
        result.device = device.device;
        result.events = static_cast<std::int64_t>(device.events.size());
        if (const auto status = playDevice(history, device, options, result); !status) {
            result.notReplayed = status.error().message;
        }
        all.devices.push_back(std::move(result));
    }
    return all;
}

}  // namespace highwater::capture
