#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "tests/gpu/kit/session.h"

namespace highwater::kit {

namespace {

/// Between the needs of the middle rung and the next one.
base::Result<base::Bytes> budgetFor(const Session& session, const CapacityLadder& ladder) {
    const std::size_t middle = ladder.rungs.size() / 2;
    base::Bytes sum = 0;
    for (const std::size_t rung : {middle, middle + 1}) {
        const auto result = runOnce(session, ladder.rungs[rung], 1, 1);
        if (!result) {
            return result.error();
        }
        if (result->status != wire::RunStatus::Done) {
            return base::Error{result->failure ? result->failure->why : "the middle rung did not run"};
        }
        sum += needed(*result);
    }
    return sum / 2;
}

void climb(const Session& session, const CapacityLadder& ladder, base::Bytes budget) {
    const std::size_t stride = session.quick ? 3 : 1;
    for (std::size_t i = 0; i < ladder.rungs.size(); i += stride) {
        if (session.timeIsOver()) {
            return;
        }
        const stack::Experiment& rung = ladder.rungs[i];
        Json record = {{"ladder", ladder.name},
                       {"name", rung.name},
                       {"budget_bytes", budget},
                       {"experiment", stack::toJson(rung)}};
        const auto result = runOnce(session, rung, 1, 1, budget);
        const bool out = result && result->status == wire::RunStatus::OutOfMemory;
        if (!result || (!out && result->status != wire::RunStatus::Done)) {
            record["failed"] = result ? result->failure->why : result.error().message;
        } else {
            record["out_of_memory"] = out;
            record["peak_allocated_bytes"] = result->peakAllocated;
            record["peak_reserved_bytes"] = result->peakReserved;
        }
        session.journal.add({{"rung", record}});
        say(fmt::format("  {}: {}", rung.name, out ? "out of memory" : "fits"));
    }
}

}  // namespace

void runLadders(const Session& session) {
    const auto ladders = capacityLadders(session.scale);
    if (!ladders) {
        throw std::runtime_error(ladders.error().message);
    }
    std::set<std::string> done;
    for (const Json& line : session.journal.read()) {
        if (line.contains("ladder")) {
            done.insert(line["ladder"].get<std::string>());
        }
    }
    for (const CapacityLadder& ladder : *ladders) {
        if (session.timeIsOver()) {
            return;
        }
        if (done.contains(ladder.name)) {
            continue;
        }
        session.journal.add({{"ladder", ladder.name}});
        const auto budget = budgetFor(session, ladder);
        if (!budget) {
            session.journal.add({{"left_out", ladder.name + ": " + budget.error().message}});
            continue;
        }
        say(fmt::format("  {} within {}", ladder.name, base::formatBytes(*budget)));
        climb(session, ladder, *budget);
    }
}

}  // namespace highwater::kit
