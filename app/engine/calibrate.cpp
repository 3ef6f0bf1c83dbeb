#include "app/engine/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/engine/calibrate/calibrate.h"
#include "core/engine/calibrate/speed.h"
#include "core/engine/device/backend.h"
#include "core/engine/run/environment.h"
#include "core/engine/run/runner.h"
#include "core/predict/convolutions/standard_convolutions.h"

namespace highwater::engine_app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using predict::Calibration;

/// Shows progress: on a terminal one line that is overwritten, otherwise one line every few seconds.
class Progress {
public:
    ~Progress() { clear(); }
    void show(const std::string& text) {
        const auto now = std::chrono::steady_clock::now();
        const auto period = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000);
        if (shown_ && now - last_ < period) {
            return;
        }
        last_ = now;
        shown_ = true;
        std::cerr << (terminal_ ? "\r\x1b[K" : "") << text << (terminal_ ? "" : "\n") << std::flush;
    }
    void clear() {
        if (terminal_ && shown_) {
            std::cerr << "\r\x1b[K" << std::flush;
        }
        shown_ = false;
    }

private:
    bool terminal_ = isatty(STDERR_FILENO) == 1, shown_ = false;
    std::chrono::steady_clock::time_point last_{};
};

/// The file to write: `given` itself, or, if it is a folder, the file in it that is named after the key.
fs::path fileOf(const std::string& given, const predict::CpuKey& key) {
    std::error_code ignored;
    return fs::is_directory(given, ignored) ? fs::path(given) / predict::calibrationFileName(key)
                                            : fs::path(given);
}

/// Adds the rows of an existing file that were not measured now. Error if the file cannot be used.
base::Status keepOlderRows(Calibration& table, const fs::path& file) {
    std::error_code ignored;
    if (const fs::path folder = fs::absolute(file, ignored).parent_path();
        !fs::is_directory(folder, ignored)) {
        return base::Error{
            fmt::format("{} cannot be written: {} is not a folder", file.string(), folder.string())};
    }
    if (!fs::exists(file, ignored)) {
        return {};
    }
    const auto text = HIGHWATER_TRY(base::readFile(file));
    const auto older = HIGHWATER_TRY(predict::parseCalibration(text, file.string()));
    if (older.key() != table.key()) {
        return base::Error{fmt::format("{} is a table of another kind of machine ({}); name another file",
                                       file.string(), predict::calibrationFileName(older.key()))};
    }
    table.join(older);
    return {};
}

Json summary(const Calibration& table, const fs::path& file, const engine::CalibrationResult& result) {
    const predict::CpuKey& key = table.key();
    return {{"file", file.string()},        {"libtorch", key.libtorch},
            {"onednn", key.onednn},         {"isa", key.isa},
            {"threads", key.threads},       {"measured", result.table.size()},
            {"rows", table.size()},         {"skipped", result.skipped},
            {"flops", table.speed.flops},   {"bytes_per_second", table.speed.bytesPerSecond},
            {"cancelled", result.cancelled}};
}

}  // namespace

int calibrate(const Options& options, const std::atomic<bool>& cancel) {
    const auto ops = predict::readConvolutions(options.operations);
    if (!ops) {
        return refuse(ops.error());
    }
    if (const auto few = engine::checkThreads(options.threads); !few) {
        return refuse({"--threads: " + few.error().message});
    }
    engine::CalibrateOptions how;
    how.threads = options.threads;
    how.onednn = options.onednn;
    if (options.budget) {
        how.memory = *options.budget;
    }
    const fs::path file = fileOf(options.table, engine::beginCalibration(how));
    Calibration older(engine::beginCalibration(how));
    if (const auto status = keepOlderRows(older, file); !status) {  // checked before minutes of measuring
        return refuse(status.error());
    }

    Progress progress;
    auto result = engine::calibrate(
        *ops, how,
        [&](const engine::CalibrationProgress& now) {
            progress.show(fmt::format("convolution {} of {} · {}", now.done + 1, now.all,
                                      base::counted(older.key().threads, "thread")));
        },
        cancel);
    Calibration table = result.table;
    const predict::CpuSpeed before = older.speed;
    older.speed = {};
    table.join(older);
    if (!cancel && options.speed) {
        progress.show("the machine's speed");
        if (predict::CpuSpeed speed = engine::measureSpeed(table, cancel); !cancel) {
            table.speed = std::move(speed);
        }
        result.cancelled = cancel;
    }
    if (table.speed == predict::CpuSpeed{}) {
        table.speed = before;
    }
    progress.clear();
    if (const auto status = base::writeFileAtomically(file, predict::writeCalibration(table)); !status) {
        return refuse(status.error());
    }
    std::cout << summary(table, file, result).dump() << '\n';
    return result.cancelled ? 130 : 0;
}

int sayEnvironment() {
    const wire::Environment here = engine::environment("cpu");
    Json said{{"libtorch", here.versions.at("libtorch")}, {"onednn", here.versions.at("onednn")}};
    for (const auto& [name, version] : engine::cudaVersions()) {
        said[name] = version;
    }
    std::cout << said.dump() << '\n';
    return 0;
}

}  // namespace highwater::engine_app
