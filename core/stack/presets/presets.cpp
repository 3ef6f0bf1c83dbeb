#include "core/stack/presets/presets.h"

#include <fmt/format.h>

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
    HIGHWATER_TRY(reader.finish());
    preset.experiment = HIGHWATER_TRY(loadExperiment(folder / (preset.id + ".json")));
    return preset;
}

}  // namespace

base::Result<std::vector<Preset>> loadPresets() {
    const auto folder = HIGHWATER_TRY(base::resourcesIn("presets"));
    const auto index = folder / "index.json";
    const auto json = HIGHWATER_TRY(base::readJson(index));
    if (!json.is_array()) {
        return base::Error{fmt::format("{}: must be a list of presets", index.string())};
    }
    std::vector<Preset> presets;
    for (std::size_t i = 0; i < json.size(); ++i) {
        auto preset = HIGHWATER_TRY(readPreset(json[i], fmt::format("{}: /{}", index.string(), i), folder));
        presets.push_back(std::move(preset));
    }
    return presets;
}

}  // namespace highwater::stack
