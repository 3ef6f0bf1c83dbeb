#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/interrupt.h"
#include "app/cli/target_options.h"
#include "app/cli/volume_commands.h"
#include "core/base/text.h"
#include "core/plan/propose_patch.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

using base::Error;
using base::formatBytes;
using Json = nlohmann::ordered_json;

struct ProposeOptions {
    std::string folder, experiment, out, budget;
    TargetOptions target;
    std::int64_t leastBatch = 2;
    bool json = false;
};

/// A proposal with its input.
struct Proposed {
    Surveyed surveyed;
    std::vector<std::string> leftOut;  ///< cases that cannot be read, one line each
    predict::Target target;
    base::Bytes capacity = 0;
    stack::Experiment experiment;  ///< with the cohort as its input
    plan::PatchProposal proposal;
};

std::vector<plan::CaseShape> shapesOf(const Surveyed& surveyed, std::vector<std::string>& leftOut) {
    std::vector<plan::CaseShape> shapes;
    for (const scan::CaseFacts& facts : surveyed.facts) {
        if (facts.channels.empty()) {
            leftOut.push_back(fmt::format("{}: {}", facts.name, facts.problem));
            continue;
        }
        const volume::Header& first = facts.channels.front();
        shapes.push_back({first.geometry.size,
                          first.spacingKnown ? first.geometry.spacing : std::array<double, 3>{0, 0, 0}});
    }
    return shapes;
}

/// Sets the cohort as the experiment's input; the other input settings stay the same.
void useCohort(stack::Experiment& experiment, const std::string& folder, const scan::Cohort& cohort) {
    stack::ScanInput input = stack::asScanInput(experiment);
    std::error_code ignored;
    input.scans.clear();
    input.cohort = std::filesystem::absolute(folder, ignored).lexically_normal().string();
    input.channels = static_cast<std::int64_t>(cohort.cases.front().channels.size());
    experiment.input = std::move(input);
}

base::Result<base::Bytes> capacityOf(const ProposeOptions& options, const predict::Target& target) {
    const base::Bytes device = plan::stepCapacity(target);
    if (options.budget.empty()) {
        return device > 0 ? base::Result<base::Bytes>(device)
                          : Error{"how much memory this machine has is unknown; give --budget"};
    }
    const auto budget = HIGHWATER_TRY(base::prefixed("--budget", base::parseBytes(options.budget)));
    if (budget == 0) {
        return Error{"--budget: must be above 0"};
    }
    return device > 0 ? std::min(budget, device) : budget;
}

base::Result<Proposed> proposed(const ProposeOptions& options) {
    auto experiment = HIGHWATER_TRY(stack::loadExperiment(options.experiment));
    auto target = HIGHWATER_TRY(chosenTarget(options.target, experiment));
    const auto capacity = HIGHWATER_TRY(capacityOf(options, target));
    auto surveyed = HIGHWATER_TRY(survey(options.folder, false));
    std::vector<std::string> leftOut;
    const auto shapes = shapesOf(surveyed, leftOut);
    if (shapes.empty()) {
        return Error{fmt::format("{}: no case can be read; {}", options.folder, leftOut.front())};
    }
    useCohort(experiment, options.folder, surveyed.cohort);
    plan::ProposeOptions how;
    how.capacity = capacity;
    how.leastBatch = options.leastBatch;
    how.cancel = &interruptFlag();
    auto proposal = HIGHWATER_TRY(base::prefixed(
        options.experiment, plan::proposePatch(experiment, shapes, plan::predictedPeak(target), how)));
    return Proposed{std::move(surveyed),   std::move(leftOut), std::move(target), capacity,
                    std::move(experiment), std::move(proposal)};
}

std::string deviceName(const predict::Target& target) {
    return target.gpu ? fmt::format("{} ({})", target.gpu->name, target.id) : "cpu (this machine)";
}

void print(const Proposed& p, const ProposeOptions& options) {
    const auto row = [](std::string_view name, const std::string& value) {
        printText("  {:<16}{}\n", name, value);
    };
    printText("proposal · {}\n",
              base::oneLine(p.experiment.name.empty() ? options.experiment : p.experiment.name));
    row("cohort", fmt::format("{} cases{}", p.surveyed.facts.size() - p.leftOut.size(),
                              p.leftOut.empty() ? "" : fmt::format(", {} cannot be read", p.leftOut.size())));
    row("device", fmt::format("{}, {} for a step", deviceName(p.target), formatBytes(p.capacity)));
    row("patch", base::formatShape(p.proposal.patch) + " (D × H × W)");
    row("batch", std::to_string(p.proposal.batch));
    row("estimated peak", formatBytes(p.proposal.peak));
    for (std::size_t i = 0; i < p.proposal.why.size(); ++i) {
        row(i == 0 ? "why" : "", p.proposal.why[i]);
    }
    for (const std::string& line : p.leftOut) {
        row("cannot be read", base::oneLine(line));
    }
    for (const std::string& note : p.surveyed.cohort.notes) {
        row("note", note);
    }
    if (!options.out.empty()) {
        row("written", options.out);
    }
}

Json json(const Proposed& p, const ProposeOptions& options) {
    Json out{{"folder", options.folder},
             {"target", p.target.id},
             {"capacity_bytes", p.capacity},
             {"cases", p.surveyed.facts.size() - p.leftOut.size()},
             {"left_out", p.leftOut},
             {"notes", p.surveyed.cohort.notes},
             {"median_size", p.proposal.medianSize},
             {"spacing_mm", p.proposal.spacing},
             {"stride", plan::strideOf(p.experiment)},
             {"patch", p.proposal.patch},
             {"batch_size", p.proposal.batch},
             {"estimated_peak_bytes", p.proposal.peak},
             {"covered_share", p.proposal.coveredShare},
             {"why", p.proposal.why}};
    if (!options.out.empty()) {
        out["out"] = options.out;
    }
    return out;
}

int propose(const ProposeOptions& options) {
    catchInterrupts();
    const auto found = proposed(options);
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!found) {
        return complain(found.error().message);
    }
    if (!options.out.empty()) {
        HIGHWATER_TRY_OR_COMPLAIN(stack::saveExperiment(
            plan::withPatch(found->experiment, found->proposal.patch, found->proposal.batch), options.out));
    }
    if (options.json) {
        printJson(json(*found, options));
    } else {
        print(*found, options);
    }
    return kDone;
}

}  // namespace

void addVolumePropose(CLI::App& volume, int& exit) {
    CLI::App* command = volume.add_subcommand(
        "propose", "Patch and batch for a cohort, by its shapes and the estimated memory of a step");
    const auto options = std::make_shared<ProposeOptions>();
    command->add_option("folder", options->folder, "The cohort, as for `volume cohort`")->required();
    command->add_option("EXPERIMENT", options->experiment, "The experiment's JSON file: its stack and step")
        ->required();
    addTargetOptions(*command, options->target);
    command->add_option("--budget", options->budget, "The most memory that a step may take, such as 8GiB")
        ->type_name("SIZE");
    command
        ->add_option("--least-batch", options->leastBatch, "The least number of patches per step (default 2)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
    command->add_option("--out", options->out, "Write the experiment with that cohort, patch and batch")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "One JSON object on standard output");
    command->footer(
        "Example: highwater-cli volume propose Dataset001_BrainTumour net.json --target rtx4090 --out "
        "run.json");
    command->callback([options, &exit] { exit = propose(*options); });
}

}  // namespace highwater::cli
