#include "tests/core/engine/training.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/engine/data/data.h"
#include "core/engine/device/device.h"
#include "core/engine/step/executor.h"
#include "core/engine/step/losses.h"
#include "core/engine/step/optimizers.h"
#include "core/stack/json/json.h"

namespace highwater::engine::testing {

namespace {

bool sameBits(const at::Tensor& a, const at::Tensor& b) {
    if (a.defined() != b.defined() || (a.defined() && a.sizes() != b.sizes())) {
        return false;
    }
    if (!a.defined()) {
        return true;
    }
    const at::Tensor x = a.contiguous(), y = b.contiguous();
    return std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

std::string compare(std::string_view what, const std::vector<at::Tensor>& a,
                    const std::vector<at::Tensor>& b) {
    if (a.size() != b.size()) {
        return fmt::format("{} {}s against {}", a.size(), what, b.size());
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!sameBits(a[i], b[i])) {
            return fmt::format(
                "{} {} differs by up to {}", what, i,
                a[i].defined() && b[i].defined() ? (a[i] - b[i]).abs().max().item<double>() : -1);
        }
    }
    return {};
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> all;
    for (const at::Tensor& tensor : tensors) {
        all.push_back(tensor.defined() ? tensor.detach().clone() : at::Tensor());
    }
    return all;
}

}  // namespace

Outcome train(const stack::Experiment& experiment, int steps, int threads, std::int64_t refuse) {
    at::set_num_threads(threads);
    RunRequest request;
    request.experiment = experiment;
    const auto info = stack::inferShapes(experiment);
    EXPECT_TRUE(info.ok()) << info.error().message;
    Accounting& books = installBooks({});
    books.start(-1, nullptr);
    books.refuseAfter(refuse);
    at::manual_seed(experiment.step.seed);
    Recorder recorder(books, info->layers.size());
    Program program = makeProgram(experiment, *info);
    program.offloadsAbove = 0;  // these networks are small
    Network network(program, *info, books);
    DataSource data(request, *info);
    Optimizer optimizer(experiment.optimizer, network.parameters());
    Executor executor(program, network, recorder, books, true);
    struct Ending {
        Executor& executor;
        Accounting& books;
        ~Ending() {
            books.stop();
            executor.abandon();
        }
    } const ending{executor, books};
    Outcome outcome;
    outcome.segments = program.segments.size();
    for (int step = 0; step < steps; ++step) {
        recorder.beginStep(step, false);
        data.next();
        const at::Tensor loss =
            computeLoss(experiment.loss, executor.forward(data.input()), data.targets(), program.weights);
        executor.backward(loss);
        outcome.losses.push_back(loss.item<float>());
        if (step + 1 == steps) {
            for (const at::Tensor& parameter : network.parameters()) {
                outcome.gradients.push_back(parameter.grad().defined() ? parameter.grad().clone()
                                                                       : at::Tensor());
            }
        }
        recorder.enter(Phase::Optimizer);
        optimizer.step();
        network.dropGradients();
        recorder.endStep();
        outcome.peak = books.endStep().peak.ledger.total();
    }
    books.refuseAfter(-1);
    outcome.parameters = copies(network.parameters());
    outcome.buffers = copies(network.buffers());
    return outcome;
}

stack::Experiment uncheckpointed(stack::Experiment experiment) {
    experiment.step.checkpoint.kind = stack::Checkpointing::Kind::None;
    return experiment;
}

std::string difference(const Outcome& a, const Outcome& b) {
    if (a.losses.size() != b.losses.size() ||
        std::memcmp(a.losses.data(), b.losses.data(), a.losses.size() * sizeof(float)) != 0) {
        return fmt::format("losses end with {} against {}", a.losses.back(), b.losses.back());
    }
    for (const std::string& text :
         {compare("gradient", a.gradients, b.gradients), compare("parameter", a.parameters, b.parameters),
          compare("buffer", a.buffers, b.buffers)}) {
        if (!text.empty()) {
            return text;
        }
    }
    return {};
}

}  // namespace highwater::engine::testing
