#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "tests/gpu/kit/session.h"

namespace highwater::kit {

namespace {

/// The names that were started; an experiment without an end crashed its process.
std::set<std::string> begun(const Journal& journal) {
    std::set<std::string> names;
    for (const Json& line : journal.read()) {
        if (line.contains("begin")) {
            names.insert(line["begin"].get<std::string>());
        }
    }
    return names;
}

std::string describe(const wire::RunResult& result) {
    if (result.failure) {
        return result.failure->why;
    }
    const std::string reserved =
        result.peakReserved > 0 ? ", " + base::formatBytes(result.peakReserved) + " reserved" : "";
    return fmt::format("{} allocated{}, {:.1f} ms per step", base::formatBytes(result.peakAllocated),
                       reserved, result.stepMs.median);
}

void runCase(const Session& session, const Case& each) {
    session.journal.add({{"begin", each.name()}});
    Json line = {
        {"experiment",
         {{"name", each.name()}, {"family", each.family}, {"experiment", stack::toJson(each.experiment)}}}};
    Json& record = line["experiment"];
    const auto result = runOnce(session, each.experiment, each.warmup, each.steps);
    if (!result) {
        record["skipped"] = result.error().message;
    } else if (result->status == wire::RunStatus::Failed) {
        record["failed"] = result->failure ? result->failure->why : "the run failed";
    } else {
        record["result"] = wire::toJson(*result);
    }
    session.journal.add(line);
    say(fmt::format("  {}: {}", each.name(),
                    result ? describe(*result) : "skipped: " + result.error().message));
}

}  // namespace

void runExperiments(const Session& session, const std::string& words) {
    const auto cases = allCases(session.scale, session.quick);
    if (!cases) {
        throw std::runtime_error(cases.error().message);
    }
    const std::set<std::string> done = begun(session.journal);
    for (const Case& each : *cases) {
        if (processWords(each.experiment) != words || done.contains(each.name()) ||
            (!session.only.empty() && session.only != each.name())) {
            continue;
        }
        if (session.timeIsOver()) {
            return;
        }
        runCase(session, each);
    }
}

}  // namespace highwater::kit
