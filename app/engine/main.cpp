#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/engine/commands.h"
#include "app/engine/options.h"
#include "app/engine/other_ranks.h"
#include "app/engine/outlet.h"
#include "app/engine/recording.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "core/engine/run/runner.h"

namespace {

using namespace highwater;
using engine_app::Options;
using engine_app::Outlet;
using engine_app::refuse;
using wire::RunStatus;

std::atomic<bool> gCancel{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void askToStop(int) {
    gCancel.store(true);
}

/// Prepares what a recorded run writes into its folder.
void recordsInto(const std::filesystem::path& folder, const Options& options, engine::RunRequest& request) {
    request.runId = std::filesystem::absolute(folder).lexically_normal().filename().string();
    request.previewFolder = (folder / "previews").string();
    if (!options.noTrace) {
        request.trace = options.traceChunks ? engine_app::traceChunksInto(folder, request.experiment)
                                            : engine_app::traceInto(folder, request.experiment);
    }
    std::error_code ignored;  // if the folder is not writable, the first patch reports it
    std::filesystem::create_directories(request.previewFolder, ignored);
}

int exitCode(RunStatus status) {
    switch (status) {
        case RunStatus::OutOfMemory:
            return 3;
        case RunStatus::Failed:
            return 4;
        case RunStatus::Cancelled:
            return 130;
        case RunStatus::Running:
        case RunStatus::Done:
            break;
    }
    return 0;
}

/// Null if this process trains alone, or is a rank other than 0.
base::Result<std::unique_ptr<engine_app::OtherRanks>> startOthers(const Options& options) {
    if (options.ranks < 2 || options.rank > 0) {
        return std::unique_ptr<engine_app::OtherRanks>();
    }
    return engine_app::OtherRanks::start(
        options, options.runFolder.empty()
                     ? options.experiment
                     : (std::filesystem::path(options.runFolder) / "experiment.json").string());
}

int runAndRecord(const Options& options) {
    const bool records = !options.runFolder.empty();
    std::optional<engine_app::Recording> recording;
    if (records) {
        auto opened = engine_app::recordInto(options.runFolder);
        if (!opened) {
            return refuse(opened.error(), 4);
        }
        recording = std::move(*opened);
    }
    auto others = startOthers(options);
    Outlet outlet(std::move(recording), records ? STDOUT_FILENO : -1, gCancel);
    auto request =
        others ? engine_app::makeRequest(options) : base::Result<engine::RunRequest>(others.error());
    if (request) {
        request->waits = &outlet.waits();
        if (const auto joined = engine_app::joinRanks(options, others->get(), *request); !joined) {
            request = joined.error();
        }
    }
    if (request && records) {
        recordsInto(options.runFolder, options, *request);
    }
    const auto result = request
                            ? engine::run(
                                  *request, [&](const wire::Event& event) { outlet.take(event); }, gCancel)
                            : base::Result<wire::RunResult>(request.error());
    if (!result) {
        if (records) {
            const auto folder = std::filesystem::absolute(options.runFolder).lexically_normal();
            outlet.fail(folder.filename().string(), result.error().message);
        }
        return refuse(result.error());
    }
    if (!outlet.finish().empty()) {
        return exitCode(wire::RunStatus::Failed);
    }
    if (!records) {
        std::cout << wire::toJson(*result).dump(2) << '\n';
    }
    if (result->failure) {
        std::cerr << "highwater-engine: " << base::oneLine(result->failure->why, 5000) << '\n';
    }
    return exitCode(result->status);
}

int work(const Options& options) {
    if (options.environment) {
        return engine_app::sayEnvironment();
    }
    if (!options.table.empty()) {
        return engine_app::calibrate(options, gCancel);
    }
    if (options.patches > 0) {
        return engine_app::sayPatches(options, gCancel);
    }
    return runAndRecord(options);
}

}  // namespace

int main(int argc, char** argv) {
    base::beginProgram();
    base::onStopSignals(askToStop);
    std::signal(SIGPIPE, SIG_IGN);
    ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);  // so that cuda:N is the Nth GPU listed by `devices`
    int exit = 0;
    const auto options = engine_app::parseOptions(argc, argv, exit);
    if (!options) {
        return exit;
    }
    try {
        exit = work(*options);
        if (!std::cout.flush()) {
            exit =
                refuse({"standard output cannot be written; the output is incomplete"}, exit != 0 ? exit : 4);
        }
    } catch (const std::exception& error) {
        std::cerr << "highwater-engine: " << base::oneLine(error.what(), 1000) << '\n';
        exit = 4;
    }
    base::endProgram(exit);
}
