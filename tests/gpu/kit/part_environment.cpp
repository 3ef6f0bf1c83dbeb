#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/nvml/nvml.h"
#include "tests/gpu/kit/environment.h"

namespace highwater::kit {

namespace {

/// The environment's keys in a result, in order.
Json environmentJson(const wire::Environment& environment) {
    wire::RunResult carrier;
    carrier.environment = environment;
    const Json all = wire::toJson(carrier);
    Json json = Json::object();
    for (const char* key :
         {"device", "device_name", "versions", "threads", "isa", "memory_bytes", "architecture"}) {
        if (all.contains(key)) {
            json[key] = all[key];
        }
    }
    return json;
}

int indexOf(const std::string& device) {
    const auto colon = device.find(':');
    return colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
}

wire::Environment environmentOf(const std::string& text) {
    const auto device = engine::parseDevice(text);
    wire::Environment environment = engine::environment(device ? device->text() : text);
    if (device && device->cuda) {
        engine::describe(*device, environment);
    }
    return environment;
}

std::optional<std::string> whyNot(const std::string& text) {
    const auto device = engine::parseDevice(text);
    return device ? engine::unusable(*device) : std::optional(device.error().message);
}

}  // namespace

std::string kindOf(const std::string& device) {
    if (device == "cpu") {
        return "cpu";
    }
    const char* standin = std::getenv("HIGHWATER_PRETEND_GPU");
    return standin != nullptr && *standin != '\0' ? "standin" : "gpu";
}

void noteConditions(const Session& session, const char* moment) {
    if (!session.onGpu()) {
        return;
    }
    const auto all = nvml::gpus();
    if (!all) {
        return session.journal.add({{"conditions", {{moment, {{"unknown", all.error().message}}}}}});
    }
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const auto seen =
        nvml::visibleToCuda(*all, visible ? std::optional<std::string_view>(visible) : std::nullopt);
    const auto index = static_cast<std::size_t>(indexOf(session.device));
    if (index >= seen.size()) {
        return;
    }
    const nvml::Gpu& gpu = seen[index];
    const std::string id = gpu.uuid.empty() ? gpu.pciBusId : gpu.uuid;
    Json json = Json::object();
    if (const auto now = nvml::conditions(id)) {
        json = {{"sm_clock_mhz", now->smClockMHz},
                {"max_sm_clock_mhz", now->maxSmClockMHz},
                {"memory_clock_mhz", now->memoryClockMHz},
                {"temperature_c", now->temperatureC},
                {"power_w", now->powerW},
                {"throttled", now->throttled}};
    }
    if (const auto use = nvml::deviceUse(id)) {
        json["used_bytes"] = use->used;
        json["other_processes"] = use->otherProcesses;
    }
    session.journal.add({{"conditions", {{moment, json}}}});
}

void noteEnvironment(const Session& session) {
    Session here = session;
    if (const auto problem = here.onGpu() ? whyNot(here.device) : std::nullopt) {
        here.journal.add({{"left_out", "everything on a GPU: " + *problem}});
        say("  " + *problem);
        here.device = "cpu";
    }
    Json environment = environmentJson(environmentOf(here.device));
    if (const int count = here.onGpu() ? multiprocessors(indexOf(here.device)) : 0; count > 0) {
        environment["multiprocessors"] = count;
    }
    here.journal.add({{"kind", kindOf(here.device)}, {"environment", environment}});
    noteConditions(here, "before");
}

}  // namespace highwater::kit
