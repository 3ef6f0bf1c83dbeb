#include <fmt/format.h>

#include <iostream>

#include "tests/gpu/kit/document.h"
#include "tests/gpu/kit/environment.h"
#include "tests/gpu/kit/overhead.h"
#include "tests/gpu/kit/supervisor.h"

namespace {

using namespace highwater::kit;

int list(const Options& options) {
    const auto cases = allCases(scaleFor(options.device), options.quick);
    if (!cases) {
        std::cerr << "gpu_kit: " << cases.error().message << '\n';
        return 2;
    }
    for (const Case& each : *cases) {
        std::cout << each.family << ' ' << each.name() << '\n';
    }
    return 0;
}

void work(const Options& options) {
    const Session session{options.device, scaleFor(options.device), options.quick, options.only,
                          options.until,  Journal(options.journal)};
    if (options.part == "environment") {
        noteEnvironment(session);
    } else if (options.part == "experiments") {
        runExperiments(session, options.words);
    } else if (options.part == "ladders") {
        runLadders(session);
    } else if (options.part == "convolutions" || options.part == "timed convolutions") {
        measureConvolutions(session, options.part == "timed convolutions");
    } else if (options.part == "oom") {
        provokeOutOfMemory(session);
    } else if (options.part == "overhead") {
        measureOverhead(session);
    } else if (options.part == "after") {
        noteConditions(session, "after");
    } else if (options.part == "serve-bare") {
        serve(session, Loop::Bare);
    } else if (options.part == "serve-engine") {
        serve(session, Loop::Engine);
    } else if (options.part == "serve-traced") {
        serve(session, Loop::Traced);
    } else {
        throw std::runtime_error("there is no part " + options.part);
    }
}

}  // namespace

int main(int argc, char** argv) {
    int exit = 0;
    const auto options = parseOptions(argc, argv, exit);
    if (!options) {
        return exit;
    }
    try {
        if (options->list) {
            return list(*options);
        }
        if (options->part.empty()) {
            return supervise(*options);
        }
        work(*options);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << fmt::format("gpu_kit{}: {}\n", options->part.empty() ? "" : " " + options->part,
                                 error.what());
        return 4;
    }
}
