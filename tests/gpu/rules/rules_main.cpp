#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "tests/gpu/rules/asked_workspaces.h"
#include "tests/gpu/rules/standard_experiments.h"
#include "tests/gpu/rules/totals.h"

namespace highwater::gpu {
namespace {

int complain(const std::string& what) {
    std::cerr << "gpu_rules: " << what << '\n';
    return 2;
}

/// Compares the standard experiments and 200 random ones, with cuDNN's workspaces if `asked` is given.
base::Status compareAll(const std::string& plans, AskedWorkspaces* asked, Totals& standard, Totals& random) {
    constexpr int kSeeds = 200;
    const auto both = [&](const stack::Experiment& experiment) -> base::Result<Walks> {
        if (asked != nullptr) {
            if (const auto learned = asked->learn(experiment); !learned) {
                return learned.error();
            }
        }
        return walkBoth(experiment, asked != nullptr ? asked->table() : nullptr);
    };
    const auto list = standardExperiments(plans);
    if (!list) {
        return list.error();
    }
    for (const NamedExperiment& each : *list) {
        const auto walks = both(each.experiment);
        if (!walks) {
            return base::Error{each.name + ": " + walks.error().message};
        }
        standard.add(*walks);
        fmt::print("{}: peak {} measured, {} predicted; reserved {} and {}{}\n", each.name,
                   walks->measuredPeak, walks->predictedPeak, walks->measuredReserved,
                   walks->predictedReserved, difference(*walks) ? "" : "; equal");
        if (asked != nullptr) {
            continue;
        }
        const auto ladder = climb(each.experiment, *walks);
        if (!ladder) {
            return base::Error{each.name + ": " + ladder.error().message};
        }
        standard.add(*ladder);
        for (const Rung& rung : *ladder) {
            if (rung.measured != rung.predicted) {
                fmt::print("  capacity {}: out of memory {} measured, {} predicted\n", rung.capacity,
                           rung.measured, rung.predicted);
            }
        }
    }
    for (int seed = 0; seed < kSeeds; ++seed) {
        if (const auto walks = both(randomGpuExperiment(seed))) {
            random.add(*walks);
            if (asked != nullptr && walks->predictedPeak != walks->measuredPeak) {
                fmt::print("seed {}: peak {} measured, {} predicted\n", seed, walks->measuredPeak,
                           walks->predictedPeak);
            }
        } else {
            return base::Error{fmt::format("seed {}: {}", seed, walks.error().message)};
        }
    }
    return {};
}

int writePage(const std::string& page, const std::string& plans) {
    Totals standard, random;
    const auto done = compareAll(plans, nullptr, standard, random);
    const auto written = done ? base::writeFileAtomically(page, rulesPage(standard, random)) : done;
    return written ? 0 : complain(written.error().message);
}

/// Runs in a separate process, because LibTorch caches the plan that it has chosen for a shape.
int addAsked(const std::string& library, const std::string& page, const std::string& plans) {
    const char* const file = std::getenv("HIGHWATER_PRETEND_PLANS");
    if (file == nullptr) {
        return complain("HIGHWATER_PRETEND_PLANS names no file, through which the pretended device is told");
    }
    ::unsetenv("LD_PRELOAD");  // the process that asks must not use the pretended device
    AskedWorkspaces asked(library, file);
    AskedTotals totals;
    if (const auto done = compareAll(plans, &asked, totals.standard, totals.random); !done) {
        return complain(done.error().message);
    }
    totals.cudnn = asked.table()->key().cudnn;
    totals.device = "H200";
    totals.questions = asked.table()->size();
    const auto before = base::readFile(page);
    const auto written =
        before ? base::writeFileAtomically(page, *before + askedSection(totals)) : before.error();
    return written ? 0 : complain(written.error().message);
}

/// Shows where the walk of one experiment differs.
int showOne(const char* file, AskedWorkspaces* asked) {
    const auto experiment = stack::loadExperiment(file);
    if (!experiment) {
        return complain(experiment.error().message);
    }
    if (asked != nullptr) {
        if (const auto learned = asked->learn(*experiment); !learned) {
            return complain(learned.error().message);
        }
    }
    const auto walks = walkBoth(*experiment, asked != nullptr ? asked->table() : nullptr);
    if (!walks) {
        return complain(walks.error().message);
    }
    std::cout << difference(*walks).value_or("equal\n");
    fmt::print("peak {} measured, {} predicted; reserved {} and {}\n", walks->measuredPeak,
               walks->predictedPeak, walks->measuredReserved, walks->predictedReserved);
    return 0;
}

}  // namespace
}  // namespace highwater::gpu

/// gpu_rules --page FILE [PLANS]: makes all comparisons of docs/gpu-rules.md, and writes it. gpu_rules
/// --asked FOLDER FILE [PLANS]: adds the results with the workspaces of the cuDNN in FOLDER to it. gpu_rules
/// FIRST LAST: compares random experiments with these seeds, and shows where they differ. gpu_rules [--asked
/// FOLDER] FILE.json: the same for one experiment.
int main(int argc, char** argv) {
    using namespace highwater;
    if (argc == 2) {
        return gpu::showOne(argv[1], nullptr);
    }
    if (argc == 4 && std::string_view(argv[1]) == "--asked" && std::string_view(argv[3]).ends_with(".json")) {
        ::unsetenv("LD_PRELOAD");
        const char* const file = std::getenv("HIGHWATER_PRETEND_PLANS");
        gpu::AskedWorkspaces asked(argv[2], file != nullptr ? file : "");
        return gpu::showOne(argv[3], &asked);
    }
    if (argc >= 3 && std::string_view(argv[1]) == "--page") {
        return gpu::writePage(argv[2], argc > 3 ? argv[3] : "");
    }
    if (argc >= 4 && std::string_view(argv[1]) == "--asked") {
        return gpu::addAsked(argv[2], argv[3], argc > 4 ? argv[4] : "");
    }
    const int first = argc > 1 ? std::atoi(argv[1]) : 0, last = argc > 2 ? std::atoi(argv[2]) : first;
    int equal = 0, refused = 0, samePeak = 0;
    std::vector<double> peaks, reserved;  // relative errors
    for (int seed = first; seed <= last; ++seed) {
        const stack::Experiment experiment = gpu::randomGpuExperiment(seed);
        const auto walks = gpu::walkBoth(experiment);
        if (!walks) {
            fmt::print("seed {}: {}\n", seed, walks.error().message);
            ++refused;
            continue;
        }
        const auto difference = gpu::difference(*walks);
        equal += difference ? 0 : 1;
        const auto error = [](base::Bytes predicted, base::Bytes measured) {
            return std::abs(static_cast<double>(predicted - measured)) / static_cast<double>(measured);
        };
        peaks.push_back(error(walks->predictedPeak, walks->measuredPeak));
        reserved.push_back(error(walks->predictedReserved, walks->measuredReserved));
        samePeak += walks->measuredPeak == walks->predictedPeak ? 1 : 0;
        if (difference) {
            fmt::print("seed {} (precision {}, channels_last {}, cudnn {}): peak {} and {}: {}\n", seed,
                       static_cast<int>(experiment.step.precision), experiment.step.channelsLast,
                       experiment.backend.cudnn, walks->measuredPeak, walks->predictedPeak, *difference);
        }
    }
    for (auto* const errors : {&peaks, &reserved}) {
        std::sort(errors->begin(), errors->end());
        const auto at = [&](double share) {
            return errors->empty() ? 0
                                   : 100 * (*errors)[static_cast<std::size_t>(
                                               share * static_cast<double>(errors->size() - 1))];
        };
        fmt::print("{}: error median {:.4f} %, 95th percentile {:.4f} %, worst {:.4f} %\n",
                   errors == &peaks ? "peak of tensors" : "peak reserved", at(0.5), at(0.95), at(1));
    }
    fmt::print("{} of {} equal, {} with the same peak, {} not run\n", equal, last - first + 1, samePeak,
               refused);
    return 0;
}
