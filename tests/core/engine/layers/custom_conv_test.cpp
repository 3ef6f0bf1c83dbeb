#include "core/engine/layers/custom_conv.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/engine/device/device.h"
#include "core/engine/step/executor.h"
#include "core/engine/step/optimizers.h"
#include "tests/core/engine/training.h"

namespace highwater::engine::testing {
namespace {

using stack::CustomConv;
using Implementation = CustomConv::Implementation;

constexpr Implementation kAll[] = {Implementation::Naive, Implementation::TwoStep, Implementation::Cached,
                                   Implementation::Fused};
constexpr double kClose = 1e-10;  // relative to the largest element, in doubles

struct Shaped {
    stack::Shape input;
    CustomConv op;
};

CustomConv conv(std::int64_t transformed, std::int64_t out, stack::Sizes kernel, stack::Padding padding,
                bool bias = true) {
    CustomConv op;
    op.transformChannels = transformed;
    op.outChannels = out;
    op.kernelSize = std::move(kernel);
    op.padding = std::move(padding);
    op.bias = bias;
    op.kernel = CustomConv::Kernel::Random;
    return op;
}

/// 1 to 3 axes, odd and even sizes of everything, more and fewer channels than the loops' blocks, padding
/// wider than the kernel's reach, and an input smaller than the kernel.
std::vector<Shaped> shapes() {
    const stack::Padding same{true, {0}};
    return {{{2, 3, 9, 7, 11}, conv(4, 8, {3}, {false, {1}})},
            {{1, 17, 5, 6, 33}, conv(9, 9, {3}, same)},
            {{2, 2, 4, 5, 6}, conv(2, 6, {3, 1, 2}, same, false)},
            {{1, 5, 3, 4, 2}, conv(3, 3, {5, 4, 3}, {false, {3, 2, 4}})},
            {{1, 3, 2, 2, 2}, conv(1, 2, {5}, {false, {2}})},
            {{1, 4, 8, 8, 8}, conv(4, 4, {1}, {false, {0}})},
            {{3, 5, 13, 70}, conv(6, 12, {3}, {false, {1}})},
            {{1, 2, 6, 9}, conv(2, 2, {4, 2}, same)},
            {{2, 3, 131}, conv(5, 5, {9}, {false, {4}})},
            {{2, 1, 40}, conv(1, 1, {6}, same)},
            {{1, 2, 700}, conv(2, 4, {3}, {false, {0}}, false)}};
}

LayerTensors doubles(const Shaped& shaped) {
    at::manual_seed(11);
    LayerTensors made = makeLayer(stack::Op(shaped.op), shaped.input);
    for (at::Tensor& parameter : made.parameters) {
        parameter = parameter.detach().to(at::kDouble).set_requires_grad(true);
    }
    made.kernel = made.kernel.to(at::kDouble);
    return made;
}

struct Result {
    at::Tensor output;
    std::vector<at::Tensor> gradients;  ///< of x, then of the parameters
};

/// The output, and the gradients of its product with fixed numbers.
Result results(CustomConv op, Implementation implementation, LayerTensors tensors, const at::Tensor& input) {
    op.implementation = implementation;
    if (implementation == Implementation::Cached) {
        tensors.composed = std::make_shared<ComposedKernel>();
    }
    const at::Tensor x = input.detach().set_requires_grad(true);
    Result made;
    made.output = applyCustomConv(op, tensors, x);
    std::vector<at::Tensor> sources{x};
    sources.insert(sources.end(), tensors.parameters.begin(), tensors.parameters.end());
    const at::Tensor weights =
        at::cos(at::arange(made.output.numel(), made.output.options().requires_grad(false)))
            .view(made.output.sizes());
    made.gradients = torch::autograd::grad({(made.output * weights).sum()}, sources);
    return made;
}

double distance(const at::Tensor& a, const at::Tensor& b) {
    EXPECT_EQ(a.sizes(), b.sizes());
    return ((a - b).abs().max() / b.abs().max().clamp_min(1e-30)).item<double>();
}

TEST(CustomConv, ImplementationsGiveTheSameOutputAndGradients) {
    for (const Shaped& shaped : shapes()) {
        const LayerTensors tensors = doubles(shaped);
        const at::Tensor x = at::randn(shaped.input, at::kDouble);
        const Result plain = results(shaped.op, Implementation::TwoStep, tensors, x);
        for (const Implementation each : kAll) {
            SCOPED_TRACE(fmt::format("{} axes, {} to {} channels, implementation {}", shaped.input.size() - 2,
                                     shaped.input[1], shaped.op.outChannels, static_cast<int>(each)));
            const Result made = results(shaped.op, each, tensors, x);
            EXPECT_LE(distance(made.output, plain.output), kClose);
            ASSERT_EQ(made.gradients.size(), plain.gradients.size());
            for (std::size_t i = 0; i < made.gradients.size(); ++i) {
                EXPECT_LE(distance(made.gradients[i], plain.gradients[i]), kClose) << "gradient " << i;
            }
        }
    }
}

/// Central differences of sum(w * y) with respect to every element of x and the parameters.
TEST(CustomConv, GradientsAreThoseOfFiniteDifferences) {
    constexpr double kStep = 1e-5;
    const Shaped shaped{{2, 3, 4, 3, 5}, conv(2, 4, {3, 2, 3}, {true, {0}})};
    for (const Implementation each : kAll) {
        SCOPED_TRACE(static_cast<int>(each));
        const LayerTensors tensors = doubles(shaped);
        const at::Tensor x = at::randn(shaped.input, at::kDouble);
        const Result made = results(shaped.op, each, tensors, x);
        const at::Tensor weights = at::cos(at::arange(made.output.numel(), at::kDouble));
        const auto value = [&](const at::Tensor& input) {
            const c10::AutoGradMode noGraph(false);
            CustomConv op = shaped.op;
            op.implementation = each;
            LayerTensors own = tensors;
            own.composed = std::make_shared<ComposedKernel>();
            return at::dot(applyCustomConv(op, own, input).reshape(-1), weights).item<double>();
        };
        std::vector<at::Tensor> sources{x};
        sources.insert(sources.end(), tensors.parameters.begin(), tensors.parameters.end());
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const at::Tensor source = sources[i].detach();
            auto* const elements = source.data_ptr<double>();
            const at::Tensor gradient = made.gradients[i].contiguous();
            for (std::int64_t k = 0; k < source.numel(); ++k) {
                const double before = elements[k];
                elements[k] = before + kStep;
                const double above = value(x);
                elements[k] = before - kStep;
                const double below = value(x);
                elements[k] = before;
                EXPECT_NEAR(gradient.data_ptr<double>()[k], (above - below) / (2 * kStep), 1e-6)
                    << "source " << i << ", element " << k;
            }
        }
    }
}

TEST(CustomConv, StridedInputsAndGradientsAreRead) {
    const Shaped shaped{{2, 3, 5, 6}, conv(3, 6, {3}, {false, {1}})};
    const LayerTensors tensors = doubles(shaped);
    const at::Tensor wide = at::randn({2, 6, 5, 6}, at::kDouble), strided = wide.narrow(1, 1, 3);
    for (const Implementation each : kAll) {
        CustomConv op = shaped.op;
        op.implementation = each;
        LayerTensors own = tensors;
        own.composed = std::make_shared<ComposedKernel>();
        const auto gradient = [&](const at::Tensor& x) {
            const at::Tensor leaf = x.detach().set_requires_grad(true);
            return torch::autograd::grad({applyCustomConv(op, own, leaf).mean()}, {leaf})[0];  // expanded
        };
        EXPECT_LE(distance(gradient(strided), gradient(strided.contiguous())), kClose);
    }
}

TEST(CustomConv, FusedIsEqualToTheBitOnAnyNumberOfThreads) {
    for (const Shaped& shaped : shapes()) {
        at::manual_seed(3);
        const LayerTensors tensors = makeLayer(stack::Op(shaped.op), shaped.input);
        const at::Tensor x = at::randn(shaped.input);
        at::set_num_threads(1);
        const Result one = results(shaped.op, Implementation::Fused, tensors, x);
        at::set_num_threads(2);
        const Result two = results(shaped.op, Implementation::Fused, tensors, x);
        at::set_num_threads(1);
        EXPECT_TRUE(at::equal(one.output, two.output));
        for (std::size_t i = 0; i < one.gradients.size(); ++i) {
            EXPECT_TRUE(at::equal(one.gradients[i], two.gradients[i])) << i;
        }
    }
}

TEST(CustomConv, KernelsAreWhatTheirNamesSay) {
    CustomConv op = conv(2, 4, {3, 5}, {false, {0}});
    op.kernel = CustomConv::Kernel::Gaussian;
    const at::Tensor gaussian = fixedKernel(op, 2);
    EXPECT_EQ(gaussian.sizes(), at::IntArrayRef({4, 1, 3, 5}));
    EXPECT_NEAR(gaussian[0].sum().item<float>(), 1, 1e-6);
    EXPECT_TRUE(at::equal(gaussian, gaussian.flip({2, 3})));
    EXPECT_EQ(gaussian[1].argmax().item<std::int64_t>(), 7);
    op.kernel = CustomConv::Kernel::Laplacian;
    const at::Tensor laplacian = fixedKernel(op, 2);
    EXPECT_NEAR(laplacian[0].sum().item<float>(), 0, 1e-6);
    EXPECT_NEAR(laplacian[0].abs().sum().item<float>(), 1, 1e-6);
    EXPECT_EQ(laplacian[3].argmin().item<std::int64_t>(), 7);
    op.kernel = CustomConv::Kernel::Random;
    at::manual_seed(5);
    const at::Tensor first = fixedKernel(op, 2), second = fixedKernel(op, 2);
    EXPECT_FALSE(at::equal(first, second));
    at::manual_seed(5);
    EXPECT_TRUE(at::equal(first, fixedKernel(op, 2)));
    EXPECT_LE(first.abs().max().item<float>(), 1 / std::sqrt(15.0F));
}

// --- in training

constexpr std::string_view kNames[] = {"naive", "two_step", "cached", "fused"};

std::string customLayer(std::string_view implementation) {
    return fmt::format(
        R"({{"type": "custom_conv", "transform_channels": 3, "out_channels": 6, "padding": 1, "kernel": "random",
            "implementation": "{}"}})",
        implementation);
}

std::string training(std::string_view implementation, bool checkpoint) {
    const std::string layer = customLayer(implementation);
    return fmt::format(
        R"("input": {{"synthetic": [2, 10, 12, 9]}}, "loss": "mse", "target": {{"classes": 2}},
           "optimizer": {{"type": "sgd", "lr": 0.01}}, "step": {{"batch_size": 2, "seed": 4}},
           "stack": [{0}, {{"type": "block", "checkpoint": {1}, "layers": [
             {{"type": "batch_norm"}}, {0}, {{"type": "dropout", "p": 0.3}},
             {{"type": "relu", "inplace": true}}, {0}]}}, {{"type": "relu", "inplace": true}}, {0}])",
        layer, checkpoint);
}

stack::Experiment experiment(std::string_view implementation, bool checkpoint) {
    std::string text = training(implementation, checkpoint);
    text.replace(text.find(R"("loss": "mse", "target": {"classes": 2},)"),
                 std::string_view(R"("loss": "mse", "target": {"classes": 2},)").size(),
                 R"("loss": "mean",)");
    return parse(text);
}

TEST(CustomConv, CheckpointedBlocksGiveTheSameBits) {
    for (const std::string_view each : kNames) {
        for (const int threads : {1, 2}) {
            EXPECT_EQ(difference(train(experiment(each, true), 3, threads),
                                 train(experiment(each, false), 3, threads)),
                      "")
                << each << " on " << threads;
        }
    }
    at::set_num_threads(1);
}

TEST(CustomConv, TrainingsOfAllImplementationsStayClose) {
    const Outcome plain = train(experiment("two_step", false), 4);
    for (const std::string_view each : kNames) {
        const Outcome made = train(experiment(each, false), 4);
        for (std::size_t i = 0; i < plain.parameters.size(); ++i) {
            EXPECT_TRUE(at::allclose(made.parameters[i], plain.parameters[i], 1e-4, 1e-5))
                << each << " " << i;
        }
    }
}

/// One layer's saved bytes, as recorded by the books between forward and backward.
Bytes activationsOf(std::string_view implementation) {
    const stack::Experiment e = parse(R"("input": {"synthetic": [2, 10, 12, 9]}, "loss": "mean", "stack": [
                 {"type": "conv", "out_channels": 4}, )" +
                                      customLayer(implementation) + "]");
    const auto info = stack::inferShapes(e);
    Accounting& books = installBooks({});
    books.start(-1, nullptr);
    Recorder recorder(books, info->layers.size());
    const Program program = makeProgram(e, *info);
    Network network(program, *info, books);
    Executor executor(program, network, recorder, books, true);
    Bytes kept = 0;
    {
        const std::vector<at::Tensor> outputs = executor.forward(at::randn({1, 2, 10, 12, 9}));
        kept = recorder.activationBytes()[1];
    }
    executor.abandon();
    books.stop();
    return kept;
}

TEST(CustomConv, FusedKeepsTheIntermediateLessToTheByte) {
    constexpr Bytes kIntermediate = 1 * 3 * (8 * 10 * 7) * 4, kOutput = 1 * 6 * (8 * 10 * 7) * 4;
    EXPECT_EQ(activationsOf("two_step"), kOutput + kIntermediate);
    EXPECT_EQ(activationsOf("fused"), kOutput);
    EXPECT_EQ(activationsOf("two_step") - activationsOf("fused"), kIntermediate);
}

TEST(CustomConv, CachedComposesOnceAStep) {
    const Shaped shaped{{1, 2, 6, 7}, conv(2, 4, {3}, {false, {1}})};
    at::manual_seed(2);
    CustomConv op = shaped.op;
    op.implementation = Implementation::Cached;
    const LayerTensors tensors = makeLayer(stack::Op(op), shaped.input);
    stack::Optimizer settings;
    settings.kind = stack::Optimizer::Kind::Sgd;
    settings.lr = 0.1;
    Optimizer optimizer(settings, tensors.parameters);
    const at::Tensor x = at::randn(shaped.input);
    const auto pass = [&] { applyCustomConv(op, tensors, x).sum().backward(); };

    pass();
    const void* const first = tensors.composed->kernel.data_ptr();
    const at::Tensor one = tensors.parameters[0].grad().clone();
    const at::Tensor kept = tensors.composed->kernel;
    const std::uint32_t version = tensors.composed->version;
    pass();  // the next micro-batch
    EXPECT_EQ(tensors.composed->kernel.data_ptr(), first);
    EXPECT_EQ(tensors.composed->version, version);
    EXPECT_TRUE(at::allclose(tensors.parameters[0].grad(), 2 * one));
    {
        const c10::AutoGradMode noGraph(false);
        optimizer.step();
    }
    EXPECT_TRUE(at::equal(tensors.composed->kernel, kept));
    pass();
    EXPECT_NE(tensors.composed->version, version);
    EXPECT_FALSE(at::equal(tensors.composed->kernel, kept));
}

}  // namespace
}  // namespace highwater::engine::testing
