#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/interrupt.h"
#include "app/cli/volume_commands.h"
#include "core/base/text.h"
#include "core/volume/volume_header.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CohortOptions {
    std::string folder;
    bool headersOnly = false, json = false;
};

/// "-1024 to 3071", one for each channel.
std::string rangeText(const scan::CaseFacts& facts) {
    std::string text;
    for (const volume::Header& channel : facts.channels) {
        if (std::isfinite(channel.min) && std::isfinite(channel.max)) {
            text += fmt::format("{}{:.4g} to {:.4g}", text.empty() ? "" : ", ", channel.min, channel.max);
        }
    }
    return text;
}

std::vector<std::string> row(const scan::Case& one, const scan::CaseFacts& facts) {
    const bool read = !facts.channels.empty();
    const auto* first = read ? &facts.channels.front() : nullptr;
    std::string remark = facts.problem.empty() ? "" : "problem: " + facts.problem;
    for (const std::string& warning : printedWarnings(facts.warnings)) {
        remark += (remark.empty() ? "" : "; ") + warning;
    }
    return {base::oneLine(one.name, 100),
            first ? sizeText(first->geometry.size) : "",
            !first                ? ""
            : first->spacingKnown ? spacingText(first->geometry.spacing)
                                  : "unknown",
            rangeText(facts),
            std::to_string(one.channels.size()),
            one.labels.empty() ? "no" : "yes",
            base::oneLine(remark, 500)};
}

void print(const Surveyed& surveyed) {
    std::vector<std::vector<std::string>> rows = {
        {"case", "size", "spacing (mm)", "values", "channels", "labels", ""}};
    std::size_t broken = 0;
    for (std::size_t c = 0; c < surveyed.facts.size(); ++c) {
        rows.push_back(row(surveyed.cohort.cases[c], surveyed.facts[c]));
        broken += surveyed.facts[c].problem.empty() ? 0 : 1;
    }
    printLines(table(rows, {4}) + "\n" + base::counted(std::ssize(surveyed.facts), "case"));
    printText("{}\n", broken ? fmt::format(", {} of them cannot be read", broken) : "");
    for (const std::string& note : surveyed.cohort.notes) {
        printText("note  {}\n", note);
    }
}

Json caseJson(const scan::Case& one, const scan::CaseFacts& facts) {
    Json channels = Json::array();
    for (std::size_t c = 0; c < one.channels.size(); ++c) {
        const scan::CaseFile& file = one.channels[c];
        channels.push_back({{"path", file.path},
                            {"series", file.series},
                            {"volume", file.volume},
                            {"facts", c < facts.channels.size() ? Json(volume::infoJson(facts.channels[c]))
                                                                : Json(nullptr)}});
    }
    return {{"name", one.name},
            {"channels", channels},
            {"labels", one.labels.empty() ? Json(nullptr) : Json(one.labels)},
            {"problem", facts.problem.empty() ? Json(nullptr) : Json(facts.problem)},
            {"warnings", facts.warnings}};
}

Json json(const std::string& folder, const Surveyed& surveyed) {
    Json cases = Json::array();
    for (std::size_t c = 0; c < surveyed.facts.size(); ++c) {
        cases.push_back(caseJson(surveyed.cohort.cases[c], surveyed.facts[c]));
    }
    return {{"folder", folder}, {"cases", cases}, {"notes", surveyed.cohort.notes}};
}

int cohort(const CohortOptions& options) {
    catchInterrupts();
    const auto surveyed = survey(options.folder, !options.headersOnly);
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!surveyed) {
        return complain(surveyed.error().message);
    }
    if (options.json) {
        printJson(json(options.folder, *surveyed));
    } else {
        print(*surveyed);
    }
    return kDone;
}

}  // namespace

base::Result<Surveyed> survey(const std::string& folder, bool values) {
    auto cohort = HIGHWATER_TRY(scan::findCases(folder));
    StatusLine line;
    line.show(fmt::format("reading {} cases", cohort.cases.size()));
    scan::SurveyOptions how;
    how.values = values;
    how.cancel = &interruptFlag();
    how.progress = [&](std::size_t done, const scan::CaseFacts& last) {
        line.show(fmt::format("{} of {} cases read, last {}", done, cohort.cases.size(), last.name));
    };
    auto facts = HIGHWATER_TRY(scan::surveyCohort(cohort, how));
    return Surveyed{std::move(cohort), std::move(facts)};
}

void addVolumeCohort(CLI::App& volume, int& exit) {
    CLI::App* command = volume.add_subcommand(
        "cohort", "A folder of cases: their shapes, spacings, values, and what is wrong");
    const auto options = std::make_shared<CohortOptions>();
    command
        ->add_option(
            "folder", options->folder,
            "A folder with imagesTr and labelsTr, with one folder per case, or with one scan per case")
        ->required();
    command->add_flag("--headers-only", options->headersOnly, "Read no voxels: faster, without values");
    command->add_flag("--json", options->json, "One JSON object on standard output");
    command->footer("Example: highwater-cli volume cohort Dataset001_BrainTumour");
    command->callback([options, &exit] { exit = cohort(*options); });
}

}  // namespace highwater::cli
