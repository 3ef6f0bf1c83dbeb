#include "core/script/outcome.h"

#include <algorithm>
#include <limits>

#include "core/base/json_file.h"
#include "core/predict/tables/profile.h"
#include "core/wire/running_engine.h"

namespace highwater::script {
namespace {

namespace fs = std::filesystem;

using base::JsonFileIn;

constexpr base::Whole kFact{0, base::Bytes{1} << 50}, kTimes{0, std::int64_t{1} << 40};
constexpr std::size_t kMostOwners = 10, kMostNames = 100;

}  // namespace

void exchange(JsonFileIn& way, ValueRead& read) {
    way("place", read.place);
    way("times", read.times, kTimes);
    way.acceptAnyKey();
}

void exchange(JsonFileIn& way, OtherDevice& other) {
    way("device", other.device);
    way("reserved", other.reserved, kFact);
    way("context", other.context);
    way.acceptAnyKey();
}

void exchange(JsonFileIn& way, WorkspaceSources& sources) {
    std::int64_t cached = 0;
    way.olderWithout("asked", sources.asked, kTimes);
    way.olderWithout("cached", cached, kTimes);
    sources.asked += cached;
    way.olderWithout("table", sources.table, kTimes);
    way.olderWithout("guessed", sources.guessed, kTimes);
    way.olderWithout("largest", sources.largest, kFact);
    way.optionalGroup("benchmarked", [&](JsonFileIn& range) {
        range.olderWithout("operations", sources.benchmarked, kTimes);
        range.olderWithout("least", sources.benchmarkLeast, kFact);
        range.olderWithout("most", sources.benchmarkMost, kFact);
        range.acceptAnyKey();
    });
    way.acceptAnyKey();
}

void exchange(JsonFileIn& way, HostPeak& host) {
    way("peak", host.peak, kFact);
    way.olderWithout("process", host.process, kFact);
    way.olderWithout("workers", host.workers, kFact);
    way.olderWithout("worker_count", host.workerCount, kTimes);
    way.olderWithout("seconds", host.seconds);
    way.olderWithout("step", host.step);
    way.olderWithout("place", host.place);
    way.acceptAnyKey();
}

/// What the script's runner says.
void exchange(JsonFileIn& way, ScriptOutcome& outcome) {
    way("allocated", outcome.allocated, kFact);
    way("reserved", outcome.reserved, kFact);
    way.olderWithout("retries", outcome.retries, kTimes);
    way("steps", outcome.steps);
    way.olderWithout("device", outcome.device);
    way.olderWithout("elsewhere", outcome.elsewhere);
    way("host_memory", outcome.host);
    way.olderWithout("reads", outcome.reads);
    outcome.reads.resize(std::min(outcome.reads.size(), kMostNames));
    way.acceptAnyKey();
}

namespace {

/// Reads the pretended device's report; leaves the outcome unchanged if there is none.
void readDevice(const fs::path& file, ScriptOutcome& outcome) {
    const auto json = base::readJson(file);
    if (!json) {
        return;
    }
    base::JsonReader reader(*json, "");
    JsonFileIn way(reader);
    std::optional<WorkspaceSources> made;
    way.olderWithout("unmodeled", outcome.unmodeled);
    outcome.unmodeled.resize(std::min(outcome.unmodeled.size(), kMostNames));
    way("workspaces", made);
    way.optionalGroup("nccl", [&](JsonFileIn& nccl) {
        nccl.olderWithout("communicators", outcome.communicators);
        nccl.olderWithout("bytes", outcome.nccl, kFact);
        nccl.acceptAnyKey();
    });
    if (!way.failed() && made && made->asked + made->table + made->guessed > 0) {
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
    device.context = outcome.context + outcome.nccl;  // outside of the allocator, too
    device.contextKnown = false;
    device.others = outcome.others;
    device.capacity = outcome.capacity;
    return device;
}

}  // namespace

base::Result<ScriptOutcome> readOutcome(const fs::path& runFolder, const wire::ScriptSource& source,
                                        const capture::Progress& progress) {
    auto facts = base::fromJsonFile<ScriptOutcome>(runFolder / "script-result.json");
    if (!facts) {
        return facts;
    }
    ScriptOutcome& outcome = *facts;
    auto trace = capture::readSnapshot(runFolder / "snapshot.pickle", {}, progress);
    if (!trace) {
        return trace.error();
    }
    if (const auto profile = predict::loadProfile(source.gpu); profile) {
        outcome.context = source.context.value_or(profile->context.expected);
        outcome.contextKnown = source.context.has_value();
        outcome.capacity = source.memory.value_or(profile->memory);
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
    return facts;
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
    result.peakRss = outcome->host ? outcome->host->peak : 0;
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
