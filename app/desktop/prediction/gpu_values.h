#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/wire/events.h"
#include "widgets/controls/gauge.h"
#include "widgets/plot/device_strip.h"
#include "widgets/plot/plot_values.h"

/// What a GPU run adds, as the values that the window shows.
namespace highwater::desktop {

widgets::GaugeDevice toGauge(const wire::DeviceMemory& device);
/// While it runs; `hostSlower`: the GPU waited for its host in the last step.
widgets::DeviceStatus liveStatus(const wire::DeviceMemory& device, bool hostSlower);
/// Once it has ended: at the peak, or where it failed. Nothing for a CPU run, unless something smaller would
/// have fitted.
std::optional<widgets::DeviceStatus> endStatus(const wire::RunResult& result);
/// The memory of the GPU that an ended run's gauge shows.
std::optional<wire::DeviceMemory> shownDevice(const wire::RunResult& result);

/// What a GPU's allocator held, by the samples of the last steps, for the steps' timelines, which are of
/// tensors alone. It is never shown below the tensors that lie in it.
class ReservedTrack {
public:
    void add(const wire::LedgerSample& sample);
    /// Fills the points' `reserved`. As in the plots a step begins with its first sample.
    void fill(int step, std::vector<widgets::MemoryPoint>& points) const;

private:
    using Samples = std::vector<std::pair<wire::Millis, base::Bytes>>;
    std::map<int, Samples> steps_;  ///< the last few
};

}  // namespace highwater::desktop
