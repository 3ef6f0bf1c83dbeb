#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/core/predict/cuda/walks.h"

namespace highwater::predict {
namespace {

using namespace testing;
using memory::Category;
using memory::Phase;
using stack::Experiment;
using stack::testing::experimentOf;
using ::testing::ElementsAre;

// --- autocast

TEST(Autocast, ComputesInHalfAndKeepsCastsOfWeightsUntilTheForwardEnds) {
    const std::string layers = kConv8 + R"(, {"type": "relu"}, )" + kConv8;
    const Experiment single = experiment("[4, 16, 16, 16]", layers);
    const Experiment half = experiment("[4, 16, 16, 16]", layers, R"(, "precision": "bf16")");
    const Walk a = walkOf(single), b = walkOf(half);
    EXPECT_EQ(b.activationBytes[1] * 2, a.activationBytes[1]);
    // From the last argument to the first: bias, weight, input; the second input is already in low precision.
    EXPECT_THAT(sizesOf(b, "cast", 1), ElementsAre(16, 4 * 8 * 27 * 2, 4 * kVoxels * 2, 16, 8 * 8 * 27 * 2));
    // Gradients of parameters are fp32; the input needs none.
    EXPECT_THAT(sizesOf(b, "cast backward", 1), ElementsAre(8 * 8 * 27 * 4, 32, 4 * 8 * 27 * 4, 32));
    EXPECT_EQ(liveAfter(b, b.events.size())[Category::Activations], 0);
    EXPECT_THAT(sizesOf(a, "cast", 1), ElementsAre());
}

TEST(Autocast, RunsGroupNormAndTheLossInFp32) {
    const std::string layers = kConv8 + R"(, {"type": "group_norm", "num_groups": 2}, {"type": "relu"})";
    const Experiment half = experiment("[4, 16, 16, 16]", layers, R"(, "precision": "fp16")");
    const Walk w = walkOf(half);
    EXPECT_EQ(sizesOf(w, "group_norm", 1).at(0), 8 * kVoxels * 4);
    EXPECT_EQ(sizesOf(w, "activation", 1).at(0), 8 * kVoxels * 4);  // follows its input
    auto classes =
        experimentOf("[4, 16, 16, 16]", kConv8, R"("loss": "cross_entropy", "target": {"classes": 8},
                                "step": {"batch_size": 1, "precision": "bf16"})");
    ASSERT_TRUE(classes) << classes.error().message;
    EXPECT_EQ(sizesOf(walkOf(*classes), "softmax", 1).at(0), 8 * kVoxels * 2);
    EXPECT_EQ(sizesOf(walkOf(*classes), "softmax", 1).size(), 1U);  // in its own type
}

TEST(Autocast, UpsamplesInFp32FromLibTorch24On) {
    const Experiment e =
        experiment("[4, 8, 8, 8]", kConv8 + R"(, {"type": "upsample"})", R"(, "precision": "fp16")");
    EXPECT_EQ(sizesOf(walkOf(e, target(e, "2.3", "8.9")), "upsample", 1).at(0), 8 * 16 * 16 * 16 * 2);
    EXPECT_EQ(sizesOf(walkOf(e, target(e, "2.4", "9.1")), "upsample", 1).at(0), 8 * 16 * 16 * 16 * 4);
}

TEST(Tf32, BringsConvolutionsToTheTensorCoresThatHaveIt) {
    const Experiment e =
        experiment("[4, 16, 16, 16]", kConv8 + R"(, {"type": "conv", "out_channels": 4, "kernel_size": 1},
                                    {"type": "conv_transpose", "out_channels": 8, "stride": 2})",
                   R"(, "precision": "tf32")");
    const auto families = [&](const char* id) {
        std::set<std::string> found;
        for (const WalkOp& op : walkOf(e, target(e, "2.4", "9.1", id)).ops) {
            if (op.convolution >= 0) {
                found.insert(std::string(op.family));
            }
        }
        return found;
    };
    EXPECT_THAT(families("h100"), ElementsAre("conv/tensor", "conv_1x1/tensor", "conv_transpose/tensor"));
    EXPECT_THAT(families("t4"), ElementsAre("conv", "conv_1x1", "conv_transpose"));
}

TEST(Tf32, ChangesNoTensor) {
    const Experiment plain = experiment("[4, 16, 16, 16]", kConv8);
    const Experiment tf32 = experiment("[4, 16, 16, 16]", kConv8, R"(, "precision": "tf32")");
    const Walk a = walkOf(plain), b = walkOf(tf32);
    EXPECT_EQ(a.activationBytes, b.activationBytes);
    EXPECT_EQ(sizesOf(a, "conv", 1), sizesOf(b, "conv", 1));
}

// --- other operators

TEST(CudaOps, KeepAByteAnElementOfDropout) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv8 + R"(, {"type": "dropout"})"));
    EXPECT_EQ(w.activationBytes[1], 8 * kVoxels * (4 + 1));
    const Walk f =
        walkOf(experiment("[4, 16, 16, 16]", kConv8 + R"(, {"type": "dropout", "feature": true})"));
    EXPECT_EQ(f.activationBytes[1], 8 * kVoxels * 4 + 8 * 4);
}

TEST(CudaOps, KeepMeanAndDeviationOfNorms) {
    const auto bytes = [](const std::string& norm, const std::string& step = "") {
        return walkOf(experiment("[4, 16, 16, 16]", kConv8 + ", " + norm, step)).activationBytes[1];
    };
    EXPECT_EQ(bytes(R"({"type": "batch_norm"})"), 8 * kVoxels * 4 + 2 * 8 * 4);
    EXPECT_EQ(bytes(R"({"type": "batch_norm"})", R"(, "precision": "fp16")"), 8 * kVoxels * 2 + 2 * 8 * 4);
    EXPECT_EQ(bytes(R"({"type": "group_norm", "num_groups": 4})"), 8 * kVoxels * 4 + 2 * 4 * 4);
    EXPECT_EQ(bytes(R"({"type": "instance_norm", "affine": true})"), 8 * kVoxels * 4 + 2 * 8 * 4 + 8 * 4);
}

TEST(CudaOps, CopyTheGradientsOfAViewThatIsWrittenOver) {
    const std::string norm = kConv8 + R"(, {"type": "instance_norm"}, {"type": "leaky_relu", "inplace": )";
    const auto backward = [&](const char* inplace) {
        const Walk w = walkOf(experiment("[4, 16, 16, 16]", norm + inplace + "}"));
        return eventsOf(w, Phase::Backward, 2);
    };
    const auto count = [](const std::vector<std::string>& events) {
        return std::count(events.begin(), events.end(),
                          "+activation backward " + std::to_string(8 * kVoxels * 4));
    };
    EXPECT_EQ(count(backward("false")), 1);
    EXPECT_EQ(count(backward("true")), 3);  // result, part, the operator's own
}

/// The gradient of a repeated tensor first has the size of the product, then it is summed.
TEST(CudaOps, SumTheGradientsOfWhatMulRepeats) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv8 + R"(, {"type": "gelu", "id": "a"},
        {"type": "upsample", "size": 1}, {"type": "sigmoid"}, {"type": "mul", "with": "a"})"));
    constexpr base::Bytes kWhole = 8 * kVoxels * 4;
    EXPECT_THAT(sizesOf(w, "mul", 1), ElementsAre(kWhole));
    EXPECT_THAT(sizesOf(w, "mul backward", 1), ElementsAre(kWhole, kWhole));
    EXPECT_THAT(sizesOf(w, "sum", 1), ElementsAre(8 * 4));
    const Walk sum = walkOf(experiment("[4, 16, 16, 16]", kConv8 + R"(, {"type": "gelu", "id": "a"},
        {"type": "upsample", "size": 1}, {"type": "sigmoid"}, {"type": "add", "with": "a"})"));
    EXPECT_THAT(sizesOf(sum, "add backward", 1), ElementsAre());
    EXPECT_THAT(sizesOf(sum, "sum", 1), ElementsAre(8 * 4));
}

TEST(CudaOps, ComputePreluInHalfUnderAutocast) {
    const std::string layers = R"({"type": "conv", "out_channels": 8, "kernel_size": 1},
        {"type": "group_norm", "num_groups": 2}, {"type": "prelu", "num_parameters": 8})";
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", layers, R"(, "precision": "fp16")"));
    EXPECT_THAT(sizesOf(w, "prelu", 1), ElementsAre(8 * kVoxels * 2));
    EXPECT_THAT(sizesOf(w, "prelu backward", 1), ElementsAre(8 * kVoxels * 2, 8 * kVoxels * 2));
}

TEST(CudaOps, AddASecondGradientInPlaceFromLibTorch2On) {
    const Experiment e = experiment("[4, 16, 16, 16]", R"(
        {"type": "conv", "id": "a", "out_channels": 8, "kernel_size": 3, "padding": 1},
        {"type": "gelu"}, {"type": "concat", "with": "a"})");
    const auto sums = [&](const char* torch, const char* cudnn) {
        return sizesOf(walkOf(e, target(e, torch, cudnn)), "sum of gradients", 1).size();
    };
    EXPECT_EQ(sums("1.13", "8.5"), 1U);
    // The gradient that arrives first is a part of the joined gradient, which the other part shares.
    EXPECT_LE(sums("2.4", "9.1"), 1U);
}

}  // namespace
}  // namespace highwater::predict
