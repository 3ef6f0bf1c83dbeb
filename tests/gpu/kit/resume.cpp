#include "tests/gpu/kit/resume.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace highwater::kit {

namespace {

/// What must be equal for figures to be combined in one file; empty: they may be.
std::optional<std::string> difference(const Json& earlier, const Json& now) {
    const auto text = [](const Json& json) {
        return json.is_string() ? json.get<std::string>() : std::string("unknown");
    };
    for (const char* path : {"/device_name", "/versions/libtorch", "/versions/cuda", "/versions/cudnn"}) {
        const nlohmann::json::json_pointer at(path);
        const std::string before = text(earlier.value(at, Json())), here = text(now.value(at, Json()));
        if (before != here) {
            return fmt::format("{} is {} there and {} here", std::string(path).substr(1), before, here);
        }
    }
    return std::nullopt;
}

/// Restores each rung's whole experiment; those after a ladder's first only contain differences from it.
void addLadders(const Json& rungs, std::vector<Json>& lines) {
    std::map<std::string, Json> first;
    for (Json rung : rungs) {
        const auto [at, isFirst] =
            first.emplace(rung.at("ladder").get<std::string>(), rung.value("experiment", Json::object()));
        if (isFirst) {
            lines.push_back({{"ladder", at->first}});
        } else {
            rung["experiment"] = at->second.patch(rung.at("patch"));
            rung.erase("patch");
        }
        lines.push_back({{"rung", std::move(rung)}});
    }
}

std::vector<Json> linesOf(const Json& document) {
    std::vector<Json> lines = {{{"continued",
                                 {{"when", document.at("when")},
                                  {"seconds", document.at("seconds")},
                                  {"conditions", document.at("conditions")}}}}};
    for (const Json& each : document.value("continued", Json::array())) {
        lines.push_back({{"continued", each}});
    }
    for (const Json& each : document.at("experiments")) {
        lines.push_back({{"begin", each.at("name")}});
        lines.push_back({{"experiment", each}});
    }
    addLadders(document.at("ladder"), lines);
    if (!document.at("oom").empty()) {
        lines.push_back({{"oom", document.at("oom")}});
    }
    for (const Json& each : document.at("overhead")) {
        if (each.value("same_switches", false)) {
            lines.push_back({{"overhead", each}});
        }
    }
    const bool apart = document.value("timed_apart", false);
    for (const Json& each : document.at("convolutions")) {
        const std::string switches = each.at("switches");
        if (apart || switches.find("benchmark") == std::string::npos) {
            lines.push_back({{"begin_convolution", each.at("pass").get<std::string>() + " " + switches}});
            lines.push_back({{"convolution", each}});
        }
    }
    return lines;
}

}  // namespace

base::Result<std::vector<Json>> journalOf(const Json& document, const Json& environment) {
    try {
        if (document.at("schema") != "highwater.gpu-reference/1" || document.at("quick") == true) {
            return base::Error{"it is not a whole run's file of the kit (highwater.gpu-reference/1)"};
        }
        if (const auto other = difference(document.at("environment"), environment)) {
            return base::Error{"it was measured elsewhere: " + *other};
        }
        return linesOf(document);
    } catch (const Json::exception& error) {
        return base::Error{fmt::format("it is not a file of the kit: {}", error.what())};
    }
}

}  // namespace highwater::kit
