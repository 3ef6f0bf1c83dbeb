#include "core/engine/step/precision.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string_view>

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {
namespace {

using stack::Precision;

std::atomic<int> gCasts{0};

std::unique_ptr<at::ObserverContext> operatorRuns(const at::RecordFunction& function) {
    if (std::string_view(function.name()) == "aten::_to_copy") {
        ++gCasts;
    }
    return nullptr;
}

/// Counts casts during its lifetime.
class CountCasts {
public:
    CountCasts() : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&operatorRuns))) {
        gCasts = 0;
    }
    ~CountCasts() { at::removeCallback(handle_); }
    int count() const { return gCasts; }

private:
    at::CallbackHandle handle_;
};

struct Layer {
    at::Tensor weight = at::rand({4, 2, 3, 3}).set_requires_grad(true);
    at::Tensor input = at::rand({1, 2, 8, 8});
    at::Tensor operator()() const { return at::conv2d(input, weight); }
};

TEST(Precision, AutocastLowersConvolutionsWhileItLives) {
    const MixedPrecision precision(Precision::Bf16, {});
    const Layer layer;
    {
        const MixedPrecision::Autocast scope(precision);
        EXPECT_EQ(layer().scalar_type(), at::kBFloat16);
        EXPECT_EQ(at::mse_loss(layer(), at::rand({1, 4, 6, 6})).scalar_type(), at::kFloat);
    }
    EXPECT_EQ(layer().scalar_type(), at::kFloat);
    EXPECT_FALSE(autocastState(at::kCPU).on);
}

TEST(Precision, OtherPrecisionsAreNoAutocast) {
    for (const Precision each : {Precision::Fp32, Precision::Tf32}) {
        const MixedPrecision precision(each, {});
        const MixedPrecision::Autocast scope(precision);
        EXPECT_FALSE(autocastState(at::kCPU).on);
        EXPECT_EQ(Layer()().scalar_type(), at::kFloat);
    }
}

TEST(Precision, AParameterIsCastOnceUntilTheOutermostScopeEnds) {
    const MixedPrecision precision(Precision::Bf16, {});
    const Layer layer;
    const CountCasts casts;
    {
        const MixedPrecision::Autocast outer(precision);
        layer();
        EXPECT_EQ(casts.count(), 2);  // the input and the weight
        {
            const MixedPrecision::Autocast inner(precision);
            layer();
        }
        EXPECT_EQ(casts.count(), 3);
        layer();
        EXPECT_EQ(casts.count(), 4) << "the inner scope took the weight's copy with it";
    }
    const MixedPrecision::Autocast again(precision);
    layer();
    EXPECT_EQ(casts.count(), 6) << "the copy outlived its scope, and would be stale after a step";
}

TEST(Precision, AnExceptionLeavesNothingBehind) {
    const AutocastState before = autocastState(at::kCPU);
    const MixedPrecision precision(Precision::Bf16, {});
    const Layer layer;
    for (int i = 0; i < 2; ++i) {
        try {
            const MixedPrecision::Autocast outer(precision);
            const MixedPrecision::Autocast inner(precision);
            layer();
            throw std::runtime_error("out of memory");
        } catch (const std::runtime_error&) {
        }
    }
    const AutocastState after = autocastState(at::kCPU);
    EXPECT_EQ(after.on, before.on);
    EXPECT_EQ(after.type, before.type);
    EXPECT_EQ(after.cache, before.cache);
    EXPECT_EQ(at::autocast::increment_nesting(), 1);
    at::autocast::decrement_nesting();
}

TEST(Precision, GradientsOfCastParametersArriveInFp32) {
    const MixedPrecision precision(Precision::Bf16, {});
    const Layer layer;
    at::Tensor loss;
    {
        const MixedPrecision::Autocast scope(precision);
        loss = at::mse_loss(layer(), at::zeros({1, 4, 6, 6}));
    }
    backward(loss, 1);
    ASSERT_TRUE(layer.weight.grad().defined());
    EXPECT_EQ(layer.weight.grad().scalar_type(), at::kFloat);
    EXPECT_GT(layer.weight.grad().abs().sum().item<double>(), 0);
}

TEST(Precision, OnlyFp16IsScaled) {
    for (const Precision each : {Precision::Fp32, Precision::Tf32, Precision::Bf16}) {
        MixedPrecision precision(each, {});
        const at::Tensor loss = at::ones({});
        EXPECT_TRUE(precision.scaled(loss).is_same(loss));
        EXPECT_TRUE(precision.unscale({}));
        precision.update();
        EXPECT_EQ(precision.scale(), 1);
        EXPECT_EQ(precision.skipped(), 0);
    }
}

/// Before 2.3, the scaler's operators exist only for CUDA.
bool scalerRunsHere() {
    return libtorchVersion() >= memory::TorchVersion{2, 3};
}

struct Step {
    Step() { parameter.set_requires_grad(true); }
    at::Tensor parameter = at::ones({3});
    MixedPrecision precision{Precision::Fp16, {}};

    /// One step with this gradient; returns whether the optimizer's step is to be executed.
    bool operator()(float gradient) {
        const at::Tensor loss = precision.scaled((parameter * gradient).sum());
        parameter.mutable_grad().reset();
        backward(loss, 1);
        const bool take = precision.unscale({parameter});
        precision.update();
        return take;
    }
};

TEST(Precision, ScaledGradientsComeBackToScale) {
    if (!scalerRunsHere()) {
        GTEST_SKIP() << "this LibTorch has no gradient scaling on the CPU";
    }
    Step step;
    const at::Tensor loss = step.precision.scaled(at::full({}, 0.5));
    EXPECT_EQ(loss.item<double>(), 32768);
    EXPECT_TRUE(step(0.25F));
    EXPECT_TRUE(at::equal(step.parameter.grad(), at::full({3}, 0.25)));
    EXPECT_EQ(step.precision.scale(), 65536);
}

TEST(Precision, AStepWithoutFiniteGradientsIsSkippedAndTheScaleHalved) {
    if (!scalerRunsHere()) {
        GTEST_SKIP() << "this LibTorch has no gradient scaling on the CPU";
    }
    Step step;
    EXPECT_FALSE(step(std::numeric_limits<float>::infinity()));
    EXPECT_EQ(step.precision.scale(), 32768);
    EXPECT_FALSE(step(std::numeric_limits<float>::quiet_NaN()));
    EXPECT_EQ(step.precision.scale(), 16384);
    EXPECT_TRUE(step(1));
    EXPECT_EQ(step.precision.scale(), 16384);
    EXPECT_EQ(step.precision.skipped(), 2);
}

TEST(Precision, TheScaleDoublesAfterTwoThousandGoodSteps) {
    if (!scalerRunsHere()) {
        GTEST_SKIP() << "this LibTorch has no gradient scaling on the CPU";
    }
    Step step;
    for (int i = 0; i < 1000; ++i) {
        step(1);
    }
    EXPECT_FALSE(step(std::numeric_limits<float>::infinity())) << "which begins the count anew";
    for (int i = 0; i < 1999; ++i) {
        step(1);
    }
    EXPECT_EQ(step.precision.scale(), 32768);
    step(1);
    EXPECT_EQ(step.precision.scale(), 65536);
}

TEST(Precision, AStepWithoutGradientsIsAGoodOne) {
    if (!scalerRunsHere()) {
        GTEST_SKIP() << "this LibTorch has no gradient scaling on the CPU";
    }
    MixedPrecision precision(Precision::Fp16, {});
    EXPECT_TRUE(precision.unscale({at::ones({2})})) << "nothing was scaled yet";
    precision.scaled(at::ones({}));
    EXPECT_TRUE(precision.unscale({at::ones({2})}));
    precision.update();
    EXPECT_EQ(precision.scale(), 65536);
}

}  // namespace
}  // namespace highwater::engine
