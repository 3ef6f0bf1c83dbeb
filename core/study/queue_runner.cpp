#include <memory>
#include <utility>

#include "core/study/queue_part.h"
#include "core/study/queue_sweep.h"

namespace highwater::study {

namespace {

/// One run, on the node that `node` names; the first one names it.
base::Result<RunOutcome> runOnce(runs::RunStore& store, QueueRun how, const Subject& subject,
                                 std::string& node, const std::atomic<bool>& cancel) {
    how.repeats = 1;
    how.node = node;
    auto result = HIGHWATER_TRY(measureInQueue(store, {subject}, how, cancel));
    const Measured& measured = result.measured.front();
    if (!measured.runIds.empty()) {
        auto outcome = outcomeOf(store, measured.runIds.back());
        if (outcome && node.empty()) {
            node = nodeIn(outcome->place, how.host);
        }
        return outcome;
    }
    RunOutcome outcome;
    outcome.result.status = measured.status;
    outcome.result.failure = wire::Failed{};
    outcome.result.failure->why = measured.why;
    return outcome;
}

}  // namespace

Runner queueRunner(runs::RunStore& store, QueueRun how, const std::atomic<bool>& cancel) {
    const auto node = std::make_shared<std::string>(how.node);
    return [&store, how = std::move(how), node, &cancel](const Subject& subject, int) {
        return runOnce(store, how, subject, *node, cancel);
    };
}

}  // namespace highwater::study
