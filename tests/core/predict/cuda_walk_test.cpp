#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/predict/cuda_workspace.h"
#include "core/predict/walk.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::predict {
namespace {

using memory::Category;
using memory::Ledger;
using memory::Phase;
using stack::Experiment;
using stack::testing::experimentOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Experiment experiment(const std::string& input, const std::string& layers, const std::string& step = "",
                      const std::string& more = "") {
    auto made =
        experimentOf(input, layers, R"("loss": "mean", "step": {"batch_size": 1)" + step + "}" + more);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(made).value();
}

Target target(const Experiment& e, const char* torch = "2.4", const char* cudnn = "9.1",
              const char* id = "h100") {
    auto made = gpuTarget(id, e, *parseTorchVersion(torch), *parseCudnnVersion(cudnn));
    EXPECT_TRUE(made) << made.error().message;
    return std::move(made).value();
}

Walk walkOf(const Experiment& e, const Target& on) {
    const auto info = stack::inferShapes(e);
    EXPECT_TRUE(info) << info.error().message;
    auto walked = walk(e, *info, on);
    EXPECT_TRUE(walked) << walked.error().message;
    return std::move(walked).value();
}
Walk walkOf(const Experiment& e) {
    return walkOf(e, target(e));
}

/// "+label bytes" and "-label bytes" of a phase of the second step at one layer, sizes as expected.
std::vector<std::string> eventsOf(const Walk& w, Phase phase, int layer) {
    std::vector<std::string> lines;
    for (const WalkEvent& event : w.events)
        if (event.step == 1 && event.phase == phase && event.layer == layer &&
            event.kind != WalkEvent::Kind::Retag)
            lines.push_back((event.kind == WalkEvent::Kind::Allocate ? "+" : "-") +
                            std::string(w.blocks[event.block].label) + " " +
                            std::to_string(w.blocks[event.block].bytes.expected));
    return lines;
}

/// Of the blocks whose label it is: sizes, in order.
std::vector<base::Bytes> sizesOf(const Walk& w, std::string_view label, int step) {
    std::vector<base::Bytes> sizes;
    for (const WalkEvent& event : w.events)
        if (event.kind == WalkEvent::Kind::Allocate && event.step == step &&
            w.blocks[event.block].label == label)
            sizes.push_back(w.blocks[event.block].bytes.expected);
    return sizes;
}

Ledger liveAfter(const Walk& w, std::size_t events) {
    Ledger live;
    for (std::size_t i = 0; i < events; ++i) {
        const WalkEvent& event = w.events[i];
        const base::Bytes bytes = w.blocks[event.block].bytes.expected;
        if (event.kind == WalkEvent::Kind::Retag)
            live[event.from] -= bytes;
        live[event.category] += event.kind == WalkEvent::Kind::Free ? -bytes : bytes;
    }
    return live;
}

const std::string kConv = R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1})";
constexpr base::Bytes kVoxels = 16 * 16 * 16;

// --- convolutions

TEST(CudaConv, AllocatesItsOutputThenAWorkspaceThatItFrees) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv));
    EXPECT_THAT(eventsOf(w, Phase::Forward, 0), ElementsAre("+conv " + std::to_string(8 * kVoxels * 4),
                                                            "+cudnn workspace 0", "-cudnn workspace 0"));
}

TEST(CudaConv, GivesEachGradientItsWorkspaceInTurn) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv + "," + kConv));
    const std::string input = std::to_string(8 * kVoxels * 4), weight = std::to_string(8 * 8 * 27 * 4);
    const auto events = eventsOf(w, Phase::Backward, 1);
    const std::vector<std::string> start(events.begin(), events.begin() + 7);
    EXPECT_THAT(start, ElementsAre("+conv backward " + input, "+cudnn workspace 0", "-cudnn workspace 0",
                                   "+conv backward " + weight, "+cudnn workspace " + weight,
                                   "-cudnn workspace " + weight, "+conv backward 32"));
    // The first layer's input wants no gradient.
    EXPECT_EQ(sizesOf(w, "conv backward", 1).size(), 3U + 2U);
}

TEST(CudaConv, TakesTheReportedColumnBuffer) {
    const Experiment e = experiment("[64, 362, 370, 251]",
                                    R"({"type": "conv", "out_channels": 32, "kernel_size": 3, "padding": 1})",
                                    R"(, "precision": "fp16")");
    const Walk old = walkOf(e, target(e, "2.0", "8.5"));
    EXPECT_THAT(sizesOf(old, "column buffer", 0),
                ElementsAre(116'187'056'640, 116'187'056'640));  // and backward
    const Walk now = walkOf(e, target(e, "2.8", "9.10.2"));
    EXPECT_THAT(sizesOf(now, "column buffer", 0), ElementsAre());
}

TEST(CudaConv, KeepsTheCublasWorkspaceFromItsFirstUseOn) {
    const Experiment e = experiment("[4, 16, 16, 16]", kConv, "", R"(, "backend": {"cudnn": false})");
    const Walk w = walkOf(e);
    EXPECT_THAT(sizesOf(w, "cublas workspace", 0), ElementsAre(33'554'432));
    EXPECT_THAT(sizesOf(w, "cublas workspace", 1), ElementsAre());
    EXPECT_EQ(liveAfter(w, w.events.size())[Category::Workspace], 33'554'432);
    EXPECT_THAT(sizesOf(walkOf(e, target(e, "2.4", "9.1", "a100-40")), "cublas workspace", 0),
                ElementsAre(8'519'680));
    EXPECT_THAT(sizesOf(walkOf(e, target(e, "1.13", "8.5")), "cublas workspace", 0), ElementsAre());
    EXPECT_THAT(sizesOf(walkOf(experiment("[4, 16, 16, 16]", kConv)), "cublas workspace", 0), ElementsAre());
}

TEST(CudaConv, RunsGroupsOneAfterTheOtherWithoutCudnn) {
    const Experiment e = experiment("[8, 8, 8, 8]", R"({"type": "conv", "out_channels": 16, "kernel_size": 3,
                                     "padding": 1, "groups": 2})",
                                    "", R"(, "backend": {"cudnn": false})");
    EXPECT_THAT(eventsOf(walkOf(e), Phase::Forward, 0),
                ElementsAre("+conv 32768", "+conv 8192", "+conv 3456",
                            "+column buffer " + std::to_string(4 * 27 * 512 * 4),
                            "-column buffer " + std::to_string(4 * 27 * 512 * 4), "-conv 3456", "-conv 8192",
                            "+conv 32768", "-conv 32768"));
}

TEST(CudaConv, NeedsNothingInPassingForDepthwiseKernels) {
    const Experiment e =
        experiment("[8, 8, 8, 8]", R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "groups": 8})");
    EXPECT_EQ(eventsOf(walkOf(e), Phase::Forward, 0).size(), 1U);
}

TEST(CudaConv, MovesItsColumnsToo) {
    const auto moved = [](const Experiment& e) {
        const Walk w = walkOf(e);
        const auto conv =
            std::find_if(w.ops.begin(), w.ops.end(), [](const WalkOp& op) { return op.convolution >= 0; });
        return conv->bytesMoved;
    };
    const std::string off = R"(, "backend": {"cudnn": false})";
    EXPECT_EQ(
        moved(experiment("[4, 16, 16, 16]", kConv, "", off)) - moved(experiment("[4, 16, 16, 16]", kConv)),
        2.0 * 4 * 27 * kVoxels * 4);
}

TEST(CudaConv, CountsWhatWasNotMeasured) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv + "," + kConv));
    EXPECT_EQ(w.convolutionPasses, 4U);
    EXPECT_EQ(w.passesWithoutRow, 4U);
    const Experiment slow = experiment("[4, 16, 16, 16]", kConv, "", R"(, "backend": {"cudnn": false})");
    EXPECT_EQ(walkOf(slow).passesWithoutRow, 0U);
}

// --- workspaces

ConvKey wide(DType type = DType::Float16) {
    ConvKey op;
    op.inChannels = op.outChannels = 32;
    op.input = op.output = {64, 64, 64};
    op.kernel = {3, 3, 3};
    op.padding = {1, 1, 1};
    op.dtype = type;
    return op;
}

TEST(CudnnWorkspace, IsARangeFromNothing) {
    for (const DType type : {DType::Float32, DType::Float16, DType::BFloat16})
        for (const ConvPart part : {ConvPart::Forward, ConvPart::InputGradient, ConvPart::WeightGradient}) {
            const Estimate e = cudnnWorkspace(wide(type), part, {}, 90);
            EXPECT_EQ(e.low, 0);
            EXPECT_LE(e.expected, e.high);
            EXPECT_GT(e.high, 0);
        }
}

TEST(CudnnWorkspace, ConvertsContiguousTensorsForTensorCores) {
    const base::Bytes tensors = 2LL * 32 * 64 * 64 * 64 * 2, weight = 32 * 32 * 27 * 2;
    EXPECT_EQ(cudnnWorkspace(wide(), ConvPart::Forward, {}, 90).expected, tensors + weight);
    EXPECT_EQ(cudnnWorkspace(wide(), ConvPart::WeightGradient, {}, 90).expected,
              tensors + weight + 2 * weight);
    ConvKey last = wide();
    last.channelsLast = true;
    EXPECT_EQ(cudnnWorkspace(last, ConvPart::Forward, {}, 90).expected, 0);
    EXPECT_EQ(cudnnWorkspace(wide(DType::Float32), ConvPart::Forward, {}, 90).expected, 0);
    CudaSettings tf32;
    tf32.tf32 = true;
    EXPECT_EQ(cudnnWorkspace(wide(DType::Float32), ConvPart::Forward, tf32, 90).expected,
              2 * (tensors + weight));
    EXPECT_EQ(cudnnWorkspace(wide(DType::Float32), ConvPart::Forward, tf32, 75).expected, 0);
}

TEST(CudnnWorkspace, PadsChannels) {
    ConvKey one = wide();
    one.inChannels = 1;
    EXPECT_EQ(cudnnWorkspace(one, ConvPart::Forward, {}, 90).expected,
              (8LL + 32) * 64 * 64 * 64 * 2 + 8 * 32 * 27 * 2);
}

TEST(CudnnWorkspace, GrowsWhileTimingAndEndsAtALimit) {
    CudaSettings benchmark, limited;
    benchmark.benchmark = true;
    limited.workspaceLimit = 1000;
    const Estimate plain = cudnnWorkspace(wide(), ConvPart::Forward, {}, 90);
    const Estimate timed = cudnnWorkspace(wide(), ConvPart::Forward, benchmark, 90);
    EXPECT_GT(timed.expected, plain.expected);
    EXPECT_GT(timed.high, plain.high);
    EXPECT_EQ(cudnnWorkspace(wide(), ConvPart::Forward, limited, 90), (Estimate{0, 1000, 1000}));
}

// --- autocast

TEST(Autocast, ComputesInHalfAndKeepsCastsOfWeightsUntilTheForwardEnds) {
    const std::string layers = kConv + R"(, {"type": "relu"}, )" + kConv;
    const Experiment single = experiment("[4, 16, 16, 16]", layers);
    const Experiment half = experiment("[4, 16, 16, 16]", layers, R"(, "precision": "bf16")");
    const Walk a = walkOf(single), b = walkOf(half);
    EXPECT_EQ(b.activationBytes[1] * 2, a.activationBytes[1]);
    // Input, then weight and bias of both convolutions; the second input is low already.
    EXPECT_THAT(sizesOf(b, "cast", 1), ElementsAre(4 * kVoxels * 2, 4 * 8 * 27 * 2, 16, 8 * 8 * 27 * 2, 16));
    // Gradients of parameters come back in fp32: input wants none.
    EXPECT_THAT(sizesOf(b, "cast backward", 1), ElementsAre(32, 8 * 8 * 27 * 4, 32, 4 * 8 * 27 * 4));
    EXPECT_EQ(liveAfter(b, b.events.size())[Category::Activations], 0);
    EXPECT_THAT(sizesOf(a, "cast", 1), ElementsAre());
}

TEST(Autocast, RunsGroupNormAndTheLossInFp32) {
    const std::string layers = kConv + R"(, {"type": "group_norm", "num_groups": 2}, {"type": "relu"})";
    const Experiment half = experiment("[4, 16, 16, 16]", layers, R"(, "precision": "fp16")");
    const Walk w = walkOf(half);
    EXPECT_EQ(sizesOf(w, "group_norm", 1).at(0), 8 * kVoxels * 4);
    EXPECT_EQ(sizesOf(w, "activation", 1).at(0), 8 * kVoxels * 4);  // follows its input
    auto classes =
        experimentOf("[4, 16, 16, 16]", kConv, R"("loss": "cross_entropy", "target": {"classes": 8},
                                "step": {"batch_size": 1, "precision": "bf16"})");
    ASSERT_TRUE(classes) << classes.error().message;
    EXPECT_EQ(sizesOf(walkOf(*classes), "softmax", 1).at(0), 8 * kVoxels * 4);
    EXPECT_EQ(sizesOf(walkOf(*classes), "softmax", 1).size(), 1U);  // reads fp16, writes fp32
}

TEST(Autocast, UpsamplesInFp32FromLibTorch24On) {
    const Experiment e =
        experiment("[4, 8, 8, 8]", kConv + R"(, {"type": "upsample"})", R"(, "precision": "fp16")");
    EXPECT_EQ(sizesOf(walkOf(e, target(e, "2.3", "8.9")), "upsample", 1).at(0), 8 * 16 * 16 * 16 * 2);
    EXPECT_EQ(sizesOf(walkOf(e, target(e, "2.4", "9.1")), "upsample", 1).at(0), 8 * 16 * 16 * 16 * 4);
}

TEST(Tf32, BringsConvolutionsToTheTensorCoresThatHaveIt) {
    const Experiment e =
        experiment("[4, 16, 16, 16]", kConv + R"(, {"type": "conv", "out_channels": 4, "kernel_size": 1},
                                    {"type": "conv_transpose", "out_channels": 8, "stride": 2})",
                   R"(, "precision": "tf32")");
    const auto families = [&](const char* id) {
        std::set<std::string> found;
        for (const WalkOp& op : walkOf(e, target(e, "2.4", "9.1", id)).ops)
            if (op.convolution >= 0)
                found.insert(std::string(op.family));
        return found;
    };
    EXPECT_THAT(families("h100"), ElementsAre("conv/tensor", "conv_1x1/tensor", "conv_transpose/tensor"));
    EXPECT_THAT(families("t4"), ElementsAre("conv", "conv_1x1", "conv_transpose"));
}

TEST(Tf32, ChangesNoTensor) {
    const Experiment plain = experiment("[4, 16, 16, 16]", kConv);
    const Experiment tf32 = experiment("[4, 16, 16, 16]", kConv, R"(, "precision": "tf32")");
    const Walk a = walkOf(plain), b = walkOf(tf32);
    EXPECT_EQ(a.activationBytes, b.activationBytes);
    EXPECT_EQ(sizesOf(a, "conv", 1), sizesOf(b, "conv", 1));
}

// --- other operators

TEST(CudaOps, KeepAByteAnElementOfDropout) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv + R"(, {"type": "dropout"})"));
    EXPECT_EQ(w.activationBytes[1], 8 * kVoxels * (4 + 1));
    const Walk f = walkOf(experiment("[4, 16, 16, 16]", kConv + R"(, {"type": "dropout", "feature": true})"));
    EXPECT_EQ(f.activationBytes[1], 8 * kVoxels * 4 + 8 * 4);
}

TEST(CudaOps, KeepMeanAndDeviationOfNorms) {
    const auto bytes = [](const std::string& norm, const std::string& step = "") {
        return walkOf(experiment("[4, 16, 16, 16]", kConv + ", " + norm, step)).activationBytes[1];
    };
    EXPECT_EQ(bytes(R"({"type": "batch_norm"})"), 8 * kVoxels * 4 + 2 * 8 * 4);
    EXPECT_EQ(bytes(R"({"type": "batch_norm"})", R"(, "precision": "fp16")"), 8 * kVoxels * 2 + 2 * 8 * 4);
    EXPECT_EQ(bytes(R"({"type": "group_norm", "num_groups": 4})"), 8 * kVoxels * 4 + 2 * 4 * 4);
    EXPECT_EQ(bytes(R"({"type": "instance_norm", "affine": true})"), 8 * kVoxels * 4 + 2 * 8 * 4 + 8 * 4);
}

TEST(CudaOps, CopyTheGradientsOfAViewThatIsWrittenOver) {
    const std::string norm = kConv + R"(, {"type": "instance_norm"}, {"type": "leaky_relu", "inplace": )";
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

TEST(CudaOps, AddASecondGradientInPlaceFromLibTorch2On) {
    const Experiment e = experiment("[4, 16, 16, 16]", R"(
        {"type": "conv", "id": "a", "out_channels": 8, "kernel_size": 3, "padding": 1},
        {"type": "gelu"}, {"type": "concat", "with": "a"})");
    const auto sums = [&](const char* torch, const char* cudnn) {
        return sizesOf(walkOf(e, target(e, torch, cudnn)), "sum of gradients", 1).size();
    };
    EXPECT_EQ(sums("1.13", "8.5"), 1U);
    // What arrives first is a part of the joined gradient, which the other part shares.
    EXPECT_LE(sums("2.4", "9.1"), 1U);
}

// --- what was reported

/// The highest sum of expected sizes.
base::Bytes peakOf(const Walk& w) {
    base::Bytes live = 0, peak = 0;
    for (const WalkEvent& event : w.events) {
        const base::Bytes bytes = w.blocks[event.block].bytes.expected;
        live += event.kind == WalkEvent::Kind::Allocate ? bytes
                : event.kind == WalkEvent::Kind::Free   ? -bytes
                                                        : 0;
        peak = std::max(peak, live);
    }
    return peak;
}

TEST(Reported, PeaksOfSingleConvolutionsAreMet) {
    constexpr double kGiB = static_cast<double>(base::kGiB);
    const std::string forward = R"(, "train": false)";
    // #128947, depth 4, A100: 17 GiB, of which 9 are input and output.
    const Experiment single =
        experiment("[256, 4, 1090, 1922]", R"({"type": "conv", "out_channels": 64, "kernel_size": 3})",
                   forward + R"(, "precision": "tf32")");
    EXPECT_NEAR(static_cast<double>(peakOf(walkOf(single, target(single, "2.3", "8.9.2", "a100-80")))) / kGiB,
                17, 1.2);
    // #132300, x_small: 9.26 GiB in bf16, without cuDNN for its output has 2.99e9 elements. Here the input is
    // there in fp32 as well.
    const Experiment half =
        experiment("[3, 24, 740, 1316]", R"({"type": "conv", "out_channels": 128, "kernel_size": 3,
                                       "padding": 1})",
                   forward + R"(, "precision": "bf16")");
    EXPECT_NEAR(static_cast<double>(peakOf(walkOf(half, target(half, "2.3", "8.9.2", "a100-80")))) / kGiB,
                9.26 + 3 * 24 * 740 * 1316 * 4 / kGiB, 0.05);
}

// --- all of them

stack::testing::RandomLimits predictable() {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    return limits;
}

TEST(CudaWalk, OfRandomStacksIsSoundAndTheSecondStepEndsAsTheFirst) {
    for (std::uint64_t seed = 1; seed <= 240; ++seed) {
        SCOPED_TRACE(seed);
        Experiment e = stack::testing::randomExperiment(seed, predictable());
        e.step.precision = static_cast<stack::Precision>(seed % 4);
        e.step.channelsLast = seed % 3 == 0;
        e.backend.cudnn = seed % 5 != 0;
        e.backend.benchmark = seed % 7 == 0;
        const auto info = stack::inferShapes(e);
        if (!info)
            continue;
        const auto w = walk(e, *info, target(e, seed % 2 ? "2.4" : "2.9", seed % 2 ? "8.9" : "9.10.2"));
        ASSERT_TRUE(w) << w.error().message;
        std::map<std::uint32_t, Category> alive;
        for (const WalkEvent& event : w->events) {
            if (event.kind == WalkEvent::Kind::Allocate) {
                ASSERT_TRUE(alive.emplace(event.block, event.category).second);
                continue;
            }
            const auto found = alive.find(event.block);
            ASSERT_NE(found, alive.end());
            ASSERT_EQ(found->second, event.kind == WalkEvent::Kind::Free ? event.category : event.from);
            if (event.kind == WalkEvent::Kind::Free)
                alive.erase(found);
            else
                found->second = event.category;
        }
        for (const WalkBlock& block : w->blocks) {
            ASSERT_LE(0, block.bytes.low);
            ASSERT_LE(block.bytes.low, block.bytes.expected);
            ASSERT_LE(block.bytes.expected, block.bytes.high);
        }
        const Ledger first = liveAfter(*w, w->stepEvent[1]), second = liveAfter(*w, w->events.size());
        EXPECT_EQ(first, second);
        EXPECT_EQ(second[Category::Activations], 0);
        EXPECT_EQ(second[Category::Gradients], 0);
        EXPECT_EQ(second[Category::Temporaries], 0);
    }
}

TEST(CudaWalk, KeepsWhatTheCpuKeepsInFp32) {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        stack::testing::RandomLimits limits = predictable();
        limits.without.insert("dropout");         // a byte an element here, four there
        limits.without.insert("conv_transpose");  // the CPU's 3d output may lie in larger memory
        const Experiment e = stack::testing::randomExperiment(seed, limits);
        const auto info = stack::inferShapes(e);
        ASSERT_TRUE(info);
        const auto cpu = walk(e, *info, {});
        if (!cpu)
            continue;
        const auto gpu = walk(e, *info, target(e));
        ASSERT_TRUE(gpu) << gpu.error().message;
        EXPECT_EQ(cpu->activationBytes, gpu->activationBytes);
        EXPECT_EQ(cpu->parameterBytes, gpu->parameterBytes);
        ++compared;
    }
    EXPECT_GT(compared, 100);
}

TEST(CudaWalk, SaysWhichLayersItCannot) {
    const Experiment e =
        experiment("[4, 8, 8, 8]", kConv + R"(, {"type": "custom_conv", "transform_channels": 2,
                                    "out_channels": 4})");
    const auto w = walk(e, *stack::inferShapes(e), target(e));
    ASSERT_FALSE(w);
    EXPECT_THAT(w.error().message, HasSubstr("layer 2 `custom_conv`"));
}

TEST(GpuTarget, FollowsVersionsAndTheExperiment) {
    Experiment e = experiment("[4, 8, 8, 8]", kConv, R"(, "precision": "tf32")");
    const auto plain = gpuTarget("t4", e);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->versions.libtorch, kDefaultTorch);
    EXPECT_EQ(plain->versions.cudnn, bundledCudnn(kDefaultTorch));
    EXPECT_EQ(plain->versions.architecture, 75);
    EXPECT_TRUE(plain->settings.tf32);
    EXPECT_EQ(gpuTarget("t4", e, memory::TorchVersion{2, 1})->versions.cudnn, bundledCudnn({2, 1}));
    e.backend.allocConf = "max_split_size_mb:128";
    EXPECT_EQ(gpuTarget("t4", e)->allocator.maxSplitSize, 128 * base::kMiB);
    EXPECT_EQ(gpuTarget("t4", e, {}, {}, "")->allocator.maxSplitSize, memory::kUnlimited);
    e.backend.allocConf = "expandable_segments:True";
    EXPECT_THAT(gpuTarget("t4", e, memory::TorchVersion{2, 0}).error().message, HasSubstr("alloc_conf"));
    EXPECT_THAT(gpuTarget("gt710", e).error().message, HasSubstr("h100"));
}

}  // namespace
}  // namespace highwater::predict
