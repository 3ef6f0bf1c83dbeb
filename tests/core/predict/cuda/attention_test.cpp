#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/predict/ghost/attention.h"
#include "tests/core/predict/cuda/walks.h"

/// scaled_dot_product_attention on GPUs. The figures of LibTorch 2.11 are what it asked for on the pretended
/// device device.
namespace highwater::predict {
namespace {

using namespace testing;
using ghost::AttentionCall;
using ghost::AttentionKernel;
using ::testing::ElementsAre;

constexpr memory::TorchVersion kNew{2, 11};

AttentionCall callOf(DType type, std::int64_t size) {
    const ghost::Dims dims{2, 3, 197, size};
    return {dims, dims, dims, type};
}

TEST(Attention, TakesTheKernelThatLibTorchTakes) {
    using ghost::attentionKernelCuda;
    const AttentionCall single = callOf(DType::Float32, 64), half = callOf(DType::Float16, 64);
    EXPECT_EQ(attentionKernelCuda(kNew, 86, single), AttentionKernel::Efficient);
    EXPECT_EQ(attentionKernelCuda(kNew, 86, half), AttentionKernel::Flash);
    EXPECT_EQ(attentionKernelCuda(kNew, 75, half), AttentionKernel::Efficient);
    EXPECT_EQ(attentionKernelCuda({1, 13}, 86, half), AttentionKernel::Products);
    // Numbers that are not contiguous.
    AttentionCall other = half;
    other.lastStridesAreOne = false;
    EXPECT_EQ(attentionKernelCuda(kNew, 86, other), AttentionKernel::Products);
    // Sizes that tensor cores cannot read: FlashAttention 2 pads them.
    EXPECT_EQ(attentionKernelCuda(kNew, 86, callOf(DType::Float32, 6)), AttentionKernel::Products);
    EXPECT_EQ(attentionKernelCuda(kNew, 75, callOf(DType::Float32, 6)), AttentionKernel::Efficient);
    EXPECT_EQ(attentionKernelCuda(kNew, 86, callOf(DType::Float16, 20)), AttentionKernel::Flash);
    EXPECT_EQ(attentionKernelCuda({2, 1}, 86, callOf(DType::Float16, 20)), AttentionKernel::Products);
    EXPECT_EQ(attentionKernelCuda(kNew, 75, callOf(DType::BFloat16, 64)), AttentionKernel::Products);
    // Large heads, which have no gradient on some GPUs.
    EXPECT_EQ(attentionKernelCuda(kNew, 86, callOf(DType::Float16, 224)), AttentionKernel::Efficient);
    EXPECT_EQ(attentionKernelCuda(kNew, 80, callOf(DType::Float16, 224)), AttentionKernel::Flash);
    EXPECT_EQ(attentionKernelCuda(kNew, 80, callOf(DType::Float16, 264)), AttentionKernel::Efficient);
    other = half;
    other.values[3] = 32;
    EXPECT_EQ(attentionKernelCuda(kNew, 86, other), AttentionKernel::Efficient);
    other = half;
    other.causal = true;
    other.keys[2] = other.values[2] = 80;
    EXPECT_EQ(attentionKernelCuda(kNew, 86, other), AttentionKernel::Efficient);
    other = single;
    other.dropout = 0.1;
    EXPECT_EQ(attentionKernelCuda(kNew, 86, other), AttentionKernel::Efficient);
    EXPECT_EQ(attentionKernelCuda({2, 0}, 86, other), AttentionKernel::Products);
}

TEST(Attention, OnTheCpuTakesItsKernelWithoutDropout) {
    using ghost::attentionKernelCpu;
    AttentionCall call = callOf(DType::Float32, 6);
    EXPECT_EQ(attentionKernelCpu(kNew, call), AttentionKernel::Flash);
    EXPECT_EQ(attentionKernelCpu({1, 13}, call), AttentionKernel::Products);
    call.dropout = 0.1;
    EXPECT_EQ(attentionKernelCpu(kNew, call), AttentionKernel::Products);
}

/// Six heads of 197 positions and `size` features, whose gradient is in the order of the axes.
Walk attentionOf(int size, const char* precision, const char* torch, const char* gpu) {
    const std::string conv = R"({"type": "conv", "out_channels": 6, "kernel_size": 1)";
    const stack::Experiment e = experiment(
        "[6, 197, " + std::to_string(size) + "]",
        conv + R"(, "id": "k"}, )" + conv + R"(, "id": "v"}, )" + conv +
            R"(}, {"type": "scaled_dot_product_attention", "with": ["k", "v"]}, {"type": "contiguous"}, )" +
            conv + "}",
        std::string(R"(, "precision": ")") + precision + "\"");
    return walkOf(e, target(e, torch, "9.1", gpu));
}

TEST(Attention, OfSinglePrecisionIsTheMemoryEfficientKernels) {
    const base::Bytes all = 302592, numbers = 4728;
    for (const bool splits : {false, true}) {
        const Walk w = attentionOf(64, "fp32", splits ? "2.11" : "2.0", "rtx3090");
        EXPECT_THAT(sizesOf(w, "attention", 1), ElementsAre(all, 5376));  // positions in multiples of 32
        std::vector<base::Bytes> backward = {all, all, all, all, all, numbers, numbers};
        if (splits) {
            backward.push_back(393600);
        }
        EXPECT_EQ(sizesOf(w, "attention backward", 1), backward);
    }
}

TEST(Attention, OfHalfPrecisionIsFlashAttentions) {
    const base::Bytes all = 151296;
    const Walk w = attentionOf(64, "fp16", "2.11", "rtx3090");
    EXPECT_THAT(sizesOf(w, "attention", 1), ElementsAre(all, 4728, 16, 8));
    EXPECT_THAT(sizesOf(w, "attention backward", 1), ElementsAre(all, all, all, all, all, 6144, 393216));
    // Padded to 24 features.
    const Walk filled = attentionOf(20, "fp16", "2.11", "rtx3090");
    EXPECT_THAT(sizesOf(filled, "pad", 1), ElementsAre(56736, 56736, 56736));
    EXPECT_THAT(sizesOf(filled, "attention", 1), ElementsAre(56736, 4728, 16, 8));
    EXPECT_THAT(sizesOf(filled, "attention backward", 1),
                ElementsAre(56736, 56736, 56736, 56736, 56736, 6144, 196608));
    EXPECT_THAT(sizesOf(filled, "pad backward", 1), ElementsAre(47280, 47280, 47280));
    // On a T4 the memory-efficient kernel, which computes the sums of backward itself.
    const Walk old = attentionOf(64, "fp16", "2.11", "t4");
    EXPECT_THAT(sizesOf(old, "attention", 1), ElementsAre(all, 5376));
    EXPECT_THAT(sizesOf(old, "attention backward", 1), ElementsAre(all, all, all, all, 4728, 393600));
    const Walk large = attentionOf(224, "fp16", "2.11", "rtx3090");
    EXPECT_THAT(sizesOf(large, "attention", 1), ElementsAre(529536, 5376, 1059072));
    EXPECT_THAT(sizesOf(large, "attention backward", 1),
                ElementsAre(529536, 529536, 529536, 529536, 4728, 4719360));
}

}  // namespace
}  // namespace highwater::predict
