#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/engine/calibrate.h"
#include "app/engine/options.h"
#include "app/engine/outlet.h"
#include "app/engine/recording.h"
#include "core/engine/runner.h"
#include "core/stack/json.h"

namespace {

using namespace highwater;
using engine_app::Options;
using engine_app::Outlet;
using wire::RunStatus;

std::atomic<bool> gCancel{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void askToStop(int) {
    gCancel.store(true);
}

void handleSignals() {
    struct sigaction stop {};
    stop.sa_handler = askToStop;
    sigaction(SIGINT, &stop, nullptr);
    sigaction(SIGTERM, &stop, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

base::Result<engine::RunRequest> makeRequest(const Options& options) {
    const std::filesystem::path folder = options.runFolder;
    auto experiment = stack::loadExperiment(
        options.runFolder.empty() ? std::filesystem::path(options.experiment) : folder / "experiment.json");
    if (!experiment)
        return experiment.error();
    engine::RunRequest request;
    request.experiment = std::move(*experiment);
    request.device = options.device;
    request.steps = options.steps;
    request.warmup = options.warmup;
    request.budget = options.budget;
    request.predict = true;
    std::vector<int> volumes = options.volumes;
    int labels = options.labels;
    // The label map follows the channels where it was not named.
    const auto* const scan = std::get_if<stack::ScanInput>(&request.experiment.input);
    if (labels < 0 && scan != nullptr && request.experiment.target.kind == stack::Target::Kind::Labels &&
        volumes.size() == scan->scans.size() + 1) {
        labels = volumes.back();
        volumes.pop_back();
    }
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        auto mapped = volume::mapVolume(volumes[i], fmt::format("volume {}", i + 1));
        if (!mapped)
            return mapped.error();
        request.channels.push_back(std::move(*mapped));
    }
    if (labels >= 0) {
        auto mapped = volume::mapVolume(labels, "label map");
        if (!mapped)
            return mapped.error();
        request.labels = std::move(*mapped);
    }
    if (!folder.empty()) {
        request.runId = std::filesystem::absolute(folder).lexically_normal().filename().string();
        request.previewFolder = (folder / "previews").string();
        if (!options.noTrace)
            request.trace = engine_app::traceInto(folder, request.experiment);
        std::error_code ignored;  // an unwritable folder is said when the first patch is saved
        std::filesystem::create_directories(request.previewFolder, ignored);
    }
    return request;
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

int refuse(const base::Error& error) {
    std::cerr << "highwater-engine: " << error.message << '\n';
    return 2;
}

int runAndRecord(const Options& options) {
    const bool records = !options.runFolder.empty();
    std::optional<engine_app::Recording> recording;
    if (records) {
        auto opened = engine_app::recordInto(options.runFolder);
        if (!opened)
            return refuse(opened.error());
        recording = std::move(*opened);
    }
    Outlet outlet(std::move(recording), records);
    const auto request = makeRequest(options);
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
    if (!records)
        std::cout << wire::toJson(*result).dump(2) << '\n';
    if (result->failure)
        std::cerr << "highwater-engine: " << result->failure->why << '\n';
    return exitCode(result->status);
}

}  // namespace

int main(int argc, char** argv) {
    handleSignals();
    ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);  // cuda:N is the Nth that `devices` lists
    int exit = 0;
    const auto options = engine_app::parseOptions(argc, argv, exit);
    if (!options)
        return exit;
    try {
        if (options->environment)
            return engine_app::sayEnvironment();
        if (!options->table.empty())
            return engine_app::calibrate(*options, gCancel);
        return runAndRecord(*options);
    } catch (const std::exception& error) {
        std::cerr << "highwater-engine: " << error.what() << '\n';
        return 4;
    }
}
