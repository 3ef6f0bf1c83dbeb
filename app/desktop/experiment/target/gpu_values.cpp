#include "app/desktop/experiment/target/gpu_values.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/wire/gpu_words.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr std::size_t kStepsKept = 4;  ///< the end of a step is reported while the next one is running

void addMemory(const wire::DeviceMemory& device, const QString& when, widgets::DeviceStatus& status) {
    status.when = when;
    status.capacity = device.capacity;
    for (const wire::DevicePart& part : wire::deviceParts(device)) {
        status.parts.push_back(
            {widgets::fromUtf8(wire::partName(part)), widgets::fromUtf8(part.meaning), part.bytes});
    }
}

/// The conditions after the measured steps, if known, otherwise those before.
QString conditionsOf(const wire::RunResult& result) {
    for (const auto* moment : {&result.after, &result.before}) {
        if (const std::string said = *moment ? wire::conditionsText(**moment) : ""; !said.empty()) {
            return widgets::fromUtf8(said);
        }
    }
    return {};
}

}  // namespace

GaugeDevice toGauge(const wire::DeviceMemory& device) {
    GaugeDevice gauge;
    gauge.capacity = device.capacity;
    QStringList lines = {QObject::tr("What nvidia-smi shows as used:")};
    const auto parts = wire::deviceParts(device);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        gauge.parts[i] = parts[i].bytes;
        lines << widgets::fromUtf8(wire::partName(parts[i])) + ' ' +
                     widgets::fromUtf8(base::formatBytes(parts[i].bytes));
    }
    gauge.details = lines.join('\n');
    return gauge;
}

widgets::DeviceStatus liveStatus(const wire::DeviceMemory& device, bool hostSlower) {
    widgets::DeviceStatus status;
    addMemory(device, QObject::tr("now"), status);
    status.live = true;
    if (hostSlower) {
        status.warnings << widgets::fromUtf8(wire::kWaitsForHost);
    }
    return status;
}

std::optional<wire::DeviceMemory> shownDevice(const wire::RunResult& result) {
    if (result.failure && result.failure->device) {
        return result.failure->device;
    }
    return result.deviceAtPeak ? result.deviceAtPeak : result.deviceAtEnd;
}

std::optional<widgets::DeviceStatus> endStatus(const wire::RunResult& result) {
    widgets::DeviceStatus status;
    if (const auto device = shownDevice(result)) {
        const bool failed = result.failure && result.failure->device;
        addMemory(*device,
                  failed                ? QObject::tr("when it failed")
                  : result.deviceAtPeak ? QObject::tr("at the peak")
                                        : QObject::tr("at the end"),
                  status);
    }
    status.conditions = conditionsOf(result);
    if (const std::string slow = wire::throttledText(result.before, result.after); !slow.empty()) {
        status.warnings
            << QObject::tr("The GPU was %1, so its times are not comparable").arg(widgets::fromUtf8(slow));
    }
    if (wire::hostIsSlower(result.phasesMs, result.hostMs)) {
        status.warnings
            << QObject::tr("The host is the bottleneck: %1").arg(widgets::fromUtf8(wire::kWaitsForHost));
    }
    status.warnings << widgets::fromUtf8(wire::pressureLines(result));
    if (result.failure) {
        if (result.failure->status == wire::RunStatus::OutOfMemory) {
            status.failure = widgets::fromUtf8(result.failure->why);
        }
        status.advice = widgets::fromUtf8(result.failure->wouldFit);
        status.batch = result.failure->fittingBatch;
    }
    return status == widgets::DeviceStatus{} ? std::nullopt : std::optional(status);
}

void ReservedTrack::add(const wire::LedgerSample& sample) {
    if (!sample.device) {
        return;
    }
    steps_[sample.step].emplace_back(sample.time, sample.device->reserved());
    if (steps_.size() > kStepsKept) {
        steps_.erase(steps_.begin());
    }
}

void ReservedTrack::fill(int step, std::vector<widgets::MemoryPoint>& points) const {
    const auto at = steps_.lower_bound(step);
    base::Bytes before = 0;
    if (at != steps_.begin()) {
        before = std::prev(at)->second.back().second;
    }
    const Samples none;
    const Samples& samples = at != steps_.end() && at->first == step ? at->second : none;
    if (before == 0 && !samples.empty()) {
        before = samples.front().second;
    }
    for (widgets::MemoryPoint& point : points) {
        point.reserved = before;
        for (const auto& [time, reserved] : samples) {
            if (time - samples.front().first <= point.ms) {
                point.reserved = reserved;
            }
        }
        if (point.reserved > 0) {
            point.reserved = std::max(point.reserved, point.ledger.total());
        }
    }
}

}  // namespace highwater::desktop
