#include "core/predict/fit/conv_cost.h"

#include <gtest/gtest.h>

namespace highwater::predict {
namespace {

constexpr double kConvPlaces = 8 * 8 * 8, kConvKernel = 27;

ConvCost convCostOf(const std::string& pass, bool tensorCores, bool benchmark = true) {
    const auto key = parseConvKey(pass);
    EXPECT_TRUE(key) << pass;
    return convCost(key ? *key : ConvKey{}, tensorCores, benchmark);
}

/// The text of a pass with these channels at 8 x 8 x 8.
std::string passWith(const char* channels, const char* rest = "", const char* which = "f") {
    return std::string("conv3d/") + which + "/n1/c" + channels + "/i8,8,8/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b" +
           rest;
}

TEST(ConvCost, FillsUpTheChannelsOfTensorCores) {
    const ConvCost cost = convCostOf(passWith("1,20", "/fp16"), true);
    EXPECT_EQ(cost.flops, 2 * kConvPlaces * kConvKernel * 8 * 24);
    EXPECT_EQ(cost.moved, 2 * (kConvPlaces * (8 + 24) + kConvKernel * 8 * 24));
    EXPECT_EQ(cost.gathered, 2 * kConvPlaces * kConvKernel * 8);
    EXPECT_EQ(cost.cycles, 0);
    EXPECT_EQ(convCostOf(passWith("1,20"), true).gathered, 4 * kConvPlaces * kConvKernel * 4);  // TF32
}

TEST(ConvCost, CountsBothGradients) {
    const ConvCost both = convCostOf(passWith("32,64", "/gi/gw/fp16", "b"), true);
    EXPECT_EQ(both.flops, 2 * convCostOf(passWith("32,64", "/fp16"), true).flops);
    EXPECT_EQ(both.gathered, 2 * kConvPlaces * kConvKernel * (32 + 64));
    const ConvCost plain = convCostOf(passWith("32,64", "/gi/gw", "b"), false);
    EXPECT_EQ(plain.flops, 2 * kConvPlaces * kConvKernel * 32 * 64);
    EXPECT_EQ(plain.weightFlops, 2 * kConvPlaces * kConvKernel * 32 * 128);  // a tile of 128 channels
    EXPECT_EQ(plain.gathered, 0);
}

TEST(ConvCost, SumsTheWeightsGradientOverThePlacesWhereNobodySearches) {
    EXPECT_EQ(convCostOf(passWith("32,64", "/gi/gw", "b"), false, true).cycles, 0);
    EXPECT_EQ(convCostOf(passWith("32,64", "/gi/gw", "b"), false, false).cycles, 57 * kConvPlaces);
    EXPECT_EQ(convCostOf(passWith("2,64", "/gw", "b"), false, false).cycles, 30 * kConvPlaces);
    EXPECT_EQ(convCostOf(passWith("32,64", "/gi", "b"), false, false).cycles, 0);
    EXPECT_EQ(convCostOf(passWith("32,64"), false, false).cycles, 0);
}

/// 10 TFLOP/s in fp32, 100 in fp16; 1 TB/s; 10 multiprocessors at 1 GHz.
DeviceProfile spatialDevice() {
    DeviceProfile gpu;
    gpu.fp32 = 1e13;
    gpu.fp16 = 1e14;
    gpu.bytesPerSecond = 1e12;
    gpu.attributes.emplace();
    gpu.attributes->multiprocessors = 10;
    gpu.attributes->clockKHz = 1000000;
    gpu.compute = {{"conv_3d", {0.2, 0.4, 0.8}},
                   {"conv_3d/weight", {0.1, 0.2, 0.4}},
                   {"conv_3d/tensor", {0.25, 0.5, 1}}};
    gpu.memoryEfficiency = {
        {"elementwise", {0.5, 0.8, 1}}, {"conv_3d", {0.1, 0.2, 0.4}}, {"conv_3d/gather", {0.1, 0.2, 0.4}}};
    return gpu;
}

ConvSeconds convSecondsOf(const std::string& pass, const DeviceProfile& gpu, bool benchmark = true) {
    const auto key = parseConvKey(pass);
    EXPECT_TRUE(key) << pass;
    const auto seconds = convSeconds(*key, gpu, false, benchmark);
    EXPECT_TRUE(seconds);
    return seconds.value_or(ConvSeconds{});
}

TEST(ConvSeconds, AddsWhatIsMovedToTheLongerOfProductAndReading) {
    const DeviceProfile gpu = spatialDevice();
    const ConvCost cost = convCostOf(passWith("32,32", "/fp16"), true);
    EXPECT_EQ(cachedBytesPerSecond(gpu), 1.28e12);
    const ConvSeconds seconds = convSecondsOf(passWith("32,32", "/fp16"), gpu);
    EXPECT_NEAR(seconds.expected, cost.gathered / (1.28e12 * 0.2) + cost.moved / (1e12 * 0.2), 1e-12);
    EXPECT_NEAR(seconds.low, cost.gathered / (1.28e12 * 0.4) + cost.moved / (1e12 * 0.4), 1e-12);
    const std::string many = passWith("32,4096", "/fp16");
    EXPECT_NEAR(convSecondsOf(many, gpu).expected,
                convCostOf(many, true).flops / (1e14 * 0.5) + convCostOf(many, true).moved / (1e12 * 0.2),
                1e-12);
}

TEST(ConvSeconds, ConvertsNothingInChannelsLast) {
    const std::string last = passWith("32,32", "/fp16/cl");
    const ConvCost cost = convCostOf(last, true);
    EXPECT_NEAR(convSecondsOf(last, spatialDevice()).expected,
                cost.gathered / (1.28e12 * 0.2) + cost.moved / (1e12 * 0.8), 1e-12);
}

TEST(ConvSeconds, AreLongerWithoutBenchmark) {
    const std::string half = passWith("32,32", "/fp16"), plain = passWith("4,32", "/gi/gw", "b");
    const ConvSeconds searched = convSecondsOf(half, spatialDevice()),
                      chosen = convSecondsOf(half, spatialDevice(), false);
    EXPECT_NEAR(chosen.low, searched.low, 1e-12);
    EXPECT_NEAR(chosen.expected, 1.6 * searched.expected, 1e-12);
    EXPECT_NEAR(chosen.high, 4.5 * searched.high, 1e-12);
    EXPECT_NEAR(convSecondsOf(plain, spatialDevice(), false).expected,
                57e-9 * kConvPlaces + convCostOf(plain, false).moved / (1e12 * 0.2), 1e-12);
}

TEST(ConvSeconds, AreOnlySaidWhereTheProfileStatesThem) {
    DeviceProfile gpu = spatialDevice();
    for (const char* other : {"conv3d/f/n1/c32,32/i8,8,8/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g32/b",
                              "conv2d/f/n1/c32,32/i8,8/k3,3/s1,1/p1,1/d1,1/g1/b"}) {
        EXPECT_FALSE(convSeconds(*parseConvKey(other), gpu, false, true)) << other;
    }
    gpu.memoryEfficiency.erase("conv_3d");
    EXPECT_FALSE(convSeconds(*parseConvKey(passWith("32,32")), gpu, false, true));
}

}  // namespace
}  // namespace highwater::predict
