#include "tests/gpu/kit/bare_loop.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <stdexcept>

#include "core/engine/data/data.h"
#include "core/engine/device/backend.h"
#include "core/engine/device/device.h"
#include "core/engine/layers/layers.h"
#include "core/engine/step/losses.h"
#include "core/engine/step/optimizers.h"
#include "core/stack/program.h"
#include "tests/gpu/kit/session.h"

namespace highwater::kit {

namespace {

stack::StackInfo infoOf(const stack::Experiment& experiment) {
    auto info = stack::inferShapes(experiment);
    if (!info) {
        throw std::runtime_error(info.error().message);
    }
    return *info;
}

engine::RunRequest requestOf(const stack::Experiment& experiment) {
    engine::RunRequest request;
    request.experiment = experiment;
    return request;
}

/// LibTorch's switches are set as for a run of the experiment: otherwise the loop would use TF32, LibTorch's
/// default, where the engine computes in fp32.
engine::Device deviceFor(const stack::Experiment& experiment, const std::string& text) {
    const auto device = engine::parseDevice(text);
    if (!device) {
        throw std::runtime_error(device.error().message);
    }
    if (const auto configured = engine::configure(experiment, *device); !configured) {
        throw std::runtime_error(configured.error().message);
    }
    return *device;
}

/// Parameters are created in the order of the layers, then the data, as in a run.
std::vector<engine::LayerTensors> makeLayers(const stack::Program& program, const stack::StackInfo& info,
                                             const engine::Device& device) {
    std::vector<engine::LayerTensors> layers;
    for (const stack::ProgramStep& step : program.steps) {
        layers.push_back(
            engine::makeLayer(*step.op, info.layers[static_cast<std::size_t>(step.layer)].input, device));
    }
    return layers;
}

std::vector<at::Tensor> parametersOf(const std::vector<engine::LayerTensors>& layers) {
    std::vector<at::Tensor> parameters;
    for (const engine::LayerTensors& layer : layers) {
        parameters.insert(parameters.end(), layer.parameters.begin(), layer.parameters.end());
    }
    return parameters;
}

}  // namespace

struct BareLoop::Parts {
    Parts(const stack::Experiment& experiment, const std::string& on)
        : device(deviceFor(experiment, on)),
          request(requestOf(experiment)),
          info(infoOf(request.experiment)),
          program(stack::makeProgram(request.experiment, info)),
          layers(makeLayers(program, info, device)),
          parameters(parametersOf(layers)),
          data(request, info, device),
          optimizer(request.experiment.optimizer, parameters) {}

    at::Tensor forward(at::Tensor x) {
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

    at::Tensor step() {
        data.next();
        at::Tensor loss = engine::computeLoss(request.experiment.loss, forward(data.input()), data.target());
        loss.backward();
        optimizer.step();
        for (at::Tensor& parameter : parameters) {
            parameter.mutable_grad().reset();
        }
        return loss;
    }

    engine::Device device;
    engine::RunRequest request;
    stack::StackInfo info;
    stack::Program program;
    std::vector<engine::LayerTensors> layers;
    std::vector<at::Tensor> parameters;
    engine::DataSource data;
    engine::Optimizer optimizer;
};

BareLoop::BareLoop(const stack::Experiment& experiment, const std::string& device) {
    at::manual_seed(experiment.step.seed);
    parts_ = std::make_unique<Parts>(experiment, device);
}
BareLoop::~BareLoop() = default;

double BareLoop::run(int steps) {
    const double start = secondsNow();
    at::Tensor loss;
    for (int i = 0; i < steps; ++i) {
        loss = parts_->step().detach();
    }
    loss.item<float>();  // waits until everything is done
    return (secondsNow() - start) * 1000 / steps;
}

}  // namespace highwater::kit
