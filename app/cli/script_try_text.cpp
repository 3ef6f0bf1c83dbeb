#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "app/cli/script_try.h"
#include "core/base/text.h"
#include "core/wire/events.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string workText(const TriedChange& row) {
    return row.change.work > 0 || row.change.kind == "recompute"
               ? fmt::format("+{:.0f} % work", 100 * row.change.work)
               : "";
}

std::string resultsText(const TriedChange& row) {
    std::string text = row.change.results == script::SameResults::Bit        ? "equal to the bit"
                       : row.change.results == script::SameResults::Rounding ? "equal up to rounding"
                                                                             : "other results";
    return row.change.difference.empty() ? text : fmt::format("{}: {}", text, row.change.difference);
}

}  // namespace

std::string triedLine(const TriedChange& row) {
    std::string text = row.change.name + ": ";
    if (row.device > 0) {
        text += fmt::format("{} on the device, {} allocated", base::formatBytes(row.device),
                            base::formatBytes(row.allocated));
    }
    const auto add = [&](std::string_view more) { text += (row.device > 0 ? ", " : "") + std::string(more); };
    switch (row.status) {
        case wire::RunStatus::Done:
            add(row.fits ? "fits" : "does not fit");
            break;
        case wire::RunStatus::OutOfMemory:
            add("out of memory");
            break;
        case wire::RunStatus::Cancelled:
            add("stopped");
            break;
        default:
            add("failed: " + row.why);
    }
    return text;
}

Json triedJson(const TriedChange& row) {
    Json json = {{"name", row.change.name},
                 {"kind", row.change.kind},
                 {"run", row.run > 0 ? Json(row.run) : Json()},
                 {"status", wire::statusKey(row.status)},
                 {"failure", row.why.empty() ? Json() : Json(row.why)},
                 {"fits", row.fits},
                 {"results", script::sameResultsKey(row.change.results)},
                 {"difference", row.change.difference},
                 {"added_work", row.change.work}};
    if (row.device > 0) {
        json["allocated_bytes"] = row.allocated;
        json["reserved_bytes"] = row.reserved;
        json["device_bytes"] = row.device;
        json["on_larger_gpu"] = row.larger;
    }
    if (!row.change.modules.empty()) {
        json["modules"] = row.change.modules;
    }
    if (!row.file.empty()) {
        json["file"] = row.file;
    }
    return json;
}

Json triesJson(const TriedScript& tried) {
    Json json = {{"pretended", true},
                 {"gpu", tried.gpu},
                 {"limit_bytes", tried.limit},
                 {"stopped", tried.stopped},
                 {"as_it_is", triedJson(tried.plain)},
                 {"rows", Json::array()},
                 {"fitting", Json::array()}};
    for (const TriedChange& row : tried.rows) {
        json["rows"].push_back(triedJson(row));
    }
    for (const TriedChange* row : tried.fitting()) {
        json["fitting"].push_back(row->change.name);
    }
    return json;
}

void printTries(const TriedScript& tried) {
    if (tried.plain.fits) {
        printText("\nThe script fits as it is: {} of {} on a pretended {}.\n",
                  base::formatBytes(tried.plain.device), base::formatBytes(tried.limit), tried.gpuName);
    }
    const auto fitting = tried.fitting();
    if (fitting.empty()) {
        if (!tried.rows.empty()) {
            printText("\nNothing that was tried fits in {} on {}{}.\n", base::formatBytes(tried.limit),
                      tried.gpuName, tried.stopped ? "; stopped before everything was tried" : "");
        }
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"what fits", "on the device", "allocated", "costs", "results"}};
    for (const TriedChange* row : fitting) {
        rows.push_back({row->change.name, base::formatBytes(row->device), base::formatBytes(row->allocated),
                        workText(*row), resultsText(*row)});
    }
    printLines("\n" + table(std::move(rows), {1, 2}));
    printText(
        "\nPretended on {}, within {}; nothing was executed. This file applies the first one and runs the "
        "script, which is unchanged (--keep FILE writes it):\n\n",
        tried.gpuName, base::formatBytes(tried.limit));
    printLines(fitting.front()->file);
}

}  // namespace highwater::cli
