#include "core/runs/settle.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/runs/run_folder.h"
#include "core/runs/trace_store.h"
#include "core/wire/python_source.h"
#include "core/wire/running_engine.h"

namespace highwater::runs {

namespace {

constexpr std::string_view kUnseen = "the run's program ended without a result";

std::string lastLine(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    const std::size_t at = text.rfind('\n');
    return base::oneLine(at == std::string_view::npos ? text : text.substr(at + 1), 300);
}

wire::Failed failureOf(const std::vector<wire::Event>& events, std::string why) {
    wire::Failed failed;
    failed.why = std::move(why);
    for (const wire::Event& event : events) {
        if (const auto* sample = std::get_if<wire::LedgerSample>(&event)) {
            failed.ledger = sample->ledger;
            failed.device = sample->device;
            failed.step = sample->step;
            failed.phase = sample->phase;
        } else if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            failed.step = std::max(failed.step, step->index);
        }
    }
    return failed;
}

wire::RunResult measured(const std::filesystem::path& folder, const RunState& state, const EngineEnd& end) {
    const auto events = readEvents(folder);
    const auto experiment = readExperiment(folder);
    auto result =
        assembleResult(events, folder.filename().string(), experiment ? experiment->step.batchSize : 1);
    if (result.status == wire::RunStatus::Failed && !result.failure) {
        if (end.exitCode == wire::kInterrupted) {
            result.status = wire::RunStatus::Cancelled;
        } else {
            result.failure = failureOf(events, describeEnd(end));
        }
    }
    if (result.environment.device.empty()) {
        result.environment.device = state.device;
    }
    return result;
}

base::Status keepErrors(const std::filesystem::path& folder, std::string_view errorText) {
    const auto path = folder / "stderr.txt";
    std::error_code ignored;
    const bool there =
        std::filesystem::exists(path, ignored) && std::filesystem::file_size(path, ignored) > 0;
    return there || errorText.empty() ? base::Status() : base::writeFileAtomically(path, errorText);
}

/// For a run whose end was found before its cause was known.
base::Status explain(const std::filesystem::path& folder, RunState state, const EngineEnd& end) {
    auto result = readResult(folder);
    const bool stopped = end.exitCode == wire::kInterrupted;
    state.message = stopped ? "" : describeEnd(end);
    if (stopped) {
        state.status = wire::RunStatus::Cancelled;
    }
    if (result && result->failure) {
        result->status = state.status;
        if (stopped) {
            result->failure.reset();
        } else {
            result->failure->why = state.message;
        }
        HIGHWATER_TRY(writeResult(folder, *result));
    }
    return writeState(folder, state);
}

}  // namespace

std::string describeEnd(const EngineEnd& end) {
    std::string said = lastLine(end.errorText);
    if (end.exitCode < 0) {
        return said.empty() ? std::string(kUnseen) : said;
    }
    if (!said.empty()) {
        said = ": " + said;
    }
    if (end.exitCode > 128) {
        return fmt::format("{} died: signal {} ({}){}", end.who, end.exitCode - 128,
                           ::strsignal(end.exitCode - 128), said);
    }
    return fmt::format("{} ended without a result (exit code {}){}", end.who, end.exitCode, said);
}

base::Status settleFolder(const std::filesystem::path& folder, EngineEnd end) {
    if (const auto python = wire::readPython(folder); python && *python) {
        end.who = "Python";
    }
    auto state = HIGHWATER_TRY(readState(folder));
    const bool unexplained = state.status == wire::RunStatus::Failed && state.message == kUnseen;
    const bool explains = unexplained && describeEnd(end) != kUnseen;
    if (state.status != wire::RunStatus::Running && !explains) {
        return {};
    }
    std::error_code ignored;
    std::filesystem::remove(folder / kSpare, ignored);
    HIGHWATER_TRY(keepErrors(folder, end.errorText));
    (void)importTrace(folder).ok();  // a run is valid without its trace
    if (unexplained) {
        return explain(folder, std::move(state), end);
    }
    auto result = readResult(folder);
    if (!result) {  // if it exists, the engine died between writing the result and the state
        result = measured(folder, state, end);
        HIGHWATER_TRY(writeResult(folder, *result));
    }
    state.status = result->status;
    state.message = result->failure ? result->failure->why : "";
    return writeState(folder, state);
}

}  // namespace highwater::runs
