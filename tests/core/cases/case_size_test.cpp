#include "core/cases/case_size.h"

#include <gmock/gmock.h>

#include "tests/core/cases/plan_of.h"

namespace highwater::cases {
namespace {

using testing::geometryOf;
using ::testing::HasSubstr;
using testing::Json;
using testing::planOf;
using testing::plansWithSpacing;
using testing::readPlan;

CaseSize sizeOf(const stack::NnunetInference& plan, const volume::Geometry& geometry, double step = 0.5) {
    const auto size = caseSize(plan, geometry, step);
    EXPECT_TRUE(size) << size.error().message;
    return size ? *size : CaseSize{};
}

/// The numbers are those that nnU-Net 2.8 prints for such a case.
TEST(CaseSizes, AreNnunets) {
    const CaseSize size =
        sizeOf(planOf(plansWithSpacing({1.2, 1.0, 1.0})), geometryOf({256, 256, 128}, {1, 1, 1.5}));
    EXPECT_EQ(size.original, (Size{128, 256, 256}));
    EXPECT_EQ(size.resampled, (Size{160, 256, 256}));
    EXPECT_EQ(size.padded, size.resampled);
    EXPECT_EQ(size.windows, 2 * 3 * 3);
    EXPECT_EQ(size.probabilities.order, 1);
    EXPECT_EQ(size.data.coarseAxis, -1);
}

TEST(CaseSizes, HalvesAreRoundedToEven) {
    const auto plan = planOf(plansWithSpacing({2.0, 2.0, 2.0}));
    EXPECT_EQ(sizeOf(plan, geometryOf({5, 7, 9}, {1, 1, 1})).resampled, (Size{4, 4, 2}));
}

TEST(CaseSizes, SmallCasesArePaddedToOneWindow) {
    const CaseSize size = sizeOf(planOf(plansWithSpacing()), geometryOf({40, 50, 60}, {1, 1, 1.5}));
    EXPECT_EQ(size.padded, (Size{128, 128, 128}));
    EXPECT_EQ(size.windows, 1);
}

TEST(CaseSizes, AxesAreTransposed) {
    Json plans = plansWithSpacing({3.0, 1.0, 1.0});
    plans["transpose_forward"] = {2, 0, 1};  // i, k, j
    const CaseSize size = sizeOf(planOf(plans), geometryOf({100, 200, 300}, {3, 1, 2}));
    EXPECT_EQ(size.original, (Size{100, 300, 200}));
    EXPECT_EQ(size.resampled, (Size{100, 600, 200}));
}

TEST(CaseSizes, ThickSlicesAreResampledApart) {
    const auto plan = planOf(plansWithSpacing({5.0, 0.8, 0.8}));
    EXPECT_EQ(sizeOf(plan, geometryOf({300, 300, 40}, {0.7, 0.7, 6})).data.coarseAxis, 0);
    EXPECT_EQ(sizeOf(plan, geometryOf({300, 300, 40}, {1, 1, 1})).data.coarseAxis, 0);  // the plan's spacing
    const Json fixed = {{"resampling_fn_data_kwargs", {{"order", 3}, {"force_separate_z", false}}}};
    EXPECT_EQ(
        sizeOf(planOf(plansWithSpacing({5.0, 0.8, 0.8}, fixed)), geometryOf({300, 300, 40}, {0.7, 0.7, 6}))
            .data.coarseAxis,
        -1);
    // Two coarse axes: all at once.
    EXPECT_EQ(sizeOf(planOf(plansWithSpacing({1.0, 1.0, 1.0})), geometryOf({300, 300, 40}, {0.2, 1, 1}))
                  .data.coarseAxis,
              -1);
}

TEST(CaseSizes, StepsChangeTheNumberOfWindows) {
    const auto plan = planOf(plansWithSpacing({1.0, 1.0, 1.0}));
    const auto geometry = geometryOf({256, 256, 256}, {1, 1, 1});
    EXPECT_EQ(sizeOf(plan, geometry, 1).windows, 8);
    EXPECT_EQ(sizeOf(plan, geometry, 0.5).windows, 27);
}

TEST(CaseSizes, SaysWhenASpacingMakesNoSense) {
    const auto size =
        caseSize(planOf(plansWithSpacing({0.0001, 0.0001, 0.0001})), geometryOf({512, 512, 512}, {1, 1, 1}));
    ASSERT_FALSE(size);
    EXPECT_THAT(size.error().message, HasSubstr("is its spacing of 1 x 1 x 1 mm right?"));
}

TEST(InferencePlans, BadInputIsOneLine) {
    const auto error = [](const Json& plans, const Json& dataset = {}) {
        const auto plan = readPlan(plans, {}, dataset);
        return plan ? std::string("it was read") : plan.error().message;
    };
    EXPECT_THAT(error(stack::testing::newerPlans()),
                HasSubstr("/configurations/3d_fullres/spacing: is missing"));
    EXPECT_THAT(error(plansWithSpacing({1.0, -1.0, 1.0})), HasSubstr("/configurations/3d_fullres/spacing/1"));
    EXPECT_THAT(error(plansWithSpacing({1.0, 1.0})),
                HasSubstr("/spacing: has 2 entries; the patch has 3 sizes"));
    Json twice = plansWithSpacing();
    twice["transpose_forward"] = {0, 0, 1};
    EXPECT_THAT(error(twice), HasSubstr("/transpose_forward: must hold 0, 1 and 2"));
    EXPECT_THAT(error(plansWithSpacing(), Json::object()), HasSubstr("dataset.json: /channel_names"));
    EXPECT_THAT(error(Json::object()), HasSubstr("/configurations: is missing"));
}

TEST(InferencePlans, DatasetAndFolderSayTheRest) {
    const highwater::test::TemporaryFolder folder;
    const auto model = folder.path() / "nnUNetTrainer__nnUNetPlans__resenc";
    std::filesystem::create_directory(model);
    std::ofstream(model / "plans.json") << plansWithSpacing().dump();
    std::ofstream(model / "dataset.json")
        << R"({"channel_names": {"0": "T1", "1": "T2"}, "labels": {"background": 0, "whole": [1, 2], "core": 2}})";
    stack::NnunetOptions any;
    any.configuration.clear();
    const auto plan = stack::readNnunetInference(model, any);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->configuration, "resenc");
    EXPECT_EQ(plan->images, 2);
    EXPECT_EQ(plan->heads, 2);
    EXPECT_TRUE(plan->regions);
    EXPECT_EQ(plan->network.experiment.step.batchSize, 1);
    EXPECT_FALSE(stack::readNnunetInference(folder.path(), {}));
}

}  // namespace
}  // namespace highwater::cases
