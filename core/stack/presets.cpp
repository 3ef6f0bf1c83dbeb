#include "core/stack/presets.h"

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/paths.h"
#include "core/stack/json/json.h"

namespace highwater::stack {

namespace {

base::Result<Preset> readPreset(const base::Json& json, const std::string& where,
                                const std::filesystem::path& folder) {
    base::JsonReader reader(json, where);
    Preset preset;
    preset.id = reader.text("id");
    preset.title = reader.text("title");
    preset.description = reader.text("description");
    if (const auto status = reader.finish(); !status) {
        return status.error();
    }
    auto experiment = loadExperiment(folder / (preset.id + ".json"));
    if (!experiment) {
        return experiment.error();
    }
    preset.experiment = std::move(*experiment);
    return preset;
}

}  // namespace

base::Result<std::vector<Preset>> loadPresets() {
    const auto resources = base::resourcesFolder();
    if (resources.empty()) {
        return base::Error{
            "the resources folder is missing; install Highwater again or set "
            "HIGHWATER_RESOURCES to its resources folder"};
    }
    const auto folder = resources / "presets";
    const auto index = folder / "index.json";
    const auto text = base::readFile(index);
    if (!text) {
        return text.error();
    }
    const auto json = base::parseJson(*text, index.string());
    if (!json) {
        return json.error();
    }
    if (!json->is_array()) {
        return base::Error{fmt::format("{}: must be a list of presets", index.string())};
    }
    std::vector<Preset> presets;
    for (std::size_t i = 0; i < json->size(); ++i) {
        auto preset = readPreset((*json)[i], fmt::format("{}: /{}", index.string(), i), folder);
        if (!preset) {
            return preset.error();
        }
        presets.push_back(std::move(*preset));
    }
    return presets;
}

}  // namespace highwater::stack
