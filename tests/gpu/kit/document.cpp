#include "tests/gpu/kit/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/stack/json/json.h"

namespace highwater::kit {

namespace {

void roundNumbers(Json& value) {
    if (value.is_number_float()) {
        value = std::round(value.get<double>() * 1e4) / 1e4;
    } else if (value.is_structured()) {
        for (Json& inner : value) {
            roundNumbers(inner);
        }
    }
}

/// A result without what is stored once per file, and without unused values; `slim`: only peaks and times.
Json trimmed(Json result, const Json& environment, bool slim) {
    for (const auto& [key, value] : environment.items()) {
        if (result.contains(key) && result[key] == value) {
            result.erase(key);
        }
    }
    for (const char* key : {"run_id", "losses", "predicted"}) {
        result.erase(key);
    }
    if (slim) {
        result["layers"] = Json::array();
        if (result.contains("peak")) {
            result["peak"]["layer"] = -1;
        }
        for (const char* key : {"conditions", "device_at_peak", "device_at_end", "host_ms", "workspaces",
                                "peak_device_used_bytes"}) {
            result.erase(key);
        }
    }
    roundNumbers(result);
    return result;
}

std::string timeNow() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

/// Experiments that were started but did not end count as failed; those that were never started are left out.
void addUnfinished(const std::vector<Json>& journal, const Options& options, Json& document) {
    std::set<std::string> begun, ended;
    for (const Json& line : journal) {
        if (line.contains("begin")) {
            begun.insert(line["begin"].get<std::string>());
        }
    }
    for (const Json& record : document["experiments"]) {
        ended.insert(record["name"].get<std::string>());
    }
    const auto cases = allCases(scaleFor(options.device), options.quick);
    std::vector<std::string> never;
    for (const Case& each : cases ? *cases : std::vector<Case>()) {
        if (!options.only.empty() && options.only != each.name()) {
            continue;
        }
        if (!begun.contains(each.name())) {
            never.push_back(each.name());
        } else if (!ended.contains(each.name())) {
            document["experiments"].push_back({{"name", each.name()},
                                               {"family", each.family},
                                               {"experiment", stack::toJson(each.experiment)},
                                               {"failed", "the process that ran it ended"}});
        }
    }
    if (never.empty()) {
        return;
    }
    std::string line = fmt::format("{} experiments, as the time was over:", never.size());
    for (const std::string& name : never) {
        line += " " + name;
    }
    document["left_out"].push_back(line);
}

/// Stores the rungs after a ladder's first one as differences from it, because they are similar.
void shortenLadders(Json& ladder) {
    std::map<std::string, Json> first;
    for (Json& rung : ladder) {
        const auto [at, isFirst] = first.emplace(rung["ladder"].get<std::string>(), rung["experiment"]);
        if (isFirst) {
            continue;
        }
        rung["patch"] = Json::diff(at->second, rung["experiment"]);
        rung.erase("experiment");
    }
}

}  // namespace

Scale scaleFor(const std::string& device) {
    return device == "cpu" ? Scale::Rehearsal : Scale::Gpu;
}

Json documentOf(const std::vector<Json>& journal, const Options& asked, double seconds) {
    Options options = asked;
    for (const Json& line : journal) {
        if (line.contains("environment") && line["environment"].value("device", "") == "cpu") {
            options.device = "cpu";  // a GPU was requested, but there was none
        }
    }
    Json document = {{"schema", "highwater.gpu-reference/1"},
                     {"kind", "cpu"},
                     {"when", timeNow()},
                     {"seconds", std::round(seconds)},
                     {"sizes", scaleFor(options.device) == Scale::Gpu ? "gpu" : "rehearsal"},
                     {"quick", options.quick},
                     {"timed_apart", true},
                     {"environment", Json::object()},
                     {"conditions", Json::object()},
                     {"experiments", Json::array()},
                     {"ladder", Json::array()},
                     {"oom", Json::object()},
                     {"overhead", Json::array()},
                     {"convolutions", Json::array()},
                     {"left_out", Json::array()}};
    for (const Json& line : journal) {
        for (const auto& [key, value] : line.items()) {
            if (key == "kind" || key == "environment" || key == "oom") {
                document[key] = value;
            } else if (key == "conditions") {
                document[key].update(value);
            } else if (key == "experiment") {
                document["experiments"].push_back(value);
            } else if (key == "rung") {
                document["ladder"].push_back(value);
            } else if (key == "convolution") {
                document["convolutions"].push_back(value);
            } else if (key == "overhead" || key == "left_out" || key == "continued") {
                document[key].push_back(value);
            }
        }
    }
    for (Json& record : document["experiments"]) {
        if (record.contains("result")) {
            record["result"] = trimmed(record["result"], document["environment"], options.slim);
        }
    }
    addUnfinished(journal, options, document);
    shortenLadders(document["ladder"]);
    if (options.slim && !document["convolutions"].empty()) {
        document["left_out"].push_back(
            fmt::format("{} measured convolutions, by --slim", document["convolutions"].size()));
        document["convolutions"] = Json::array();
    }
    return document;
}

std::string textOf(const Json& document) {
    std::string text = "{\n";
    for (auto it = document.begin(); it != document.end(); ++it) {
        text += fmt::format("{}: ", Json(it.key()).dump());
        if (it->is_array() && !it->empty()) {
            text += "[\n";
            for (std::size_t i = 0; i < it->size(); ++i) {
                text += (*it)[i].dump() + (i + 1 < it->size() ? ",\n" : "\n");
            }
            text += "]";
        } else {
            text += it->dump();
        }
        text += std::next(it) == document.end() ? "\n" : ",\n";
    }
    return text + "}\n";
}

}  // namespace highwater::kit
