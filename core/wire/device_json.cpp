#include <limits>

#include "core/wire/values_json.h"

/// JSON of the values that only GPU runs have, both ways.
namespace highwater::wire {

/// `used` is the sum of the parts, for readers of the JSON; it is not read back.
Json deviceToJson(const DeviceMemory& device) {
    return {
        {"tensors", device.tensors}, {"rounding", device.rounding}, {"split", device.split},
        {"cache", device.cache},     {"context", device.context},   {"context_known", device.contextKnown},
        {"others", device.others},   {"used", device.used()},       {"capacity", device.capacity}};
}

DeviceMemory deviceFrom(Fields fields) {
    DeviceMemory device;
    device.tensors = fields.bytes("tensors");
    device.rounding = fields.bytes("rounding");
    device.split = fields.bytes("split");
    device.cache = fields.bytes("cache");
    device.context = fields.bytes("context");
    device.contextKnown = fields.boolean("context_known");
    device.others = fields.bytes("others");
    device.capacity = fields.bytes("capacity");
    return device;
}

namespace {

Json conditionsToJson(const GpuConditions& conditions) {
    return {{"sm_clock_mhz", conditions.smClockMHz},         {"max_sm_clock_mhz", conditions.maxSmClockMHz},
            {"memory_clock_mhz", conditions.memoryClockMHz}, {"temperature_c", conditions.temperatureC},
            {"power_w", numberOrNull(conditions.powerW)},    {"throttled", conditions.throttled}};
}

GpuConditions conditionsFrom(Fields fields) {
    GpuConditions conditions;
    conditions.smClockMHz = fields.index("sm_clock_mhz");
    conditions.maxSmClockMHz = fields.index("max_sm_clock_mhz");
    conditions.memoryClockMHz = fields.index("memory_clock_mhz");
    conditions.temperatureC = fields.index("temperature_c");
    conditions.powerW = fields.number("power_w");
    for (const Json& reason : fields.list("throttled")) {
        const Json wrapped = {{"throttled", reason}};
        conditions.throttled.push_back(Fields(wrapped, "conditions", fields.error()).text("throttled"));
    }
    return conditions;
}

Json workspacesToJson(const std::vector<LayerWorkspace>& workspaces) {
    Json list = Json::array();
    for (const LayerWorkspace& one : workspaces) {
        list.push_back({{"layer", one.layer}, {"phase", phaseKey(one.phase)}, {"bytes", one.bytes}});
    }
    return list;
}

std::vector<LayerWorkspace> workspacesFrom(Fields& fields, int layers) {
    std::vector<LayerWorkspace> workspaces;
    for (const Json& row : fields.list("workspaces")) {
        Fields one(row, "workspaces", fields.error());
        workspaces.push_back({static_cast<int>(one.integer("layer", -1, std::int64_t{layers} - 1)),
                              one.phase("phase"), one.bytes("bytes")});
        if (fields.failed()) {
            break;
        }
    }
    return workspaces;
}

std::int64_t countFrom(Fields& fields, std::string_view key) {
    return fields.has(key) ? fields.integer(key, 0, std::numeric_limits<std::int64_t>::max()) : 0;
}

}  // namespace

void gpuPartToJson(const RunResult& result, Json& into) {
    if (result.deviceAtPeak) {
        into["device_at_peak"] = deviceToJson(*result.deviceAtPeak);
    }
    if (result.deviceAtEnd) {
        into["device_at_end"] = deviceToJson(*result.deviceAtEnd);
    }
    if (result.peakDeviceUsed != 0) {
        into["peak_device_used_bytes"] = result.peakDeviceUsed;
    }
    if (result.hostMs != PhaseTimes{}) {
        into["host_ms"] = phasesToJson(result.hostMs);
    }
    if (result.before) {
        into["conditions"]["before"] = conditionsToJson(*result.before);
    }
    if (result.after) {
        into["conditions"]["after"] = conditionsToJson(*result.after);
    }
    if (!result.workspaces.empty()) {
        into["workspaces"] = workspacesToJson(result.workspaces);
    }
    if (result.allocationRetries != 0) {
        into["allocation_retries"] = result.allocationRetries;
    }
    if (result.workspacesRefused != 0) {
        into["workspaces_refused"] = result.workspacesRefused;
    }
}

void gpuPartFrom(Fields& fields, RunResult& result) {
    if (fields.has("device_at_peak")) {
        result.deviceAtPeak = deviceFrom(fields.object("device_at_peak"));
    }
    if (fields.has("device_at_end")) {
        result.deviceAtEnd = deviceFrom(fields.object("device_at_end"));
    }
    if (fields.has("peak_device_used_bytes")) {
        result.peakDeviceUsed = fields.bytes("peak_device_used_bytes");
    }
    if (fields.has("host_ms")) {
        result.hostMs = phasesFrom(fields.object("host_ms"));
    }
    if (fields.has("conditions")) {
        Fields conditions = fields.object("conditions");
        if (conditions.has("before")) {
            result.before = conditionsFrom(conditions.object("before"));
        }
        if (conditions.has("after")) {
            result.after = conditionsFrom(conditions.object("after"));
        }
    }
    if (fields.has("workspaces")) {
        result.workspaces = workspacesFrom(fields, static_cast<int>(result.layers.size()));
    }
    result.allocationRetries = countFrom(fields, "allocation_retries");
    result.workspacesRefused = countFrom(fields, "workspaces_refused");
}

}  // namespace highwater::wire
