#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/script_text.h"
#include "app/cli/summary.h"
#include "core/base/text.h"
#include "core/runs/filter.h"
#include "core/runs/trace_store.h"
#include "core/stack/json/json.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RunsOptions {
    std::string store, run, filter;
    std::vector<std::string> runs, tags, untags;
    std::optional<std::string> name, note;
    bool json = false;
};

void addLabels(const runs::RunSummary& row, Json& json) {
    if (!row.note.empty()) {
        json["note"] = row.note;
    }
    if (!row.tags.empty()) {
        json["tags"] = row.tags;
    }
    if (!row.study.id.empty()) {
        json["study"] = {{"id", row.study.id}, {"name", row.study.name}};
    }
}

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
    if (!row.host.empty()) {
        json["host"] = row.host;
    }
    if (!row.torch.empty()) {
        json["torch"] = row.torch;
    }
    if (!row.message.empty()) {
        json["message"] = row.message;
    }
    if (row.loss) {
        json["loss"] = *row.loss;
    }
    if (row.progress) {
        json["progress"] = {{"done", row.progress->done}, {"of", row.progress->of}};
        if (row.progress->left) {
            json["progress"]["left_ms"] = *row.progress->left;
        }
    }
    addLabels(row, json);
    return json;
}

/// The name, with why it ended, how far it is, its tags and its note.
std::string nameText(const runs::RunSummary& row) {
    std::string text = row.name;
    if (!row.message.empty()) {
        text += fmt::format(" ({})", base::oneLine(row.message, 80));
    }
    if (row.progress) {
        text += fmt::format(" ({})", runs::progressText(*row.progress));
    }
    for (const std::string& tag : row.tags) {
        text += " #" + tag;
    }
    return row.note.empty() ? text : text + " · " + base::oneLine(row.note, 80);
}

void printTable(const std::vector<runs::RunSummary>& rows) {
    std::vector<std::vector<std::string>> text = {
        {"run", "id", "state", "device", "batch", "patch", "peak", "step", "name"}};
    for (const runs::RunSummary& row : rows) {
        text.push_back({std::to_string(row.number), row.id, std::string(wire::statusKey(row.status)),
                        runs::whereText(row),
                        row.batchSize > 0 ? std::to_string(row.batchSize) : std::string(),
                        base::formatShapeShort(row.patch),
                        row.peakAllocated > 0 ? base::formatBytes(row.peakAllocated) : "–",
                        row.stepMs.n > 0 ? base::formatMillis(row.stepMs.median) : "–", nameText(row)});
    }
    printLines(table(text, {0, 4, 6, 7}));
}

int list(const RunsOptions& options) {
    const auto filter = runs::Filter::parse(options.filter);
    if (!filter) {
        return complain("--filter: " + filter.error().message);
    }
    const auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    auto rows = HIGHWATER_TRY_OR_COMPLAIN(store.list());
    std::erase_if(rows, [&](const runs::RunSummary& row) { return !filter->matches(row); });
    Json all = Json::array();
    for (const runs::RunSummary& row : rows) {
        all.push_back(rowJson(row));
    }
    if (options.json) {
        printJson({{"store", store.folder().string()}, {"runs", all}});
    } else if (rows.empty()) {
        printText("{} {}\n", filter->empty() ? "no runs in" : "no run matches the filter in",
                  store.folder().string());
    } else {
        printTable(rows);
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
    printText(
        "\ntrace: {} memory events{}; `highwater-cli runs capture {} --out FILE` for other "
        "viewers\n",
        base::formatCount(trace.events), trace.complete ? "" : " (not of the whole run)", number);
}

/// A script's run as it was told at its end; false where what it left cannot be read.
bool showScript(const runs::RunRecord& record, const std::filesystem::path& folder) {
    const auto profile = predict::loadProfile(record.script->gpu);
    const auto outcome = script::readOutcome(folder, *record.script);
    if (!profile || !outcome) {
        return false;
    }
    printText("run {} · {} · {}\n", record.summary.number, record.summary.name,
              wire::statusKey(record.summary.status));
    printScript({.gpu = profile->id, .name = profile->name, .outcome = &*outcome, .result = &record.result});
    return true;
}

int show(const RunsOptions& options) {
    const auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    const auto record = HIGHWATER_TRY_OR_COMPLAIN(store.load(options.run));
    const auto folder = store.folder() / "runs" / record.summary.id;
    const auto trace = runs::inspectTrace(folder);
    if (!options.json) {
        if (record.script && !record.script->watched && showScript(record, folder)) {
            return kDone;
        }
        printSummary(record);
        if (trace) {
            printTrace(*trace, record.summary.number);
        }
        return kDone;
    }
    Json json = rowJson(record.summary);
    json["folder"] = folder.string();
    if (trace) {
        json["trace"] = traceJson(*trace);
    }
    json["pretended"] = record.pretended();
    if (record.python) {
        json["python"] = wire::toJson(*record.python);
    }
    if (record.script) {
        json["script"] = record.script->command;
    } else {
        json["experiment"] = stack::toJson(record.experiment);
    }
    json["result"] = wire::toJson(record.result);
    printJson(json);
    return kDone;
}

int label(const RunsOptions& options) {
    if (!options.name && !options.note && options.tags.empty() && options.untags.empty()) {
        return complain("give what to change: --name, --note, --tag or --untag");
    }
    auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    std::vector<runs::RunSummary> rows;
    for (const std::string& run : options.runs) {
        auto row = HIGHWATER_TRY_OR_COMPLAIN(
            store.label(run, {options.name, options.note, {}, options.tags, options.untags}));
        rows.push_back(std::move(row));
    }
    if (!options.json) {
        printTable(rows);
        return kDone;
    }
    Json all = Json::array();
    for (const runs::RunSummary& row : rows) {
        all.push_back(rowJson(row));
    }
    printJson({{"store", store.folder().string()}, {"runs", all}});
    return kDone;
}

int remove(const RunsOptions& options) {
    auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    Json deleted = Json::array();
    for (const std::string& run : options.runs) {
        HIGHWATER_TRY_OR_COMPLAIN(store.remove(run));
        deleted.push_back(run);
    }
    if (options.json) {
        printJson({{"deleted", deleted}});
    }
    return kDone;
}

}  // namespace

void addLabelOptions(CLI::App& sub, const std::shared_ptr<RunsOptions>& options) {
    sub.add_option("RUN", options->runs, "Runs by number, id or the beginning of one")->required();
    sub.add_option("--name", options->name, "Its name; empty: the experiment's name");
    sub.add_option("--note", options->note, "One line about it");
    sub.add_option("--tag", options->tags, "Add a tag, a short word; give the option once for each")
        ->allow_extra_args(false);
    sub.add_option("--untag", options->untags, "Remove a tag")->allow_extra_args(false);
}

void addRuns(CLI::App& app, int& exit) {
    CLI::App* command =
        app.add_subcommand("runs", "List, show, label, delete, capture and fetch recorded runs");
    command->require_subcommand(1);
    command->footer(
        "A run is given by its number, its id or a unique beginning of its id.\n"
        "Examples:\n  highwater-cli runs show 3 --json\n  highwater-cli runs list --filter \"peak<8GiB "
        "device=cuda "
        "tag=paper unet\"");
    const auto options = std::make_shared<RunsOptions>();
    const auto add = [&](const char* name, const char* help, int (*action)(const RunsOptions&)) {
        CLI::App* sub = command->add_subcommand(name, help);
        sub->add_flag("--json", options->json, "Print one JSON object");
        addStoreOption(*sub, options->store);
        sub->callback([options, action, &exit] { exit = action(*options); });
        return sub;
    };
    add("list", "All runs, oldest first", list)
        ->add_option("--filter", options->filter,
                     "Only runs that match all words: unet peak<8GiB step>=200ms device=cuda tag=paper "
                     "status=done name=\"a name\"");
    add("show", "One run: its result and its layers", show)->add_option("RUN", options->run)->required();
    add("delete", "Delete runs with all their files", remove)->add_option("RUN", options->runs)->required();
    addLabelOptions(*add("label", "Name runs, write notes, add and remove tags", label), options);
    addCapture(*command, exit);
    addFetch(*command, exit);
}

}  // namespace highwater::cli
