#include <fmt/format.h>

#include <mutex>
#include <system_error>

#include "core/base/json_file.h"
#include "core/base/latest_few.h"
#include "core/base/paths.h"
#include "core/base/processor.h"
#include "core/base/text.h"
#include "core/predict/target/target.h"

namespace highwater::predict {

namespace {

namespace fs = std::filesystem;
using FileStamp = std::pair<fs::file_time_type, std::uintmax_t>;

/// A value that changes when the file changes.
FileStamp stampOf(const fs::path& file) {
    std::error_code ignored;
    const auto time = fs::last_write_time(file, ignored);
    return {ignored ? fs::file_time_type::min() : time, fs::file_size(file, ignored)};
}

/// Returns a table from a cache; loads it again only if one of its files has changed. (The desktop asks at
/// every edit.)
base::Result<std::shared_ptr<const Calibration>> cachedCalibration(const CpuKey& key) {
    static std::mutex mutex;
    // A table takes a few MiB, and there is one for each number of threads.
    constexpr std::size_t kTables = 4;
    static base::LatestFew<CpuKey, std::pair<std::vector<FileStamp>, std::shared_ptr<const Calibration>>>
        cache(kTables);
    const std::vector<fs::path> folders = calibrationFolders();
    std::vector<FileStamp> stamps;
    for (const fs::path& folder : folders) {
        stamps.push_back(stampOf(folder));
        stamps.push_back(stampOf(folder / calibrationFileName(key)));
    }
    const std::lock_guard lock(mutex);
    auto& [seen, table] = cache[key];
    if (!table || seen != stamps) {
        auto loaded = HIGHWATER_TRY(loadCalibration(key, folders));
        table = std::make_shared<const Calibration>(std::move(loaded));
        seen = std::move(stamps);
    }
    return table;
}

/// The releases with which the CPU's rules were compared, on the 300 random stacks of docs/accuracy.md, and
/// the largest error of their peaks. The rules are those of 1.13, all of whose allocations are predicted
/// exactly.
struct HeldAgainst {
    std::string_view libtorch;
    double worstPercent;
};
constexpr HeldAgainst kHeldAgainst[] = {{"1.13", 0}, {"2.6", 0.02}, {"2.11", 0.02}, {"2.15", 0.02}};

std::string describe(const CpuKey& key) {
    return fmt::format("LibTorch {}, oneDNN {}, {}, {}", key.libtorch, key.onednn, key.isa,
                       base::counted(key.threads, "thread"));
}

}  // namespace

std::string cpuRulesNote(std::string_view libtorch) {
    if (libtorch.empty()) {
        return "";
    }
    for (const HeldAgainst& each : kHeldAgainst) {
        if (libtorch.starts_with(fmt::format("{}.", each.libtorch)) || libtorch == each.libtorch) {
            return each.worstPercent == 0
                       ? ""
                       : fmt::format(
                             "the rules for the CPU are those of LibTorch 1.13; with LibTorch {} the "
                             "peaks of 300 random stacks were off by at most {} %",
                             each.libtorch, each.worstPercent);
        }
    }
    return fmt::format(
        "the rules for the CPU are those of LibTorch 1.13; they were not compared with LibTorch {}",
        libtorch);
}

void exchange(base::JsonFileIn& way, EngineVersions& versions) {
    way("libtorch", versions.libtorch);
    way("onednn", versions.onednn);
    way.olderWithout("cuda", versions.cuda);
    way.olderWithout("cudnn", versions.cudnn);
}

base::Result<EngineVersions> engineVersions() {
    const fs::path engine = base::siblingProgram("highwater-engine");
    if (engine.empty()) {
        return base::Error{"highwater-engine is not installed"};
    }
    return base::fromJsonFile<EngineVersions>(engine.parent_path() / "engine.json", base::kMiB);
}

namespace {

/// The oneDNN of the first table that is of this LibTorch; empty if there is none.
std::string tabledOneDnn(std::string_view libtorch) {
    const std::string begin = fmt::format("libtorch-{}_onednn-", libtorch);
    for (const fs::path& folder : calibrationFolders()) {
        std::error_code error;
        for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
            const std::string name = at->path().filename().string();
            const std::size_t after = name.find('_', begin.size());
            if (name.starts_with(begin) && after != std::string::npos &&
                name.substr(begin.size(), 4) != "off_") {
                return name.substr(begin.size(), after - begin.size());
            }
        }
    }
    return "";
}

/// Completes a target of which the key and the notes about it are known.
base::Result<Target> completedCpu(CpuKey key, std::vector<std::string> notes) {
    Target target;
    target.memory = base::machineMemory();
    target.cpu = std::move(key);
    target.notes = std::move(notes);
    if (const std::string note = cpuRulesNote(target.cpu.libtorch); !note.empty()) {
        target.compared = false;
        target.notes.push_back(note);
    }
    target.calibration = HIGHWATER_TRY(cachedCalibration(target.cpu));
    if (target.calibration->size() == 0 && !target.cpu.libtorch.empty()) {
        target.notes.push_back(fmt::format(
            "no convolution has been measured with {}; `highwater-cli devices --calibrate` does it",
            describe(target.cpu)));
    }
    return target;
}

CpuKey keyWith(const stack::Backend& backend, std::string libtorch, std::string onednn) {
    const int threads = static_cast<int>(backend.threads);
    return {std::move(libtorch), backend.onednn ? std::move(onednn) : "off", base::instructionSet(),
            threads > 0 ? threads : base::defaultThreads()};
}

}  // namespace

base::Result<CpuKey> cpuKey(const stack::Backend& backend) {
    const auto versions = HIGHWATER_TRY(engineVersions());
    return keyWith(backend, versions.libtorch, versions.onednn);
}

base::Result<Target> cpuTarget(const stack::Experiment& experiment) {
    const auto key = cpuKey(experiment.backend);
    return key ? completedCpu(*key, {})
               : completedCpu(keyWith(experiment.backend, "", ""),
                              {"it is not known which LibTorch will run: " + key.error().message});
}

base::Result<Target> cpuTarget(const stack::Experiment& experiment, std::string_view libtorch) {
    const std::string version(libtorch.substr(0, libtorch.find('+')));
    return completedCpu(keyWith(experiment.backend, version, tabledOneDnn(version)), {});
}

}  // namespace highwater::predict
