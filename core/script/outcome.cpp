#include "core/script/outcome.h"

#include <algorithm>
#include <limits>

#include "core/base/json_reader.h"
#include "core/predict/tables/profile.h"
#include "core/wire/running_engine.h"

namespace highwater::script {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr base::Bytes kMostOfAFact = base::Bytes{1} << 50;
constexpr std::int64_t kMostTimes = std::int64_t{1} << 40;
constexpr std::size_t kMostOwners = 10, kMostNames = 100;

base::Status readFacts(const fs::path& file, ScriptOutcome& outcome) {
    const auto json = base::readJson(file);
    if (!json) {
        return json.error();
    }
    base::JsonReader reader(*json, "");
    outcome.allocated = reader.integer("allocated", 0, kMostOfAFact);
    outcome.reserved = reader.integer("reserved", 0, kMostOfAFact);
    outcome.retries = reader.integer("retries", 0, kMostTimes, 0);
    outcome.steps = static_cast<int>(reader.integer("steps", 0, std::numeric_limits<int>::max()));
    if (const Json* reads = reader.raw("reads"); reads != nullptr && reads->is_array()) {
        for (const Json& each : *reads) {
            base::JsonReader read(each, "/reads");
            ValueRead made{read.text("place"), read.integer("times", 0, kMostTimes)};
            if (!read.failed() && outcome.reads.size() < kMostNames) {
                outcome.reads.push_back(std::move(made));
            }
        }
    }
    reader.acceptAnyKey();
    if (const auto read = reader.finish(); !read) {
        return base::Error{file.string() + ": " + read.error().message};
    }
    return {};
}

/// Reads the pretended device's report; leaves the outcome unchanged if there is none.
void readDevice(const fs::path& file, ScriptOutcome& outcome) {
    const auto json = base::readJson(file);
    if (!json || !json->is_object()) {
        return;
    }
    base::JsonReader reader(*json, "");
    if (const Json* names = reader.raw("unmodeled"); names != nullptr && names->is_array()) {
        for (const Json& name : *names) {
            if (name.is_string() && outcome.unmodeled.size() < kMostNames) {
                outcome.unmodeled.push_back(name.get<std::string>());
            }
        }
    }
    const Json* const sources = reader.raw("workspaces");
    if (sources == nullptr || !sources->is_object()) {
        return;
    }
    base::JsonReader counts(*sources, "/workspaces");
    WorkspaceSources made;
    made.asked = counts.integer("asked", 0, kMostTimes, 0) + counts.integer("cached", 0, kMostTimes, 0);
    made.table = counts.integer("table", 0, kMostTimes, 0);
    made.guessed = counts.integer("guessed", 0, kMostTimes, 0);
    made.largest = counts.integer("largest", 0, kMostOfAFact, 0);
    if (const Json* timed = counts.raw("benchmarked"); timed != nullptr && timed->is_object()) {
        base::JsonReader range(*timed, "/workspaces/benchmarked");
        made.benchmarked = range.integer("operations", 0, kMostTimes, 0);
        made.benchmarkLeast = range.integer("least", 0, kMostOfAFact, 0);
        made.benchmarkMost = range.integer("most", 0, kMostOfAFact, 0);
    }
    if (!counts.failed() && made.asked + made.table + made.guessed > 0) {
        outcome.workspaces = made;
    }
}

wire::StepDone stepOf(int index, const StepMemory& memory) {
    constexpr double none =
        std::numeric_limits<double>::quiet_NaN();  // nothing was executed, so there is no time and no loss
    wire::StepDone step;
    step.index = index;
    step.phases = {none, none, none, none, none};
    step.total = none;
    step.loss = none;
    step.peak.phase = memory.phase;
    step.peak.time = memory.peakTime;
    step.peak.ledger = memory.peak;
    step.timeline = memory.timeline;
    step.marks = memory.marks;
    return step;
}

wire::DeviceMemory deviceOf(const ScriptOutcome& outcome) {
    wire::DeviceMemory device;
    device.tensors = outcome.requested;
    device.rounding = std::max<base::Bytes>(0, outcome.allocated - outcome.requested);
    device.cache = std::max<base::Bytes>(0, outcome.reserved - device.tensors - device.rounding);
    device.context = outcome.context;
    device.contextKnown = false;
    device.others = outcome.others;
    device.capacity = outcome.capacity;
    return device;
}

}  // namespace

base::Result<ScriptOutcome> readOutcome(const fs::path& runFolder, const wire::ScriptSource& source,
                                        const capture::Progress& progress) {
    ScriptOutcome outcome;
    if (const auto facts = readFacts(runFolder / "script-result.json", outcome); !facts) {
        return facts.error();
    }
    auto trace = capture::readSnapshot(runFolder / "snapshot.pickle", {}, progress);
    if (!trace) {
        return trace.error();
    }
    if (const auto profile = predict::loadProfile(source.gpu); profile) {
        outcome.context = source.context.value_or(profile->context.expected);
        outcome.contextKnown = source.context.has_value();
        outcome.capacity = profile->memory;
    }
    outcome.others = source.others;
    const memory::TracePeak peak = memory::findPeak(*trace);
    outcome.stepMemory = stepsOf(*trace);
    outcome.peak = peakOwners(*trace, peak, kMostOwners);
    outcome.peakByCategory = peak.ledger;
    outcome.requested = peak.ledger.total();
    outcome.guessedCategories = std::ranges::any_of(trace->guessed, std::identity());
    readDevice(runFolder / "device.json", outcome);
    outcome.trace = std::move(*trace);
    return outcome;
}

Completed completed(const std::string& runId, const std::vector<wire::Event>& said,
                    const std::optional<ScriptOutcome>& outcome, int exitCode) {
    Completed made;
    wire::RunResult& result = made.result;
    result.runId = runId;
    result.status = exitCode == wire::kInterrupted ? wire::RunStatus::Cancelled
                    : exitCode == 0                ? wire::RunStatus::Done
                                                   : wire::RunStatus::Failed;
    for (const wire::Event& event : said) {
        if (const auto* started = std::get_if<wire::Started>(&event)) {
            result.environment = started->environment;
        } else if (const auto* failed = std::get_if<wire::Failed>(&event)) {
            result.failure = *failed;
            result.status = failed->status;
        } else if (const auto* sample = std::get_if<wire::LedgerSample>(&event)) {
            result.peakAllocated = std::max(result.peakAllocated, sample->high);
            result.atEnd = sample->ledger;
        }
    }
    if (!outcome) {
        result.peakByCategory[memory::Category::Temporaries] = result.peakAllocated;
        result.peak.ledger = result.peakByCategory;
        return made;
    }
    for (const StepMemory& step : outcome->stepMemory) {
        made.steps.push_back(stepOf(static_cast<int>(made.steps.size()), step));
    }
    result.peakAllocated = outcome->requested;
    result.peakReserved = outcome->reserved;
    result.peakByCategory = outcome->peakByCategory;
    result.peak.ledger = outcome->peakByCategory;
    result.peak.phase = outcome->peak.phase;
    result.deviceAtPeak = deviceOf(*outcome);
    result.allocationRetries = outcome->retries;
    if (result.failure && result.failure->ledger.total() == 0) {
        result.failure->ledger = result.peakByCategory;
    }
    return made;
}

}  // namespace highwater::script
