// The kernels of the fused custom_conv on a real GPU, compared with two_step there and with the CPU in
// doubles.
#include "core/engine/layers/custom_conv.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/engine/device/backend.h"
#include "core/engine/device/device.h"
#include "core/engine/layers/own_kernels.h"
#include "tests/gpu/device/gpu.h"

using namespace highwater;
using namespace highwater::engine;
using Implementation = stack::CustomConv::Implementation;

namespace {

struct CustomConvOnGpu : testing::Test {
    void SetUp() override {
        if (const auto why = unusable(kGpu)) {
            GTEST_SKIP() << *why;
        }
        wire::Environment environment;
        describe(kGpu, environment);
        if (environment.deviceName.find("pretended") != std::string::npos) {
            GTEST_SKIP() << "the pretended device computes nothing";
        }
        stack::CustomConv fused;
        fused.implementation = Implementation::Fused;
        if (const auto missing = missingKernels({{"", fused}}, kGpu)) {
            GTEST_SKIP() << *missing;
        }
        // As in an fp32 run: two_step would use TF32, LibTorch's default, which rounds to 10 bits.
        const auto configured = configure(stack::Experiment(), kGpu);
        ASSERT_TRUE(configured) << configured.error().message;
    }
};

struct Result {
    at::Tensor output;
    std::vector<at::Tensor> gradients;
};

/// All in one type and on one device, from the same numbers, which were rounded to `rounded` before: a sum
/// with much cancellation depends more on that than on how it is computed.
Result results(stack::CustomConv op, Implementation way, const stack::Shape& input, at::ScalarType rounded,
               at::ScalarType type, const c10::Device& device) {
    op.implementation = way;
    at::manual_seed(21);
    const auto given = [&](const at::Tensor& values) { return values.to(rounded).to(device, type); };
    LayerTensors tensors = makeLayer(stack::Op(op), input);
    for (at::Tensor& parameter : tensors.parameters) {
        parameter = given(parameter.detach()).set_requires_grad(true);
    }
    tensors.kernel = given(tensors.kernel);
    const at::Tensor x = given(at::randn(input)).set_requires_grad(true);
    Result made;
    made.output = applyCustomConv(op, tensors, x);
    std::vector<at::Tensor> sources{x};
    sources.insert(sources.end(), tensors.parameters.begin(), tensors.parameters.end());
    const at::Tensor weights =
        given(at::cos(at::arange(made.output.numel(), at::kDouble)).view(made.output.sizes()));
    made.gradients = torch::autograd::grad({made.output}, sources, {weights});
    return made;
}

double distance(const at::Tensor& made, const at::Tensor& right) {
    const at::Tensor a = made.cpu().to(at::kDouble), b = right.cpu().to(at::kDouble);
    return ((a - b).abs().max() / b.abs().max().clamp_min(1e-30)).item<double>();
}

stack::CustomConv conv(std::int64_t transformed, std::int64_t out, stack::Sizes kernel,
                       stack::Padding padding) {
    stack::CustomConv op;
    op.transformChannels = transformed;
    op.outChannels = out;
    op.kernelSize = std::move(kernel);
    op.padding = std::move(padding);
    op.kernel = stack::CustomConv::Kernel::Random;
    return op;
}

TEST_F(CustomConvOnGpu, FusedGivesWhatTwoStepDoes) {
    const stack::Padding same{true, {0}};
    const std::vector<std::pair<stack::Shape, stack::CustomConv>> shapes = {
        {{2, 16, 33, 20, 47}, conv(16, 16, {3}, same)},
        {{1, 70, 9, 12, 40}, conv(35, 70, {3, 2, 4}, same)},
        {{3, 5, 61, 130}, conv(6, 12, {5}, {false, {1}})},
        {{2, 3, 4000}, conv(9, 9, {31}, {false, {15}})},
        {{1, 4, 20, 20, 20}, conv(4, 8, {17}, {false, {8}})}};
    // The accuracy of sums of some thousand products after rounding to the type, relative to the largest
    // element.
    constexpr std::pair<at::ScalarType, double> kTypes[] = {
        {at::kFloat, 1e-4}, {at::kHalf, 2e-2}, {at::kBFloat16, 1e-1}};
    for (const auto& [input, op] : shapes) {
        for (const auto& [type, tolerance] : kTypes) {
            SCOPED_TRACE(fmt::format("{} axes, {} channels, type {}", input.size() - 2, input[1],
                                     c10::toString(type)));
            const Result right = results(op, Implementation::TwoStep, input, type, at::kDouble, at::kCPU);
            const Result fused = results(op, Implementation::Fused, input, type, type, kGpu.torch());
            const Result twoStep = results(op, Implementation::TwoStep, input, type, type, kGpu.torch());
            EXPECT_EQ(fused.output.scalar_type(), type);
            EXPECT_LE(distance(fused.output, twoStep.output), tolerance);
            EXPECT_LE(distance(fused.output, right.output), tolerance);
            for (std::size_t i = 0; i < fused.gradients.size(); ++i) {
                EXPECT_LE(distance(fused.gradients[i], twoStep.gradients[i]), tolerance) << i;
                EXPECT_LE(distance(fused.gradients[i], right.gradients[i]), tolerance) << i;
            }
        }
    }
}

TEST_F(CustomConvOnGpu, FusedIsEqualToTheBitEachTime) {
    const stack::CustomConv op = conv(8, 16, {3}, {true, {0}});
    const Result one =
        results(op, Implementation::Fused, {2, 6, 30, 31, 32}, at::kFloat, at::kFloat, kGpu.torch());
    const Result two =
        results(op, Implementation::Fused, {2, 6, 30, 31, 32}, at::kFloat, at::kFloat, kGpu.torch());
    EXPECT_TRUE(at::equal(one.output, two.output));
    for (std::size_t i = 0; i < one.gradients.size(); ++i) {
        EXPECT_TRUE(at::equal(one.gradients[i], two.gradients[i])) << i;
    }
}

}  // namespace
