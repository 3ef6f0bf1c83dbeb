#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "core/engine/run/runner.h"
#include "core/stack/json/json.h"

/// data_bench [DELAY_MS] [STEPS] [SIDE] [CHANNELS]: a stack that trains on noise behind a slow disk, with 0
/// to 4 workers: throughput, and the fraction of a step spent waiting for data.
namespace {

using namespace highwater;

struct Setting {
    double delay;
    int steps, side, channels;
};

stack::Experiment experiment(const Setting& setting) {
    const auto parsed = stack::parseExperiment(
        fmt::format(R"({{"schema": "highwater.experiment/1", "input": {{"synthetic": [1, {0}, {0}, {0}]}},
            "loss": "mean", "step": {{"batch_size": 2}}, "data": {{"read_delay_ms": {2}, "augment": [
              {{"type": "flip"}}, {{"type": "rotate"}}, {{"type": "noise"}}, {{"type": "gamma"}}]}},
            "stack": [{{"type": "conv", "out_channels": {1}, "padding": 1}}, {{"type": "relu"}},
                      {{"type": "conv", "out_channels": {1}, "padding": 1}}]}})",
                    setting.side, setting.channels, setting.delay),
        "data_bench");
    if (!parsed) {
        fmt::print(stderr, "{}\n", parsed.error().message);
        std::exit(2);
    }
    return *parsed;
}

double number(int argc, char** argv, int at, double otherwise) {
    return argc > at ? std::atof(argv[at]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    const Setting setting{number(argc, argv, 1, 100), static_cast<int>(number(argc, argv, 2, 12)),
                          static_cast<int>(number(argc, argv, 3, 32)),
                          static_cast<int>(number(argc, argv, 4, 24))};
    fmt::print("reading a sample takes {:g} ms, a batch has 2; side {}, {} channels\n", setting.delay,
               setting.side, setting.channels);
    fmt::print("{:>7} {:>10} {:>10} {:>9} {:>9}\n", "workers", "samples/s", "step ms", "data ms", "data %");
    for (const int workers : {0, 1, 2, 4}) {
        engine::RunRequest request;
        request.runId = "bench";
        request.experiment = experiment(setting);
        request.experiment.data.workers = workers;
        request.steps = setting.steps;
        request.warmup = 8;  // more than the ring's capacity, so that prefetched samples are used up
        const auto result = engine::run(request, [](const wire::Event&) {}, std::atomic<bool>(false));
        if (!result) {
            fmt::print(stderr, "{}\n", result.error().message);
            return 1;
        }
        fmt::print("{:>7} {:>10.2f} {:>10.2f} {:>9.3f} {:>9.2f}\n", workers, result->throughput,
                   result->stepMs.median, result->phasesMs.data,
                   100 * result->phasesMs.data / result->stepMs.median);
    }
}
