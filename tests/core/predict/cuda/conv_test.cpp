#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/predict/workspaces/workspace.h"
#include "tests/core/predict/cuda/walks.h"

namespace highwater::predict {
namespace {

using namespace testing;
using memory::Category;
using memory::Phase;
using stack::Experiment;
using ::testing::ElementsAre;

// --- convolutions

TEST(CudaConv, AllocatesItsOutputThenAWorkspaceThatItFrees) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv8));
    EXPECT_THAT(eventsOf(w, Phase::Forward, 0), ElementsAre("+conv " + std::to_string(8 * kVoxels * 4),
                                                            "+cudnn workspace 0", "-cudnn workspace 0"));
}

TEST(CudaConv, GivesEachGradientItsWorkspaceInTurn) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv8 + "," + kConv8));
    const std::string input = std::to_string(8 * kVoxels * 4), weight = std::to_string(8 * 8 * 27 * 4);
    const auto events = eventsOf(w, Phase::Backward, 1);
    const std::vector<std::string> start(events.begin(), events.begin() + 7);
    EXPECT_THAT(start, ElementsAre("+conv backward " + input, "+cudnn workspace 0", "-cudnn workspace 0",
                                   "+conv backward " + weight, "+cudnn workspace " + weight,
                                   "-cudnn workspace " + weight, "+conv backward 32"));
    // The first layer's input needs no gradient.
    EXPECT_EQ(sizesOf(w, "conv backward", 1).size(), 3U + 2U);
}

/// As in LibTorch 2.11, observed on the pretended device.
TEST(CudaConv, CopiesAStridedGradientForEachPart) {
    // The last convolution's gradient is a part of the concatenation's.
    Experiment e = experiment(
        "[4, 16, 16, 16]",
        kConv8 + R"(, {"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1, "id": "a"},)" +
            kConv8 + R"(, {"type": "concat", "with": "a"})");
    e.step.batchSize = 2;
    const Walk w = walkOf(e);
    const std::string voxels = std::to_string(2 * 8 * kVoxels * 4), weight = std::to_string(8 * 8 * 27 * 4);
    const auto events = eventsOf(w, Phase::Backward, 2);
    ASSERT_GE(events.size(), 11U);
    const std::vector<std::string> start(events.begin(), events.begin() + 11);
    EXPECT_THAT(start,
                ElementsAre("+conv backward " + voxels, "+conv backward " + voxels, "+cudnn workspace 0",
                            "-cudnn workspace 0", "-conv backward " + voxels, "+conv backward " + voxels,
                            "+conv backward " + weight, "+cudnn workspace " + weight,
                            "-cudnn workspace " + weight, "-conv backward " + voxels, "+conv backward 32"));
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
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8, "", R"(, "backend": {"cudnn": false})");
    const Walk w = walkOf(e);
    EXPECT_THAT(sizesOf(w, "cublas workspace", 0),
                ElementsAre(33'554'432, 33'554'432));  // forward's thread, backward's
    EXPECT_THAT(sizesOf(w, "cublas workspace", 1), ElementsAre());
    EXPECT_EQ(liveAfter(w, w.events.size())[Category::Workspace], 2 * 33'554'432);
    EXPECT_THAT(sizesOf(walkOf(e, target(e, "2.4", "9.1", "a100-40")), "cublas workspace", 0),
                ElementsAre(8'519'680, 8'519'680));
    EXPECT_THAT(sizesOf(walkOf(e, target(e, "1.13", "8.5")), "cublas workspace", 0), ElementsAre());
    EXPECT_THAT(sizesOf(walkOf(experiment("[4, 16, 16, 16]", kConv8)), "cublas workspace", 0), ElementsAre());
}

TEST(CudaConv, RunsGroupsOneAfterTheOtherWithoutCudnn) {
    const Experiment e = experiment("[8, 8, 8, 8]", R"({"type": "conv", "out_channels": 16, "kernel_size": 3,
                                     "padding": 1, "groups": 2})",
                                    "", R"(, "backend": {"cudnn": false})");
    EXPECT_THAT(eventsOf(walkOf(e), Phase::Forward, 0),
                ElementsAre("+conv 16384", "+column buffer 221184", "-column buffer 221184", "+conv 16384",
                            "+column buffer 221184", "-column buffer 221184", "+conv 32768", "-conv 16384",
                            "-conv 16384"));
}

TEST(CudaConv, WalksAFewOfManyGroupsAndSamples) {
    const auto walkOfGroups = [](int groups) {
        const std::string channels = std::to_string(groups);
        return walkOf(experiment("[" + channels + ", 8, 8]",
                                 R"({"type": "conv_transpose", "dims": 2, "out_channels": )" + channels +
                                     R"(, "kernel_size": 2, "stride": 2, "groups": )" + channels + "}",
                                 "", R"(, "backend": {"cudnn": false})"));
    };
    const auto outputs = [](const Walk& w) {
        base::Bytes sum = 0;
        for (const base::Bytes each : sizesOf(w, "conv", 1)) {
            sum += each;
        }
        return sum;
    };
    const Walk some = walkOfGroups(512), many = walkOfGroups(1 << 20);
    EXPECT_EQ(some.events.size(), many.events.size());
    EXPECT_EQ(outputs(many), outputs(some) / 512 * (1 << 20));

    const auto walkOfSamples = [](int samples) {
        Experiment e = experiment("[4, 4, 4, 4]", kConv8, "", R"(, "backend": {"cudnn": false})");
        e.step.batchSize = samples;
        return walkOf(e);
    };
    EXPECT_EQ(walkOfSamples(1 << 20).events.size(), walkOfSamples(1 << 10).events.size());
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
        moved(experiment("[4, 16, 16, 16]", kConv8, "", off)) - moved(experiment("[4, 16, 16, 16]", kConv8)),
        2.0 * 4 * 27 * kVoxels * 4);
}

TEST(CudaConv, CountsWhatWasNotMeasured) {
    const Walk w = walkOf(experiment("[4, 16, 16, 16]", kConv8 + "," + kConv8));
    EXPECT_EQ(w.convolutionPasses, 4U);
    EXPECT_EQ(w.passesWithoutRow, 4U);
    const Experiment slow = experiment("[4, 16, 16, 16]", kConv8, "", R"(, "backend": {"cudnn": false})");
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

CudaVersions on(int architecture, int cudnn = 9) {
    CudaVersions versions;
    versions.architecture = architecture;
    versions.cudnn = {cudnn, 1, 0};
    return versions;
}

TEST(CudnnWorkspace, IsARangeFromNothing) {
    for (const DType type : {DType::Float32, DType::Float16, DType::BFloat16}) {
        for (const ConvPart part : {ConvPart::Forward, ConvPart::InputGradient, ConvPart::WeightGradient}) {
            const Estimate e = cudnnWorkspace(wide(type), part, {}, on(90));
            EXPECT_EQ(e.low, 0);
            EXPECT_LE(e.expected, e.high);
            EXPECT_GT(e.high, 0);
        }
    }
}

TEST(CudnnWorkspace, ConvertsContiguousTensorsForTensorCores) {
    const base::Bytes tensors = 2LL * 32 * 64 * 64 * 64 * 2, weight = 32 * 32 * 27 * 2;
    EXPECT_EQ(cudnnWorkspace(wide(), ConvPart::Forward, {}, on(90)).expected, tensors + weight);
    EXPECT_EQ(cudnnWorkspace(wide(), ConvPart::WeightGradient, {}, on(90)).expected,
              tensors + weight + 2 * weight);
    ConvKey last = wide();
    last.channelsLast = true;
    EXPECT_EQ(cudnnWorkspace(last, ConvPart::Forward, {}, on(90)).expected, 0);
    EXPECT_EQ(cudnnWorkspace(wide(DType::Float32), ConvPart::Forward, {}, on(90)).expected, 0);
    CudaSettings tf32;
    tf32.tf32 = true;
    EXPECT_EQ(cudnnWorkspace(wide(DType::Float32), ConvPart::Forward, tf32, on(90)).expected,
              2 * (tensors + weight));
    EXPECT_EQ(cudnnWorkspace(wide(DType::Float32), ConvPart::Forward, tf32, on(75)).expected, 0);
}

TEST(CudnnWorkspace, PadsChannels) {
    ConvKey one = wide();
    one.inChannels = 1;
    EXPECT_EQ(cudnnWorkspace(one, ConvPart::Forward, {}, on(90)).expected,
              (8LL + 32) * 64 * 64 * 64 * 2 + 8 * 32 * 27 * 2);
}

TEST(CudnnWorkspace, GrowsWhileTimingAndEndsAtALimit) {
    CudaSettings benchmark, limited;
    benchmark.benchmark = true;
    limited.workspaceLimit = 1000;
    for (const int cudnn : {8, 9}) {
        const CudaVersions versions = on(90, cudnn);
        const Estimate plain = cudnnWorkspace(wide(), ConvPart::Forward, {}, versions);
        const Estimate timed = cudnnWorkspace(wide(), ConvPart::Forward, benchmark, versions);
        EXPECT_EQ(timed.expected, plain.expected) << "the heuristics' first plan is often the fastest";
        EXPECT_GT(timed.high, plain.high);
        EXPECT_EQ(cudnnWorkspace(wide(), ConvPart::Forward, limited, versions), (Estimate{0, 1000, 1000}));
    }
    const Estimate timed = cudnnWorkspace(wide(), ConvPart::Forward, benchmark, on(90));
    const Estimate search = cudnnWorkspace(wide(), ConvPart::Forward, benchmark, on(90), CudnnStage::Search);
    EXPECT_GT(search.expected, timed.expected);
    EXPECT_GT(search.high, timed.high);
}

TEST(CudnnWorkspace, TheRangeOfCudnn9IsTheOneThatItsAnswersLieIn) {
    const double tensors = 2.0 * 32 * 64 * 64 * 64 * 2 + 32 * 32 * 27 * 2, sums = 16.0 * 4 * 32 * 32 * 27;
    const auto high = [&](const ConvKey& op, int cudnn) {
        return static_cast<double>(cudnnWorkspace(op, ConvPart::Forward, {}, on(90, cudnn)).high);
    };
    EXPECT_NEAR(high(wide(), 9), 2.5 * tensors + sums, 1);
    EXPECT_GE(high(wide(), 8), 3 * tensors + sums) << "an FFT may take more";
    EXPECT_NEAR(high(wide(DType::Float32), 9), 1.1 * 2 * tensors + sums, 1);
    ConvKey last = wide();
    last.channelsLast = true;
    EXPECT_NEAR(high(last, 9), 2.5 * tensors + sums, 1);
}

Target searching(base::Bytes memory) {
    Target target;
    target.id = "h100";
    target.memory = memory;
    target.versions = on(90);
    target.versions.cudnn = {9, 19, 0};  // it is unknown what a search of 9.0 to 9.7 holds
    target.settings.benchmark = true;
    return target;
}

TEST(CudnnSearch, TakesNoMoreThanIsFreeOnTheDevice) {
    const base::Bytes large = 80 * base::kGiB, live = 70 * base::kGiB;
    const Estimate alone = searchOf(wide(), ConvPart::Forward, searching(large), 0);
    EXPECT_EQ(alone, cudnnWorkspace(wide(), ConvPart::Forward, searching(large).settings, on(90),
                                    CudnnStage::Search));
    const Estimate full = searchOf(wide(), ConvPart::Forward, searching(large), large - base::kMiB);
    EXPECT_EQ(full, (Estimate{0, 0, base::kMiB}));

    Target asked = searching(large);
    auto table = std::make_shared<AskedTable>();
    AskedPlans plans;
    plans.first = base::kGiB;
    plans.most = 6 * base::kGiB;
    table->add(questionName({wide(), {.benchmark = true}}, ConvPart::Forward), plans);
    asked.asked = table;
    EXPECT_EQ(searchOf(wide(), ConvPart::Forward, asked, 20 * base::kGiB), Estimate::of(plans.most));
    // 10 GiB are free if no more is reserved than allocated; none are certain.
    EXPECT_EQ(searchOf(wide(), ConvPart::Forward, asked, live), (Estimate{0, 0, plans.most}));
    EXPECT_EQ(searchOf(wide(), ConvPart::Forward, asked, large - 2 * base::kGiB),
              (Estimate{0, 0, 2 * base::kGiB}));
}

}  // namespace
}  // namespace highwater::predict
