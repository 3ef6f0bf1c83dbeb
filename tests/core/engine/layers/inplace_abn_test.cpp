#include "core/engine/layers/inplace_abn.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/engine/device/torch_compat.h"
#include "core/engine/kernels/abn_cpu.h"

/// InPlace-ABN's outputs and gradients compared with LibTorch's own operators.
namespace highwater::engine {
namespace {

using Shape = std::vector<std::int64_t>;
using ::testing::HasSubstr;

/// A layer's values, and what the gradient of its output is.
struct Case {
    at::Tensor x, weight, bias, dz;
    AbnOptions options;
};

Case makeCase(const Shape& shape, at::ScalarType type, double slope = 0.01, bool elu = false) {
    at::manual_seed(shape.size() * 31 + static_cast<std::uint64_t>(shape[1]));
    const auto options = at::TensorOptions(type);
    Case made{at::randn(shape, options) * 1.7 + 0.3,
              at::randn({shape[1]}, options),
              at::randn({shape[1]}, options) * 0.5,
              at::randn(shape, options),
              {}};
    made.weight += 0.3 * made.weight.sign();  // large enough that the inverse is well-conditioned
    made.options.activation = {elu, slope};
    return made;
}

struct Result {
    at::Tensor z, dx, dweight, dbias, runningMean, runningVar;
};

at::Tensor leaf(const at::Tensor& values) {
    return values.clone().set_requires_grad(true);
}

/// The same through batch_norm, with the weight that InPlace-ABN scales by, and the activation.
Result plain(const Case& c) {
    const at::Tensor x = leaf(c.x), weight = leaf(c.weight), bias = leaf(c.bias);
    Result r;
    r.runningMean = at::zeros_like(c.weight);
    r.runningVar = at::ones_like(c.weight);
    const at::Tensor y = at::batch_norm(x, weight.abs() + c.options.eps, bias, r.runningMean, r.runningVar,
                                        true, 0.1, c.options.eps, true);
    r.z = c.options.activation.elu ? at::elu(y) : at::leaky_relu(y, c.options.activation.slope);
    torch::autograd::backward({r.z}, {c.dz});
    r.dx = x.grad();
    r.dweight = weight.grad();
    r.dbias = bias.grad();
    return r;
}

Result fused(const Case& c) {
    const at::Tensor x = leaf(c.x), weight = leaf(c.weight), bias = leaf(c.bias);
    Result r;
    r.runningMean = at::zeros_like(c.weight);
    r.runningVar = at::ones_like(c.weight);
    r.z = inplaceAbn(x.clone(), {weight, bias, r.runningMean, r.runningVar}, c.options);
    torch::autograd::backward({r.z}, {c.dz.clone()});
    r.dx = x.grad();
    r.dweight = weight.grad();
    r.dbias = bias.grad();
    return r;
}

/// The largest difference, relative to the largest value.
double error(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).abs().max() / b.abs().max().clamp_min(1e-30)).item<double>();
}

void expectNear(const Result& a, const Result& b, double tolerance) {
    EXPECT_LE(error(a.z, b.z), tolerance);
    EXPECT_LE(error(a.dx, b.dx), tolerance);
    EXPECT_LE(error(a.dweight, b.dweight), tolerance);
    EXPECT_LE(error(a.dbias, b.dbias), tolerance);
    EXPECT_LE(error(a.runningMean, b.runningMean), tolerance);
    EXPECT_LE(error(a.runningVar, b.runningVar), tolerance);
}

const std::vector<Shape> kShapes{{4, 5, 33},       {3, 1, 40000},      {2, 7, 12, 18}, {2, 3, 130, 140},
                                 {2, 6, 8, 9, 10}, {1, 2, 30, 31, 32}, {5, 4, 1},      {2, 300, 3, 3}};

class InplaceAbn : public ::testing::TestWithParam<int> {
protected:
    void SetUp() override {
        before_ = at::get_num_threads();
        at::set_num_threads(GetParam());
    }
    void TearDown() override { at::set_num_threads(before_); }

private:
    int before_ = 1;
};
INSTANTIATE_TEST_SUITE_P(Threads, InplaceAbn, ::testing::Values(1, 2));

// 1e-12 of the largest value in double, 2e-5 in float.
TEST_P(InplaceAbn, GivesWhatBatchNormAndTheActivationGive) {
    for (const Shape& shape : kShapes) {
        for (const bool elu : {false, true}) {
            for (const double slope : {0.01, 0.2}) {
                SCOPED_TRACE(::testing::PrintToString(shape) + (elu ? " elu" : " leaky_relu"));
                Case c = makeCase(shape, at::kDouble, slope, elu);
                expectNear(fused(c), plain(c), 1e-12);
                c = makeCase(shape, at::kFloat, slope, elu);
                expectNear(fused(c), plain(c), 2e-5);
            }
        }
    }
}

TEST_P(InplaceAbn, GradientsAreFiniteDifferences) {
    for (const bool elu : {false, true}) {
        const Case c = makeCase({2, 3, 4, 3}, at::kDouble, 0.1, elu);
        const Result r = fused(c);
        const auto loss = [&](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
            const at::Tensor z = inplaceAbn(
                x.clone(), {weight, bias, at::zeros_like(weight), at::ones_like(weight)}, c.options);
            return (z * c.dz).sum().item<double>();
        };
        constexpr double kStep = 1e-6;
        const auto check = [&](const at::Tensor& values, const at::Tensor& gradient, const auto& at) {
            for (std::int64_t i = 0; i < values.numel(); ++i) {
                at::Tensor more = values.clone(), less = values.clone();
                more.view(-1)[i] += kStep;
                less.view(-1)[i] -= kStep;
                EXPECT_NEAR((at(more) - at(less)) / (2 * kStep), gradient.reshape(-1)[i].item<double>(), 2e-7)
                    << i;
            }
        };
        check(c.x, r.dx, [&](const at::Tensor& x) { return loss(x, c.weight, c.bias); });
        check(c.weight, r.dweight, [&](const at::Tensor& w) { return loss(c.x, w, c.bias); });
        check(c.bias, r.dbias, [&](const at::Tensor& b) { return loss(c.x, c.weight, b); });
    }
}

TEST_P(InplaceAbn, ResultsDoNotDependOnTheNumberOfThreads) {
    const Case c = makeCase({2, 3, 60, 70}, at::kFloat);
    const Result here = fused(c);
    at::set_num_threads(1);
    const Result one = fused(c);
    EXPECT_TRUE(at::equal(here.z, one.z));
    EXPECT_TRUE(at::equal(here.dx, one.dx));
    EXPECT_TRUE(at::equal(here.dweight, one.dweight));
    EXPECT_TRUE(at::equal(here.dbias, one.dbias));
}

/// y = phi^-1(phi(y)) in float compared with double, relative to |y|: the maximum over many values.
double inverseError(const kernels::AbnActivation& phi, double least) {
    // With mean 0, deviation 1, scale 1 and bias 0, a gradient of 1 sums dy * y: one value at a time.
    double worst = 0;
    for (double y = least; y < 0; y *= 0.97) {
        const kernels::AbnShape shape{1, 1, 1, false};
        const kernels::AbnChannel<float> channel{0, 1, 1, 0};
        float value = static_cast<float>(y);
        const double exact = static_cast<double>(value);
        kernels::abnApply(&value, shape, 0, 0, channel, phi);
        const float one = 1;
        const kernels::AbnSums sums = kernels::abnSums(&value, &one, shape, 0, 0, channel, phi);
        worst = std::max(worst, std::abs(sums.dyXhat / sums.dy - exact) / std::abs(exact));
        if (y > -1e-6) {
            break;
        }
    }
    return worst;
}

TEST(InplaceAbnInverse, IsAccurateForSlopesFromAHundredthToAFifth) {
    for (const double slope : {0.01, 0.02, 0.05, 0.1, 0.15, 0.2}) {
        const double worst = inverseError({false, slope}, -1e4);
        RecordProperty("slope_" + std::to_string(slope), std::to_string(worst));
        std::printf("slope %g: the inverse errs by at most %.2g of y\n", slope, worst);
        EXPECT_LE(worst, 4 * 5.97e-8);  // four roundings of a float: the slope's, its inverse's, two products
    }
}

TEST(InplaceAbnInverse, OfEluLosesDigitsAsItsOutputNearsMinusOne) {
    for (const double least : {-1.0, -3.0, -6.0, -10.0}) {
        const double worst = inverseError({true, 0.01}, least);
        std::printf("elu down to %g: the inverse errs by at most %.2g of y\n", least, worst);
        EXPECT_LE(worst, 3 * 5.97e-8 * std::exp(-least));
    }
}

TEST(InplaceAbnInverse, OfEluIsFiniteWhereItsOutputIsMinusOne) {
    Case c = makeCase({1, 1, 64}, at::kFloat, 0.01, true);
    c.x.fill_(0.5F)[0][0][0] = -1e4F;  // about 8 deviations below the mean
    c.weight.fill_(10);
    const Result r = fused(c);
    EXPECT_EQ(r.z.min().item<float>(), -1);
    EXPECT_TRUE(at::isfinite(r.dx).all().item<bool>());
    EXPECT_TRUE(at::isfinite(r.dweight).all().item<bool>());
}

// LibTorch's own batch_norm in double is the reference.
TEST_P(InplaceAbn, StatisticsKeepTheirDigitsFarFromZero) {
    for (const double offset : {1e2, 1e4, -1e6}) {
        Case c = makeCase({3, 4, 41, 57}, at::kFloat);
        c.x = (c.x.to(at::kDouble) + offset).to(at::kFloat);
        Case exact = c;
        for (at::Tensor* const each : {&exact.x, &exact.weight, &exact.bias, &exact.dz}) {
            *each = each->to(at::kDouble);
        }
        const Result r = fused(c), truth = plain(exact);
        EXPECT_LE(error(r.z.to(at::kDouble), truth.z), 1e-5) << offset;
        EXPECT_LE(error(r.runningVar.to(at::kDouble), truth.runningVar), 1e-5) << offset;
        // For single values near 0, rounding decides which side of the kink they are on.
        const at::Tensor apart = (r.dx.to(at::kDouble) - truth.dx).abs().mean() / truth.dx.abs().mean();
        EXPECT_LE(apart.item<double>(), 1e-4) << offset;
    }
}

TEST_P(InplaceAbn, TinyBatchesAreRight) {
    for (const Shape& shape : {Shape{2, 3, 1}, Shape{1, 3, 2}, Shape{2, 1, 1, 1}, Shape{1, 4, 1, 1, 3}}) {
        Case c = makeCase(shape, at::kDouble);
        expectNear(fused(c), plain(c),
                   1e-9);  // two values a channel: xhat is +-1, dx the rest of a subtraction
    }
}

TEST(InplaceAbnModes, RecomputationLeavesTheRunningStatisticsAlone) {
    Case c = makeCase({2, 3, 8, 8}, at::kFloat);
    const Result once = fused(c);
    EXPECT_GT(error(once.runningMean, at::zeros({3})), 0);
    c.options.updateRunning = false;
    const Result again = fused(c);
    EXPECT_TRUE(at::equal(again.z, once.z));
    EXPECT_TRUE(at::equal(again.dx, once.dx));
    EXPECT_TRUE(at::equal(again.runningMean, at::zeros({3})));
    EXPECT_TRUE(at::equal(again.runningVar, at::ones({3})));
}

TEST(InplaceAbnModes, EvaluationUsesTheRunningStatisticsInPlace) {
    for (const bool elu : {false, true}) {
        Case c = makeCase({2, 3, 8, 8}, at::kDouble, 0.1, elu);
        c.options.batchStatistics = false;
        const at::Tensor mean = at::randn({3}, at::kDouble), var = at::rand({3}, at::kDouble) + 0.2,
                         weight = c.weight, bias = c.bias, x = c.x.clone();
        const at::Tensor y =
            at::batch_norm(x, weight.abs() + 1e-5, bias, mean.clone(), var.clone(), false, 0.1, 1e-5, true);
        const at::Tensor expected = elu ? at::elu(y) : at::leaky_relu(y, 0.1);
        const at::Tensor z = inplaceAbn(x, {weight, bias, mean, var}, c.options);
        EXPECT_EQ(z.data_ptr(), x.data_ptr());
        EXPECT_LE(error(z, expected), 1e-12);
    }
}

/// z of a layer over 2 * x, and the address of its storage.
at::Tensor layerOver(const at::Tensor& x, const Case& c) {
    return inplaceAbn(
        x * 2, {leaf(c.weight), leaf(c.bias), at::zeros_like(c.weight), at::ones_like(c.weight)}, c.options);
}

TEST(InplaceAbnMemory, AModifiedOutputIsFound) {
    const Case c = makeCase({2, 3, 8, 8}, at::kFloat);
    const at::Tensor x = leaf(c.x);
    const at::Tensor z = layerOver(x, c);
    {
        const c10::AutoGradMode noGraph(false);
        at::Tensor(z).mul_(1.5);
    }
    try {
        torch::autograd::backward({z}, {c.dz.clone()});
        FAIL() << "backward went through";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("modified by an in"));
    }
}

TEST(InplaceAbnMemory, ALeafIsNotOverwritten) {
    const Case c = makeCase({2, 3, 8, 8}, at::kFloat);
    EXPECT_THROW(inplaceAbn(leaf(c.x), {leaf(c.weight), leaf(c.bias), {}, {}}, c.options), std::exception);
}

/// Two consumers of z, one of which passes its gradient on as the other's: nothing that is still read may be
/// overwritten.
TEST(InplaceAbnMemory, GradientsThatOthersReadAreLeftAlone) {
    const Case c = makeCase({2, 3, 8, 8}, at::kDouble);
    const auto gradients = [&](bool inPlace) {
        const at::Tensor x = leaf(c.x), weight = leaf(c.weight), bias = leaf(c.bias);
        const auto layer = [&](const at::Tensor& of) {
            if (inPlace) {
                return inplaceAbn(of * 1, {weight, bias, at::zeros_like(c.weight), at::ones_like(c.weight)},
                                  c.options);
            }
            return at::leaky_relu(
                at::batch_norm(of, weight.abs() + 1e-5, bias, {}, {}, true, 0.1, 1e-5, true), 0.01);
        };
        const at::Tensor first = layer(x);
        // add hands the same gradient to both, cat gives views of one, and z is read twice.
        const at::Tensor second = layer(first * 0.5) + first;
        const at::Tensor both = at::cat({second, layer(second * 3)}, 1);
        torch::autograd::backward({both.sigmoid()}, {at::cat({c.dz, c.dz * 2}, 1)});
        return std::vector<at::Tensor>{x.grad(), weight.grad(), bias.grad()};
    };
    const auto ours = gradients(true), theirs = gradients(false);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_LE(error(ours[i], theirs[i]), 1e-11) << i;
    }
}

/// The storage of x's gradient: that of z's gradient if nothing else holds it and it has z's layout,
/// otherwise that of z, otherwise new.
TEST(InplaceAbnMemory, TheGradientIsWrittenOverWhatNobodyElseHolds) {
    const Case c = makeCase({2, 3, 8, 8}, at::kFloat);
    enum class Where { Gradient, Output, Elsewhere };
    const auto pass = [&](bool holdGradient, bool holdOutput, bool transposed) {
        at::Tensor arrived;
        at::Tensor z = inplaceAbn(border(c.x.clone(), [&](at::Tensor&& dx) { arrived = std::move(dx); }),
                                  {leaf(c.weight), leaf(c.bias), at::zeros({3}), at::ones({3})}, c.options);
        at::Tensor dz = transposed ? c.dz.transpose(2, 3).contiguous().transpose(2, 3) : c.dz.clone();
        const void *const output = z.data_ptr(), *const gradient = dz.data_ptr();
        const GraphEdge edge = edgeOf(z);
        const at::Tensor keptGradient = holdGradient ? dz : at::Tensor(),
                         keptOutput = holdOutput ? z : at::Tensor();
        const at::Tensor before = z.detach().clone();
        z.reset();
        std::vector<at::Tensor> gradients;
        gradients.push_back(std::move(dz));
        backward({edge}, std::move(gradients));
        EXPECT_TRUE(!holdGradient || at::equal(keptGradient, c.dz));
        EXPECT_TRUE(!holdOutput || at::equal(keptOutput, before));
        return arrived.data_ptr() == gradient ? Where::Gradient
               : arrived.data_ptr() == output ? Where::Output
                                              : Where::Elsewhere;
    };
    EXPECT_EQ(pass(false, false, false), Where::Gradient);
    EXPECT_EQ(pass(false, true, false), Where::Gradient);
    EXPECT_EQ(pass(true, false, false), Where::Output);
    EXPECT_EQ(pass(true, true, false), Where::Elsewhere);
    EXPECT_EQ(pass(false, false, true), Where::Elsewhere);  // over its copy that lies as z does
}

}  // namespace
}  // namespace highwater::engine
