#include "core/engine/device/stream_clock.h"

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAEvent.h>
#include <gtest/gtest.h>

#include <thread>
#include "tests/gpu/device/gpu.h"

using namespace highwater;
using namespace highwater::engine;

namespace {

class Clock : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = unusable(kGpu)) {
            GTEST_SKIP() << *why;
        }
        beginOnDevice(kGpu, std::nullopt);
        const auto options = at::TensorOptions().device(kGpu.torch());
        a_ = at::ones({512, 512}, options);
        b_ = at::empty({512, 512}, options);
        clock_ = makeStreamClock(kGpu, 2);
    }
    void TearDown() override {
        a_ = b_ = at::Tensor();
        clock_.reset();
        if (!IsSkipped()) {
            endOnDevice(kGpu);
        }
    }

    void work(int times = 3) {
        for (int i = 0; i < times; ++i) {
            at::mm_out(b_, a_, a_);
        }
    }
    void step(bool layers) {
        clock_->beginStep(layers);
        for (int layer = 0; layer < 2; ++layer) {
            clock_->enter(Phase::Forward, layer);
            work();
        }
        for (int layer = 1; layer >= 0; --layer) {
            clock_->enter(Phase::Backward, layer);
            work();
        }
        clock_->enter(Phase::Optimizer, -1);
        work();
        clock_->endStep();
    }

    at::Tensor a_, b_;
    std::unique_ptr<StreamClock> clock_;
};

constexpr double kTick = 0.002;  // ms; an event's time is rounded to half a microsecond or so

TEST_F(Clock, noPartOfAStepIsNegativeAndLayersSumToTheirPhase) {
    for (int i = 0; i < 5; ++i) {
        step(true);
        const auto times = clock_->take(true);
        ASSERT_TRUE(times);
        const auto& phases = times->phases;
        for (const double ms : {phases.data, phases.forward, phases.backward, phases.optimizer}) {
            EXPECT_GE(ms, 0);
        }
        EXPECT_GT(phases.forward, 0);
        EXPECT_NEAR(times->forward[0] + times->forward[1], phases.forward, 1e-3);
        EXPECT_NEAR(times->backward[0] + times->backward[1], phases.backward, 1e-3);
    }
}

TEST_F(Clock, stepsSumToTheTimeThatTheStreamTook) {
    at::cuda::CUDAEvent outerBegin(cudaEventDefault), innerBegin(cudaEventDefault),
        innerEnd(cudaEventDefault), outerEnd(cudaEventDefault);
    constexpr int kSteps = 8;
    double total = 0;
    const auto take = [&](bool wait) {
        const auto times = clock_->take(wait);
        total += times ? times->phases.total() : 0;
        return times.has_value();
    };
    int taken = 0;
    outerBegin.record();
    for (int i = 0; i < kSteps; ++i) {
        step(i % 2 == 0);
        if (i == 0) {
            innerBegin.record();  // after the first step's begin
        }
        if (i == kSteps - 2) {
            innerEnd.record();  // before the last step's end
        }
        taken += take(false) ? 1 : 0;
    }
    outerEnd.record();
    while (taken < kSteps) {
        ASSERT_TRUE(take(true));
        ++taken;
    }
    EXPECT_FALSE(clock_->take(true));
    outerEnd.synchronize();
    EXPECT_LE(total, outerBegin.elapsed_time(outerEnd) + kSteps * kTick * 8);
    EXPECT_GE(total, innerBegin.elapsed_time(innerEnd) - kSteps * kTick * 8);
}

TEST_F(Clock, resultsAreOnTheHostOnceTheStepIsTaken) {
    const at::Tensor host = at::zeros({1}, at::TensorOptions().pinned_memory(true));
    const at::Tensor seven = at::full({1}, 7.0, at::TensorOptions().device(kGpu.torch()));
    wire::Environment environment;
    describe(kGpu, environment);
    clock_->beginStep(false);
    clock_->enter(Phase::Forward, -1);
    work(50);
    host.copy_(seven, true);
    clock_->endStep();
    ASSERT_TRUE(clock_->take(true));
    if (environment.deviceName.find("pretended") != std::string::npos) {
        GTEST_SKIP() << "the pretended device computes nothing";
    }
    EXPECT_EQ(host.item<float>(), 7.0F);
}

TEST_F(Clock, boundariesMayComeFromAutogradsThread) {
    clock_->beginStep(true);
    clock_->enter(Phase::Backward, -1);
    std::thread([&] {
        clock_->enter(Phase::Backward, 1);
        work();
        clock_->enter(Phase::Backward, 0);
        work();
    }).join();
    clock_->enter(Phase::Optimizer, -1);
    clock_->endStep();
    const auto times = clock_->take(true);
    ASSERT_TRUE(times);
    EXPECT_GT(times->backward[0], 0);
    EXPECT_GT(times->backward[1], 0);
}

TEST_F(Clock, longerWorkTakesLonger) {
    wire::Environment environment;
    describe(kGpu, environment);
    if (environment.deviceName.find("pretended") != std::string::npos) {
        GTEST_SKIP() << "on the pretended device no work takes time";
    }
    work(100);  // so that libraries are loaded and clocks have ramped up
    clock_->beginStep(true);
    clock_->enter(Phase::Forward, 0);
    work(1);
    clock_->enter(Phase::Forward, 1);
    work(400);
    clock_->endStep();
    const auto times = clock_->take(true);
    ASSERT_TRUE(times);
    EXPECT_GT(times->forward[1], times->forward[0]);
}

TEST(ClockOfTheCpu, isNone) {
    EXPECT_EQ(makeStreamClock(Device{}, 3), nullptr);
}

}  // namespace
