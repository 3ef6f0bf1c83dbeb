#include "core/study/local_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "core/wire/engine_process.h"

namespace highwater::study {

namespace {

using base::Error;
using std::chrono::steady_clock;

constexpr int kWaitMs = 100;
constexpr int kInterrupted = 128 + 2;  // exit code of a program that SIGINT ended

struct Ending {
    std::vector<Millis> stepMs;
    int exitCode = -1;
    std::string errorText;
};

/// Asks the engine to stop once, and kills it if it has not stopped within the grace.
class Stopper {
public:
    explicit Stopper(std::chrono::milliseconds grace) : grace_(grace) {}
    void look(wire::EngineProcess& process, bool cancel) {
        if (!cancel) {
            return;
        }
        if (!std::exchange(asked_, true)) {
            since_ = steady_clock::now();
            process.cancel();
        } else if (!killed_ && steady_clock::now() - since_ > grace_) {
            killed_ = true;
            process.kill();
        }
    }
    bool killed() const { return killed_; }

private:
    std::chrono::milliseconds grace_;
    steady_clock::time_point since_;
    bool asked_ = false, killed_ = false;
};

void take(const wire::Event& event, const LocalRun& how, std::vector<Millis>& stepMs) {
    if (const auto* step = std::get_if<wire::StepDone>(&event);
        step && !step->waited && std::isfinite(step->total)) {
        stepMs.push_back(step->total);
    }
    if (how.event) {
        how.event(event);
    }
}

Ending follow(wire::EngineProcess& process, const LocalRun& how, const std::atomic<bool>& cancel) {
    Ending ending;
    Stopper stopper(how.grace);
    while (!process.finished()) {
        stopper.look(process, cancel);
        process.wait(kWaitMs);
        for (const wire::Event& event : process.read()) {
            take(event, how, ending.stepMs);
        }
    }
    ending.exitCode = stopper.killed() ? kInterrupted : process.exitCode();
    ending.errorText = process.errorText();
    return ending;
}

base::Result<wire::EngineRequest> request(const Subject& subject, const LocalRun& how) {
    auto request = HIGHWATER_TRY(engineRequest(subject, how));
    request.trace = how.trace;
    if (how.start) {
        return request;
    }
    std::error_code ignored;
    const auto program = HIGHWATER_TRY(wire::engineProgram(how.engine));
    if (!std::filesystem::is_regular_file(program, ignored)) {
        return Error{
            fmt::format("{}: there is no engine; give the path of highwater-engine", program.string())};
    }
    request.program = program;
    return request;
}

base::Result<RunOutcome> runHere(runs::RunStore& store, const LocalRun& how, const Subject& subject,
                                 int repeat, const std::atomic<bool>& cancel) {
    auto asked = HIGHWATER_TRY(request(subject, how));
    const auto folder =
        HIGHWATER_TRY(store.create(subject.experiment, how.device, partOf(how.study, subject, repeat)));
    asked.runFolder = folder;
    const std::string id = folder.filename().string();
    auto process = how.start ? how.start(subject.experiment, asked) : wire::EngineProcess::start(asked);
    if (!process) {
        const auto settled = store.settle(id, -1, process.error().message);
        return settled ? process.error() : settled.error();
    }
    Ending ending = follow(*process, how, cancel);
    HIGHWATER_TRY(store.settle(id, ending.exitCode, ending.errorText));
    auto record = HIGHWATER_TRY(store.load(id));
    record.result.status = record.summary.status;
    return RunOutcome{std::move(record.result), std::move(ending.stepMs)};
}

}  // namespace

Runner localRunner(runs::RunStore& store, LocalRun how, const std::atomic<bool>& cancel) {
    return [&store, how = std::move(how), &cancel](const Subject& subject, int repeat) {
        return runHere(store, how, subject, repeat, cancel);
    };
}

}  // namespace highwater::study
