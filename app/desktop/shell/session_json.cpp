#include "app/desktop/shell/session_json.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "core/base/json_reader.h"
#include "core/stack/json/json.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr std::int64_t kLatestMicroseconds = std::int64_t{1} << 53;

base::Json sweepJson(const SweepChoice& sweep) {
    base::Json json;
    json["mode"] = sweep.mode;
    json["repeats"] = sweep.repeats;
    json["steps"] = sweep.steps;
    json["axes"] = base::Json::array();
    for (const SweepAxisEdit& axis : sweep.axes) {
        base::Json& made = json["axes"].emplace_back();
        made["name"] = axis.name.toStdString();
        made["paths"] = axis.paths.join('\n').toStdString();
        made["values"] = axis.values.toStdString();
        made["toggle"] = axis.toggle.toStdString();
    }
    return json;
}

/// An experiment file must name a scan; in the editor it may not have been chosen yet.
base::Result<stack::Experiment> sessionExperiment(base::JsonReader& reader) {
    const base::Json* given = reader.raw("experiment");
    if (!given) {
        return base::Error{"it has no experiment"};
    }
    base::Json json = *given;
    const base::Json::json_pointer scans("/input/scan");
    const bool none = json.contains(scans) && json[scans] == base::Json::array();
    if (none) {
        json[scans] = "none";
    }
    auto experiment = stack::experimentFromJson(json, "experiment");
    if (experiment && none) {
        std::get<stack::ScanInput>(experiment->input).scans.clear();
    }
    return experiment;
}

base::Result<Session::Left> leftFrom(const base::Json& json) {
    if (!json.is_object()) {
        return base::Error{"/left: must be a list of objects"};
    }
    base::JsonReader reader(json, "/left");
    Session::Left left{
        widgets::fromUtf8(reader.text("what", "")), widgets::fromUtf8(reader.text("file", "")), {}};
    left.experiment = HIGHWATER_TRY(sessionExperiment(reader));
    HIGHWATER_TRY(reader.finish());
    return left;
}

/// The values are read unchecked; the window decides whether they form a sweep.
base::Result<SweepChoice> sweepFrom(const base::Json& json) {
    if (!json.is_object()) {
        return base::Error{"/sweep: must be an object"};
    }
    constexpr std::int64_t kMost = 10000;
    base::JsonReader reader(json, "/sweep");
    SweepChoice sweep;
    sweep.mode = static_cast<int>(reader.integer("mode", 0, 2, 0));
    sweep.repeats = static_cast<int>(reader.integer("repeats", 1, kMost, sweep.repeats));
    sweep.steps = static_cast<int>(reader.integer("steps", 1, kMost, sweep.steps));
    if (const base::Json* axes = reader.raw("axes"); axes && axes->is_array()) {
        for (const base::Json& each : *axes) {
            if (!each.is_object()) {
                return base::Error{"/sweep/axes: must be a list of objects"};
            }
            base::JsonReader axis(each, "/sweep/axes");
            sweep.axes.push_back({widgets::fromUtf8(axis.text("name", "")),
                                  widgets::fromUtf8(axis.text("paths", "")).split('\n', Qt::SkipEmptyParts),
                                  widgets::fromUtf8(axis.text("values", "")),
                                  widgets::fromUtf8(axis.text("toggle", ""))});
            HIGHWATER_TRY(axis.finish());
        }
    }
    HIGHWATER_TRY(reader.finish());
    return sweep;
}

}  // namespace

std::string sessionText(const Session::State& state, bool open) {
    base::Json json;
    json["experiment"] = stack::toJson(state.experiment);
    json["file"] = state.file.toStdString();
    json["unsaved"] = state.unsaved;
    json["open"] = open;
    json["written"] = state.written;
    for (const auto& left : state.left) {
        json["left"].push_back({{"what", left->what.toStdString()},
                                {"file", left->file.toStdString()},
                                {"experiment", stack::toJson(left->experiment)}});
    }
    if (state.sweep) {
        json["sweep"] = sweepJson(*state.sweep);
    }
    return base::jsonText(json, 2);
}

base::Result<Session::State> readSession(const std::filesystem::path& path) {
    const auto json = HIGHWATER_TRY(base::readJson(path));
    if (!json.is_object()) {
        return base::Error{"it is not a JSON object"};
    }
    base::JsonReader reader(json, "");
    Session::State state;
    state.experiment = HIGHWATER_TRY(sessionExperiment(reader));
    state.file = widgets::fromUtf8(reader.text("file", ""));
    state.unsaved = reader.boolean("unsaved", false);
    state.crashed = reader.boolean("open", false);
    state.written = reader.integer("written", 0, kLatestMicroseconds, 0);
    if (const base::Json* all = reader.raw("left"); all && all->is_array()) {
        for (const base::Json& each : *all) {
            auto left = HIGHWATER_TRY(leftFrom(each));
            state.left.push_back(std::make_shared<const Session::Left>(std::move(left)));
        }
    }
    if (const base::Json* composed = reader.raw("sweep")) {
        state.sweep = HIGHWATER_TRY(sweepFrom(*composed));
    }
    HIGHWATER_TRY(reader.finish());
    return state;
}

}  // namespace highwater::desktop
