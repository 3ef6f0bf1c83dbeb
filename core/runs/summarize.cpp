#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"
#include "core/runs/run_folder.h"
#include "core/stack/shapes.h"
#include "core/wire/follower.h"
#include "core/wire/python_source.h"

namespace highwater::runs {

namespace {

FolderSummary damaged(RunSummary summary, std::string_view why) {
    summary.status = wire::RunStatus::Failed;
    summary.message = base::oneLine(fmt::format("damaged: {}", why));
    return {std::move(summary), true};
}

void addResult(const wire::RunResult& result, RunSummary& summary) {
    if (!result.environment.device.empty()) {
        summary.device = result.environment.device;
    }
    summary.peakAllocated = result.peakAllocated;
    summary.stepMs = result.stepMs;
    if (!result.losses.empty() && std::isfinite(result.lossLast)) {
        summary.loss = result.lossLast;
    }
}

void addLabels(const std::filesystem::path& folder, RunSummary& summary) {
    const auto labels = readLabels(folder);
    if (!labels) {
        if (summary.message.empty()) {
            summary.message = base::oneLine(fmt::format("damaged: {}", labels.error().message));
        }
        return;
    }
    if (!labels->name.empty()) {
        summary.name = labels->name;
    }
    summary.note = labels->note;
    summary.tags = labels->tags;
    summary.study = labels->study;
}

}  // namespace

std::string whereText(const RunSummary& run) {
    std::string text = run.host.empty() ? run.device : fmt::format("{} on {}", run.device, run.host);
    return run.torch.empty() ? text : fmt::format("{}, PyTorch {} in Python", text, run.torch);
}

FolderSummary summarize(const std::filesystem::path& folder) {
    RunSummary summary;
    summary.id = folder.filename().string();
    const auto state = readState(folder);
    if (!state) {
        return damaged(std::move(summary), state.error().message);
    }
    summary.number = state->number;
    summary.created = state->created;
    summary.status = state->status;
    summary.device = state->device;
    summary.message = state->message;
    if (const auto follower = wire::readFollower(folder); follower && *follower) {
        summary.host = (*follower)->host;
    }
    if (const auto python = wire::readPython(folder); python && *python) {
        summary.torch = (*python)->torch;
    }
    const auto experiment = readExperiment(folder);
    if (!experiment) {
        return damaged(std::move(summary), experiment.error().message);
    }
    summary.name = experiment->name;
    summary.batchSize = experiment->step.batchSize;
    summary.patch = stack::patchOf(*experiment);
    addLabels(folder, summary);
    if (state->status == wire::RunStatus::Running) {
        summary.progress = readProgress(folder);
        return {std::move(summary), false};
    }
    if (const auto result = readResult(folder)) {
        addResult(*result, summary);
    } else {
        addResult(assembleResult(readEvents(folder), summary.id, summary.batchSize), summary);
    }
    return {std::move(summary), false};
}

}  // namespace highwater::runs
