#include "tests/gpu/tables/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/predict/tables/asked_table.h"

namespace highwater::reference {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;
using predict::ConvKey;
using predict::GpuKey;
using predict::GpuTable;

constexpr base::Bytes kMostBytes = base::Bytes{1} << 52;

base::Result<MeasuredConvolution> readConvolution(const Json& json, const std::string& where) {
    base::JsonReader reader(json, where);
    MeasuredConvolution made;
    const auto op = predict::parseConvKey(reader.text("pass"));
    const auto switches = predict::parseGpuSwitches(reader.text("switches"));
    if (!reader.failed() && !op) {
        reader.fail("pass", op.error().message);
    }
    if (!reader.failed() && !switches) {
        reader.fail("switches", "must be - or of tf32,benchmark,deterministic those that are on");
    }
    if (reader.failed()) {
        return Error{reader.finish().error().message};
    }
    made.op = {*op, *switches};
    const auto bytes = [&](bool wanted, const char* key, std::optional<base::Bytes>& part) {
        if (wanted) {
            part = reader.integer(key, 0, kMostBytes);
        }
    };
    bytes(op->pass == ConvKey::Pass::Forward, "forward_bytes", made.row.forward);
    bytes(op->inputGradient, "input_gradient_bytes", made.row.inputGradient);
    bytes(op->weightGradient, "weight_gradient_bytes", made.row.weightGradient);
    made.row.microseconds = reader.number("microseconds", 0, 1e12);
    if (const auto status = reader.finish(); !status) {
        return status.error();
    }
    return made;
}

base::Result<GpuKey> keyOf(const File& file, const std::vector<predict::DeviceProfile>& profiles) {
    const wire::Environment& here = file.environment;
    const auto version = [&](const char* name) {
        const auto at = here.versions.find(name);
        return at != here.versions.end() ? at->second : std::string();
    };
    const auto libtorch = predict::parseTorchVersion(version("libtorch"));
    const auto cudnn = predict::parseCudnnVersion(version("cudnn"));
    if (!libtorch || !cudnn) {
        return Error{fmt::format("{}: /environment/versions: {}", file.name,
                                 (libtorch ? cudnn.error() : libtorch.error()).message)};
    }
    const auto* const profile = predict::profileOf(profiles, here.deviceName, here.memoryBytes);
    if (profile == nullptr) {
        return Error{fmt::format(
            "{}: there is no profile of the {} with {} B; add one to resources/profiles and its index.json",
            file.name, here.deviceName, here.memoryBytes)};
    }
    if (profile->architecture != here.architecture) {
        return Error{fmt::format("{}: /environment/architecture: {}, but the profile {} says {}", file.name,
                                 here.architecture, profile->id, profile->architecture)};
    }
    return GpuKey{predict::toText(*libtorch), predict::toText(*cudnn), here.architecture, profile->id};
}

base::Result<std::vector<Source>> readSources(const fs::path& folder,
                                              const std::vector<predict::DeviceProfile>& profiles,
                                              std::vector<std::string>& said) {
    std::vector<fs::path> paths;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
        if (at->path().extension() == ".json") {
            paths.push_back(at->path());
        }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Source> sources;
    for (const fs::path& path : paths) {
        const auto text = base::readFile(path);
        if (!text) {
            return text.error();
        }
        auto source = sourceOf(*text, path.filename().string(), profiles);
        if (source) {
            sources.push_back(std::move(*source));
        } else {
            said.push_back("left out: " + source.error().message);
        }
    }
    std::stable_sort(sources.begin(), sources.end(),
                     [](const Source& a, const Source& b) { return a.file.when < b.file.when; });
    if (sources.empty()) {
        return Error{fmt::format("{}: no measurement of a GPU{}", folder.string(),
                                 said.empty() ? "" : "; " + said.front())};
    }
    return sources;
}

/// The table of the newest software for each architecture.
std::map<int, GpuKey> newest(const std::map<GpuKey, GpuTable>& tables) {
    const auto versions = [](const GpuKey& key) {
        return std::pair(*predict::parseTorchVersion(key.libtorch), *predict::parseCudnnVersion(key.cudnn));
    };
    std::map<int, GpuKey> found;
    for (const auto& [key, table] : tables) {
        const auto [at, isNew] = found.try_emplace(key.architecture, key);
        if (!isNew && versions(at->second) < versions(key)) {
            at->second = key;
        }
    }
    return found;
}

base::Status writeProfiles(const fs::path& folder, const std::vector<predict::DeviceProfile>& profiles,
                           const std::vector<Source>& sources, const std::map<GpuKey, GpuTable>& tables,
                           std::vector<std::string>& said) {
    const auto newestTables = newest(tables);
    for (const predict::DeviceProfile& profile : profiles) {
        const fs::path file = folder / (profile.id + ".json");
        const auto before = base::readFile(file);
        if (!before) {
            return before.error();
        }
        base::Result<std::string> text = *before;
        if (const auto table = newestTables.find(profile.architecture); table != newestTables.end()) {
            text = withTable(*text, file.string(), predict::gpuTableFileName(table->second));
        }
        std::vector<Source> own;
        std::copy_if(sources.begin(), sources.end(), std::back_inserter(own),
                     [&](const Source& source) { return source.key.device == profile.id; });
        if (text && !own.empty()) {
            text = updatedProfile(*text, own, profile);
        }
        if (!text) {
            return text.error();
        }
        if (*text == *before) {
            continue;
        }
        if (const auto status = base::writeFileAtomically(file, *text); !status) {
            return status;
        }
        said.push_back("wrote " + file.string());
    }
    return {};
}

}  // namespace

base::Result<std::vector<MeasuredConvolution>> convolutionsOf(const std::string& text,
                                                              const std::string& name) {
    const auto root = base::parseJson(text, name);
    if (!root) {
        return root.error();
    }
    std::vector<MeasuredConvolution> all;
    if (!root->is_object() || !root->contains("convolutions")) {
        return all;
    }
    const auto told = root->find("timed_apart");
    const bool apart = told != root->end() && told->is_boolean() && told->get<bool>();
    std::map<std::string, bool> chosenBy;  // the part that a plan is for: whether with benchmark
    std::size_t at = 0;
    for (const Json& json : (*root)["convolutions"]) {
        auto made = readConvolution(json, fmt::format("/convolutions/{}", at++));
        if (!made) {
            return Error{name + ": " + made.error().message};
        }
        bool kept = false;
        for (const predict::ConvPart part : predict::kConvParts) {
            if (!apart && predict::hasPart(made->op.op, part)) {
                const bool timed = made->op.switches.benchmark;
                kept = kept ||
                       chosenBy.emplace(predict::questionName(made->op, part), timed).first->second != timed;
            }
        }
        if (!kept) {
            all.push_back(std::move(*made));
        }
    }
    return all;
}

base::Result<Source> sourceOf(const std::string& text, const std::string& name,
                              const std::vector<predict::DeviceProfile>& profiles) {
    auto file = parseReference(text, name);
    if (!file) {
        return file.error();
    }
    if (file->kind != Kind::Gpu) {
        return Error{fmt::format("{}: not a measurement: {}", name,
                                 file->kind == Kind::Cpu ? "the kit's rehearsal on a CPU"
                                                         : "the pretended device computes nothing")};
    }
    auto key = keyOf(*file, profiles);
    if (!key) {
        return key.error();
    }
    auto convolutions = convolutionsOf(text, name);
    if (!convolutions) {
        return convolutions.error();
    }
    return Source{std::move(*file), std::move(*convolutions), std::move(*key)};
}

std::map<GpuKey, GpuTable> tablesOf(const std::vector<Source>& sources) {
    std::map<GpuKey, GpuTable> tables;
    for (const Source& source : sources) {
        if (source.convolutions.empty()) {
            continue;
        }
        GpuTable& table = tables.try_emplace(source.key, source.key).first->second;
        table.machine = source.file.environment.deviceName;
        for (const MeasuredConvolution& each : source.convolutions) {
            table.add(each.op, each.row);
        }
    }
    return tables;
}

base::Result<std::vector<std::string>> makeTables(const fs::path& references, const fs::path& resources) {
    ::setenv("HIGHWATER_RESOURCES", fs::absolute(resources).c_str(), 1);
    const auto profiles = predict::loadProfiles();
    if (!profiles) {
        return profiles.error();
    }
    std::vector<std::string> said;
    const auto sources = readSources(references, *profiles, said);
    if (!sources) {
        return sources.error();
    }
    const auto tables = tablesOf(*sources);
    const fs::path folder = resources / "calibration/gpu";
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    for (const auto& [key, table] : tables) {
        const fs::path file = folder / predict::gpuTableFileName(key);
        if (const auto status = base::writeFileAtomically(file, predict::writeGpuTable(table)); !status) {
            return status.error();
        }
        said.push_back(fmt::format("wrote {}: {} rows", file.string(), table.size()));
    }
    if (const auto status = writeProfiles(resources / "profiles", *profiles, *sources, tables, said);
        !status) {
        return status.error();
    }
    return said;
}

}  // namespace highwater::reference
