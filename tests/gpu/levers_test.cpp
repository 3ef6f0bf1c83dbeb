// Each lever on a real GPU compared with the CPU: the same weights and patches must give the same losses,
// within the accuracy of the lever's arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/stack/json/json.h"
#include "core/volume/patch.h"
#include "tests/core/volume_of.h"
#include "tests/gpu/which_gpu.h"

namespace highwater::engine {
namespace {

using stack::Experiment;
using stack::Precision;

constexpr int kSteps = 5;

class Levers : public ::testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::noGpu()) {
            GTEST_SKIP() << *why;
        }
    }
};

volume::Volume noise(std::uint64_t seed, const volume::Index3& size) {
    std::mt19937_64 random(seed);
    return volume::test::volumeOf(size, [&random](auto, auto, auto) { return random() % 1000; });
}

/// A U-Net on two scans, with every kind of layer whose arithmetic a lever may change.
Experiment unet() {
    auto parsed = stack::parseExperiment(R"({"schema": "highwater.experiment/1",
      "input": {"scan": ["a", "b"], "patch": [16, 24, 32]}, "target": {"threshold": 500},
      "loss": "dice_cross_entropy", "optimizer": {"type": "sgd", "lr": 0.01}, "step": {"batch_size": 2, "seed": 7},
      "stack": [
        {"type": "conv", "out_channels": 16, "padding": 1}, {"type": "batch_norm"}, {"type": "leaky_relu", "id": "a"},
        {"type": "conv", "out_channels": 32, "padding": 1, "stride": 2}, {"type": "instance_norm", "affine": true},
        {"type": "relu", "inplace": true, "id": "b"},
        {"type": "max_pool"}, {"type": "block", "checkpoint": true, "layers": [
          {"type": "conv", "out_channels": 32, "padding": 1}, {"type": "group_norm", "num_groups": 4},
          {"type": "gelu"}]},
        {"type": "upsample", "mode": "trilinear"}, {"type": "concat", "with": "b"},
        {"type": "head", "out_channels": 2},
        {"type": "conv_transpose", "out_channels": 16, "kernel_size": 2, "stride": 2},
        {"type": "concat", "with": "a"}, {"type": "conv", "out_channels": 2, "kernel_size": 1}]})",
                                         "test");
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    return *parsed;
}

std::vector<double> losses(const Experiment& e, const std::string& device, int steps = kSteps) {
    RunRequest request;
    request.experiment = e;
    request.device = device;
    request.warmup = 0;
    request.steps = steps;
    request.channels = {noise(1, {40, 30, 20}), noise(2, {40, 30, 20})};
    const std::atomic<bool> cancel{false};
    const auto result = run(request, [](const wire::Event&) {}, cancel);
    EXPECT_TRUE(result.ok()) << result.error().message;
    if (!result) {
        return {};
    }
    EXPECT_EQ(result->status, wire::RunStatus::Done) << (result->failure ? result->failure->why : "");
    return result->losses;
}

/// The CPU reference for the GPU: the same without its levers.
const std::vector<double>& expected() {
    static const std::vector<double> all = losses(unet(), "cpu");
    return all;
}

void expectLosses(const Experiment& e, double relative) {
    const std::vector<double> found = losses(e, "cuda");
    ASSERT_EQ(found.size(), expected().size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected()[i], relative * std::abs(expected()[i])) << "step " << i;
    }
}

// Sums of fp32 products in another order.
constexpr double kFp32 = 2e-4;
// 10 bits of mantissa in products, as fp16's; 7 in bf16's.
constexpr double kTf32 = 5e-3;
constexpr double kBf16 = 3e-2;

TEST_F(Levers, Fp32IsTheCpus) {
    expectLosses(unet(), kFp32);
}

TEST_F(Levers, ChannelsLastIsFp32) {
    Experiment e = unet();
    e.step.channelsLast = true;
    expectLosses(e, kFp32);
}

TEST_F(Levers, PinnedInputIsTheSameInput) {
    Experiment e = unet();
    e.data.pinned = true;
    expectLosses(e, kFp32);
    e.step.channelsLast = true;
    expectLosses(e, kFp32);
}

TEST_F(Levers, SwitchesOfCudnnChangeRoundingAlone) {
    for (const auto change : std::vector<void (*)(stack::Backend&)>{
             [](stack::Backend& b) { b.cudnn = false; }, [](stack::Backend& b) { b.benchmark = true; },
             [](stack::Backend& b) { b.deterministic = true; },
             [](stack::Backend& b) { b.workspaceLimit = base::kMiB; }}) {
        Experiment e = unet();
        change(e.backend);
        expectLosses(e, kFp32);
    }
}

TEST_F(Levers, AllocatorSettingsChangeNoNumber) {
    for (const char* const conf : {"expandable_segments:True", "max_split_size_mb:32",
                                   "garbage_collection_threshold:0.5", "roundup_power2_divisions:4"}) {
        Experiment e = unet();
        e.backend.allocConf = conf;
        expectLosses(e, kFp32);
    }
}

TEST_F(Levers, Tf32IsNear) {
    Experiment e = unet();
    e.step.precision = Precision::Tf32;
    expectLosses(e, kTf32);
    e.step.precision = Precision::Fp32;
    expectLosses(e, kFp32);
}

TEST_F(Levers, Bf16IsNear) {
    Experiment e = unet();
    e.step.precision = Precision::Bf16;
    expectLosses(e, kBf16);
    e.step.channelsLast = true;
    expectLosses(e, kBf16);
}

/// Its first steps may be skipped until the scale fits, so only the first loss is comparable; then it trains.
TEST_F(Levers, Fp16IsNearAndLearns) {
    Experiment e = unet();
    e.step.precision = Precision::Fp16;
    e.optimizer.lr = 0.05;
    const std::vector<double> found = losses(e, "cuda", 60);
    ASSERT_EQ(found.size(), 60U);
    EXPECT_NEAR(found[0], expected()[0], kTf32 * std::abs(expected()[0]));
    EXPECT_LT(found[59], found[0] - 0.01);
    for (const double loss : found) {
        EXPECT_TRUE(std::isfinite(loss));
    }
}

TEST_F(Levers, MicroBatchesOfScaledGradientsAddUp) {
    Experiment e = unet();
    e.step.microBatches = 2;
    const std::vector<double> cpu = losses(e, "cpu");
    e.step.precision = Precision::Bf16;
    const std::vector<double> gpu = losses(e, "cuda");
    ASSERT_EQ(cpu.size(), gpu.size());
    for (std::size_t i = 0; i < cpu.size(); ++i) {
        EXPECT_NEAR(gpu[i], cpu[i], kBf16 * std::abs(cpu[i])) << "step " << i;
    }
}

}  // namespace
}  // namespace highwater::engine
