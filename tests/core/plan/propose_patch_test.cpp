#include "core/plan/propose_patch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "core/stack/shapes.h"
#include "tests/core/plan/volumes.h"

namespace highwater::plan::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Three = std::array<std::int64_t, 3>;

base::Bytes voxels(const stack::Experiment& e) {
    const auto& patch = std::get<stack::ScanInput>(e.input).patch;
    return e.step.batchSize * patch[0] * patch[1] * patch[2];
}

/// 1000 bytes, plus 1 per voxel.
base::Result<base::Bytes> byteAVoxel(const stack::Experiment& e) {
    return 1000 + voxels(e);
}

ProposeOptions within(base::Bytes capacity) {
    ProposeOptions options;
    options.capacity = capacity;
    return options;
}

TEST(ProposePatch, TheWholeMedianWhereItFits) {
    const auto proposal =
        proposePatch(onCohort(conv(1)), cohort(100, {60, 50, 40}), byteAVoxel, within(1'000'000'000));
    ASSERT_TRUE(proposal.ok()) << proposal.error().message;
    EXPECT_THAT(proposal->patch, ElementsAre(40, 50, 60)) << "D, H, W are k, j, i";
    EXPECT_EQ(proposal->medianSize, (Three{60, 50, 40}));
    EXPECT_EQ(proposal->batch, 5) << "5 % of 100 cases";
    EXPECT_EQ(proposal->peak, 1000 + 5 * 40 * 50 * 60);
    EXPECT_EQ(proposal->coveredShare, 1);
    EXPECT_THAT(proposal->why, Contains(HasSubstr("The whole median volume fits")));
    EXPECT_THAT(proposal->why, Contains(HasSubstr("5 % of the cohort's voxels")));
    EXPECT_THAT(proposal->why, Contains(HasSubstr("100 cases is 60 × 50 × 40 voxels")));
}

TEST(ProposePatch, ShortensTheAxisThatIsLongestAgainstTheMedian) {
    // Two patches of 100 x 100 x 100 would need 2,000,000; half of that in 10 % steps is 80 x 80 x 80.
    const auto proposal = proposePatch(onCohort(conv(1, R"(, "stride": 10)")), cohort(1000, {100, 100, 100}),
                                       byteAVoxel, within(2 * 80 * 80 * 80 + 1000));
    ASSERT_TRUE(proposal.ok()) << proposal.error().message;
    EXPECT_THAT(proposal->patch, ElementsAre(80, 80, 80));
    EXPECT_EQ(proposal->batch, 2);
    EXPECT_DOUBLE_EQ(proposal->coveredShare, 0.512);
    EXPECT_THAT(proposal->why, Contains(AllOf(HasSubstr("does not fit: an estimated 1.91 MiB of 1001 KiB"),
                                              HasSubstr("patch 80 × 80 × 80 (D × H × W) with batch 2"))));
    EXPECT_THAT(proposal->why, Contains(HasSubstr("multiples of that")));
}

TEST(ProposePatch, TheMedianIsTakenAtTheMedianSpacing) {
    // Half the slices at twice the distance: the same body.
    std::vector<CaseShape> cases = cohort(3, {100, 100, 80}, {1, 1, 1});
    cases.push_back({{100, 100, 40}, {1, 1, 2}});
    cases.push_back({{200, 200, 80}, {0.5, 0.5, 1}});
    const auto proposal = proposePatch(onCohort(conv(1)), cases, byteAVoxel, within(1'000'000'000));
    ASSERT_TRUE(proposal.ok());
    EXPECT_EQ(proposal->spacing, (std::array<double, 3>{1, 1, 1}));
    EXPECT_EQ(proposal->medianSize, (Three{100, 100, 80}));
    cases.push_back({{7, 7, 7}, {0, 0, 0}});  // unknown spacing: its size as it is
    cases.push_back({{7, 7, 7}, {std::nan(""), -1, 1e300 * 1e300}});
    EXPECT_EQ(proposePatch(onCohort(conv(1)), cases, byteAVoxel, within(1'000'000'000))->spacing,
              (std::array<double, 3>{1, 1, 1}));
}

TEST(ProposePatch, TheBatchIsAMultipleOfMicroBatches) {
    const auto experiment = onCohort(conv(1), R"(, "step": {"batch_size": 3, "micro_batches": 3})");
    const auto proposal =
        proposePatch(experiment, cohort(1000, {10, 10, 10}), byteAVoxel, within(1000 + 17 * 1000));
    ASSERT_TRUE(proposal.ok()) << proposal.error().message;
    EXPECT_EQ(proposal->batch, 15);
    EXPECT_THAT(proposal->why, Contains(HasSubstr("batch 18 does not")));
}

TEST(ProposePatch, Refusals) {
    const auto experiment = onCohort(conv(1));
    const auto refusal = [&](const std::vector<CaseShape>& cases, base::Bytes capacity,
                             const stack::Experiment& e) {
        const auto proposal = proposePatch(e, cases, byteAVoxel, within(capacity));
        return proposal ? "" : proposal.error().message;
    };
    EXPECT_THAT(refusal({}, 1, experiment), HasSubstr("no case"));
    EXPECT_THAT(refusal(cohort(1, {4, 4, 4}), 0, experiment), HasSubstr("give a budget"));
    EXPECT_THAT(refusal(cohort(1, {4, 0, 4}), 1, experiment), HasSubstr("case 1: a size of 4 × 0 × 4"));
    EXPECT_THAT(refusal(cohort(1, {4, 4, 4}), 1001, experiment),
                AllOf(HasSubstr("nothing fits: the smallest patch that was tried, 1 × 1 × 1"),
                      HasSubstr("an estimated 1002 B of 1001 B")));
    EXPECT_THAT(refusal(cohort(1, {4, 4, 4}), 5000, onCohort(R"({"type": "conv", "out_channels": 1,
        "kernel_size": 7})")),
                AllOf(HasSubstr("no patch up to 4 × 4 × 4"), HasSubstr("kernel 7")));
    stack::Experiment flat = experiment;
    flat.input = stack::SyntheticInput{{1, 64, 64}};
    EXPECT_THAT(refusal(cohort(1, {4, 4, 4}), 5000, flat), HasSubstr("needs a stack for 3D input"));
}

TEST(ProposePatch, PatchesThatTheStackDoesNotTakeAreNotTried) {
    // Without padding a kernel of 7 needs 7 voxels: smaller patches are no way out.
    const auto experiment = onCohort(R"({"type": "conv", "out_channels": 1, "kernel_size": 7})");
    const auto proposal = proposePatch(experiment, cohort(1000, {20, 20, 20}), byteAVoxel, within(2000));
    ASSERT_TRUE(proposal.ok()) << proposal.error().message;
    for (const std::int64_t size : proposal->patch) {
        EXPECT_GE(size, 7);
    }
}

TEST(ProposePatch, AnErrorOfThePredictionIsKeptAsTheReason) {
    const Peak never = [](const stack::Experiment&) -> base::Result<base::Bytes> {
        return base::Error{"this lever cannot be predicted"};
    };
    EXPECT_THAT(proposePatch(onCohort(conv(1)), cohort(2, {9, 9, 9}), never, within(5000)).error().message,
                HasSubstr("this lever cannot be predicted"));
}

TEST(ProposePatch, CancelledBeforeAndBetween) {
    std::atomic<bool> cancel{true};
    ProposeOptions options = within(100'000);
    options.cancel = &cancel;
    int asked = 0;
    const Peak counted = [&](const stack::Experiment& e) {
        cancel = ++asked == 3;
        return byteAVoxel(e);
    };
    const auto cases = cohort(10, {90, 90, 90});
    EXPECT_EQ(proposePatch(onCohort(conv(1)), cases, counted, options).error().message, "cancelled");
    EXPECT_EQ(asked, 0);
    cancel = false;
    EXPECT_EQ(proposePatch(onCohort(conv(1)), cases, counted, options).error().message, "cancelled");
    EXPECT_EQ(asked, 3);
}

/// Memory of a made-up device: tensors by voxels, each side rounded up, and steps as in libraries. Monotonic.
Peak madeUp(std::mt19937_64& random) {
    const base::Bytes fixed = static_cast<base::Bytes>(random() % 1'000'000);
    const base::Bytes perVoxel = 1 + static_cast<base::Bytes>(random() % 64);
    const base::Bytes page = base::Bytes{1} << (random() % 16);
    return [=](const stack::Experiment& e) -> base::Result<base::Bytes> {
        return fixed + (perVoxel * voxels(e) + page - 1) / page * page;
    };
}

/// Properties of every proposal, whatever the device.
void expectGood(const stack::Experiment& experiment, const std::vector<CaseShape>& cases, const Peak& peak,
                const ProposeOptions& options) {
    const auto found = proposePatch(experiment, cases, peak, options);
    if (!found) {
        EXPECT_THAT(found.error().message, HasSubstr("nothing fits"));
        return;
    }
    const auto peakOf = [&](const stack::Sizes& patch, std::int64_t batch) {
        return *peak(withPatch(experiment, patch, batch));
    };
    const Three stride = strideOf(experiment);
    const std::int64_t least = std::max<std::int64_t>(options.leastBatch, 1);
    EXPECT_LE(found->peak, options.capacity);
    EXPECT_EQ(found->peak, peakOf(found->patch, found->batch));
    EXPECT_GE(found->batch, least);
    double all = 0;
    for (const CaseShape& one : cases) {
        all += static_cast<double>(one.size[0] * one.size[1] * one.size[2]);
    }
    const double step = static_cast<double>(voxels(withPatch(experiment, found->patch, 1)));
    if (found->batch > least) {
        EXPECT_LE(static_cast<double>(found->batch) * step, 0.05 * all);
    }
    if (static_cast<double>(found->batch + 1) * step <= 0.05 * all) {
        EXPECT_GT(peakOf(found->patch, found->batch + 1), options.capacity);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t median = found->medianSize[2 - axis];
        const std::int64_t whole = (median + stride[axis] - 1) / stride[axis] * stride[axis];
        EXPECT_EQ(found->patch[axis] % stride[axis], 0);
        EXPECT_GE(found->patch[axis], stride[axis]);
        EXPECT_LE(found->patch[axis], whole);
        stack::Sizes larger = found->patch;
        larger[axis] += stride[axis];
        if (larger[axis] <= whole) {
            EXPECT_GT(peakOf(larger, least), options.capacity);
        }
    }
    EXPECT_GT(found->coveredShare, 0);
    EXPECT_LE(found->coveredShare, 1);
    EXPECT_GE(found->why.size(), 5U);
    const auto again = proposePatch(experiment, cases, peak, options);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->patch, found->patch);
    EXPECT_EQ(again->batch, found->batch);
    EXPECT_EQ(again->why, found->why);
}

TEST(ProposePatch, PropertiesOnRandomCohorts) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
        std::vector<CaseShape> cases;
        for (std::int64_t c = 1 + below(20); c > 0; --c) {
            cases.push_back({{1 + below(300), 1 + below(300), 1 + below(300)}, {1, 1, 1}});
        }
        const std::string strides =
            fmt::format(R"(, "stride": [{}, {}, {}])", 1 + below(9), 1 + below(9), 1 + below(9));
        ProposeOptions options = within(1 + below(std::uint64_t{1} << (10 + seed % 22)));
        options.leastBatch = below(5);
        expectGood(onCohort(conv(1, strides)), cases, madeUp(random), options);
    }
}

TEST(ProposePatch, AsksSeldom) {
    int asked = 0;
    const Peak counted = [&](const stack::Experiment& e) {
        ++asked;
        return byteAVoxel(e);
    };
    const auto proposal =
        proposePatch(onCohort(conv(1)), cohort(1000, {512, 512, 400}), counted, within(3'000'000));
    ASSERT_TRUE(proposal.ok());
    EXPECT_LT(asked, 40);
}

}  // namespace
}  // namespace highwater::plan::testing
