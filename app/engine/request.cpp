#include "app/engine/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "core/base/text.h"
#include "core/stack/data_plan.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::engine_app {
namespace {

using base::Error;
using engine::CaseVolumes;
using engine::RunRequest;
using volume::Volume;

base::Result<std::vector<Volume>> mapped(const std::vector<int>& fds) {
    std::vector<Volume> volumes;
    for (std::size_t i = 0; i < fds.size(); ++i) {
        auto volume = HIGHWATER_TRY(volume::mapVolume(fds[i], fmt::format("volume {}", i + 1)));
        volumes.push_back(std::move(volume));
    }
    for (const int fd : fds) {  // the volumes have their own descriptors
        ::close(fd);
    }
    return volumes;
}

base::Status giveCases(std::vector<Volume> volumes, std::size_t each, bool labeled, RunRequest& request) {
    if (volumes.empty() || volumes.size() % each != 0) {
        return Error{fmt::format(
            "/input/cohort: {} volumes were handed over, which is not a multiple of the {} of a case",
            volumes.size(), each)};
    }
    for (std::size_t at = 0; at < volumes.size(); at += each) {
        CaseVolumes made;
        for (std::size_t n = 0; n < each; ++n) {
            made.channels.push_back(std::move(volumes[at + n]));
        }
        if (labeled) {
            made.labels = std::move(made.channels.back());
            made.channels.pop_back();
        }
        request.cases.push_back(std::move(made));
    }
    return {};
}

base::Status giveVolumes(const Options& options, RunRequest& request) {
    auto volumes = HIGHWATER_TRY(mapped(options.volumes));
    const bool labeled = request.experiment.target.kind == stack::Target::Kind::Labels;
    const std::size_t each = stack::volumesPerCase(request.experiment);
    if (stack::isCohort(request.experiment)) {
        return giveCases(std::move(volumes), each, labeled, request);
    }
    if (options.labels >= 0) {
        auto map = HIGHWATER_TRY(mapped({options.labels}));
        request.labels = std::move(map.front());
    } else if (labeled &&
               volumes.size() == each) {  // the label map is the last volume unless it was given separately
        request.labels = std::move(volumes.back());
        volumes.pop_back();
    }
    request.channels = std::move(volumes);
    return {};
}

}  // namespace

base::Result<RunRequest> makeRequest(const Options& options) {
    const std::filesystem::path folder = options.runFolder;
    auto experiment = HIGHWATER_TRY(stack::loadExperiment(
        options.runFolder.empty() ? std::filesystem::path(options.experiment) : folder / "experiment.json"));
    RunRequest request;
    request.experiment = std::move(experiment);
    request.device = options.device;
    request.steps = options.steps;
    request.warmup = options.warmup;
    request.budget = options.budget;
    request.predict = true;
    HIGHWATER_TRY(giveVolumes(options, request));
    return request;
}

int refuse(const Error& error, int code) {
    std::cerr << "highwater-engine: " << base::oneLine(error.message, 5000) << '\n';
    return code;
}

}  // namespace highwater::engine_app
