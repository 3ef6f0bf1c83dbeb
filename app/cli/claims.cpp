#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/claims_text.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/python_options.h"
#include "app/cli/where.h"
#include "core/base/text.h"
#include "core/report/claims.h"
#include "core/study/finding.h"
#include "core/study/local_runner.h"
#include "core/study/queue_sweep.h"
#include "core/study/remote_runner.h"

namespace highwater::cli {
namespace {

using study::Claim;
using study::Finding;

struct ClaimsOptions {
    std::vector<std::string> ids;
    std::string device = "cpu", store, report;
    WhereOptions where;
    PythonOptions python;
    bool json = false;
};

std::filesystem::path storeFolder(const ClaimsOptions& options) {
    return options.store.empty() ? base::defaultStoreFolder() : std::filesystem::path(options.store);
}

int list(const ClaimsOptions& options) {
    if (!options.report.empty()) {
        HIGHWATER_TRY_OR_COMPLAIN(report::checkClaimsReport(options.report));
    }
    const auto claims = study::loadClaims();
    if (!claims) {
        return complain(claims.error().message, kEngineFailed);
    }
    const auto findings = study::loadFindings(storeFolder(options));
    const auto found = [&](const Claim& claim) -> const Finding* {
        const auto at = std::find_if(findings.begin(), findings.end(),
                                     [&](const Finding& finding) { return finding.id == claim.id; });
        return at == findings.end() ? nullptr : &*at;
    };
    std::vector<report::ClaimEntry> entries;
    nlohmann::ordered_json json = {{"claims", nlohmann::ordered_json::array()}};
    std::vector<std::vector<std::string>> rows = {{"claim", "verdict", "statement"}};
    for (const Claim& claim : *claims) {
        const Finding* finding = found(claim);
        entries.push_back({claim, finding ? std::optional(*finding) : std::nullopt, ""});
        rows.push_back({claim.id,
                        finding ? std::string(study::verdictWords(finding->verdict)) : "not run yet",
                        claim.statement});
        nlohmann::ordered_json one = {{"id", claim.id}, {"row", claim.row}, {"statement", claim.statement}};
        if (!claim.about.empty()) {
            one["about"] = claim.about;
        }
        if (claim.needsCuda || claim.needsCpu) {
            one["needs"] = claim.needsCuda ? "cuda" : "cpu";
        }
        if (finding) {
            one["finding"] = study::toJson(*finding);
        }
        json["claims"].push_back(std::move(one));
    }
    if (options.json) {
        printJson(json);
    } else {
        printLines(table(rows, {}));
    }
    if (!options.report.empty()) {
        HIGHWATER_TRY_OR_COMPLAIN(report::writeClaims(entries, readableNow(), options.report));
    }
    return kDone;
}

/// The claims with these ids, each once, in the order of loadClaims().
base::Result<std::vector<Claim>> chosen(const std::vector<std::string>& ids) {
    auto claims = HIGHWATER_TRY(study::loadClaims());
    const bool all = std::find(ids.begin(), ids.end(), "all") != ids.end();
    std::vector<std::string_view> known = {"all"};
    for (const Claim& claim : claims) {
        known.push_back(claim.id);
    }
    for (const std::string& id : ids) {
        if (std::find(known.begin(), known.end(), id) == known.end()) {
            const std::string near = base::nearestWord(id, known);
            return base::Error{near.empty()
                                   ? fmt::format("there is no claim \"{}\"; see `highwater-cli claims list`",
                                                 base::oneLine(id, 60))
                                   : fmt::format("there is no claim \"{}\"; did you mean \"{}\"?",
                                                 base::oneLine(id, 60), near)};
        }
    }
    if (!all) {
        std::erase_if(claims, [&](const Claim& claim) {
            return std::find(ids.begin(), ids.end(), claim.id) == ids.end();
        });
    }
    return claims;
}

base::Status checkOptions(const ClaimsOptions& options) {
    HIGHWATER_TRY(checkDevice(options.device));
    return options.report.empty() ? base::Status() : report::checkClaimsReport(options.report);
}

/// Examines one claim after the other; each finding is saved in the store at once.
class Examiner {
public:
    Examiner(runs::RunStore& store, const ClaimsOptions& options, std::string device, Where where,
             std::optional<wire::PythonSource> trainer)
        : store_(store),
          options_(options),
          device_(std::move(device)),
          where_(std::move(where)),
          trainer_(std::move(trainer)) {}

    /// False if it was interrupted.
    bool examine(const Claim& claim, std::size_t number, std::size_t of) {
        StatusLine line;
        const auto runner = runnerFor(claim);
        if (!runner) {
            problem_ = runner.error().message;
            return false;
        }
        auto finding = study::examine(
            claim, *runner, device_ != "cpu", interruptFlag(), [&](const study::Progress& progress) {
                line.show(fmt::format("claim {} of {}, {}: run {} of at most {}: {}", number, of, claim.id,
                                      progress.done + 1, progress.atMost, progress.what));
            });
        line.clear();
        if (!finding && interrupts() > 0) {
            return false;
        }
        std::string problem;
        if (!finding) {
            problem = finding.error().message;
        } else if (const auto kept = study::saveFinding(store_.folder(), *finding); !kept) {
            problem = "the verdict could not be kept: " + kept.error().message;
        }
        say(claim, finding ? &*finding : nullptr, problem);
        entries_.push_back({claim, finding ? std::optional(*finding) : std::nullopt, problem});
        return true;
    }

    /// Why the host could not be reached; empty if it was.
    const std::string& problem() const { return problem_; }
    const std::vector<report::ClaimEntry>& entries() const { return entries_; }

private:
    base::Result<study::Runner> runnerFor(const Claim& claim) {
        study::HowToRun common;
        common.device = device_;
        common.steps = claim.steps;
        common.study = runs::newStudy("claim " + claim.id);
        if (where_.executor == Where::Executor::Local) {
            study::LocalRun local{common};
            local.start = starterOf(trainer_);
            return study::localRunner(store_, std::move(local), interruptFlag());
        }
        const hosts::Host& host = where_.hosts.front();
        if (where_.executor == Where::Executor::Slurm) {
            study::QueueRun queue{common};
            queue.host = host;
            queue.leave = [] { return interrupts() > 1; };
            return study::queueRunner(store_, std::move(queue), interruptFlag());
        }
        auto connection = HIGHWATER_TRY(hosts::Connection::openAndWait(host, &interruptFlag()));
        study::RemoteRun remote{common};
        remote.host = host;
        remote.leave = [] { return interrupts() > 1; };
        return study::remoteRunner(store_, std::move(remote), std::move(connection), interruptFlag());
    }
    void say(const Claim& claim, const Finding* finding, const std::string& problem) const {
        std::FILE* out = options_.json ? stderr : stdout;
        printLines(finding ? findingText(claim, *finding) : problemText(claim, problem), out);
        std::fflush(out);
    }
    runs::RunStore& store_;
    const ClaimsOptions& options_;
    std::string device_;
    Where where_;
    std::optional<wire::PythonSource> trainer_;
    std::vector<report::ClaimEntry> entries_;
    std::string problem_;
};

void printFindings(const std::vector<report::ClaimEntry>& entries) {
    nlohmann::ordered_json json = {{"findings", nlohmann::ordered_json::array()},
                                   {"failed", nlohmann::ordered_json::array()}};
    for (const report::ClaimEntry& entry : entries) {
        if (entry.finding) {
            json["findings"].push_back(study::toJson(*entry.finding));
        }
        if (!entry.problem.empty()) {
            json["failed"].push_back({{"id", entry.claim.id}, {"why", entry.problem}});
        }
    }
    printJson(json);
}

int finish(const ClaimsOptions& options, const Examiner& examiner, bool interrupted) {
    const auto& entries = examiner.entries();
    if (options.json) {
        printFindings(entries);
    } else {
        printLines(countsText(entries));
    }
    if (!options.report.empty()) {
        HIGHWATER_TRY_OR_COMPLAIN(report::writeClaims(entries, readableNow(), options.report));
    }
    if (interrupted) {
        return complain(fmt::format("interrupted; {} claim{} examined and kept", entries.size(),
                                    entries.size() == 1 ? " was" : "s were"),
                        kInterrupted);
    }
    std::string names, why;
    for (const report::ClaimEntry& entry : entries) {
        if (!entry.finding) {
            names += (names.empty() ? "" : ", ") + entry.claim.id;
        } else if (why.empty() && !entry.problem.empty()) {
            why = entry.claim.id + ": " + entry.problem;
        }
    }
    if (!names.empty()) {
        why += (why.empty() ? "" : "; ") + ("no verdict for " + names + "; the reasons are above");
    }
    return why.empty() ? kDone : complain(why, kEngineFailed);
}

int run(const ClaimsOptions& options) {
    HIGHWATER_TRY_OR_COMPLAIN(checkOptions(options));
    const auto claims = HIGHWATER_TRY_OR_COMPLAIN(chosen(options.ids));
    auto where = HIGHWATER_TRY_OR_COMPLAIN(chosenWhere(options.where));
    if (where.hosts.size() > 1) {
        return complain("--host: a claim is tested on one host");
    }
    std::string device = options.device;
    auto trainer = HIGHWATER_TRY_OR_COMPLAIN(
        chosenTrainer(options.python, where.executor == Where::Executor::Local ? "local" : "", device));
    auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    catchInterrupts();
    Examiner examiner(store, options, std::move(device), std::move(where), std::move(trainer));
    bool whole = true;
    for (std::size_t i = 0; i < claims.size() && whole; ++i) {
        whole = interrupts() == 0 && examiner.examine(claims[i], i + 1, claims.size());
    }
    const int code = finish(options, examiner, !whole && examiner.problem().empty());
    return examiner.problem().empty() ? code : complain(examiner.problem(), kEngineFailed);
}

}  // namespace

void addClaims(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand("claims", "Test claims about memory and time on this machine");
    command->require_subcommand(1);
    const auto options = std::make_shared<ClaimsOptions>();
    CLI::App* listed = command->add_subcommand("list", "The claims and their latest verdicts");
    listed->add_flag("--json", options->json, "Print them as one JSON object");
    listed->add_option("--report", options->report, "Write the latest findings as a page: .html, .pdf or .md")
        ->type_name("FILE");
    addStoreOption(*listed, options->store);
    listed->callback([options, &exit] { exit = list(*options); });

    CLI::App* ran = command->add_subcommand("run", "Run the experiments of claims and judge them");
    ran->add_option("ID", options->ids, "Claims by id, such as S2.memory, or all")->required();
    ran->add_option("--device", options->device, "cpu, cuda or cuda:N (default: cpu)");
    addWhereOptions(*ran, options->where);
    addPythonOptions(*ran, options->python);
    ran->add_flag("--json", options->json, "Print the findings as one JSON object");
    ran->add_option("--report", options->report, "Write the findings as a page: .html, .pdf or .md")
        ->type_name("FILE");
    addStoreOption(*ran, options->store);
    ran->footer("Example: highwater-cli claims run S2.memory S8.checkpoint --report claims.html");
    ran->callback([options, &exit] { exit = run(*options); });
}

}  // namespace highwater::cli
