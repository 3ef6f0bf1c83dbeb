#include "app/cli/script_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/output.h"
#include "app/cli/predict_json.h"
#include "core/base/text.h"

namespace highwater::cli {
namespace {

using base::formatBytes;
using script::PeakOwner;
using script::ScriptOutcome;
using Json = nlohmann::ordered_json;

std::string peakPlace(const ScriptOutcome& outcome) {
    std::string text =
        fmt::format("in {}, step {}", memory::phaseKey(outcome.peak.phase), outcome.peak.step + 1);
    for (const std::string& part : {outcome.peak.module, outcome.peak.line}) {
        text += part.empty() ? "" : ", " + part;
    }
    return text;
}

void printOwners(std::string_view head, const std::vector<PeakOwner>& owners, std::string_view unknown) {
    std::vector<std::vector<std::string>> rows{{std::string(head), "at the peak", "blocks"}};
    for (const PeakOwner& owner : owners) {
        rows.push_back({owner.name.empty() ? std::string(unknown) : owner.name, formatBytes(owner.bytes),
                        std::to_string(owner.blocks)});
    }
    printLines("\n" + table(std::move(rows), {1, 2}));
}

void printSteps(const ScriptOutcome& outcome) {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> peaks;
    for (std::size_t i = 0; i < std::min(kMost, outcome.stepMemory.size()); ++i) {
        peaks.push_back(formatBytes(outcome.stepMemory[i].peak.total()));
    }
    if (outcome.stepMemory.size() > 1) {
        printRow("each step", fmt::format("{}{}", fmt::join(peaks, ", "),
                                          outcome.stepMemory.size() > kMost ? ", ..." : ""));
    }
}

void printWorkspaces(const ScriptOutcome& outcome, bool ranged) {
    if (!outcome.workspaces) {
        return;
    }
    const script::WorkspaceSources& from = *outcome.workspaces;
    std::vector<std::string> parts;
    for (const auto& [count, how] :
         {std::pair(from.asked, "asked of cuDNN"), std::pair(from.table, "from a table"),
          std::pair(from.guessed, "guessed")}) {
        if (count > 0) {
            parts.push_back(fmt::format("{} {}", count, how));
        }
    }
    printRow("workspaces",
             fmt::format("{}; the largest is {}", fmt::join(parts, ", "), formatBytes(from.largest)));
    if (from.benchmarked > 0) {
        printRow("", fmt::format("benchmark times the algorithms of {}, and which one wins is not known: its "
                                 "workspace is between {} and {}",
                                 base::counted(from.benchmarked, "operation"),
                                 formatBytes(from.benchmarkLeast), formatBytes(from.benchmarkMost)));
        printRow("", fmt::format("while it times them, in the first step, the device may use more than these "
                                 "figures, up to {}: cuDNN lists further algorithms on a real device",
                                 formatBytes(outcome.mostInSearch())));
        if (!ranged) {
            printRow("", "--benchmark-range shows how the choice changes later steps");
        }
    }
}

void printReads(const ScriptOutcome& outcome) {
    if (outcome.reads.empty()) {
        return;
    }
    constexpr std::size_t kMost = 5;
    std::vector<std::string> places;
    for (std::size_t i = 0; i < std::min(kMost, outcome.reads.size()); ++i) {
        places.push_back(fmt::format("{} ({})", outcome.reads[i].place, outcome.reads[i].times));
    }
    printRow("values read",
             fmt::format("{}{}; all values are 0 here, so a tensor whose size depends on one may be smaller "
                         "than on a real GPU",
                         fmt::join(places, ", "), outcome.reads.size() > kMost ? ", ..." : ""));
}

/// The time of a step in words, and what decides it; empty if it was not requested.
std::vector<std::string> timeLines(const ToldScript& told) {
    if (!told.time) {
        return {};
    }
    constexpr std::size_t kMost = 4;
    std::vector<std::string> parts;
    for (const auto& part : told.time->parts) {
        const double share = 100 * part.ms.expected / std::max(told.time->device.expected, 1e-9);
        if (share >= 1 && parts.size() < kMost) {
            parts.push_back(fmt::format("{} {:.0f} %", part.family, share));
        }
    }
    std::vector<std::string> lines{
        fmt::format("{}, estimated; on the GPU: {}", timeBandText(told.time->step), fmt::join(parts, ", "))};
    if (told.time->host.expected > told.time->device.expected) {
        lines.push_back(fmt::format("the GPU, {}, waits for Python, which launches its work",
                                    timeBandText(told.time->device)));
    }
    lines.emplace_back("not in it: loading of data, and transfers");
    return lines;
}

void printTime(const ToldScript& told) {
    const char* name = "time of a step";
    for (const std::string& line : timeLines(told)) {
        printRow(std::exchange(name, ""), line);
    }
}

void printEverywhere(const ToldScript& told) {
    if (told.everywhere.empty()) {
        return;
    }
    std::vector<std::vector<std::string>> rows{{"GPU", "memory", "reserved", "with the context", "fits"}};
    const bool timed = told.timesEverywhere.size() == told.everywhere.size();
    if (timed) {
        rows[0].emplace_back("a step, estimated");
    }
    for (std::size_t i = 0; i < told.everywhere.size(); ++i) {
        const script::ScriptFit& fit = told.everywhere[i];
        rows.push_back({fit.profile.id, formatBytes(fit.profile.memory), formatBytes(fit.reserved),
                        formatBytes(fit.reserved + fit.profile.context.expected),
                        fit.fits ? "yes" : fmt::format("no: {} are refused", formatBytes(fit.refused))});
        if (timed) {
            rows.back().push_back(timeBandText(told.timesEverywhere[i]));
        }
    }
    printLines("\n" + table(std::move(rows), {1, 2, 3}));
    printText("\nThe same requests on each GPU's memory, with the workspaces of {}.\n", told.gpu);
}

const char* contextFrom(predict::DeviceProfile::Kept kept) {
    switch (kept) {
        case predict::DeviceProfile::Kept::Given:
            return ", as it was given on this machine";
        case predict::DeviceProfile::Kept::Measured:
            return ", as it was measured on this machine";
        case predict::DeviceProfile::Kept::No:
            break;
    }
    return "";
}

const char* contextSource(predict::DeviceProfile::Kept kept) {
    switch (kept) {
        case predict::DeviceProfile::Kept::Given:
            return "given";
        case predict::DeviceProfile::Kept::Measured:
            return "measured";
        case predict::DeviceProfile::Kept::No:
            break;
    }
    return "profile";
}

Json ownersJson(const std::vector<PeakOwner>& owners) {
    Json list = Json::array();
    for (const PeakOwner& owner : owners) {
        list.push_back({{"name", owner.name.empty() ? Json() : Json(owner.name)},
                        {"bytes", owner.bytes},
                        {"blocks", owner.blocks}});
    }
    return list;
}

Json stepPeaks(const ScriptOutcome& outcome) {
    Json peaks = Json::array();
    for (const script::StepMemory& step : outcome.stepMemory) {
        peaks.push_back(step.peak.total());
    }
    return peaks;
}

/// The peak of the host's memory in words; empty if it was not recorded.
std::string hostText(const ScriptOutcome& outcome) {
    if (!outcome.host) {
        return {};
    }
    const script::HostPeak& host = *outcome.host;
    return fmt::format("{}, measured ({}{:.1f} s after the start{})", formatBytes(host.peak),
                       host.workerCount > 0 ? fmt::format("{} in {}; ", formatBytes(host.workers),
                                                          base::counted(host.workerCount, "worker"))
                                            : "",
                       host.seconds, host.place.empty() ? "" : ", " + base::oneLine(host.place, 100));
}

Json hostJson(const script::HostPeak& host) {
    return {{"measured", true},
            {"peak_bytes", host.peak},
            {"process_bytes", host.process},
            {"workers_bytes", host.workers},
            {"workers", host.workerCount},
            {"seconds", host.seconds},
            {"step", host.step},
            {"line", host.place}};
}

Json outcomeJson(const ScriptOutcome& outcome) {
    Json categories = Json::object();
    for (const memory::Category category : memory::kCategories) {
        categories[std::string(memory::categoryKey(category))] = outcome.peakByCategory[category];
    }
    Json json = {{"steps", outcome.steps},
                 {"requested_bytes", outcome.requested},
                 {"allocated_bytes", outcome.allocated},
                 {"reserved_bytes", outcome.reserved},
                 {"context_bytes", outcome.context},
                 {"nccl_bytes", outcome.nccl},
                 {"device_bytes", outcome.onDevice()},
                 {"others_bytes", outcome.others},
                 {"capacity_bytes", outcome.capacity},
                 {"cache_emptied", outcome.retries},
                 {"step_peaks_bytes", stepPeaks(outcome)},
                 {"peak_by_category", categories},
                 {"categories_guessed", outcome.guessedCategories},
                 {"peak",
                  {{"step", outcome.peak.step},
                   {"phase", memory::phaseKey(outcome.peak.phase)},
                   {"module", outcome.peak.module},
                   {"line", outcome.peak.line}}},
                 {"modules", ownersJson(outcome.peak.modules)},
                 {"lines", ownersJson(outcome.peak.lines)}};
    if (outcome.searches()) {
        json["first_step_device_range_bytes"] = {outcome.onDevice(), outcome.mostInSearch()};
    }
    json["values_read"] = Json::array();
    for (const script::ValueRead& read : outcome.reads) {
        json["values_read"].push_back({{"line", read.place}, {"times", read.times}});
    }
    json["unmodeled"] = outcome.unmodeled;
    json["host_memory"] = outcome.host ? hostJson(*outcome.host) : Json();
    if (const auto& from = outcome.workspaces) {
        json["workspaces"] = {{"asked", from->asked},
                              {"table", from->table},
                              {"guessed", from->guessed},
                              {"largest_bytes", from->largest},
                              {"benchmarked", from->benchmarked},
                              {"benchmark_least_bytes", from->benchmarkLeast},
                              {"benchmark_most_bytes", from->benchmarkMost}};
    }
    return json;
}

}  // namespace

void printScript(const ToldScript& told) {
    printRow("device", fmt::format("{} ({}), pretended: nothing was executed", told.name, told.gpu));
    if (told.outcome == nullptr) {
        printRow("memory", "the script never used the GPU");
        return;
    }
    const ScriptOutcome& outcome = *told.outcome;
    printRow("peak", fmt::format("{} ({})", formatBytes(outcome.requested), peakPlace(outcome)));
    for (const memory::Category category : memory::kCategories) {
        if (outcome.peakByCategory[category] > 0) {
            printRow(fmt::format("  {}", memory::categoryKey(category)),
                     formatBytes(outcome.peakByCategory[category]));
        }
    }
    printSteps(outcome);
    printRow("in whole blocks",
             fmt::format("{}, as torch.cuda.max_memory_allocated() counts", formatBytes(outcome.allocated)));
    printRow("reserved", formatBytes(outcome.reserved));
    if (told.range) {
        printRow("", fmt::format("from {} to {}, whichever algorithms benchmark chooses",
                                 formatBytes(told.range->low), formatBytes(told.range->high)));
    }
    printRow(
        "on the device",
        fmt::format(
            "{}, with {}{} for the CUDA context{}{}; the device has {}{}", formatBytes(outcome.onDevice()),
            outcome.contextKnown ? "" : "about ", formatBytes(outcome.context), contextFrom(told.contextKept),
            outcome.nccl > 0
                ? fmt::format(" and an estimated {} for NCCL's buffers", formatBytes(outcome.nccl))
                : "",
            formatBytes(outcome.capacity),
            outcome.others > 0 ? fmt::format(", of which other processes use {}", formatBytes(outcome.others))
                               : ""));
    if (outcome.host) {
        printRow("host memory", hostText(outcome));
    }
    const bool full = told.result->status == wire::RunStatus::OutOfMemory;
    printRow("fits", full ? "no: " + base::oneLine(told.result->failure->why, 260)
                     : told.result->status == wire::RunStatus::Failed ? "as far as the script ran"
                                                                      : "yes");
    if (told.budget && !full) {
        printRow("budget", fmt::format("{}: {}", formatBytes(*told.budget),
                                       outcome.onDevice() <= *told.budget ? "kept" : "exceeded"));
    }
    printTime(told);
    printWorkspaces(outcome, told.range.has_value());
    printReads(outcome);
    if (!outcome.unmodeled.empty()) {
        printRow("not supported", fmt::format("{}", fmt::join(outcome.unmodeled, ", ")));
    }
    if (outcome.guessedCategories) {
        printRow("guessed", "activations and temporaries, from when they were allocated and freed");
    }
    printOwners("module", outcome.peak.modules, "(outside of modules)");
    printOwners("line", outcome.peak.lines, "(autograd)");
    printEverywhere(told);
    if (told.run > 0) {
        printText("\nRecorded as run {}.\n", told.run);
    }
}

Json scriptJson(const ToldScript& told) {
    Json json = {{"run", told.run > 0 ? Json(told.run) : Json()},
                 {"pretended", true},
                 {"gpu", told.gpu},
                 {"status", wire::statusKey(told.result->status)},
                 {"failure", told.result->failure ? Json(told.result->failure->why) : Json()},
                 {"versions", told.result->environment.versions}};
    if (told.outcome != nullptr) {
        json["memory"] = outcomeJson(*told.outcome);
        json["memory"]["context_source"] = contextSource(told.contextKept);
        if (told.range) {
            json["memory"]["reserved_range_bytes"] = {told.range->low, told.range->high};
        }
        json["fits"] = told.result->status != wire::RunStatus::OutOfMemory;
    }
    if (told.budget) {
        json["budget_bytes"] = *told.budget;
    }
    if (told.time) {
        json["step_ms"] = bandJson(told.time->step);
        json["step_ms"]["device"] = bandJson(told.time->device);
        json["step_ms"]["host"] = bandJson(told.time->host);
        for (const auto& part : told.time->parts) {
            json["step_ms"]["families"][part.family] = bandJson(part.ms);
        }
    }
    if (!told.everywhere.empty()) {
        json["everywhere"] = Json::array();
        for (std::size_t i = 0; i < told.everywhere.size(); ++i) {
            const script::ScriptFit& fit = told.everywhere[i];
            json["everywhere"].push_back({{"gpu", fit.profile.id},
                                          {"memory_bytes", fit.profile.memory},
                                          {"reserved_bytes", fit.reserved},
                                          {"fits", fit.fits},
                                          {"refused_bytes", fit.refused}});
            if (i < told.timesEverywhere.size()) {
                json["everywhere"].back()["step_ms"] = bandJson(told.timesEverywhere[i]);
            }
        }
    }
    return json;
}

Json scriptWords(const ToldScript& told) {
    return {{"time", timeLines(told)}, {"host", told.outcome ? hostText(*told.outcome) : std::string()}};
}

}  // namespace highwater::cli
