#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/json_file.h"
#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/study/sweep.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Json;
using base::JsonReader;
namespace fs = std::filesystem;

constexpr std::size_t kMostAxes = 64, kMostPaths = 256, kLongestName = 60, kLongestSweepText = 4096;
constexpr int kMostRepeats = 10000, kFactorialRepeats = 3;
constexpr std::string_view kSweepSchema = "highwater.sweep/1";
constexpr std::string_view kModes[] = {"grid", "zip", "factorial"};

void readBase(JsonReader& reader, const fs::path& folder, stack::Experiment& base) {
    const Json* const given = reader.raw("base");
    if (!given) {
        return reader.fail("base", "is missing; give an experiment, or the path of one");
    }
    if (given->is_string()) {
        const auto& path = given->get_ref<const std::string&>();
        if (path.empty() || path.size() > kLongestSweepText || path.find('\0') != std::string::npos) {
            return reader.fail("base", "is not a path; give an experiment, or the path of one");
        }
        auto loaded = stack::loadExperiment(folder / path);
        if (!loaded) {
            return reader.fail("base", loaded.error().message);
        }
        base = std::move(*loaded);
        return;
    }
    if (!given->is_object()) {
        return reader.fail("base", "must be an experiment, or the path of one");
    }
    auto inlined = stack::experimentFromJson(*given, "");
    if (!inlined) {
        return reader.failAt((inlined.error().message.starts_with('/') ? "/base" : "/base: ") +
                             inlined.error().message);
    }
    base = std::move(*inlined);
    stack::resolvePaths(base, folder);
}

std::string pointerText(JsonReader& reader, std::string_view key, const Json& given) {
    if (!given.is_string() || given.get_ref<const std::string&>().size() > kLongestSweepText) {
        reader.fail(key, "must be a JSON Pointer such as \"/step/batch_size\"");
        return {};
    }
    return given.get<std::string>();
}

void readPaths(JsonReader& reader, Axis& axis) {
    if (const Json* const one = reader.raw("path")) {
        axis.paths.push_back(pointerText(reader, "path", *one));
    }
    const Json* const several = reader.raw("paths");
    if (!several) {
        return;
    }
    if (!several->is_array() || several->empty() || several->size() > kMostPaths) {
        return reader.fail("paths", fmt::format("must be a list of 1 to {} JSON Pointers", kMostPaths));
    }
    for (const Json& each : *several) {
        axis.paths.push_back(pointerText(reader, "paths", each));
    }
}

void readValues(JsonReader& reader, Axis& axis) {
    const Json* const values = reader.raw("values");
    if (!values) {
        return reader.fail("values", "is missing; give a list of values");
    }
    if (!values->is_array() || values->empty() || values->size() > kMostCells) {
        return reader.fail("values", fmt::format("must be a list of 1 to {} values", kMostCells));
    }
    for (const Json& value : *values) {
        axis.values.push_back(base::jsonText(value));
    }
}

Axis readAxis(JsonReader& reader) {
    Axis axis;
    const int kinds = reader.has("path") + reader.has("paths") + reader.has("toggle");
    if (kinds != 1) {
        reader.fail("", "must hold one of path, paths and toggle");
    }
    axis.toggle = reader.text("toggle", "");
    readPaths(reader, axis);
    if (reader.has("toggle") && reader.has("values")) {
        reader.fail("values", "cannot be combined with a toggle, which is off and on; remove them");
    } else if (!reader.has("toggle") && kinds == 1) {
        readValues(reader, axis);
    }
    axis.name = reader.text("name", "");
    if (axis.name.empty()) {
        axis.name = defaultName(axis);
    } else if (axis.name.size() > kLongestName) {
        reader.fail("name", fmt::format("is longer than {} bytes", kLongestName));
    }
    return axis;
}

void readAxes(JsonReader& reader, std::vector<Axis>& axes) {
    const Json* const given = reader.raw("axes");
    if (!given) {
        return reader.fail("axes", "is missing; give a list of what changes");
    }
    if (!given->is_array() || given->empty() || given->size() > kMostAxes) {
        return reader.fail("axes", fmt::format("must be a list of 1 to {} axes", kMostAxes));
    }
    reader.objects("axes", kMostAxes, [&](JsonReader& axis) { axes.push_back(readAxis(axis)); });
}

Sweep readSweep(JsonReader& reader, const fs::path& folder) {
    Sweep sweep;
    sweep.folder = folder;
    base::JsonFileIn(reader).format("schema", kSweepSchema);
    sweep.name = reader.text("name", "");
    if (sweep.name.size() > kLongestSweepText) {
        reader.fail("name", fmt::format("is longer than {} bytes", kLongestSweepText));
    }
    readAxes(reader, sweep.axes);
    sweep.mode = static_cast<SweepMode>(reader.choice("mode", kModes, 0));
    sweep.repeats = static_cast<int>(reader.integer(
        "repeats", 1, kMostRepeats, sweep.mode == SweepMode::Factorial ? kFactorialRepeats : 1));
    sweep.interleave = reader.boolean("interleave", true);
    if (reader.has("base") && reader.failed()) {
        return sweep;  // errors in this file are reported before errors in another file
    }
    readBase(reader, folder, sweep.base);
    return sweep;
}

Json axisToJson(const Axis& axis) {
    Json json = Json::object();
    base::JsonOut way(json);
    way.unless(defaultName(axis), "name", axis.name);
    way.unless(std::string(), "toggle", axis.toggle);
    if (axis.toggle.empty()) {
        axis.paths.size() == 1 ? way("path", axis.paths.front()) : way("paths", axis.paths);
        Json values = Json::array();
        for (const std::string& value : axis.values) {
            auto parsed = base::parseJson(value, "value");
            values.push_back(parsed ? std::move(*parsed) : Json());
        }
        way("values", values);
    }
    return json;
}

}  // namespace

base::Result<Sweep> parseSweep(std::string_view text, std::string_view name, const fs::path& folder) {
    const auto json = HIGHWATER_TRY(base::parseJson(text, name));
    JsonReader reader(json, "");
    Sweep sweep = reader.failed() ? Sweep() : readSweep(reader, folder);
    auto status = reader.finish();
    if (status) {
        status = checkSweep(sweep);
    }
    if (!status) {
        return Error{fmt::format("{}: {}", name, status.error().message)};
    }
    return sweep;
}

base::Result<Sweep> loadSweep(const fs::path& path) {
    const auto text = HIGHWATER_TRY(base::readFile(path));
    return parseSweep(text, path.string(), fs::absolute(path).parent_path());
}

Json toJson(const Sweep& sweep) {
    Json json = {{"schema", kSweepSchema}};
    base::JsonOut way(json);
    way.unless(std::string(), "name", sweep.name);
    way("base", stack::toJson(sweep.base));
    Json axes = Json::array();
    for (const Axis& axis : sweep.axes) {
        axes.push_back(axisToJson(axis));
    }
    way("axes", axes);
    way.choice("mode", sweep.mode, kModes);
    way("repeats", sweep.repeats);
    way("interleave", sweep.interleave);
    return json;
}

}  // namespace highwater::study
