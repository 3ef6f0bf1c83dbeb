#include "tests/bench/engine_overhead/workers.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "core/engine/data.h"
#include "core/engine/layers.h"
#include "core/engine/losses.h"
#include "core/engine/optimizers.h"
#include "core/engine/runner.h"
#include "core/runs/run_store.h"
#include "core/stack/program.h"

namespace highwater::bench {

namespace {

stack::StackInfo infoOf(const stack::Experiment& experiment) {
    auto info = stack::inferShapes(experiment);
    if (!info)
        throw std::runtime_error(info.error().message);
    return *info;
}

at::Tensor forward(const engine::Program& program, const std::vector<engine::LayerTensors>& layers,
                   at::Tensor x) {
    std::vector<at::Tensor> values(program.steps.size());
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const engine::ProgramStep& step = program.steps[i];
        const at::Tensor with = step.with >= 0 ? values[static_cast<std::size_t>(step.with)] : at::Tensor();
        x = engine::applyLayer(*step.op, layers[i], std::move(x), with, engine::ForwardMode::Train);
        if (program.readers[i + 1].size() > 1)
            values[i] = x;
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
    if (::write(out, &cost, sizeof cost) != sizeof cost)
        throw std::runtime_error("the driver is gone");
}

void serveBare(const stack::Experiment& experiment, const Channel& channel) {
    if (experiment.backend.threads > 0)
        at::set_num_threads(static_cast<int>(experiment.backend.threads));
    const stack::StackInfo info = infoOf(experiment);
    engine::RunRequest request;
    request.experiment = experiment;
    at::manual_seed(experiment.step.seed);
    const engine::Program program = engine::makeProgram(experiment, info);
    std::vector<engine::LayerTensors> layers;
    std::vector<at::Tensor> parameters;
    for (const engine::ProgramStep& step : program.steps) {
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
        for (at::Tensor& parameter : parameters)
            parameter.mutable_grad().reset();
        loss.item<float>();
        channel.report(since(start));
    }
}

void serveEngine(const stack::Experiment& experiment, const Channel& channel) {
    std::string folder = (std::filesystem::temp_directory_path() / "engine-overhead-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr)
        throw std::runtime_error("no temporary folder");
    auto writer = runs::RunWriter::open(folder);
    if (!writer)
        throw std::runtime_error(writer.error().message);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    std::atomic<bool> cancel{false};
    Cost start = now();
    engine::RunRequest request;
    request.experiment = experiment;
    request.steps = 1'000'000;
    request.warmup = 0;
    request.previewFolder = folder;
    const auto result = engine::run(
        request,
        [&](const wire::Event& event) {
            if (const auto kept = writer->append(event); !kept)
                throw std::runtime_error(kept.error().message);
            const std::string line = wire::toLine(event);
            if (::write(nowhere, line.data(), line.size()) < 0)
                throw std::runtime_error("cannot write");
            const bool begins = std::holds_alternative<wire::Started>(event);
            if (std::holds_alternative<wire::StepDone>(event))
                channel.report(since(start));
            else if (!begins)
                return;
            cancel = !channel.awaitGo();
            start = now();
        },
        cancel);
    ::close(nowhere);
    std::filesystem::remove_all(folder);
    if (!result)
        throw std::runtime_error(result.error().message);
}

}  // namespace highwater::bench
