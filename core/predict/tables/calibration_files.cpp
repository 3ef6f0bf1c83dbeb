#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/predict/tables/calibration.h"

namespace highwater::predict {

namespace {

namespace fs = std::filesystem;

/// Guesses are based on the choices of LibTorch 1.13 and oneDNN 2; for other versions they are widened by
/// this factor.
constexpr double kOtherRules = 4;
constexpr double kOtherKey = 2, kOtherInstructions = 4;

/// Makes a version or an instruction set suitable for a file name: without characters that could leave the
/// folder.
std::string nameable(std::string_view text) {
    std::string name(text.substr(0, 40));
    for (char& c : name) {
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.') {
            c = '-';
        }
    }
    return name.empty() ? "unknown" : name;
}

/// A distance between two keys; 0 if equal.
int distance(const CpuKey& a, const CpuKey& b) {
    return (a.isa != b.isa ? 8 : 0) + ((a.onednn == "off") != (b.onednn == "off") ? 16 : 0) +
           (a.onednn != b.onednn ? 4 : 0) + (a.libtorch != b.libtorch ? 2 : 0) +
           (a.threads != b.threads ? 1 : 0);
}

base::Result<Calibration> read(const fs::path& file) {
    const auto text = base::readFile(file);
    return text ? parseCalibration(*text, file.string()) : base::Result<Calibration>(text.error());
}

/// All tables in the folders, in the order of the folders, then by name.
std::vector<fs::path> tablesIn(std::span<const fs::path> folders) {
    std::vector<fs::path> files;
    for (const fs::path& folder : folders) {
        const auto first = static_cast<std::ptrdiff_t>(files.size());
        std::error_code ignored;
        for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
            if (at->path().extension() == ".txt" && at->path().filename().string().starts_with("libtorch-")) {
                files.push_back(at->path());
            }
        }
        std::sort(files.begin() + first, files.end());
    }
    return files;
}

/// Returns the table nearest to `key`; std::nullopt if none can be read.
std::optional<Calibration> nearest(const CpuKey& key, std::span<const fs::path> folders) {
    std::vector<std::pair<int, fs::path>> ranked;
    for (const fs::path& file : tablesIn(folders)) {
        if (const auto other = keyOfFileName(file.filename().string())) {
            ranked.emplace_back(distance(key, *other), file);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [far, file] : ranked) {
        if (auto table = read(file); table && table->size() > 0) {
            return std::move(*table);
        }
    }
    return std::nullopt;
}

}  // namespace

std::string calibrationFileName(const CpuKey& key) {
    return fmt::format("libtorch-{}_onednn-{}_{}_{}.txt", nameable(key.libtorch), nameable(key.onednn),
                       nameable(key.isa), key.threads);
}

std::optional<CpuKey> keyOfFileName(std::string_view name) {
    constexpr std::string_view kTorch = "libtorch-", kOnednn = "onednn-", kEnd = ".txt";
    std::vector<std::string_view> parts;
    if (!name.ends_with(kEnd)) {
        return std::nullopt;
    }
    name.remove_suffix(kEnd.size());
    for (std::size_t cut = name.find('_'); cut != std::string_view::npos; cut = name.find('_')) {
        parts.push_back(name.substr(0, cut));
        name.remove_prefix(cut + 1);
    }
    parts.push_back(name);
    if (parts.size() != 4 || !parts[0].starts_with(kTorch) || !parts[1].starts_with(kOnednn) ||
        parts[3].empty() || parts[3].size() > 6 ||
        parts[3].find_first_not_of("0123456789") != std::string_view::npos) {
        return std::nullopt;
    }
    return CpuKey{std::string(parts[0].substr(kTorch.size())), std::string(parts[1].substr(kOnednn.size())),
                  std::string(parts[2]), std::stoi(std::string(parts[3]))};
}

std::vector<fs::path> calibrationFolders() {
    std::vector<fs::path> folders{base::defaultStoreFolder() / "calibration"};
    if (const fs::path resources = base::resourcesFolder(); !resources.empty()) {
        folders.push_back(resources / "calibration");
    }
    return folders;
}

base::Result<Calibration> loadCalibration(const CpuKey& key, std::span<const fs::path> folders) {
    Calibration joined(key);
    for (const fs::path& folder : folders) {
        const fs::path file = folder / calibrationFileName(key);
        std::error_code ignored;
        if (!fs::exists(file, ignored)) {
            continue;
        }
        const auto table = HIGHWATER_TRY(read(file));
        if (table.key() != key) {
            return base::Error{fmt::format("{}: line 1: it is of another machine than its name says: {}",
                                           file.string(), calibrationFileName(table.key()))};
        }
        joined.join(table);
    }
    if (joined.size() > 0) {
        joined.prepareGuesses(nullptr, key.libtorch.starts_with("1.13") ? 1 : kOtherRules);
    } else if (const auto other = nearest(key, folders)) {
        joined.prepareGuesses(&*other, other->key().isa == key.isa ? kOtherKey : kOtherInstructions);
        joined.speed = other->speed;
    } else {
        joined.prepareGuesses();
    }
    return joined;
}

}  // namespace highwater::predict
