#include "app/cli/device_text.h"

#include <fmt/format.h>

#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/wire/gpu_words.h"

namespace highwater::cli {

namespace {

using wire::DeviceMemory;

/// The parts in MiB, then their sum, then the capacity.
std::vector<std::int64_t> figures(const DeviceMemory& device) {
    std::vector<base::Bytes> bytes;
    for (const wire::DevicePart& part : wire::deviceParts(device)) {
        bytes.push_back(part.bytes);
    }
    std::vector<std::int64_t> all = wire::inMebibytes(bytes);
    all.push_back(wire::inMebibytes({device.used()}).front());
    all.push_back(wire::inMebibytes({device.capacity}).front());
    return all;
}

std::string conditions(const wire::RunResult& result) {
    std::string text;
    if (result.before) {
        text = wire::conditionsText(*result.before);
    }
    if (const std::string after = result.after ? wire::conditionsText(*result.after) : ""; !after.empty()) {
        text += (text.empty() ? "" : " before, then ") + after;
    }
    const std::string throttled = wire::throttledText(result.before, result.after);
    return throttled.empty() ? text : text + (text.empty() ? "" : "; ") + throttled;
}

}  // namespace

std::string deviceTable(const std::vector<DeviceColumn>& columns) {
    if (columns.empty()) {
        return "";
    }
    std::vector<std::vector<std::string>> rows = {{"GPU memory, MiB"}};
    bool estimate = false;
    for (const DeviceColumn& column : columns) {
        rows.front().push_back(column.head);
        estimate = estimate || !column.device.contextKnown;
    }
    for (const wire::DevicePart& part : wire::deviceParts(columns.front().device)) {
        rows.push_back(
            {"  " + std::string(part.name) + (part.name == "context" && estimate ? " (an estimate)" : "")});
    }
    rows.insert(rows.end(), {{"used, as nvidia-smi shows it"}, {"of"}});
    std::vector<std::size_t> right;
    for (const DeviceColumn& column : columns) {
        const auto values = figures(column.device);
        for (std::size_t i = 0; i < values.size(); ++i) {
            rows[i + 1].push_back(std::to_string(values[i]));
        }
        right.push_back(right.size() + 1);
    }
    return table(rows, right);
}

std::vector<DeviceColumn> deviceColumns(const wire::RunResult& result) {
    std::vector<DeviceColumn> columns;
    if (result.deviceAtPeak) {
        columns.push_back({"at the peak", *result.deviceAtPeak});
    }
    if (result.failure && result.failure->device) {
        columns.push_back({"when it failed", *result.failure->device});
    } else if (result.deviceAtEnd) {
        columns.push_back({"after the last step", *result.deviceAtEnd});
    }
    return columns;
}

std::vector<std::pair<std::string, std::string>> gpuRows(const wire::RunResult& result) {
    std::vector<std::pair<std::string, std::string>> rows;
    if (result.hostMs.total() > 0) {
        rows.emplace_back("GPU and host", fmt::format("{} in the GPU, {} in the host{}",
                                                      base::formatMillis(result.phasesMs.total()),
                                                      base::formatMillis(result.hostMs.total()),
                                                      wire::hostIsSlower(result.phasesMs, result.hostMs)
                                                          ? fmt::format(": {}", wire::kWaitsForHost)
                                                          : ""));
    }
    if (const std::string text = conditions(result); !text.empty()) {
        rows.emplace_back("conditions", text);
    }
    if (result.peakDeviceUsed > 0) {
        rows.emplace_back("most used", fmt::format("{} by all processes, sampled",
                                                   base::formatBytes(result.peakDeviceUsed)));
    }
    for (const std::string& line : wire::pressureLines(result)) {
        rows.emplace_back("memory was short", line);
    }
    if (result.failure && !result.failure->wouldFit.empty()) {
        rows.emplace_back("would fit", result.failure->wouldFit);
    }
    return rows;
}

}  // namespace highwater::cli
