#include "app/cli/run_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "core/base/process.h"
#include "core/wire/events.h"

namespace highwater::cli {

int reportRun(const runs::RunStore& store, const base::Result<runs::RunSummary>& settled,
              const RunReport& how, const EngineOutcome& engine) {
    if (!settled) {
        return complain(fmt::format("the end of the run could not be recorded: {}; once that can be written, "
                                    "`highwater-cli runs list` records what was measured",
                                    settled.error().message),
                        kEngineFailed);
    }
    const runs::RunSummary& row = *settled;
    const auto record = store.load(row.id);
    if (!record) {
        return complain(record.error().message, kEngineFailed);
    }
    if (how.json) {
        auto json = wire::toJson(record->result);
        if (record->python) {
            json["python"] = wire::toJson(*record->python);
        }
        printJson(json);
    } else if (!how.events) {
        printSummary(*record);
    }
    switch (row.status) {
        case wire::RunStatus::Done:
            if (engine.exitCode == kEngineFailed) {
                printText(stderr, "warning: run {} was recorded after a retry: {}\n", row.number,
                          base::lastLine(engine.errorText, "highwater-engine"));
            }
            return kDone;
        case wire::RunStatus::Cancelled:
            return complain(fmt::format("run {} was interrupted; what was measured is recorded", row.number),
                            kInterrupted);
        case wire::RunStatus::OutOfMemory:
            return complain(fmt::format("run {}: {}", row.number, row.message), kOutOfMemory);
        default:
            if (engine.exitCode ==
                kBadInput) {  // an error in the input that only the engine sees, such as labels out of range
                return complain(
                    fmt::format("{}: {} (recorded as run {})", how.experiment, row.message, row.number));
            }
            return complain(fmt::format("run {}: {}", row.number, row.message), kEngineFailed);
    }
}

}  // namespace highwater::cli
