#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "core/base/text.h"
#include "core/runs/trace_store.h"
#include "core/stack/json/json.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RunsOptions {
    std::string store, run;
    std::vector<std::string> runs;
    bool json = false;
};

Json rowJson(const runs::RunSummary& row) {
    Json json = {{"id", row.id},
                 {"number", row.number},
                 {"name", row.name},
                 {"created", row.created},
                 {"status", wire::statusKey(row.status)},
                 {"device", row.device},
                 {"batch_size", row.batchSize},
                 {"patch", row.patch},
                 {"peak_allocated_bytes", row.peakAllocated},
                 {"step_ms",
                  {{"median", row.stepMs.median},
                   {"ci95", Json::array({row.stepMs.low, row.stepMs.high})},
                   {"n", row.stepMs.n}}}};
    if (!row.message.empty()) {
        json["message"] = row.message;
    }
    return json;
}

void printTable(const std::vector<runs::RunSummary>& rows) {
    std::vector<std::vector<std::string>> text = {
        {"run", "id", "state", "device", "batch", "patch", "peak", "step", "name"}};
    for (const runs::RunSummary& row : rows) {
        text.push_back({std::to_string(row.number), row.id, std::string(wire::statusKey(row.status)),
                        row.device, std::to_string(row.batchSize), base::formatShapeShort(row.patch),
                        row.peakAllocated > 0 ? base::formatBytes(row.peakAllocated) : "–",
                        row.stepMs.n > 0 ? base::formatMillis(row.stepMs.median) : "–",
                        row.message.empty()
                            ? row.name
                            : fmt::format("{} ({})", row.name, base::oneLine(row.message, 80))});
    }
    fmt::print("{}", table(text, {0, 4, 6, 7}));
}

int list(const RunsOptions& options) {
    const auto store = openStore(options.store);
    if (!store) {
        return complain(store.error().message);
    }
    const auto rows = store->list();
    if (!rows) {
        return complain(rows.error().message);
    }
    Json all = Json::array();
    for (const runs::RunSummary& row : *rows) {
        all.push_back(rowJson(row));
    }
    if (options.json) {
        printJson({{"store", store->folder().string()}, {"runs", all}});
    } else if (rows->empty()) {
        fmt::print("no runs in {}\n", store->folder().string());
    } else {
        printTable(*rows);
    }
    return kDone;
}

Json traceJson(const runs::TraceInfo& trace) {
    Json json = {{"events", trace.events},
                 {"bytes", trace.fileBytes},
                 {"steps", trace.steps.size()},
                 {"complete", trace.complete}};
    if (!trace.note.empty()) {
        json["note"] = trace.note;
    }
    return json;
}

void printTrace(const runs::TraceInfo& trace, int number) {
    fmt::print(
        "\ntrace: {} memory events{}; `highwater-cli runs capture {} --out FILE` for other "
        "viewers\n",
        base::formatCount(trace.events), trace.complete ? "" : " (not of the whole run)", number);
}

int show(const RunsOptions& options) {
    const auto store = openStore(options.store);
    if (!store) {
        return complain(store.error().message);
    }
    const auto record = store->load(options.run);
    if (!record) {
        return complain(record.error().message);
    }
    const auto folder = store->folder() / "runs" / record->summary.id;
    const auto trace = runs::inspectTrace(folder);
    if (!options.json) {
        printSummary(*record);
        if (trace) {
            printTrace(*trace, record->summary.number);
        }
        return kDone;
    }
    Json json = rowJson(record->summary);
    json["folder"] = folder.string();
    if (trace) {
        json["trace"] = traceJson(*trace);
    }
    json["experiment"] = stack::toJson(record->experiment);
    json["result"] = wire::toJson(record->result);
    printJson(json);
    return kDone;
}

int remove(const RunsOptions& options) {
    auto store = openStore(options.store);
    if (!store) {
        return complain(store.error().message);
    }
    Json deleted = Json::array();
    for (const std::string& run : options.runs) {
        if (const auto done = store->remove(run); !done) {
            return complain(done.error().message);
        }
        deleted.push_back(run);
    }
    if (options.json) {
        printJson({{"deleted", deleted}});
    }
    return kDone;
}

}  // namespace

void addRuns(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand("runs", "List, show, delete and capture recorded runs");
    command->require_subcommand(1);
    command->footer(
        "A run is given by its number, its id or a unique beginning of its id.\n"
        "Example: highwater-cli runs show 3 --json");
    const auto options = std::make_shared<RunsOptions>();
    const auto add = [&](const char* name, const char* help, int (*action)(const RunsOptions&)) {
        CLI::App* sub = command->add_subcommand(name, help);
        sub->add_flag("--json", options->json, "Print one JSON object");
        addStoreOption(*sub, options->store);
        sub->callback([options, action, &exit] { exit = action(*options); });
        return sub;
    };
    add("list", "All runs, oldest first", list);
    add("show", "One run: its result and its layers", show)->add_option("RUN", options->run)->required();
    add("delete", "Delete runs with all their files", remove)->add_option("RUN", options->runs)->required();
    addCapture(*command, exit);
}

}  // namespace highwater::cli
