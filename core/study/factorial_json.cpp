#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/study/factorial.h"

namespace highwater::study {

namespace {

using Json = nlohmann::ordered_json;

Json interval(std::string_view key, const base::Interval& value) {
    if (value.n == 0) {
        return nullptr;
    }
    return {{key, base::numberOrNull(value.median)},
            {"ci95", {base::numberOrNull(value.low), base::numberOrNull(value.high)}},
            {"n", value.n}};
}

Json measuredToJson(const Measured& m) {
    Json json = {{"status", wire::statusKey(m.status)}};
    if (!m.why.empty()) {
        json["why"] = m.why;
    }
    if (m.result.peakAllocated > 0) {
        json["peak_allocated_bytes"] = m.result.peakAllocated;
        if (m.result.peakReserved > 0) {
            json["peak_reserved_bytes"] = m.result.peakReserved;
        }
        Json& split = json["peak_by_category"] = Json::object();
        for (const memory::Category c : memory::kCategories) {
            split[std::string(memory::categoryKey(c))] = m.result.peakByCategory[c];
        }
    }
    json["step_ms"] = interval("median", m.stepMs);
    json["repeat_ms"] = m.repeatMs;
    json["warm_up_steps"] = m.warmUp;
    json["steps_used"] = m.stepsUsed;
    json["tight"] = m.tight;
    json["run_ids"] = m.runIds;
    if (!m.place.empty()) {
        json["place"] = m.place;
        json["device_name"] = m.result.environment.deviceName;
    }
    return json;
}

Json cellToJson(const SweepResult& result, std::size_t c) {
    const Cell& cell = result.cells[c];
    Json json = {{"name", cell.subject.name}, {"levels", cell.levels}, {"words", cell.words}};
    if (!cell.problem.empty()) {
        json["problem"] = cell.problem;
    } else if (!result.measured[c].name.empty()) {
        json["measured"] = measuredToJson(result.measured[c]);
    }
    json["on_front"] = std::find(result.front.begin(), result.front.end(), c) != result.front.end();
    return json;
}

Json effectToJson(const Effect& effect, const Sweep& sweep) {
    Json axes = Json::array();
    for (const std::size_t axis : effect.axes) {
        axes.push_back(sweep.axes[axis].name);
    }
    return {{"axes", std::move(axes)},
            {"memory", interval("ratio", effect.memory)},
            {"memory_differs", effect.memoryDiffers},
            {"time", interval("ratio", effect.time)},
            {"time_differs", effect.timeDiffers},
            {"words", describe(effect, sweep)}};
}

/// The machine that the runs were made on; null if there was no run.
Json environmentOf(const std::vector<Measured>& measured) {
    for (const Measured& m : measured) {
        const wire::Environment& e = m.result.environment;
        if (m.status == wire::RunStatus::Done && !e.device.empty()) {
            return {{"device", e.device},
                    {"device_name", e.deviceName},
                    {"versions", e.versions},
                    {"threads", e.threads},
                    {"isa", e.isa}};
        }
    }
    return nullptr;
}

}  // namespace

Json toJson(const SweepResult& result) {
    Json json = {{"schema", "highwater.sweep-result/1"}, {"sweep", toJson(result.sweep)}};
    if (Json environment = environmentOf(result.measured); !environment.is_null()) {
        json["environment"] = std::move(environment);
    }
    Json& cells = json["cells"] = Json::array();
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        cells.push_back(cellToJson(result, c));
    }
    json["front"] = result.front;
    Json& effects = json["effects"] = Json::array();
    for (const Effect& effect : result.effects) {
        effects.push_back(effectToJson(effect, result.sweep));
    }
    json["notes"] = result.notes;
    return json;
}

}  // namespace highwater::study
