#include "core/predict/tables/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/base/json_reader.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/predict/tables/contexts.h"

namespace highwater::predict {

namespace {

using base::Bytes;
using base::Error;
using base::JsonReader;
using base::Result;
using base::Status;
using Source = DeviceProfile::Source;

constexpr Bytes kMostMemory = Bytes{1} << 44;  // 16 TiB, as the allocator simulator
constexpr double kMostRate = 1e18;

/// Reads the object at `key` of `parent` with `read`. An error in it becomes the parent's error.
template <class Read>
void inner(JsonReader& parent, std::string_view key, Read read) {
    const base::Json* json = parent.raw(key);
    if (!json) {
        return parent.fail(key, "is missing; give an object");
    }
    JsonReader reader(*json, parent.pointer(key));
    read(reader);
    if (const Status status = reader.finish(); !status) {
        parent.failAt(status.error().message);
    }
}

Source readSource(JsonReader& reader, std::string_view key = "source",
                  std::optional<std::size_t> fallback = {}) {
    return reader.choice(key, {"measured", "datasheet"}, fallback) == 0 ? Source::Measured
                                                                        : Source::Datasheet;
}

Estimate readEstimate(JsonReader& reader) {
    const Estimate e{reader.integer("low", 0, kMostMemory), reader.integer("expected", 0, kMostMemory),
                     reader.integer("high", 0, kMostMemory)};
    if (!reader.failed() && (e.low > e.expected || e.expected > e.high)) {
        reader.fail("", "must have low <= expected <= high");
    }
    return e;
}

void readSpeed(JsonReader& reader, DeviceProfile& profile) {
    profile.speedSource = readSource(reader);
    profile.fp32 = reader.number("fp32", 1, kMostRate);
    profile.tf32 = reader.number("tf32", 0, kMostRate);
    profile.fp16 = reader.number("fp16", 0, kMostRate);
    profile.bf16 = reader.number("bf16", 0, kMostRate);
    profile.bytesPerSecond = reader.number("bytes_per_second", 1, kMostRate);
    profile.hostBytesPerSecond = reader.number("host_bytes_per_second", 1, kMostRate);
    profile.launchUs = reader.number("launch_us", 0, 1000);
}

/// Reads a list [low, expected, high] of shares. Returns an error text if it is not one.
std::optional<std::string> readEfficiency(const base::Json& json, Efficiency& efficiency) {
    const bool three = json.is_array() && json.size() == 3 && json[0].is_number() && json[1].is_number() &&
                       json[2].is_number();
    if (!three) {
        return "must be a list of three numbers: low, expected, high";
    }
    efficiency = {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
    const bool ordered = efficiency.low > 0 && efficiency.low <= efficiency.expected &&
                         efficiency.expected <= efficiency.high && efficiency.high <= 1;
    return ordered ? std::nullopt : std::optional<std::string>("must have 0 < low <= expected <= high <= 1");
}

std::map<std::string, Efficiency> readEfficiencies(JsonReader& parent, std::string_view key) {
    std::map<std::string, Efficiency> all;
    const base::Json* json = parent.raw(key);
    if (!json || !json->is_object()) {
        parent.fail(key, "must be an object: a list [low, expected, high] by family");
        return all;
    }
    for (const auto& [family, value] : json->items()) {
        if (const auto problem = readEfficiency(value, all[family])) {
            parent.failAt(fmt::format("{}/{}: {}", parent.pointer(key), base::oneLine(family, 40), *problem));
        }
    }
    return all;
}

void readAttributes(JsonReader& reader, DeviceAttributes& attributes) {
    attributes.multiprocessors = reader.integer("multiprocessors", 1, 10000);
    attributes.l2Cache = reader.integer("l2_cache", base::kKiB, base::kGiB);
    attributes.sharedPerBlockOptIn = reader.integer("shared_per_block_optin", base::kKiB, base::kGiB);
    attributes.blocksPerMultiprocessor = reader.integer("blocks_per_multiprocessor", 1, 1024);
    attributes.threadsPerMultiprocessor = reader.integer("threads_per_multiprocessor", 1, 65536);
    attributes.clockKHz = reader.integer("clock_khz", 1, 100000000);
    attributes.memoryClockKHz = reader.integer("memory_clock_khz", 1, 100000000);
    attributes.memory = reader.integer("memory", 0, kMostMemory, 0);
    if (reader.text("source").empty() && !reader.failed()) {
        reader.fail("source", "must say where the values are from");
    }
}

void readNotes(JsonReader& reader, std::vector<std::string>& notes) {
    const base::Json* json = reader.raw("notes");
    if (!json || !json->is_array()) {
        return reader.fail("notes", "must be a list of texts");
    }
    for (const base::Json& note : *json) {
        if (!note.is_string()) {
            return reader.fail("notes", "must be a list of texts");
        }
        notes.push_back(note.get<std::string>());
    }
}

Result<DeviceProfile> readProfile(const base::Json& json, const std::string& file, std::string_view id) {
    JsonReader reader(json, "");
    DeviceProfile profile;
    profile.id = reader.text("id");
    profile.name = reader.text("name");
    profile.architecture = static_cast<int>(reader.integer("architecture", 50, 200));
    inner(reader, "memory", [&](JsonReader& r) {
        profile.memory = r.integer("bytes", base::kGiB, kMostMemory);
        profile.memorySource = readSource(r);
    });
    inner(reader, "context", [&](JsonReader& r) {
        profile.context = readEstimate(r);
        profile.contextSource = readSource(r, "source", 1);
    });
    profile.cublasWorkspace = reader.integer("cublas_workspace", 0, base::kGiB);
    inner(reader, "speed", [&](JsonReader& r) { readSpeed(r, profile); });
    profile.compute = readEfficiencies(reader, "compute");
    profile.memoryEfficiency = readEfficiencies(reader, "memory_efficiency");
    profile.efficiencySource = readSource(reader, "efficiency_source", 1);
    profile.workspaceTable = reader.text("workspace_table");
    if (json.is_object() && json.contains("attributes")) {
        inner(reader, "attributes", [&](JsonReader& r) { readAttributes(r, profile.attributes.emplace()); });
    }
    readNotes(reader, profile.notes);
    if (!reader.failed() && profile.id != id) {
        reader.fail("id", fmt::format("must be \"{}\", as the file is called", id));
    }
    if (!reader.failed() && profile.context.high >= profile.memory) {
        reader.fail("context", "must be smaller than the device's memory");
    }
    if (const Status status = reader.finish(); !status) {
        return Error{fmt::format("{}: {}", file, status.error().message)};
    }
    return profile;
}

Result<std::vector<std::string>> readIndex(const std::filesystem::path& folder) {
    const auto file = folder / "index.json";
    const auto json = base::readJson(file, base::kMiB);
    if (!json) {
        return json.error();
    }
    std::vector<std::string> ids;
    const bool list = json->is_array() && !json->empty();
    for (const base::Json& id : list ? *json : base::Json::array()) {
        if (!id.is_string() || id.get<std::string>().find('/') != std::string::npos) {
            return Error{fmt::format("{}: /{}: must be a profile's id", file.string(), ids.size())};
        }
        ids.push_back(id.get<std::string>());
    }
    if (!list) {
        return Error{fmt::format("{}: must be a list of profile ids", file.string())};
    }
    return ids;
}

Result<DeviceProfile> readFile(const std::filesystem::path& folder, std::string_view id) {
    const auto file = folder / fmt::format("{}.json", id);
    const auto json = base::readJson(file, base::kMiB);
    if (!json) {
        return json.error();
    }
    return readProfile(*json, file.string(), id);
}

/// What this machine knows of the context goes before what the profile says.
void applyContext(const std::map<std::string, KeptContext>& kept, DeviceProfile& profile) {
    const auto at = kept.find(profile.id);
    if (at != kept.end() && at->second.bytes.high < profile.memory) {
        profile.context = at->second.bytes;
        profile.contextSource = Source::Measured;
        profile.contextKept = at->second.given ? DeviceProfile::Kept::Given : DeviceProfile::Kept::Measured;
    }
}

}  // namespace

Result<std::vector<DeviceProfile>> loadProfiles() {
    const auto folder = base::resourcesIn("profiles");
    if (!folder) {
        return folder.error();
    }
    const auto ids = readIndex(*folder);
    if (!ids) {
        return ids.error();
    }
    const auto contexts = keptContexts();
    if (!contexts) {
        return contexts.error();
    }
    std::vector<DeviceProfile> profiles;
    for (const std::string& id : *ids) {
        auto profile = readFile(*folder, id);
        if (!profile) {
            return profile.error();
        }
        applyContext(*contexts, *profile);
        profiles.push_back(std::move(*profile));
    }
    return profiles;
}

std::vector<std::string> targetsByMemory() {
    std::vector<std::string> targets = {"cpu"};
    if (auto profiles = loadProfiles()) {
        std::ranges::stable_sort(*profiles, {}, &DeviceProfile::memory);
        for (const DeviceProfile& profile : *profiles) {
            targets.push_back(profile.id);
        }
    }
    return targets;
}

Result<DeviceProfile> loadProfile(std::string_view id) {
    const auto folder = base::resourcesIn("profiles");
    if (!folder) {
        return folder.error();
    }
    const auto ids = readIndex(*folder);
    if (!ids) {
        return ids.error();
    }
    if (std::find(ids->begin(), ids->end(), id) == ids->end()) {
        return Error{fmt::format("\"{}\" is not a GPU profile; there are {}", base::oneLine(id, 40),
                                 fmt::join(*ids, ", "))};
    }
    const auto contexts = keptContexts();
    auto profile = readFile(*folder, id);
    if (!contexts) {
        return contexts.error();
    }
    if (profile) {
        applyContext(*contexts, *profile);
    }
    return profile;
}

}  // namespace highwater::predict
