#include "core/stack/export/export_nnunet.h"

#include <gmock/gmock.h>

#include "tests/core/stack/nnunet/nnunet_plans.h"

namespace highwater::stack {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

NnunetChanges nnunetChanges() {
    return {"resenc", "NVIDIA GeForce RTX 3060 12 GB", {"encoder.stem", "decoder.stages.4"}, 1, "small"};
}

NnunetExport exportedFiles(const Json& plans, const NnunetChanges& how) {
    const auto made = exportNnunet(plans.dump(), "plans.json", how);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : NnunetExport{};
}

std::string nnunetRefusal(const std::string& text, const NnunetChanges& how = nnunetChanges()) {
    const auto made = exportNnunet(text, "plans.json", how);
    EXPECT_FALSE(made);
    return made ? "" : made.error().message;
}

TEST(ExportNnunet, ThePlansDifferInTheirName) {
    const Json before = testing::newerPlans();
    const NnunetExport made = exportedFiles(before, nnunetChanges());
    EXPECT_EQ(made.plansName, "nnUNetPlans_small");
    EXPECT_EQ(made.dataset, "Dataset001_Test");
    Json after = Json::parse(made.plansText);
    EXPECT_EQ(after["plans_name"], "nnUNetPlans_small");
    after["plans_name"] = before["plans_name"];
    EXPECT_EQ(after.dump(), before.dump()) << "in the same order";
}

TEST(ExportNnunet, TheTrainerNamesWhatItRecomputes) {
    const NnunetExport made = exportedFiles(testing::newerPlans(), nnunetChanges());
    EXPECT_EQ(made.trainer, "nnUNetTrainer_small");
    EXPECT_THAT(made.trainerText,
                AllOf(HasSubstr("PLANS = \"nnUNetPlans_small\"\nCONFIGURATION = \"resenc\"\n"),
                      HasSubstr("RECOMPUTED = [\n    \"encoder.stem\",\n    \"decoder.stages.4\",\n]\n"),
                      HasSubstr("class nnUNetTrainer_small(nnUNetTrainer):"),
                      HasSubstr("# For NVIDIA GeForce RTX 3060 12 GB"), Not(HasSubstr("train_step")),
                      Not(HasSubstr("import highwater"))));
}

TEST(ExportNnunet, MicroBatchesReplaceTheStep) {
    NnunetChanges how = nnunetChanges();
    how.recomputed.clear();
    how.microBatches = 4;
    EXPECT_THAT(exportedFiles(testing::newerPlans(), how).trainerText,
                AllOf(HasSubstr("RECOMPUTED = []\n"), HasSubstr("MICRO_BATCHES = 4\n"),
                      HasSubstr("import contextlib\n"), HasSubstr("def train_step(self, batch):"),
                      HasSubstr("def validation_step(self, batch):")));
}

/// Nothing of the plans file gets into the program but as a literal.
TEST(ExportNnunet, NamesCannotEscape) {
    const std::string bad = "3d\"\nimport os  # \\";
    Json plans = testing::newerPlans();
    plans["configurations"][bad] = plans["configurations"]["resenc"];
    NnunetChanges how = nnunetChanges();
    how.configuration = bad;
    how.device = "a\nimport os";
    const std::string text = exportedFiles(plans, how).trainerText;
    EXPECT_THAT(text, HasSubstr(R"(CONFIGURATION = "3d\")"));
    EXPECT_THAT(text, Not(HasSubstr("\nimport os")));
}

TEST(ExportNnunet, RefusesWhatIsNoPlansFile) {
    EXPECT_THAT(nnunetRefusal("{"), HasSubstr("plans.json: not valid JSON"));
    EXPECT_THAT(nnunetRefusal("{}"), HasSubstr("plans.json: "));
    NnunetChanges how = nnunetChanges();
    how.configuration = "2d";
    EXPECT_THAT(nnunetRefusal(testing::newerPlans().dump(), how),
                HasSubstr("there is no configuration \"2d\"; there are 3d_fullres, resenc, pair, chain"));
    how = nnunetChanges();
    how.name = "a/b";
    EXPECT_THAT(nnunetRefusal(testing::newerPlans().dump(), how),
                HasSubstr("letters, digits and underscores"));
    for (const Json& name : {Json("../other"), Json(".hidden"), Json(""), Json("a b"), Json(3), Json()}) {
        Json plans = testing::newerPlans();
        plans["plans_name"] = name;
        EXPECT_THAT(nnunetRefusal(plans.dump()), HasSubstr("plans.json: /plans_name: must be"))
            << name.dump();
    }
}

TEST(ExportNnunet, RefusesTheSecondStageOfACascade) {
    Json plans = testing::newerPlans();
    plans["configurations"]["resenc"]["previous_stage"] = "3d_fullres";
    EXPECT_THAT(nnunetRefusal(plans.dump()),
                HasSubstr("/configurations/resenc: is the second stage of a cascade"));
}

}  // namespace
}  // namespace highwater::stack
