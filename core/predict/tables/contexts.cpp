#include "core/predict/tables/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/predict/tables/calibration.h"
#include "core/predict/tables/profile.h"

namespace highwater::predict {

namespace {

namespace fs = std::filesystem;

using Contexts = std::map<std::string, KeptContext>;

constexpr std::string_view kContextsSchema = "highwater.contexts/1";
constexpr base::Bytes kMostContext = 64 * base::kGiB;

base::Result<KeptContext> readContext(const base::Json& json, std::string where) {
    base::JsonReader reader(json, std::move(where));
    KeptContext kept;
    kept.bytes = {reader.integer("low", 0, kMostContext), reader.integer("expected", 0, kMostContext),
                  reader.integer("high", 0, kMostContext)};
    kept.given = reader.choice("source", {"measured", "given"}) == 1;
    if (kept.bytes.low > kept.bytes.expected || kept.bytes.expected > kept.bytes.high) {
        reader.fail("", "must have low <= expected <= high");
    }
    if (const base::Status status = reader.finish(); !status) {
        return status.error();
    }
    return kept;
}

base::Status write(const Contexts& contexts) {
    base::Json list = base::Json::object();
    for (const auto& [profile, kept] : contexts) {
        list[profile] = {{"low", kept.bytes.low},
                         {"expected", kept.bytes.expected},
                         {"high", kept.bytes.high},
                         {"source", kept.given ? "given" : "measured"}};
    }
    const fs::path file = contextsFile();
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (failed) {
        return base::Error{
            fmt::format("{} cannot be created: {}", file.parent_path().string(), failed.message())};
    }
    const base::Json json = {{"schema", kContextsSchema}, {"contexts", std::move(list)}};
    return base::writeFileAtomically(file, json.dump(1) + "\n");
}

/// Replaces the stored value of a profile; std::nullopt removes it. Writes the file only if something
/// changes.
base::Status keep(const std::string& profile, const std::optional<KeptContext>& context) {
    auto contexts = keptContexts();
    if (!contexts) {
        return contexts.error();
    }
    const Contexts before = *contexts;
    if (context) {
        (*contexts)[profile] = *context;
    } else {
        contexts->erase(profile);
    }
    return *contexts == before ? base::Status() : write(*contexts);
}

}  // namespace

Estimate givenContext(base::Bytes bytes) {
    constexpr double kSpread = 768.0 / 628;
    const auto given = static_cast<double>(bytes);
    return {static_cast<base::Bytes>(given / kSpread), bytes, static_cast<base::Bytes>(given * kSpread)};
}

fs::path contextsFile() {
    return calibrationFolders().front() / "contexts.json";
}

base::Result<Contexts> keptContexts() {
    const fs::path file = contextsFile();
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
        return Contexts();
    }
    const auto json = base::readJson(file, base::kMiB);
    if (!json) {
        return json.error();
    }
    base::JsonReader reader(*json, "");
    if (reader.text("schema") != kContextsSchema && !reader.failed()) {
        reader.fail("schema", fmt::format("must be \"{}\"", kContextsSchema));
    }
    Contexts contexts;
    const base::Json none = base::Json::object();
    const base::Json* given = reader.raw("contexts");
    const base::Json& list = given != nullptr && given->is_object() ? *given : none;
    if (&list == &none) {
        reader.fail("contexts", "must be an object of GPU profiles");
    }
    for (const auto& [profile, context] : list.items()) {
        auto kept = readContext(context, "/contexts/" + profile);
        if (!kept) {
            reader.failAt(kept.error().message);
            break;
        }
        contexts[profile] = *kept;
    }
    if (const base::Status status = reader.finish(); !status) {
        return base::Error{fmt::format("{}: {}", file.string(), status.error().message)};
    }
    return contexts;
}

base::Status keepGivenContext(const std::string& profile, base::Bytes bytes) {
    const auto gpu = loadProfile(profile);
    if (!gpu) {
        return gpu.error();
    }
    if (bytes >= gpu->memory) {
        return base::Error{fmt::format("a CUDA context of {} leaves nothing of the {}'s {}",
                                       base::formatBytes(bytes), gpu->name, base::formatBytes(gpu->memory))};
    }
    return keep(profile, KeptContext{givenContext(bytes), true});
}

base::Status forgetContext(const std::string& profile) {
    return keep(profile, std::nullopt);
}

base::Status keepMeasuredContext(std::string_view name, base::Bytes memory, base::Bytes bytes) {
    if (name.find("pretended") != std::string_view::npos) {
        return {};  // its context is assumed (core/pretend)
    }
    const auto profiles = loadProfiles();
    if (!profiles) {
        return profiles.error();
    }
    const DeviceProfile* profile = profileOf(*profiles, name, memory);
    if (profile == nullptr || profile->contextKept == DeviceProfile::Kept::Given) {
        return {};
    }
    Estimate measured = Estimate::of(bytes);
    if (profile->contextKept == DeviceProfile::Kept::Measured) {
        measured.low = std::min(bytes, profile->context.low);
        measured.high = std::max(bytes, profile->context.high);
    }
    return keep(profile->id, KeptContext{measured, false});
}

}  // namespace highwater::predict
