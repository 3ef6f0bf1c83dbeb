#include "app/engine/options.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "core/base/text.h"
#include "core/stack/ranks.h"
#include "core/wire/patches.h"

namespace highwater::engine_app {

std::optional<Options> parseOptions(int argc, char** argv, int& exitCode) {
    Options options;
    std::string budget;
    CLI::App app("Runs one experiment with LibTorch; started by highwater and highwater-cli.",
                 "highwater-engine");
    auto* const run = app.add_option("--run", options.runFolder, "a run's folder, with experiment.json");
    auto* const experiment =
        app.add_option("--experiment", options.experiment, "an experiment; its result goes to stdout")
            ->excludes(run);
    app.add_option("--device", options.device, "cpu, cuda or cuda:N");
    app.add_option("--steps", options.steps, "measured steps")->check(CLI::Range(1, 1000000));
    app.add_option("--warmup", options.warmup, "steps before them")->check(CLI::Range(0, 1000000));
    app.add_option("--budget", budget, "most memory for tensors, such as 8GiB");
    app.add_option("--volume", options.volumes, "file descriptor of a handover file, one a channel")
        ->take_all()
        ->expected(1)
        ->check(CLI::NonNegativeNumber);
    app.add_option("--labels", options.labels, "file descriptor of the label map")
        ->check(CLI::NonNegativeNumber);
    auto* const patches = app.add_option("--patches", options.patches,
                                         "number of samples of the experiment to write instead of running it")
                              ->check(CLI::Range(1, wire::kMostPatches))
                              ->needs(experiment);
    app.add_option("--first", options.first, "the first sample's number")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 62))
        ->needs(patches);
    patches->needs(app.add_option("--out", options.out, "the folder to write samples into")->needs(patches));
    auto* const table = app.add_option("--calibrate", options.table,
                                       "measure convolutions into this table, or folder of tables")
                            ->excludes(run)
                            ->excludes(experiment);
    auto* const operations =
        app.add_option("--operations", options.operations, "the convolutions, one a line")->needs(table);
    table->needs(operations);
    app.add_option("--threads", options.threads, "threads to calibrate for (default: LibTorch's choice)")
        ->check(CLI::Range(1, 4096))
        ->needs(table);
    app.add_flag("!--no-onednn", options.onednn, "calibrate without oneDNN")->needs(table);
    app.add_flag("--speed", options.speed, "measure the machine's speed too")->needs(table);
    app.add_flag("--environment", options.environment, "print LibTorch's and oneDNN's versions");
    auto* const noTrace = app.add_flag("--no-trace", options.noTrace, "do not record every allocation");
    app.add_flag("--trace-chunks", options.traceChunks, "record every allocation into trace.chunks")
        ->excludes(noTrace);
    auto* const ranks = app.add_option("--ranks", options.ranks, "number of processes that train together")
                            ->check(CLI::Range(1, stack::kMostRanks));
    app.add_flag("--gradient-as-bucket-view", options.gradientAsBucketView,
                 "gradients lie in the buckets alone")
        ->needs(ranks);
    auto* const link = app.add_option("--link", options.link, "file descriptor that the ranks share")
                           ->check(CLI::NonNegativeNumber);
    auto* const rank = app.add_option("--rank", options.rank, "which of the processes this is, 1 or more")
                           ->check(CLI::Range(1, stack::kMostRanks - 1))
                           ->needs(ranks)
                           ->needs(link)
                           ->needs(experiment);
    link->needs(rank);
    const auto refuse = [&](const std::string& message) {
        std::cerr << "highwater-engine: " << base::oneLine(message) << '\n';
        exitCode = 2;
        return std::nullopt;
    };
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::cout << app.help();
        exitCode = 0;
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        return refuse(error.what());
    }
    if (run->empty() && experiment->empty() && table->empty() && !options.environment) {
        return refuse("give --run FOLDER, --experiment FILE or --calibrate TABLE");
    }
    if (options.rank >= options.ranks) {
        return refuse("--rank: must be less than --ranks");
    }
    if (!budget.empty()) {
        const auto bytes = base::parseBytes(budget);
        if (!bytes) {
            return refuse("--budget: " + bytes.error().message);
        }
        options.budget = *bytes;
    }
    return options;
}

}  // namespace highwater::engine_app
