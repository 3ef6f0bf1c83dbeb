#include "core/predict/tables/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/file.h"
#include "core/base/json_file.h"
#include "core/base/text.h"
#include "core/predict/tables/calibration.h"
#include "core/predict/tables/profile.h"

namespace highwater::predict {

namespace {

namespace fs = std::filesystem;

using Contexts = std::map<std::string, KeptContext>;

}  // namespace

/// The stored contexts, by the id of their profile.
struct ContextsFile {
    Contexts contexts;
};

template <class Way>
void exchange(Way& way, base::Exchanged<Way, KeptContext>& kept) {
    constexpr base::Whole kContext{0, 64 * base::kGiB};
    constexpr std::string_view kSources[] = {"measured", "given"};
    way("low", kept.bytes.low, kContext);
    way("expected", kept.bytes.expected, kContext);
    way("high", kept.bytes.high, kContext);
    way.check(kept.bytes.low <= kept.bytes.expected && kept.bytes.expected <= kept.bytes.high, "",
              "must have low <= expected <= high");
    way.choice("source", kept.given, kSources);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, ContextsFile>& file) {
    way.format("schema", "highwater.contexts/1");
    way("contexts", file.contexts);
}

namespace {

base::Status write(const Contexts& contexts) {
    return base::writeInFolder(contextsFile(),
                               base::jsonText(base::JsonOut::written(ContextsFile{contexts}), 1) + "\n");
}

/// Replaces the stored value of a profile; std::nullopt removes it. Writes the file only if something
/// changes.
base::Status keep(const std::string& profile, const std::optional<KeptContext>& context) {
    auto contexts = HIGHWATER_TRY(keptContexts());
    const Contexts before = contexts;
    if (context) {
        contexts[profile] = *context;
    } else {
        contexts.erase(profile);
    }
    return contexts == before ? base::Status() : write(contexts);
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
    auto kept = base::fromJsonFile<ContextsFile>(file, base::kMiB);
    return kept ? base::Result<Contexts>(std::move(kept->contexts)) : kept.error();
}

base::Status keepGivenContext(const std::string& profile, base::Bytes bytes) {
    const auto gpu = HIGHWATER_TRY(loadProfile(profile));
    if (bytes >= gpu.memory) {
        return base::Error{fmt::format("a CUDA context of {} leaves nothing of the {}'s {}",
                                       base::formatBytes(bytes), gpu.name, base::formatBytes(gpu.memory))};
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
    const auto profiles = HIGHWATER_TRY(loadProfiles());
    const DeviceProfile* profile = profileOf(profiles, name, memory);
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
