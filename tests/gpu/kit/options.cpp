#include "tests/gpu/kit/options.h"

#include <CLI/CLI.hpp>

namespace highwater::kit {

std::optional<Options> parseOptions(int argc, char** argv, int& exit) {
    Options options;
    CLI::App app(
        "Measures what the predictor is compared with, on one GPU, and writes one file. "
        "tests/gpu/validate builds and starts it.");
    app.add_option("--out", options.out, "the file to write")->capture_default_str();
    app.add_option("--device", options.device, "cuda, cuda:N, or cpu (a rehearsal with divided sizes)")
        ->capture_default_str();
    app.add_option("--minutes", options.minutes, "time for everything; what does not fit is left out")
        ->check(CLI::Range(0.1, 600.0))
        ->capture_default_str();
    app.add_flag("--quick", options.quick, "one experiment in four, few rungs and provocations");
    app.add_option("--only", options.only, "the one experiment of this name and nothing else");
    app.add_option("--continue", options.continues,
                   "an earlier file of this device: measure only what it left out")
        ->check(CLI::ExistingFile);
    app.add_flag("--slim", options.slim, "leave layers and conditions out of each result: a smaller file");
    app.add_flag("--join", options.join,
                 "only make the file from OUT.journal, which an interrupted kit left");
    app.add_flag("--list", options.list, "print the experiments' names");
    for (CLI::Option* own :
         {app.add_option("--part", options.part), app.add_option("--journal", options.journal),
          app.add_option("--words", options.words), app.add_option("--until", options.until)}) {
        own->group("");  // hidden
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        exit = app.exit(error) == 0 ? 0 : 2;
        return std::nullopt;
    }
    options.quick = options.quick && options.only.empty();
    return options;
}

}  // namespace highwater::kit
