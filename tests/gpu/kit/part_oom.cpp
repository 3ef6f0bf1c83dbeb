#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/engine/run/runner.h"
#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/session.h"

namespace highwater::kit {

namespace {

constexpr int kProvocations = 100;
/// One in this many requests more than the device has, instead of more than a budget.
constexpr int kOfTheDevice = 20;

stack::Experiment victim(Scale scale) {
    const std::int64_t n = size3d(scale, 64);
    const std::int64_t channels = scale == Scale::Gpu ? 64 : 16;  // much memory for little input
    return segmentation("out of memory", {1, n, n, n}, 2, unit(channels) + unit(channels) + unit(channels));
}

/// The same with a batch that does not fit any device with this memory.
stack::Experiment tooLarge(const stack::Experiment& experiment, base::Bytes need, base::Bytes memory) {
    stack::Experiment made = experiment;
    made.step.batchSize *= memory / std::max<base::Bytes>(need, 1) + 2;
    return made;
}

struct Count {
    int tried = 0, provoked = 0, recovered = 0;
    std::vector<std::string> problems;  ///< the first few
    void problem(std::string line) {
        if (problems.size() < 20) {
            problems.push_back(std::move(line));
        }
    }
};

/// Runs the victim as before: it must have the same peak, and leave no more memory than before.
void recover(const Session& session, const stack::Experiment& experiment, const wire::RunResult& before,
             Count& count) {
    const auto after = runOnce(session, experiment, 0, 1);
    if (!after || after->status != wire::RunStatus::Done) {
        count.problem(fmt::format("run after provocation {}: {}", count.tried,
                                  !after           ? after.error().message
                                  : after->failure ? after->failure->why
                                                   : "not done"));
    } else if (after->atEnd != before.atEnd || after->peakAllocated > before.peakAllocated) {
        count.problem(fmt::format("run after provocation {}: peak {} B, at its end {} B; before {} and {} B",
                                  count.tried, after->peakAllocated, after->atEnd.total(),
                                  before.peakAllocated, before.atEnd.total()));
    } else {
        ++count.recovered;
    }
}

/// Ends out of memory; the budget is between a fifth and nine tenths of the minimum need.
void provoke(const Session& session, const stack::Experiment& experiment, const wire::RunResult& before,
             Count& count) {
    const base::Bytes must = before.peakAllocated - before.peakByCategory[memory::Category::Workspace];
    const base::Bytes budget = must / 5 + must * 7 / 10 * count.tried / kProvocations;
    const bool device = session.onGpu() && count.tried % kOfTheDevice == kOfTheDevice - 1;
    const auto result =
        device ? runOnce(session, tooLarge(experiment, must, before.environment.memoryBytes), 0, 1)
               : runOnce(session, experiment, 0, 1, budget);
    if (result && result->status == wire::RunStatus::OutOfMemory) {
        ++count.provoked;
    } else {
        count.problem(fmt::format("provocation {}: {}", count.tried,
                                  !result           ? result.error().message
                                  : result->failure ? result->failure->why
                                                    : fmt::format("ran within {} B", budget)));
    }
}

void note(const Session& session, const Count& count) {
    session.journal.add({{"oom",
                          {{"wanted", kProvocations},
                           {"tried", count.tried},
                           {"provoked", count.provoked},
                           {"recovered", count.recovered},
                           {"problems", count.problems}}}});
}

}  // namespace

void provokeOutOfMemory(const Session& session) {
    const std::vector<Json> known = session.journal.read();
    if (std::any_of(known.begin(), known.end(), [](const Json& line) { return line.contains("oom"); })) {
        return;  // an earlier file has it
    }
    const stack::Experiment experiment = victim(session.scale);
    auto before = runOnce(session, experiment, 0, 1);  // libraries allocate what they keep
    if (before) {
        before = runOnce(session, experiment, 0, 1);
    }
    if (!before || before->status != wire::RunStatus::Done) {
        session.journal.add(
            {{"left_out", "provoked out of memory: " + (!before           ? before.error().message
                                                        : before->failure ? before->failure->why
                                                                          : std::string("not done"))}});
        return;
    }
    Count count;
    const int wanted = session.quick ? kProvocations / 10 : kProvocations;
    while (count.tried < wanted && !session.timeIsOver()) {
        provoke(session, experiment, *before, count);
        recover(session, experiment, *before, count);
        ++count.tried;
        if (count.tried % 10 == 0) {
            note(session, count);
        }
    }
    note(session, count);
    say(fmt::format("  {} provoked, {} recovered of {}", count.provoked, count.recovered, count.tried));
}

}  // namespace highwater::kit
