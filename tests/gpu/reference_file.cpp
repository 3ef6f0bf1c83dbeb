#include "tests/gpu/reference_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/stack/json/json.h"

namespace highwater::reference {

namespace {

using base::Error;
using base::Json;

const Json& entry(const Json& object, const char* key) {
    static const Json kNothing;
    const auto at = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && at != object.end() ? *at : kNothing;
}

std::string textAt(const Json& object, const char* key) {
    const Json& value = entry(object, key);
    return value.is_string() ? value.get<std::string>() : "";
}

std::int64_t integerAt(const Json& object, const char* key) {
    const Json& value = entry(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// A result completed with what is stored once in the file.
base::Result<wire::RunResult> resultOf(Json json, const Json& environment) {
    if (!json.is_object()) {
        return Error{"result: must be an object"};
    }
    for (const auto& [key, value] : environment.items()) {
        if (!json.contains(key)) {
            json[key] = value;
        }
    }
    if (!json.contains("run_id")) {
        json["run_id"] = "";
    }
    if (!json.contains("losses")) {
        json["losses"] = Json::array();
    }
    return wire::resultFromJson(json);
}

base::Result<wire::Environment> environmentOf(const Json& json) {
    wire::RunResult carrier;
    Json whole = wire::toJson(carrier);
    if (!json.is_object()) {
        return Error{"environment: must be an object"};
    }
    for (const auto& [key, value] : json.items()) {
        whole[key] = value;
    }
    const auto read = wire::resultFromJson(whole);
    if (!read) {
        return Error{"environment: " + read.error().message};
    }
    return read->environment;
}

std::optional<Kind> kindFrom(const std::string& word) {
    if (word == "gpu") {
        return Kind::Gpu;
    }
    if (word == "cpu") {
        return Kind::Cpu;
    }
    return word == "standin" ? std::optional(Kind::Standin) : std::nullopt;
}

base::Status addExperiments(const Json& root, File& file) {
    for (const Json& json : entry(root, "experiments")) {
        Measured measured{textAt(json, "name"), textAt(json, "family"), {}, {}, {}};
        auto experiment = stack::experimentFromJson(entry(json, "experiment"), measured.name);
        if (!experiment) {
            return experiment.error();
        }
        measured.experiment = std::move(*experiment);
        if (json.contains("result")) {
            auto result = resultOf(json["result"], entry(root, "environment"));
            if (!result) {
                return Error{measured.name + ": " + result.error().message};
            }
            measured.result = std::move(*result);
        }
        measured.why = textAt(json, "skipped") + textAt(json, "failed");
        file.experiments.push_back(std::move(measured));
    }
    return {};
}

/// A rung's experiment: its own, or its ladder's first one changed by a JSON Patch (RFC 6902).
base::Result<stack::Experiment> experimentOf(const Json& rung, std::map<std::string, Json>& first) {
    const std::string name = textAt(rung, "name");
    Json json = entry(rung, "experiment");
    if (const Json& patch = entry(rung, "patch"); !patch.is_null()) {
        try {
            json = first[textAt(rung, "ladder")].patch(patch);
        } catch (const Json::exception&) {
            return Error{name + ": /patch: does not fit the ladder's first experiment"};
        }
    }
    first.emplace(textAt(rung, "ladder"), json);
    return stack::experimentFromJson(json, name);
}

base::Status addLadder(const Json& root, File& file) {
    std::map<std::string, Json> first;
    for (const Json& json : entry(root, "ladder")) {
        auto experiment = experimentOf(json, first);
        if (!experiment) {
            return experiment.error();
        }
        if (!entry(json, "out_of_memory").is_boolean()) {
            continue;
        }
        Rung rung{textAt(json, "ladder"),
                  textAt(json, "name"),
                  {},
                  integerAt(json, "budget_bytes"),
                  json["out_of_memory"].get<bool>()};
        rung.experiment = std::move(*experiment);
        file.ladder.push_back(std::move(rung));
    }
    return {};
}

void addRest(const Json& root, File& file) {
    const auto count = [&](const char* key) {
        return static_cast<int>(std::clamp<std::int64_t>(integerAt(entry(root, "oom"), key), 0, 1'000'000));
    };
    file.oom = {count("tried"), count("provoked"), count("recovered")};
    const auto median = [](const Json& json, const char* key) {
        const Json& value = entry(entry(json, key), "median");
        return value.is_number() ? value.get<double>() : 0;
    };
    for (const Json& json : entry(root, "overhead")) {
        file.overhead.push_back({textAt(json, "name"), median(json, "engine_over_bare"),
                                 median(json, "traced_over_bare"), json.value("same_switches", false)});
    }
    file.convolutions = entry(root, "convolutions").size();
    for (const Json& line : entry(root, "left_out")) {
        if (line.is_string()) {
            file.leftOut.push_back(line.get<std::string>());
        }
    }
}

}  // namespace

base::Result<File> parseReference(const std::string& text, const std::string& name) {
    const auto root = base::parseJson(text, name);
    if (!root) {
        return root.error();
    }
    if (textAt(*root, "schema") != "highwater.gpu-reference/1") {
        return Error{name + ": /schema: must be \"highwater.gpu-reference/1\""};
    }
    const auto kind = kindFrom(textAt(*root, "kind"));
    if (!kind) {
        return Error{name + ": /kind: must be \"gpu\", \"cpu\" or \"standin\""};
    }
    File file;
    file.name = name;
    file.kind = *kind;
    file.when = textAt(*root, "when");
    auto environment = environmentOf(entry(*root, "environment"));
    if (!environment) {
        return Error{name + ": " + environment.error().message};
    }
    file.environment = std::move(*environment);
    if (const auto status = addExperiments(*root, file); !status) {
        return Error{name + ": " + status.error().message};
    }
    if (const auto status = addLadder(*root, file); !status) {
        return Error{name + ": " + status.error().message};
    }
    addRest(*root, file);
    return file;
}

base::Result<std::vector<File>> loadReferences(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    std::error_code ignored;
    for (const auto& each : std::filesystem::directory_iterator(folder, ignored)) {
        if (each.path().extension() == ".json") {
            paths.push_back(each.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<File> files;
    for (const std::filesystem::path& path : paths) {
        const auto text = base::readFile(path);
        if (!text) {
            return text.error();
        }
        auto file = parseReference(*text, path.filename().string());
        if (!file) {
            return file.error();
        }
        files.push_back(std::move(*file));
    }
    return files;
}

}  // namespace highwater::reference
