#include "app/cli/follow.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/text.h"

namespace highwater::cli {

namespace {

using std::chrono::steady_clock;

constexpr auto kRefresh = std::chrono::milliseconds(100);
constexpr int kFollowWaitMs = 200;

/// Shows progress: "step 5 of 23 · 204 ms · peak 216 MiB · loss 0.123"
class Progress {
public:
    void take(const wire::Event& event) {
        if (const auto* started = std::get_if<wire::Started>(&event)) {
            steps_ = started->steps + started->warmup;
            show(fmt::format("running on {}", started->environment.device));
        } else if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            peak_ = std::max(peak_, step->peak.ledger.total());
            show(fmt::format("step {} of {}{} · {} · peak {} · loss {:.4g}", step->index + 1, steps_,
                             step->warmup ? " (warm-up)" : "", base::formatMillis(step->total),
                             base::formatBytes(peak_), step->loss));
        } else if (const auto* warning = std::get_if<wire::Warning>(&event)) {
            line_.clear();
            printText(stderr, "warning: {}\n", base::oneLine(warning->message, 1000));
        }
    }
    void say(std::string_view text) { line_.show(text); }

private:
    void show(const std::string& text) {
        const auto now = steady_clock::now();
        if (now - last_ < kRefresh) {
            return;
        }
        last_ = now;
        line_.show(text);
    }
    StatusLine line_;
    steady_clock::time_point last_{};
    int steps_ = 0;
    base::Bytes peak_ = 0;
};

/// `Engine`: a wire::RunningEngine that can be waited for. `mayLeave`: whether a second interrupt leaves the
/// run.
template <class Engine, class MayLeave>
EngineOutcome followToEnd(Engine& engine, bool events, const MayLeave& mayLeave) {
    Progress progress;
    int heard = 0;
    while (!engine.finished()) {
        engine.wait(kFollowWaitMs);
        for (const wire::Event& event : engine.read()) {
            if (events) {
                printJsonText(wire::toLine(event));
            }
            progress.take(event);
        }
        if (const std::string activity = engine.activity(); !activity.empty()) {
            progress.say(activity);
        }
        std::fflush(stdout);
        if (interrupts() > heard) {
            heard = interrupts();
            if (heard > 1 && mayLeave()) {
                return {kInterrupted, "", true};
            }
            progress.say("stopping; interrupt again to kill it");
            heard == 1 ? engine.cancel() : engine.kill();
        }
    }
    return {heard > 1 ? kInterrupted : engine.exitCode(), engine.errorText()};
}

}  // namespace

EngineOutcome follow(const wire::EngineRequest& request, bool events) {
    return follow(wire::EngineProcess::start(request), events);
}

EngineOutcome follow(base::Result<wire::EngineProcess> started, bool events) {
    return started ? followToEnd(*started, events, [] { return false; })
                   : EngineOutcome{-1, started.error().message};
}

EngineOutcome follow(hosts::RemoteEngine& engine, bool events) {
    return followToEnd(engine, events, [&] { return !engine.connected(); });
}

}  // namespace highwater::cli
