#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "core/engine/run/runner.h"
#include "tests/gpu/kit/bare_loop.h"
#include "tests/gpu/kit/overhead.h"

namespace highwater::kit {

namespace {

constexpr int kWarmup = 3;

/// Milliseconds per step of a run, from the end of its warm-up to the end of its last step.
double engineLoop(const Session& session, const stack::Experiment& experiment, int steps, bool traced) {
    engine::RunRequest request;
    request.experiment = experiment;
    request.device = session.device;
    request.warmup = kWarmup;
    request.steps = steps;
    if (traced) {
        request.trace = [](const memory::TraceChunk&) { return base::Status(); };
    }
    double begin = 0, end = 0;
    const std::atomic<bool> cancel{false};
    const auto result = engine::run(
        request,
        [&](const wire::Event& event) {
            if (const auto* const done = std::get_if<wire::StepDone>(&event)) {
                (done->index == kWarmup - 1 ? begin : end) = secondsNow();
            }
        },
        cancel);
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    if (result->status != wire::RunStatus::Done) {
        throw std::runtime_error(result->failure ? result->failure->why : "the run was not done");
    }
    return (end - begin) * 1000 / steps;
}

stack::Experiment named(const Session& session) {
    const auto cases = overheadCases(session.scale);
    if (cases) {
        for (const Case& each : *cases) {
            if (each.name() == session.only) {
                return each.experiment;
            }
        }
    }
    throw std::runtime_error("no experiment " + session.only);
}

}  // namespace

void serve(const Session& session, Loop loop) {
    // Nothing else in this process may write into the answers.
    const int answers = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    const stack::Experiment experiment = named(session);
    std::unique_ptr<BareLoop> bare;
    if (loop == Loop::Bare) {
        bare = std::make_unique<BareLoop>(experiment, session.device);
        bare->run(kWarmup);
    }
    for (int steps = 0; ::read(STDIN_FILENO, &steps, sizeof steps) == sizeof steps;) {
        const double ms =
            bare ? bare->run(steps) : engineLoop(session, experiment, steps, loop == Loop::Traced);
        if (::write(answers, &ms, sizeof ms) != sizeof ms) {
            return;
        }
    }
}

}  // namespace highwater::kit
