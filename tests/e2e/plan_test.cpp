#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

class PlanCommand : public CliTest {
protected:
    /// Without a store, which planning does not need.
    Finished plan(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "plan");
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    /// Five convolutions with norm and activation between them.
    std::string deep(std::int64_t size = 24, const Json& step = Json::object()) const {
        Json stack = Json::array();
        for (int i = 0; i < 5; ++i) {
            stack.push_back(
                Json::parse(R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1})"));
            stack.push_back(Json::parse(R"({"type": "batch_norm"})"));
            stack.push_back(Json::parse(R"({"type": "relu"})"));
        }
        return experiment({{"stack", stack},
                           {"loss", "mean"},
                           {"step", step},
                           {"input", {{"synthetic", {1, size, size, size}}}}});
    }
};

TEST_F(PlanCommand, TheWholeCurve) {
    const Finished done = plan({deep(), "--curve", "--target", "rtx3060", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json printed = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("plan.json", printed), "");
    EXPECT_EQ(printed["target"], "rtx3060");
    EXPECT_EQ(printed["as_it_is"]["headline"], "unchanged");
    const Json& curve = printed["curve"];
    ASSERT_GT(curve.size(), 2U);
    for (std::size_t i = 1; i < curve.size(); ++i) {
        EXPECT_LT(curve[i - 1]["peak_bytes"]["expected"], curve[i]["peak_bytes"]["expected"]);
        EXPECT_GT(curve[i - 1]["step_ms"]["expected"], curve[i]["step_ms"]["expected"]);
    }
    const Finished text = plan({deep(), "--curve"});
    ASSERT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("recompute "));
    EXPECT_THAT(text.out, HasSubstr("this CPU"));
}

TEST_F(PlanCommand, APlanRunsUnderItsBudget) {
    const Finished curve = plan({deep(), "--curve", "--json"});
    ASSERT_EQ(curve.exit, 0) << curve.err;
    const Json all = parse(curve.out);
    const auto least = all["curve"][0]["peak_bytes"]["high"].get<std::int64_t>(),
               most = all["as_it_is"]["peak_bytes"]["high"].get<std::int64_t>();
    const std::string budget = std::to_string((least + most) / 2),
                      out = (folder_.path() / "planned.json").string();
    const Finished done = plan({deep(), "--budget", budget, "--out", out});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("are recomputed in the backward pass"));
    const Finished run = cli({"run", out, "--steps", "2", "--budget", budget, "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_LE(parse(run.out)["peak_allocated_bytes"].get<std::int64_t>(), (least + most) / 2);
}

TEST_F(PlanCommand, WhereNothingFitsTheLeastPossibleIsSaid) {
    const Finished done = plan({deep(), "--budget", "1KiB"});
    EXPECT_EQ(done.exit, 3);
    EXPECT_THAT(done.err, HasSubstr("no plan is within 1.00 KiB; the least possible is "));
    const Finished other = plan({deep(), "--budget", "2MiB", "--allow-task-changes", "--json"});
    EXPECT_EQ(other.exit, 3) << other.out;
    const Json printed = parse(other.out);
    EXPECT_EQ(testing::SchemaCheck().problem("plan.json", printed), "");
    EXPECT_GT(printed["least"]["peak_bytes"]["expected"], 2 << 20);
    ASSERT_FALSE(printed["task_changes"].empty());
    for (const Json& each : printed["task_changes"]) {
        EXPECT_LE(each["peak_bytes"]["high"], 2 << 20);
    }
}

TEST_F(PlanCommand, WhatIsOffloadedIsPredictedForAGpuAndRefusedHere) {
    const Finished curve = plan({deep(), "--curve", "--offload", "--target", "rtx3060", "--json"});
    ASSERT_EQ(curve.exit, 0) << curve.err;
    EXPECT_EQ(testing::SchemaCheck().problem("plan.json", parse(curve.out)), "");
    const std::string file = deep(64, Json::parse(R"({"checkpoint": {"plan": [[1, 10, "offload"]]}})"));
    const Finished predicted =
        Program("highwater-cli", {"predict", file, "--target", "rtx3060", "--json"}, folder_.path()).wait();
    ASSERT_EQ(predicted.exit, 0) << predicted.err;
    const Json printed = parse(predicted.out);
    EXPECT_EQ(testing::SchemaCheck().problem("predict.json", printed), "");
    // The convolutions' outputs of layers 1, 4 and 7, the norms' (which the activations save as their results
    // are saved by the next convolution): all of 8 x 64 x 64 x 64 numbers.
    EXPECT_EQ(printed["host_bytes"].get<std::int64_t>() % (8 * 64 * 64 * 64 * 4), 0);
    EXPECT_GT(printed["host_bytes"], 4 * 8 * 64 * 64 * 64 * 4);
    const Finished run = cli({"run", file, "--steps", "1"});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("run on a GPU, or take \"offload\" out of the plan"));
}

TEST_F(PlanCommand, RefusesWithOneLine) {
    const std::string path = deep();
    expectRefusal(plan({test::nowhere(), "--budget", "1GiB"}), "no such file");
    expectRefusal(plan({path, "--budget", "much"}), "--budget: ");
    expectRefusal(plan({path, "--target", "gtx9"}), "--target: ");
    expectRefusal(plan({path, "--cudnn-library", "off"}), "--cudnn-library: is for a GPU");
    expectRefusal(plan({experiment({{"step", {{"train", false}}}})}), "nothing to plan");
}

}  // namespace
}  // namespace highwater::e2e
