#include <fmt/format.h>

#include <limits>

#include "core/base/json_reader.h"
#include "core/wire/patches.h"

namespace highwater::wire {
namespace {

using base::Json;
using base::JsonReader;

constexpr std::int64_t kMostOfAPatch = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;

/// A file of this name in the folder. Error if the name could lead out of the folder.
std::filesystem::path fileIn(const std::filesystem::path& folder, const std::string& name,
                             std::string_view key, JsonReader& reader) {
    if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos ||
        name.find('\0') != std::string::npos) {
        reader.fail(key, "must be the name of a file");
    }
    return folder / name;
}

std::vector<std::string> textsOf(JsonReader& reader, std::string_view key) {
    std::vector<std::string> texts;
    const Json* const given = reader.raw(key);
    if (given == nullptr || !given->is_array()) {
        reader.fail(key, "must be a list");
        return texts;
    }
    for (const Json& each : *given) {
        if (!each.is_string()) {
            reader.fail(key, "must hold text");
        } else {
            texts.push_back(each.get<std::string>());
        }
    }
    return texts;
}

std::array<std::int64_t, 3> voxelOf(JsonReader& reader, std::string_view key, std::int64_t low) {
    const auto numbers = reader.integers(key, low, kMostExtent, 3);
    if (!reader.failed() && numbers.size() != 3) {
        reader.fail(key, "must have three numbers");
    }
    return reader.failed() ? std::array<std::int64_t, 3>{}
                           : std::array<std::int64_t, 3>{numbers[0], numbers[1], numbers[2]};
}

}  // namespace

Json toJson(const SentPatch& patch) {
    Json json = {{"patch", patch.number}, {"case", patch.theCase}};
    Json channels = Json::array();
    for (const std::filesystem::path& channel : patch.channels) {
        channels.push_back(channel.filename().string());
    }
    json["channels"] = std::move(channels);
    if (!patch.target.empty()) {
        json["target"] = patch.target.filename().string();
    }
    json["start"] = patch.start;
    json["extent"] = patch.extent;
    json["augmentations"] = patch.augmentations;
    return json;
}

base::Result<SentPatch> parsePatch(std::string_view line, const std::filesystem::path& folder) {
    const auto json = base::parseJson(line, "patch");
    if (!json) {
        return json.error();
    }
    if (!json->is_object()) {
        return base::Error{"patch: must be an object"};
    }
    JsonReader reader(*json, "");
    SentPatch patch;
    patch.number = reader.integer("patch", 0, kMostOfAPatch);
    patch.theCase = reader.integer("case", 0, kMostOfAPatch);
    for (const std::string& name : textsOf(reader, "channels")) {
        patch.channels.push_back(fileIn(folder, name, "channels", reader));
    }
    if (patch.channels.empty()) {
        reader.fail("channels", "must not be empty");
    }
    if (reader.has("target")) {
        patch.target = fileIn(folder, reader.text("target"), "target", reader);
    }
    patch.start = voxelOf(reader, "start", -kMostExtent);
    patch.extent = voxelOf(reader, "extent", 1);
    patch.augmentations = textsOf(reader, "augmentations");
    if (const auto status = reader.finish(); !status) {
        return base::Error{"patch: " + status.error().message};
    }
    return patch;
}

}  // namespace highwater::wire
