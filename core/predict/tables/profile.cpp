#include "core/predict/tables/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/base/json_file.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/predict/tables/contexts.h"
#include "core/predict/tables/table_text.h"

namespace highwater::predict {

using base::Bytes;
using base::Error;
using base::JsonFileIn;
using base::Real;
using base::Result;
using base::Whole;
using Source = DeviceProfile::Source;

namespace {

constexpr Bytes kMostMemory = Bytes{1} << 44;  // 16 TiB, as the allocator simulator
constexpr Real kRate{1, 1e18}, kRateOrNone{0, 1e18};
constexpr std::string_view kSources[] = {"measured", "datasheet"};

}  // namespace

void exchange(JsonFileIn& way, DeviceAttributes& attributes) {
    constexpr Whole kCache{base::kKiB, base::kGiB}, kClock{1, 100'000'000};
    way("multiprocessors", attributes.multiprocessors, Whole{1, 10000});
    way("l2_cache", attributes.l2Cache, kCache);
    way("shared_per_block_optin", attributes.sharedPerBlockOptIn, kCache);
    way("blocks_per_multiprocessor", attributes.blocksPerMultiprocessor, Whole{1, 1024});
    way("threads_per_multiprocessor", attributes.threadsPerMultiprocessor, Whole{1, 65536});
    way("clock_khz", attributes.clockKHz, kClock);
    way("memory_clock_khz", attributes.memoryClockKHz, kClock);
    way.olderWithout("memory", attributes.memory, Whole{0, kMostMemory});
    std::string source;
    way("source", source);
    way.check(!source.empty(), "source", "must say where the values are from");
}

void exchange(JsonFileIn& way, DeviceProfile& profile) {
    way("id", profile.id);
    way("name", profile.name);
    way("architecture", profile.architecture, Whole{50, 200});
    way.group("memory", [&](JsonFileIn& memory) {
        memory("bytes", profile.memory, Whole{base::kGiB, kMostMemory});
        memory.choice("source", profile.memorySource, kSources);
    });
    way.group("context", [&](JsonFileIn& context) {
        Estimate& bytes = profile.context;
        context("low", bytes.low, Whole{0, kMostMemory});
        context("expected", bytes.expected, Whole{0, kMostMemory});
        context("high", bytes.high, Whole{0, kMostMemory});
        context.check(bytes.low <= bytes.expected && bytes.expected <= bytes.high, "",
                      "must have low <= expected <= high");
        context.choiceUnless(Source::Datasheet, "source", profile.contextSource, kSources);
    });
    way.check(profile.context.high < profile.memory, "context", "must be smaller than the device's memory");
    way("cublas_workspace", profile.cublasWorkspace, Whole{0, base::kGiB});
    way.group("speed", [&](JsonFileIn& speed) {
        speed.choice("source", profile.speedSource, kSources);
        speed("fp32", profile.fp32, kRate);
        speed("tf32", profile.tf32, kRateOrNone);
        speed("fp16", profile.fp16, kRateOrNone);
        speed("bf16", profile.bf16, kRateOrNone);
        speed("bytes_per_second", profile.bytesPerSecond, kRate);
        speed("host_bytes_per_second", profile.hostBytesPerSecond, kRate);
        speed("launch_us", profile.launchUs, Real{0, 1000});
    });
    for (const auto& [key, shares] : {std::pair("compute", &profile.compute),
                                      std::pair("memory_efficiency", &profile.memoryEfficiency)}) {
        table_text::efficiencies(way, key, *shares);
        for (const auto& [family, share] : *shares) {
            way.check(share.low > 0, fmt::format("{}/{}", key, family), "must be above 0");
        }
    }
    way.choiceUnless(Source::Datasheet, "efficiency_source", profile.efficiencySource, kSources);
    way("workspace_table", profile.workspaceTable);
    way("attributes", profile.attributes);
    way("notes", profile.notes);
}

namespace {

Result<std::vector<std::string>> readIndex(const std::filesystem::path& folder) {
    const auto file = folder / "index.json";
    const auto json = HIGHWATER_TRY(base::readJson(file, base::kMiB));
    std::vector<std::string> ids;
    const bool list = json.is_array() && !json.empty();
    for (const base::Json& id : list ? json : base::Json::array()) {
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
    auto profile = base::fromJsonFile<DeviceProfile>(file, base::kMiB);
    if (profile && profile->id != id) {
        return Error{fmt::format("{}: /id: must be \"{}\", as the file is called", file.string(), id)};
    }
    return profile;
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

/// Those of the list, or only one of them.
Result<std::vector<DeviceProfile>> load(std::optional<std::string_view> only) {
    const auto folder = HIGHWATER_TRY(base::resourcesIn("profiles"));
    const auto ids = HIGHWATER_TRY(readIndex(folder));
    if (only && std::ranges::find(ids, *only) == ids.end()) {
        return Error{fmt::format("\"{}\" is not a GPU profile; there are {}", base::oneLine(*only, 40),
                                 fmt::join(ids, ", "))};
    }
    const auto contexts = HIGHWATER_TRY(keptContexts());
    std::vector<DeviceProfile> profiles;
    for (const std::string& id : ids) {
        if (only && id != *only) {
            continue;
        }
        auto profile = HIGHWATER_TRY(readFile(folder, id));
        applyContext(contexts, profile);
        profiles.push_back(std::move(profile));
    }
    return profiles;
}

}  // namespace

Result<std::vector<DeviceProfile>> loadProfiles() {
    return load({});
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
    auto profiles = load(id);
    return profiles ? Result<DeviceProfile>(std::move(profiles->front())) : profiles.error();
}

}  // namespace highwater::predict
