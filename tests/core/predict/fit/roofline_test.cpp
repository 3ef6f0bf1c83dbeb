#include "core/predict/fit/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace highwater::predict {
namespace {

using memory::Phase;
using ::testing::Contains;
using ::testing::HasSubstr;

/// 1 TFLOP/s in fp32, 4 in tf32, 8 in fp16; 100 GB/s; 10 us per kernel.
Target rooflineDevice() {
    Target target;
    target.gpu.emplace();
    DeviceProfile& gpu = *target.gpu;
    gpu.name = "a device";
    gpu.fp32 = 1e12;
    gpu.tf32 = 4e12;
    gpu.fp16 = 8e12;
    gpu.bytesPerSecond = 1e11;
    gpu.launchUs = 10;
    gpu.compute = {{"conv", {0.25, 0.5, 1}}, {"conv/tensor", {0.1, 0.25, 0.5}}};
    gpu.memoryEfficiency = {{"elementwise", {0.5, 0.8, 1}}, {"norm", {0.25, 0.5, 1}}};
    return target;
}

WalkOp op(std::string_view family, double flops, double bytes, Phase phase = Phase::Forward, int layer = 0) {
    WalkOp made;
    made.family = family;
    made.flops = flops;
    made.bytesMoved = bytes;
    made.phase = phase;
    made.layer = static_cast<std::int16_t>(layer);
    made.step = 1;
    return made;
}

TimeEstimate timeOf(const WalkOp& one, const Target& target) {
    Walk walk;
    walk.ops = {one};
    return operatorTimes(walk, target).at(0);
}

void expectTimes(const TimeEstimate& time, double low, double expected, double high) {
    EXPECT_NEAR(time.low, low, 1e-9);
    EXPECT_NEAR(time.expected, expected, 1e-9);
    EXPECT_NEAR(time.high, high, 1e-9);
}

TEST(Roofline, ComputesUnderTheRoofOfItsType) {
    WalkOp conv = op("conv", 1e10, 1e6);
    expectTimes(timeOf(conv, rooflineDevice()), 10, 20, 40);
    expectTimes(timeOf(op("conv/tensor", 1e10, 1e6), rooflineDevice()), 5, 10, 25);  // TF32
    conv.dtype = DType::Float16;
    expectTimes(timeOf(conv, rooflineDevice()), 2.5, 5, 12.5);
    conv.dtype = DType::BFloat16;  // not supported by the hardware: fp32
    expectTimes(timeOf(conv, rooflineDevice()), 10, 20, 40);
}

/// The time of an operator that is this convolution pass.
TimeEstimate timeOfPass(const std::string& pass, WalkOp one, const Target& target) {
    const auto key = parseConvKey(pass);
    EXPECT_TRUE(key) << pass;
    Walk walk;
    walk.convolutions.push_back({key ? *key : ConvKey{}, 0, false, false});
    one.convolution = 0;
    one.dtype = key ? key->dtype : one.dtype;
    walk.ops = {one};
    return operatorTimes(walk, target).at(0);
}

TEST(Roofline, TakesTheShareOfTheLayoutWhereTheProfileStatesIt) {
    const std::string last = "conv3d/f/n1/c32,32/i8,8,8/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/fp16/cl";
    const std::string contiguous = "conv3d/f/n1/c32,32/i8,8,8/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/fp16";
    const WalkOp conv = op("conv", 1e10, 1e6);
    Target target = rooflineDevice();
    expectTimes(timeOfPass(last, conv, target), 2.5, 5, 12.5);  // the layout is not given
    target.gpu->compute["conv/tensor/channels_last"] = {0.2, 0.5, 1};
    expectTimes(timeOfPass(last, conv, target), 1.25, 2.5, 6.25);
    expectTimes(timeOfPass(contiguous, conv, target), 2.5, 5, 12.5);
    EXPECT_THAT(tensorFamilies("conv", true, true),
                ::testing::ElementsAre("conv/tensor/channels_last", "conv/tf32", "conv/tensor"));
}

TEST(Roofline, TakesTheShareOfTf32WhereTheProfileStatesIt) {
    Target target = rooflineDevice();
    target.gpu->compute["conv/tf32"] = {0.25, 0.5, 1};
    expectTimes(timeOf(op("conv/tensor", 1e10, 1e6), target), 2.5, 5, 10);
    WalkOp half = op("conv", 1e10, 1e6);
    half.dtype = DType::Float16;
    expectTimes(timeOf(half, target), 2.5, 5, 12.5);
}

TEST(Roofline, KnowsWhatWinogradSaves) {
    const std::string plain = "conv2d/f/n1/c32,32/i8,8/k3,3/s1,1/p1,1/d1,1/g1/b";
    const Target target = rooflineDevice();
    expectTimes(timeOfPass(plain, op("conv", 2.25e10, 1e6), target), 10, 20, 40);
    expectTimes(timeOfPass(plain, op("conv/tensor", 1e10, 1e6), target), 5, 10, 25);  // TF32 counts them all
    expectTimes(
        timeOfPass("conv2d/f/n1/c32,32/i8,8/k3,3/s1,1/p1,1/d1,1/g1/b/fp16", op("conv", 1e10, 1e6), target),
        2.5, 5, 12.5);
    for (const char* other : {"conv2d/f/n1/c32,32/i8,8/k5,5/s1,1/p2,2/d1,1/g1/b",
                              "conv2d/f/n1/c32,32/i8,8/k3,3/s2,2/p1,1/d1,1/g1/b",
                              "conv2d/f/n1/c32,32/i8,8/k3,3/s1,1/p1,1/d2,2/g1/b",
                              "conv3d/f/n1/c32,32/i8,8,8/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b"}) {
        expectTimes(timeOfPass(other, op("conv", 1e10, 1e6), target), 10, 20, 40);
    }
}

TEST(Roofline, MovesBytesUnderTheOther) {
    expectTimes(timeOf(op("norm", 0, 1e9), rooflineDevice()), 10, 20, 40);
    expectTimes(timeOf(op("conv", 1e6, 1e9), rooflineDevice()), 10, 12.5, 20);  // as elementwise
}

TEST(Roofline, TakesTheLeastTimeOfItsKernels) {
    expectTimes(timeOf(op("elementwise", 0, 4), rooflineDevice()), 0.005, 0.01, 0.025);
    expectTimes(timeOf(op("norm", 0, 4), rooflineDevice()), 0.01, 0.02, 0.05);      // 2 kernels
    expectTimes(timeOf(op("optimizer", 0, 4), rooflineDevice()), 0.05, 0.1, 0.25);  // 10
    expectTimes(timeOf(op("conv", 4, 4), rooflineDevice()), 0.015, 0.03, 0.075);    // 3
}

TEST(Roofline, WaitsForTheLongestBlock) {
    Target target = rooflineDevice();
    WalkOp norm = op("norm", 0, 1e6);
    norm.blockCycles = 4e7;
    EXPECT_NEAR(timeOf(norm, target).expected, 0.02, 1e-9);  // the clock is unknown
    target.gpu->attributes.emplace();
    target.gpu->attributes->clockKHz = 1000000;
    expectTimes(timeOf(norm, target), 30, 40, 64);
    norm.bytesMoved = 1e10;
    expectTimes(timeOf(norm, target), 100, 200, 400);
}

TEST(Roofline, AddsTheCopiesBetweenLayouts) {
    Target target = rooflineDevice();
    target.gpu->memoryEfficiency["to_channels_last"] = {0.2, 0.4, 0.8};
    target.gpu->memoryEfficiency["to_contiguous"] = {0.1, 0.2, 0.4};
    WalkOp copy = op("elementwise", 0, 8e8);
    expectTimes(timeOf(copy, target), 8, 10, 16);
    copy.layoutCopies.toChannelsLast = 1e8;  // 0.8 GB in fp32
    expectTimes(timeOf(copy, target), 8 + 10, 10 + 20, 16 + 40);
    copy.layoutCopies = {.toContiguous = 1e8};
    expectTimes(timeOf(copy, target), 8 + 20, 10 + 40, 16 + 80);
    copy.layoutCopies = {.beyondCache = 1e8};
    expectTimes(timeOf(copy, target), 8 + 20 / 0.45, 10 + 40 / 0.45, 16 + 80 / 0.45);
    copy.measuredUs = 1000;
    expectTimes(timeOf(copy, target), 0.8 + 20 / 0.45, 1 + 40 / 0.45, 1.25 + 80 / 0.45);
    target.gpu->memoryEfficiency.erase("to_contiguous");  // a range is assumed for every device
    const TimeEstimate believed = timeOf(copy, target);
    EXPECT_LT(believed.low, believed.expected);
    EXPECT_LT(believed.expected, believed.high);
}

TEST(Roofline, PoolsTakeAsLongIn16Bits) {
    Target target = rooflineDevice();
    target.gpu->memoryEfficiency["pool"] = {0.25, 0.5, 1};
    WalkOp pool = op("pool", 0, 1e9);
    expectTimes(timeOf(pool, target), 10, 20, 40);
    pool.dtype = DType::Float16;
    pool.bytesMoved = 5e8;
    expectTimes(timeOf(pool, target), 10, 20, 40);
    pool.family = "pool_backward";  // the same as pool if nothing is given
    expectTimes(timeOf(pool, target), 10, 20, 40);
    target.gpu->memoryEfficiency["pool_backward"] = {0.125, 0.25, 0.5};
    expectTimes(timeOf(pool, target), 20, 40, 80);
}

TEST(Roofline, ColumnBuffersHaveAShareOfTheirOwn) {
    Target target = rooflineDevice();
    expectTimes(timeOf(op("conv_columns", 1e6, 1e9), target), 10, 12.5, 20);  // as elementwise
    target.gpu->memoryEfficiency["conv_columns"] = {0.125, 0.25, 0.5};
    expectTimes(timeOf(op("conv_columns", 1e6, 1e9), target), 20, 40, 80);
    expectTimes(timeOf(op("conv_columns/tensor", 1e6, 1e9), target), 20, 40, 80);
    expectTimes(timeOf(op("conv_columns", 1e10, 1e6), target), 10, 20, 40);  // computes like conv
}

TEST(Roofline, TakesWhatDecides3dConvolutionsWhereTheProfileStatesIt) {
    const std::string pass = "conv3d/f/n1/c32,32/i64,64,64/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b";
    Target target = rooflineDevice();
    target.gpu->attributes.emplace();
    target.gpu->attributes->clockKHz = 1000000;
    target.gpu->attributes->multiprocessors = 1;
    target.gpu->compute["conv_3d"] = {0.25, 0.5, 1};
    target.gpu->memoryEfficiency["conv_3d"] = {0.125, 0.25, 0.5};
    const auto key = parseConvKey(pass);
    const double computes = 2 * key->multiplyAdds() / 1e12 * 1e3,
                 moves = 4e3 * static_cast<double>(key->inputElements() * 2 + key->weightElements()) / 1e11;
    expectTimes(timeOfPass(pass, op("conv", 1, 1), target), computes + 2 * moves, 2 * computes + 4 * moves,
                4 * computes + 8 * moves);
    // cuDNN is not involved.
    expectTimes(timeOfPass(pass, op("conv_columns", 1e10, 1e6), target), 10, 20, 40);
}

TEST(Roofline, KnowsNothingOfAnUnknownFamily) {
    const TimeEstimate time = timeOf(op("origami", 0, 1e9), rooflineDevice());
    EXPECT_LT(time.low, time.expected);
    EXPECT_LT(time.expected * 2, time.high);
}

TEST(Roofline, TakesMeasuredTimesOnTheCpu) {
    WalkOp conv = op("conv", 1e10, 1e6);
    conv.measuredUs = 2000;
    expectTimes(timeOf(conv, {}), 1.6, 2, 2.5);
}

TEST(Roofline, UsesTheCalibrationsRoofs) {
    auto calibration = std::make_shared<Calibration>();
    calibration->speed.flops = 1e11;
    calibration->speed.bytesPerSecond = 1e10;
    calibration->speed.overheadUs = 4;
    calibration->speed.compute["conv"] = {0.25, 0.5, 1};
    calibration->speed.memory["elementwise"] = {0.5, 0.8, 1};
    Target target;
    target.calibration = calibration;
    // In addition to the work, 5 us are fixed, with a range of half to twice as much.
    expectTimes(timeOf(op("conv", 1e9, 1), target), 10.0025, 20.005, 40.01);
    expectTimes(timeOf(op("elementwise", 0, 1e8), target), 10.0025, 12.505, 20.01);
    expectTimes(timeOf(op("elementwise", 0, 1), target), 0.0045, 0.009, 0.018);
}

/// Once a machine is calibrated, no range is wider than a factor of four.
TEST(Roofline, RangesOfACalibratedMachineAreNarrow) {
    auto calibration = std::make_shared<Calibration>();
    calibration->speed.flops = 1e11;
    calibration->speed.bytesPerSecond = 1e10;
    calibration->speed.compute["conv"] = {0.01, 0.5, 1};
    calibration->speed.memory["norm"] = {0.001, 0.1, 1};
    Target target;
    target.calibration = calibration;
    WalkOp guessed = op("conv", 1e9, 1);
    guessed.guessedUs = 3000;
    expectTimes(timeOf(guessed, target), 1.5, 3, 6);
    for (const WalkOp& each : {op("conv", 1e9, 1), op("norm", 0, 1e8), op("pool", 0, 1e8), guessed}) {
        const TimeEstimate time = timeOf(each, target);
        EXPECT_LE(time.high, 4 * time.low + 1e-9) << each.family;
    }
}

/// The more parts, the larger the fixed time.
TEST(EstimateTime, CountsTheFixedCostOfAStepAndOfItsParts) {
    Walk walk;
    walk.ops = {op("norm", 0, 1e9)};
    Prediction whole, parts;
    estimateTime(walk, {}, whole);
    walk.parts = 3;
    estimateTime(walk, {}, parts);
    EXPECT_NEAR(parts.stepMs.expected - whole.stepMs.expected, 2 * 0.08, 1e-9);
}

TEST(EstimateTime, SumsTheSecondStepByLayerAndPhase) {
    Walk walk;
    walk.ops = {op("norm", 0, 9e9),
                op("norm", 0, 1e9),
                op("norm", 0, 2e9, Phase::Backward),
                op("norm", 0, 3e9, Phase::Recompute),
                op("norm", 0, 1e9, Phase::Optimizer, -1),
                op("norm", 0, 1e9, Phase::Forward, 1)};
    walk.stepOp[1] = 1;
    Prediction prediction;
    prediction.layers.resize(1);  // an operator of a layer beyond the list counts only for the step
    estimateTime(walk, rooflineDevice(), prediction);
    expectTimes(prediction.layers[0].forwardMs, 10, 20, 40);
    expectTimes(prediction.layers[0].backwardMs, 50, 100, 200);
    expectTimes(prediction.stepMs, 80, 160, 320);
    EXPECT_THAT(prediction.guesses, Contains(HasSubstr("datasheet of the a device")));
}

TEST(EstimateTime, SaysWhereAMachineWasNotMeasured) {
    Walk walk;
    walk.ops = {op("norm", 0, 1e9)};
    Prediction prediction;
    estimateTime(walk, {}, prediction);
    EXPECT_THAT(prediction.guesses, Contains(HasSubstr("has not been measured")));
    EXPECT_GT(prediction.stepMs.high, 2 * prediction.stepMs.low);
}

}  // namespace
}  // namespace highwater::predict
