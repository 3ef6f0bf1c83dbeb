#include "app/cli/devices.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "app/cli/engine_call.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/base/processor.h"
#include "core/predict/convolutions/standard_convolutions.h"
#include "core/predict/ghost/walk.h"
#include "core/predict/predict.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"

namespace highwater::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using base::Error;
using predict::ConvKey;

/// The settings that one table is measured with.
struct Setting {
    int threads = 1;
    bool onednn = true;
    auto operator<=>(const Setting&) const = default;
};

/// The keys of a table's convolutions, each once, in the order in which they were added.
class Operations {
public:
    void add(const std::string& text) {
        if (seen_.insert(text).second) {
            lines_ += text + "\n";
        }
    }
    void add(const std::vector<ConvKey>& keys) {
        for (const ConvKey& key : keys) {
            add(key.text());
        }
    }
    const std::string& lines() const { return lines_; }

private:
    std::set<std::string> seen_;
    std::string lines_;
};
using Jobs = std::map<Setting, Operations>;

Setting settingOf(const stack::Backend& backend, int threads) {
    const int wanted = threads > 0 ? threads : static_cast<int>(backend.threads);
    return {wanted > 0 ? wanted : base::defaultThreads(), backend.onednn};
}

base::Status addExperiment(const std::string& file, int threads, Jobs& jobs) {
    const auto experiment = HIGHWATER_TRY(stack::loadExperiment(file));
    const auto info = HIGHWATER_TRY(base::prefixed(file, stack::inferShapes(experiment)));
    const auto convolutions = predict::convolutionsOf(experiment, info);
    if (convolutions.empty()) {
        return Error{file + ": it has no convolution that could be measured"};
    }
    jobs[settingOf(experiment.backend, threads)].add(convolutions);
    return {};
}

/// Adds the convolutions that come with the program. They are always measured, so that estimates have a
/// basis.
base::Status addStandard(Operations& operations) {
    const auto presets = HIGHWATER_TRY(stack::loadPresets());
    const auto add = [&](const stack::Experiment& experiment) {
        if (const auto info = stack::inferShapes(experiment)) {
            operations.add(predict::convolutionsOf(experiment, *info));
        }
    };
    for (const stack::Preset& preset : presets) {
        add(preset.experiment);
    }
    if (const auto sample = stack::loadExperiment(base::resourcesFolder() / "samples" / "sample.json")) {
        add(*sample);
    }
    operations.add(predict::standardConvolutions());
    return {};
}

base::Result<Jobs> gather(const CalibrateRequest& request) {
    Jobs jobs;
    for (const std::string& file : request.experiments) {
        HIGHWATER_TRY(addExperiment(file, request.threads, jobs));
    }
    if (request.only && request.experiments.empty() && request.convolutions.empty()) {
        return Error{"--only needs an experiment, or --convolutions"};
    }
    const Setting usual = settingOf(stack::Backend{}, request.threads);
    if (!request.only) {
        HIGHWATER_TRY(addStandard(jobs[usual]));
    }
    if (!request.convolutions.empty()) {
        jobs[usual].add(HIGHWATER_TRY(predict::readConvolutions(request.convolutions)));
    }
    if (!request.out.empty() && jobs.size() > 1) {
        return Error{fmt::format(
            "--out names one table, but the experiments ask for {}: give --threads, or leave out --out",
            jobs.size())};
    }
    return jobs;
}

base::Result<fs::path> target(const CalibrateRequest& request) {
    if (!request.out.empty()) {
        return fs::path(request.out);
    }
    const fs::path folder = base::defaultStoreFolder() / "calibration";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return Error{fmt::format("{} cannot be created: {}", folder.string(), error.message())};
    }
    return folder;
}

std::vector<std::string> arguments(const Setting& setting, bool speed, const fs::path& table,
                                   const fs::path& operations) {
    std::vector<std::string> words{"--calibrate",       table.string(), "--operations",
                                   operations.string(), "--threads",    std::to_string(setting.threads)};
    if (!setting.onednn) {
        words.push_back("--no-onednn");
    }
    if (speed) {
        words.push_back("--speed");
    }
    return words;
}

/// A file that the destructor removes.
class TemporaryFile {
public:
    TemporaryFile() {
        std::error_code ignored;
        const fs::path folder = fs::temp_directory_path(ignored);
        std::string name = ((ignored ? fs::path("/tmp") : folder) / "highwater-XXXXXX").string();
        if (const int fd = ::mkstemp(name.data()); fd >= 0) {
            ::close(fd);
            path_ = name;
        }
    }
    ~TemporaryFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

}  // namespace

int calibrate(const CalibrateRequest& request, Json& tables) {
    const auto jobs = HIGHWATER_TRY_OR_COMPLAIN(gather(request));
    const auto table = HIGHWATER_TRY_OR_COMPLAIN(target(request));
    catchInterrupts();
    for (const auto& [setting, operations] : jobs) {
        const TemporaryFile list;
        HIGHWATER_TRY_OR_COMPLAIN(base::writeFileAtomically(list.path(), operations.lines()));
        const EngineAnswer answer = callEngine(arguments(setting, !request.only, table, list.path()));
        const Json summary = Json::parse(answer.output, nullptr, false);
        if (summary.is_object()) {
            tables.push_back(summary);
        }
        if (answer.exitCode != kDone || !summary.is_object()) {
            return answer.exitCode != kDone ? answer.exitCode
                                            : complain("the engine gave no answer", kEngineFailed);
        }
    }
    return kDone;
}

}  // namespace highwater::cli
