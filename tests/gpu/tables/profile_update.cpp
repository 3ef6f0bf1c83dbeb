#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/base/json_reader.h"
#include "tests/gpu/tables/tables.h"

namespace highwater::reference {

namespace {

using base::Bytes;
using base::Json;

constexpr const char* kNote = "Measured by the validation kit";
constexpr const char* kOldNote = "nothing was measured on the device";

/// In the profiles' format: lists of three numbers on one line.
std::string textOf(const Json& profile) {
    static const std::regex three(R"(\[\s+([-+.0-9e]+),\s+([-+.0-9e]+),\s+([-+.0-9e]+)\s+\])");
    return std::regex_replace(profile.dump(2), three, "[$1, $2, $3]") + "\n";
}

/// From the runs in which the driver reported it, or from all if it never did.
std::vector<Bytes> contextsOf(const std::vector<Source>& sources) {
    std::vector<Bytes> known, all;
    for (const Source& source : sources) {
        for (const Measured& each : source.file.experiments) {
            if (each.result && each.result->deviceAtPeak && each.result->deviceAtPeak->context > 0) {
                all.push_back(each.result->deviceAtPeak->context);
                if (each.result->deviceAtPeak->contextKnown) {
                    known.push_back(all.back());
                }
            }
        }
    }
    std::vector<Bytes> contexts = known.empty() ? all : known;
    std::sort(contexts.begin(), contexts.end());
    return contexts;
}

/// Without cuDNN, cuBLAS's is the only workspace.
Bytes cublasOf(const std::vector<Source>& sources) {
    Bytes largest = 0;
    for (const Source& source : sources) {
        for (const Measured& each : source.file.experiments) {
            if (each.result && !each.experiment.backend.cudnn) {
                for (const wire::LayerWorkspace& workspace : each.result->workspaces) {
                    largest = std::max(largest, workspace.bytes);
                }
            }
        }
    }
    return largest;
}

void putFamilies(Json& families, const std::map<std::string, predict::Efficiency>& measured) {
    for (const auto& [family, share] : measured) {
        families[family] = {share.low, share.expected, share.high};
    }
}

/// Removes what this program wrote earlier, and what is no longer true.
void putNotes(Json& profile, const std::vector<std::string>& added) {
    Json notes = Json::array();
    for (const Json& note : profile["notes"]) {
        const std::string text = note.get<std::string>();
        if (!text.starts_with(kNote) && text.find(kOldNote) == std::string::npos) {
            notes.push_back(text);
        }
    }
    for (const std::string& note : added) {
        notes.push_back(note);
    }
    profile["notes"] = std::move(notes);
}

std::string filesText(const std::vector<Source>& sources) {
    std::string text;
    for (const Source& source : sources) {
        text += (text.empty() ? "" : ", ") + source.file.name;
    }
    return text;
}

/// Inserts the key after another one, or replaces it if it exists.
void putAfter(Json& object, const std::string& after, const std::string& key, const Json& value) {
    Json made = Json::object();
    for (const auto& [name, old] : object.items()) {
        if (name != key) {
            made[name] = old;
        }
        if (name == after) {
            made[key] = value;
        }
    }
    object = std::move(made);
}

}  // namespace

base::Result<std::string> withTable(const std::string& text, const std::string& name,
                                    const std::string& table) {
    auto profile = base::parseJson(text, name);
    if (!profile) {
        return profile.error();
    }
    (*profile)["workspace_table"] = table;
    return textOf(*profile);
}

base::Result<std::string> updatedProfile(const std::string& text, const std::vector<Source>& sources,
                                         const predict::DeviceProfile& profile) {
    auto parsed = base::parseJson(text, profile.id + ".json");
    if (!parsed) {
        return parsed.error();
    }
    Json& json = *parsed;
    std::string measured = "memory";
    // cuDNN's answers are stored with all of their inputs.
    if (json.contains("attributes") && !json["attributes"].contains("memory")) {
        putAfter(json["attributes"], "memory_clock_khz", "memory", json["memory"]["bytes"]);
    }
    json["memory"] = {{"bytes", sources.back().file.environment.memoryBytes}, {"source", "measured"}};
    if (const auto contexts = contextsOf(sources); !contexts.empty()) {
        json["context"] = {{"low", contexts.front()},
                           {"expected", contexts[contexts.size() / 2]},
                           {"high", contexts.back()},
                           {"source", "measured"}};
        measured += fmt::format(", context ({} runs)", contexts.size());
    }
    if (const Bytes cublas = cublasOf(sources); cublas > 0) {
        json["cublas_workspace"] = cublas;
        measured += ", cuBLAS's workspace";
    }
    const Efficiencies found = efficienciesOf(sources, profile);
    if (found.launchUs > 0) {
        json["speed"]["launch_us"] = found.launchUs;
        measured += ", launch time";
    }
    putFamilies(json["compute"], found.compute);
    putFamilies(json["memory_efficiency"], found.memory);
    for (const auto& [family, values] : found.values) {
        measured += fmt::format(", {} ({} values)", family, values);
    }
    if (!found.values.empty()) {
        putAfter(json, "memory_efficiency", "efficiency_source", "measured");
    }
    putNotes(json, {fmt::format("{} ({}): {}", kNote, filesText(sources), measured),
                    fmt::format("{}: other shares of the roofs are believed of the generation", kNote)});
    return textOf(json);
}

}  // namespace highwater::reference
