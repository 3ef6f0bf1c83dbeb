#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/desktop/experiment/bar/gauge.h"
#include "core/wire/events.h"
#include "widgets/plot/device_strip.h"
#include "widgets/plot/plot_values.h"

/// Converts the reports of a GPU run to the values that the window shows.
namespace highwater::desktop {

GaugeDevice toGauge(const wire::DeviceMemory& device);
/// The status during the run. `hostSlower`: the GPU waited for its host in the last step.
widgets::DeviceStatus liveStatus(const wire::DeviceMemory& device, bool hostSlower);
/// The status after the run has ended: at the peak, or where the run failed. Returns std::nullopt for a CPU
/// run, unless a smaller size would have fitted.
std::optional<widgets::DeviceStatus> endStatus(const wire::RunResult& result);
/// The GPU memory that the gauge shows for a finished run.
std::optional<wire::DeviceMemory> shownDevice(const wire::RunResult& result);

/// The memory that a GPU's allocator reserved, from the samples of the last steps. It is added to the
/// timelines of the steps, which contain only tensors. It is never shown below the tensors, because they are
/// part of it.
class ReservedTrack {
public:
    void add(const wire::LedgerSample& sample);
    /// Fills `reserved` of the points. As in the plots, a step starts with its first sample.
    void fill(int step, std::vector<widgets::MemoryPoint>& points) const;

private:
    using Samples = std::vector<std::pair<wire::Millis, base::Bytes>>;
    std::map<int, Samples> steps_;  ///< of the last few steps
};

}  // namespace highwater::desktop
