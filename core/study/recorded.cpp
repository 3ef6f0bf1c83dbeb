#include "core/study/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace highwater::study {

namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(200);

}  // namespace

base::Result<wire::EngineRequest> engineRequest(const Subject& subject, const HowToRun& how) {
    if (how.steps < 1) {
        return base::Error{fmt::format("{} steps cannot be run; give 1 or more", how.steps)};
    }
    wire::EngineRequest request;
    request.device = how.device;
    request.warmup = how.steps / 4;
    request.steps = how.steps - request.warmup;
    request.budget = subject.budget;
    if (!std::holds_alternative<stack::ScanInput>(subject.experiment.input)) {
        return request;
    }
    if (!how.volumes) {
        return base::Error{
            fmt::format("\"{}\" trains on scans, and none were read; give it synthetic input", subject.name)};
    }
    request.volumeFds = HIGHWATER_TRY(how.volumes(subject.experiment));
    return request;
}

runs::Study partOf(runs::Study study, const Subject& subject, int repeat) {
    if (subject.cell >= 0) {
        study.cell = subject.cell;
        study.repeat = repeat;
    }
    return study;
}

base::Result<RunOutcome> outcomeOf(const runs::RunStore& store, const std::string& id) {
    auto record = HIGHWATER_TRY(store.load(id));
    RunOutcome outcome;
    for (const wire::Event& event : record.events) {
        if (const auto* step = std::get_if<wire::StepDone>(&event);
            step && !step->waited && std::isfinite(step->total)) {
            outcome.stepMs.push_back(step->total);
        }
    }
    outcome.result = std::move(record.result);
    outcome.result.status = record.summary.status;
    outcome.place = record.summary.study.place;
    return outcome;
}

bool counts(wire::RunStatus status) {
    return status == wire::RunStatus::Done || status == wire::RunStatus::OutOfMemory;
}

base::Result<Recorded> Recorded::read(const runs::RunStore& store, const std::string& study) {
    auto rows = HIGHWATER_TRY(store.list());
    Recorded recorded;
    for (runs::RunSummary& row : rows) {
        if (row.study.id != study || row.study.cell < 0) {
            continue;
        }
        if (counts(row.status)) {
            recorded.runs_.try_emplace({row.study.cell, row.study.repeat}, row.id);
        } else if (row.status == wire::RunStatus::Running) {
            recorded.open_.push_back(std::move(row));
        }
    }
    return recorded;
}

std::optional<std::string> Recorded::find(int cell, int repeat) const {
    const auto at = runs_.find({cell, repeat});
    return at == runs_.end() ? std::nullopt : std::optional(at->second);
}

Runner resuming(const runs::RunStore& store, Recorded recorded, Runner runner) {
    return [&store, recorded = std::move(recorded), runner = std::move(runner)](
               const Subject& subject, int repeat) -> base::Result<RunOutcome> {
        const auto id = recorded.find(subject.cell, repeat);
        return id ? outcomeOf(store, *id) : runner(subject, repeat);
    };
}

base::Status waitForOpenRuns(const runs::RunStore& store, const std::string& study,
                             const std::atomic<bool>& cancel) {
    for (;;) {
        const auto recorded = Recorded::read(store, study);
        const auto active = store.active();
        if (!recorded || !active) {
            return recorded ? active.error() : recorded.error();
        }
        bool wait = false;
        for (const runs::RunSummary& run : recorded->open()) {
            const auto at = std::find_if(active->begin(), active->end(),
                                         [&](const runs::ActiveRun& one) { return one.id == run.id; });
            if (at == active->end()) {
                continue;
            }
            if (at->followedBy == runs::ActiveRun::FollowedBy::Another) {
                return base::Error{
                    fmt::format("run {} of this sweep is followed by another program", run.number)};
            }
            wait = wait || at->host.empty();
        }
        if (!wait) {
            return {};
        }
        if (cancel) {
            return base::Error{"cancelled"};
        }
        std::this_thread::sleep_for(kLookAgain);
    }
}

}  // namespace highwater::study
