#include "tests/bench/engine_overhead/workers.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "app/engine/outlet.h"
#include "app/engine/recording.h"
#include "core/engine/data/data.h"
#include "core/engine/layers/layers.h"
#include "core/engine/run/runner.h"
#include "core/engine/step/losses.h"
#include "core/engine/step/optimizers.h"
#include "core/stack/program.h"

namespace highwater::bench {

namespace {

stack::StackInfo infoOf(const stack::Experiment& experiment) {
    auto info = stack::inferShapes(experiment);
    if (!info) {
        throw std::runtime_error(info.error().message);
    }
    return *info;
}

at::Tensor forward(const stack::Program& program, const std::vector<engine::LayerTensors>& layers,
                   at::Tensor x) {
    std::vector<at::Tensor> values(program.steps.size());
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const stack::ProgramStep& step = program.steps[i];
        if (step.from != static_cast<int>(i) - 1 || program.outputs.size() > 1) {
            throw std::runtime_error("the bare loop knows neither branches nor heads");
        }
        std::vector<at::Tensor> with;
        for (const int value : step.with) {
            with.push_back(values.at(static_cast<std::size_t>(value)));
        }
        x = engine::applyLayer(*step.op, layers[i], std::move(x), with, engine::ForwardMode::Train);
        if (program.readers[i + 1].size() > 1) {
            values[i] = x;
        }
    }
    return x;
}

}  // namespace

bool Channel::awaitGo() const {
    char go = 0;
    return ::read(in, &go, 1) == 1;
}

Cost now() {
    const auto millis = [](clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    };
    return {millis(CLOCK_MONOTONIC), millis(CLOCK_PROCESS_CPUTIME_ID)};
}

Cost since(const Cost& start) {
    const Cost end = now();
    return {end.wallMs - start.wallMs, end.cpuMs - start.cpuMs};
}

void Channel::report(const Cost& cost) const {
    if (::write(out, &cost, sizeof cost) != sizeof cost) {
        throw std::runtime_error("the driver is gone");
    }
}

void serveBare(const stack::Experiment& experiment, const Channel& channel) {
    if (experiment.backend.threads > 0) {
        at::set_num_threads(static_cast<int>(experiment.backend.threads));
    }
    const stack::StackInfo info = infoOf(experiment);
    engine::RunRequest request;
    request.experiment = experiment;
    at::manual_seed(experiment.step.seed);
    const stack::Program program = stack::makeProgram(experiment, info);
    std::vector<engine::LayerTensors> layers;
    std::vector<at::Tensor> parameters;
    for (const stack::ProgramStep& step : program.steps) {
        layers.push_back(
            engine::makeLayer(*step.op, info.layers[static_cast<std::size_t>(step.layer)].input));
        parameters.insert(parameters.end(), layers.back().parameters.begin(), layers.back().parameters.end());
    }
    engine::DataSource data(request, info);
    engine::Optimizer optimizer(experiment.optimizer, parameters);
    while (channel.awaitGo()) {
        const Cost start = now();
        data.next();
        at::Tensor loss =
            engine::computeLoss(experiment.loss, forward(program, layers, data.input()), data.target());
        loss.backward();
        optimizer.step();
        for (at::Tensor& parameter : parameters) {
            parameter.mutable_grad().reset();
        }
        loss.item<float>();
        channel.report(since(start));
    }
}

namespace {

void serve(const stack::Experiment& experiment, const Channel& channel, bool traced) {
    std::string folder = (std::filesystem::temp_directory_path() / "engine-overhead-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    auto recording = engine_app::recordInto(folder);
    if (!recording) {
        throw std::runtime_error(recording.error().message);
    }
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);  // discards the engine's output lines
    std::atomic<bool> cancel{false};
    Cost start = now();
    engine::RunRequest request;
    request.experiment = experiment;
    request.steps = 1'000'000;
    request.warmup = 0;
    request.previewFolder = folder;
    if (traced) {
        request.trace = engine_app::traceInto(folder, experiment);
    }
    base::Result<wire::RunResult> result = base::Error{"not run"};
    {
        engine_app::Outlet outlet(std::move(*recording), STDOUT_FILENO, cancel);
        result = engine::run(
            request,
            [&](const wire::Event& event) {
                outlet.take(event);
                const bool begins = std::holds_alternative<wire::Started>(event);
                if (std::holds_alternative<wire::StepDone>(event)) {
                    channel.report(since(start));
                } else if (!begins) {
                    return;
                }
                cancel = !channel.awaitGo();
                start = now();
            },
            cancel);
    }
    std::filesystem::remove_all(folder);
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
}

}  // namespace

void serveEngine(const stack::Experiment& experiment, const Channel& channel) {
    serve(experiment, channel, false);
}

void serveTracedEngine(const stack::Experiment& experiment, const Channel& channel) {
    serve(experiment, channel, true);
}

}  // namespace highwater::bench
