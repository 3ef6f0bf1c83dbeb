#include "tests/core/stack/json/schema_check.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Predict : public CliTest {
protected:
    /// Without a store, which predicting does not need.
    Finished predict(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "predict");
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    Json json(std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        const Finished done = predict(arguments);
        EXPECT_EQ(done.exit, 0) << done.err;
        EXPECT_EQ(done.err, "");
        const Json printed = parse(done.out);
        EXPECT_EQ(testing::SchemaCheck().problem("predict.json", printed), "");
        return printed;
    }
    static void expectBand(const Json& band) {
        EXPECT_LE(band["low"], band["expected"]);
        EXPECT_LE(band["expected"], band["high"]);
        EXPECT_GT(band["low"], 0);
    }
};

TEST_F(Predict, SaysWhatACpuRunNeeds) {
    const Json cpu = json({experiment()});
    EXPECT_EQ(cpu["target"], "cpu");
    expectBand(cpu["peak_allocated_bytes"]);
    EXPECT_FALSE(cpu.contains("peak_reserved_bytes"));
    EXPECT_FALSE(cpu.contains("max_memory_allocated_bytes"));
    ASSERT_EQ(cpu["layers"].size(), 3U);
    EXPECT_EQ(cpu["layers"][0]["parameters"], 112);
    EXPECT_EQ(cpu["peak_by_category"]["parameters"], 4 * (112 + 109));
    EXPECT_EQ(cpu["peak_by_category"]["input"], 4 * 2 * 12 * 12 * 12);
    std::int64_t total = 0;
    for (const auto& [category, bytes] : cpu["peak_by_category"].items()) {
        total += bytes.get<std::int64_t>();
    }
    EXPECT_EQ(total, cpu["peak_allocated_bytes"]["expected"]) << "the split is of the expected peak";
    EXPECT_GT(cpu["capacity_bytes"], 0);
    EXPECT_EQ(cpu["fits"], "yes");

    const Finished text = predict({experiment()});
    ASSERT_EQ(text.exit, 0) << text.err;
    for (const char* word :
         {"estimate · small", "estimated peak", "  input", "fits              yes", "largest at the peak"}) {
        EXPECT_THAT(text.out, HasSubstr(word));
    }
}

TEST_F(Predict, SaysWhetherItFitsAGpu) {
    const Json gpu = json({experiment(), "--target", "t4", "--libtorch", "2.4", "--cudnn", "9.1"});
    EXPECT_EQ(gpu["target"], "t4");
    EXPECT_EQ(gpu["libtorch"], "2.4");
    EXPECT_EQ(gpu["cudnn"], "9.1.0");
    expectBand(gpu["peak_reserved_bytes"]);
    expectBand(gpu["max_memory_allocated_bytes"]);
    EXPECT_GT(gpu["max_memory_allocated_bytes"]["expected"], gpu["peak_allocated_bytes"]["expected"]);
    EXPECT_EQ(gpu["max_memory_allocated_bytes"]["expected"].get<std::int64_t>() % 512, 0);
    EXPECT_GE(gpu["peak_reserved_bytes"]["expected"], gpu["max_memory_allocated_bytes"]["expected"]);
    EXPECT_EQ(gpu["fits"], "yes");
    const std::string large = experiment(Json::parse(R"({"input": {"synthetic": [1, 1024, 1024, 1024]}})"));
    const Json full = json({large, "--target", "t4"});
    EXPECT_EQ(full["fits"], "no");
    EXPECT_GT(full["oom_probability"], 0.99);
    EXPECT_TRUE(full.contains("out_of_memory"));
    EXPECT_THAT(predict({large, "--target", "t4"}).out, HasSubstr("fits              no"));
}

TEST_F(Predict, KnowsNoOddsWhereTheNeedIsOnlyKnownFromBelow) {
    const std::string partly = experiment(Json::parse(R"({"loss": "mean", "stack": [
        {"type": "conv", "out_channels": 4, "kernel_size": 3}, {"type": "unknown", "operator": "their_op", "shape": [4, 10, 10, 10]}]})"));
    const Json gpu = json({partly, "--target", "t4"});
    EXPECT_EQ(gpu["fits"], "uncertain");
    EXPECT_TRUE(gpu["oom_probability"].is_null()) << gpu["oom_probability"];
    EXPECT_EQ(gpu["bound"], "at_least");
    EXPECT_THAT(predict({partly, "--target", "t4"}).out, HasSubstr("odds of running out not known"));
    const Json less =
        json({experiment(Json::parse(R"({"left_out": {"parameters": 8000000}})")), "--target", "t4"});
    EXPECT_EQ(less["bound"], "at_least");
    EXPECT_EQ(less["fits"], "uncertain");
    const std::string more = experiment(Json::parse(R"({"left_out": {"checkpoints": 3}})"));
    const Json most = json({more, "--target", "t4"});
    EXPECT_EQ(most["bound"], "at_most");
    EXPECT_EQ(most["fits"], "yes");
    EXPECT_THAT(predict({more, "--target", "t4"}).out, HasSubstr("estimated peak    at most "));
}

/// Memory used by others and by the context is subtracted from the device's; a budget decides the exit code.
TEST_F(Predict, CanBeToldWhatElseIsOnTheDevice) {
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);  // where a context is stored
    const std::string path = experiment();
    const Json alone = json({path, "--target", "t4"});
    EXPECT_FALSE(alone.contains("others_bytes"));
    const std::int64_t gib = std::int64_t{1} << 30;
    const Json shared = json({path, "--target", "t4", "--others", "2GiB"});
    EXPECT_EQ(shared["others_bytes"], 2 * gib);
    EXPECT_EQ(shared["capacity_bytes"], alone["capacity_bytes"].get<std::int64_t>() - 2 * gib);
    EXPECT_THAT(predict({path, "--target", "t4", "--others", "2GiB"}).out,
                HasSubstr("and the 2.00 GiB of others"));
    const Json small = json({path, "--target", "t4", "--memory", "4GiB", "--context", "1GiB"});
    EXPECT_EQ(small["capacity_bytes"], 3 * gib);
    json({path, "--target", "t4", "--context", "profile"});
    EXPECT_EQ(json({path, "--others", "1GiB"})["capacity_bytes"],
              json({path})["capacity_bytes"].get<std::int64_t>() - gib);
    for (const std::string target : {"t4", "cpu"}) {
        EXPECT_EQ(json({path, "--target", target, "--budget", "1GiB"})["within_budget"], true);
        const Finished over = predict({path, "--target", target, "--budget", "1KiB", "--json"});
        EXPECT_EQ(over.exit, 3);
        EXPECT_EQ(parse(over.out)["within_budget"], false);
        EXPECT_EQ(parse(over.out)["budget_bytes"], 1024);
        EXPECT_THAT(over.err,
                    HasSubstr("highwater-cli: the step is not certainly within 1.00 KiB on " + target));
    }
    EXPECT_THAT(predict({path, "--budget", "1KiB"}).out,
                HasSubstr("budget            not certainly within 1.00 KiB"));
    expectRefusal(predict({path, "--budget", "much"}), "--budget: ");
    EXPECT_EQ(predict({path, "--target", "t4", "--gate"}).exit, 0);
    const Finished full =
        predict({path, "--target", "t4", "--memory", "1GiB", "--others", "1020MiB", "--gate"});
    EXPECT_EQ(full.exit, 3);
    EXPECT_THAT(full.err, HasSubstr("highwater-cli: the step does not fit on t4: it reserves "));
    expectRefusal(predict({path, "--target", "t4", "--others", "100GiB"}),
                  "--others: 100 GiB is all of the device's");
    expectRefusal(predict({path, "--context", "1GiB"}), "--context: is for a GPU");
    expectRefusal(predict({path, "--target", "t4", "--memory", "x"}), "--memory: ");
}

/// --context is stored for its GPU and used the next time, and "profile" discards it.
TEST_F(Predict, RemembersTheContextOfAGpu) {
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
    const std::string path = experiment();
    const std::string memory = "4GiB";
    const auto capacity = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {path, "--target", "t4", "--memory", memory});
        return json(more)["capacity_bytes"].get<std::int64_t>();
    };
    const std::int64_t gib = std::int64_t{1} << 30, own = capacity({});
    EXPECT_EQ(capacity({"--context", "1GiB"}), 3 * gib);
    EXPECT_EQ(capacity({}), 3 * gib);
    EXPECT_THAT(predict({path, "--target", "t4"}).out,
                HasSubstr("the CUDA context is 1.00 GiB, as it was given on this machine"));
    EXPECT_EQ(capacity({"--context", "512MiB"}), 4 * gib - gib / 2) << "another time";
    EXPECT_EQ(capacity({"--context", "profile"}), own);
    EXPECT_EQ(capacity({}), own);
    ASSERT_EQ(predict({path, "--all", "--context", "1GiB"}).exit, 0);
    EXPECT_EQ(capacity({}), own) << "it is not that of every GPU";
    expectRefusal(predict({path, "--target", "t4", "--context", "100GiB"}),
                  "--context: 100 GiB is all of the device's");
    expectRefusal(predict({path, "--target", "t4", "--context", "much"}), "or \"profile\"");
    EXPECT_EQ(capacity({}), own);
}

TEST_F(Predict, AsksCudnnAboutWorkspaces) {
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);  // where answers are stored
    const std::vector<std::string> about{experiment(), "--target", "a100-80", "--cudnn", "9.19"};
    const auto with = [&](const std::string& library) {
        std::vector<std::string> arguments = about;
        arguments.insert(arguments.end(), {"--cudnn-library", library});
        return json(arguments);
    };
    const Json before = json(about);
    EXPECT_EQ(before["convolutions_asked"], 0);
    EXPECT_EQ(before["workspaces"][0]["source"], "guessed");
    const Json nobody = with(test::nowhere());
    EXPECT_EQ(nobody["peak_allocated_bytes"], before["peak_allocated_bytes"]) << "a prediction as without";
    EXPECT_THAT(nobody["guesses"].back().get<std::string>(), HasSubstr("cuDNN cannot be loaded"));

    const Json asked = with(FAKE_CUDNN_FOLDER);
    EXPECT_EQ(asked["convolutions_asked"], asked["convolutions"]);
    EXPECT_EQ(asked["convolutions_without_row"], 0);
    EXPECT_EQ(asked["exact"], false) << "asked is not exact";
    EXPECT_EQ(asked["peak_allocated_bytes"]["low"], asked["peak_allocated_bytes"]["high"]);
    EXPECT_EQ(asked["workspaces"][0]["source"], "asked");
    EXPECT_EQ(asked["workspaces"][0]["part"], "forward");
    EXPECT_EQ(asked["workspaces"][0]["bytes"]["expected"], 1000 + 1)
        << "the stand-in's rule, for one channel";
    EXPECT_EQ(json(about)["workspaces"], asked["workspaces"]) << "the answers are kept";
    EXPECT_THAT(predict(about).out, HasSubstr("asked of cuDNN 9.19.0"));
    EXPECT_EQ(predict({experiment(), "--cudnn-library", "off"}).exit, 2) << "the CPU has no cuDNN";
}

/// 4096^3 voxels: 256 GiB for the input alone, none of which is allocated.
TEST_F(Predict, AllocatesNothingOfWhatItPredicts) {
    const std::string huge = experiment(Json::parse(R"({"input": {"synthetic": [1, 4096, 4096, 4096]}})"));
    for (const char* target : {"cpu", "h100"}) {
        const Json answer = json({huge, "--target", target});
        EXPECT_EQ(answer["peak_by_category"]["input"], std::int64_t{2} * 4 * 4096 * 4096 * 4096);
        EXPECT_EQ(answer["fits"], "no");
    }
    const Json gpu = json({huge, "--target", "h100", "--libtorch", "2.4"});
    ASSERT_FALSE(gpu["cliffs"].empty()) << "2^31 elements";
    EXPECT_EQ(gpu["cliffs"][0]["kind"], "index_range");
    EXPECT_FALSE(gpu["cliffs"][0]["safe"].empty());
    EXPECT_THAT(predict({huge, "--target", "h100", "--libtorch", "2.4"}).out, HasSubstr("safe width: "));
}

TEST_F(Predict, ScansAnAxis) {
    const Json scan = json({experiment(), "--target", "rtx4090", "--scan", "width=8:24:4"})["scan"];
    EXPECT_EQ(scan["axis"], "width");
    ASSERT_EQ(scan["points"].size(), 5U);
    std::int64_t before = 0;
    for (const Json& point : scan["points"]) {
        EXPECT_GE(point["peak_allocated_bytes"]["expected"], before);
        before = point["peak_allocated_bytes"]["expected"];
    }
    EXPECT_EQ(scan["points"][4]["value"], 24);
    const Finished text = predict({experiment(), "--scan", "batch_size=1:4:1"});
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("batch_size"));
    EXPECT_THAT(text.out, Not(HasSubstr("largest at the peak")));
}

TEST_F(Predict, SaysWhereItFitsAndHowLargeItMayBe) {
    const Json all = parse(predict({experiment(), "--all", "--json"}).out);
    EXPECT_EQ(testing::SchemaCheck().problem("predict-all.json", all), "");
    ASSERT_GT(all["devices"].size(), 20U);
    EXPECT_EQ(all["devices"][0]["target"], "cpu");
    std::int64_t before = 0;
    for (std::size_t i = 1; i < all["devices"].size(); ++i) {
        const Json& device = all["devices"][i];
        EXPECT_EQ(device["fits"], "yes") << device;
        EXPECT_GT(device["largest_batch_size"], 2);
        EXPECT_LE(before, device["capacity_bytes"].get<std::int64_t>() + base::kGiB) << "by their memory";
        before = device["capacity_bytes"];
    }
    const Finished text = predict({experiment(), "--all", "--libtorch", "2.4"});
    EXPECT_THAT(text.out, HasSubstr("rtx4090"));
    EXPECT_THAT(text.out, HasSubstr("largest batch"));

    EXPECT_TRUE(
        parse(predict({experiment(), "--target", "t4", "--largest", "batch_size", "--json"}).out)["next"]
            .is_null())
        << "so small a network has no largest batch";
    const std::string larger = experiment(Json::parse(R"({"input": {"synthetic": [1, 96, 96, 96]}})"));
    const Json batch = parse(predict({larger, "--target", "t4", "--largest", "batch_size", "--json"}).out);
    EXPECT_EQ(testing::SchemaCheck().problem("predict-largest.json", batch), "");
    EXPECT_EQ(batch["largest"]["fits"], "yes");
    EXPECT_NE(batch["next"]["fits"], "yes");
    EXPECT_EQ(batch["next"]["batch_size"], batch["largest"]["batch_size"].get<std::int64_t>() + 1);
    const Finished patch = predict({larger, "--target", "t4", "--largest", "patch"});
    EXPECT_EQ(patch.exit, 0) << patch.err;
    EXPECT_THAT(patch.out, HasSubstr("fits"));

    expectRefusal(predict({experiment(), "--largest", "kernel_size"}),
                  "--largest: \"kernel_size\" cannot be made larger; batch_size and patch can");
    EXPECT_EQ(predict({experiment(), "--all", "--target", "t4"}).exit, 2);
    EXPECT_EQ(predict({experiment(), "--all", "--scan", "width=8:16"}).exit, 2);
}

TEST_F(Predict, DevicesListTheProfiles) {
    const Json devices = parse(cli({"devices", "--json"}).out);
    EXPECT_EQ(testing::SchemaCheck().problem("devices.json", devices), "");
    ASSERT_GE(devices["profiles"].size(), 10U);
    for (const Json& profile : devices["profiles"]) {
        EXPECT_EQ(json({experiment(), "--target", profile["id"]})["device_name"], profile["name"]);
    }
    EXPECT_THAT(cli({"devices"}).out, HasSubstr("rtx4090"));
}

TEST_F(Predict, RefusesWithOneLine) {
    const std::string path = experiment();
    expectRefusal(predict({test::nowhere()}), "no such file");
    expectRefusal(predict({path, "--target", "gtx9"}), "--target: ");
    expectRefusal(predict({path, "--target", "gtx9"}), "rtx4090");
    expectRefusal(predict({path, "--libtorch", "2.4"}), "--libtorch: is for a GPU");
    expectRefusal(predict({path, "--alloc-conf", ""}), "--alloc-conf: is for a GPU");
    expectRefusal(predict({path, "--target", "t4", "--libtorch", "two"}), "--libtorch: ");
    expectRefusal(predict({path, "--target", "t4", "--cudnn", "x"}), "--cudnn: ");
    expectRefusal(predict({path, "--target", "t4", "--alloc-conf", "no_such_key:1"}), "alloc_conf");
    for (const char* scan : {"width", "width=", "width=8", "width=9:8", "width=8:x", "width=1:2:3:4",
                             "width=8:9:0", "width=-8:9", "width=8:9:", "width=99999999999999999999:9"}) {
        expectRefusal(predict({path, "--scan", scan}), "--scan: ");
    }
    expectRefusal(predict({path, "--scan", "color=8:9"}), "--scan: ");
    expectRefusal(predict({experiment(Json::parse(R"({"input": {"synthetic": [1, 2, 2, 2]},
        "stack": [{"type": "conv", "out_channels": 1, "kernel_size": 7}]})"))}),
                  "experiment.json: layer 1 `conv`: kernel 7");
}

TEST_F(Predict, AnImportedPlan) {
    const std::string plans = write("plans.json", stack::testing::newerPlans().dump());
    const std::string net = (folder_.path() / "net.json").string();
    for (const char* configuration : {"3d_fullres", "resenc"}) {
        ASSERT_EQ(Program("highwater-cli",
                          {"import", "nnunet", plans, "--configuration", configuration, "--out", net},
                          folder_.path())
                      .wait()
                      .exit,
                  0);
        const Json gpu = json({net, "--target", "a100-80"});
        EXPECT_EQ(gpu["fits"], "yes") << configuration;
        EXPECT_GT(gpu["peak_allocated_bytes"]["expected"], std::int64_t{2} << 30);
        EXPECT_EQ(gpu["layers"].size() > 60, true);
    }
}

using PredictAndRun = Predict;

/// The prediction that a run records with its measurement is that of predict.
TEST_F(PredictAndRun, TheResultHoldsThePrediction) {
    if (!std::filesystem::exists(programPath("highwater-engine"))) {
        GTEST_SKIP() << "highwater-engine is not built";
    }
    const Json said = json({experiment()});
    const Finished run = cli({"run", experiment(), "--steps", "3", "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    const Json result = parse(run.out);
    EXPECT_EQ(testing::SchemaCheck().problem("result.json", result), "");
    EXPECT_EQ(testing::SchemaCheck().problem("run.json", parse(cli({"runs", "show", "1", "--json"}).out)),
              "");
    ASSERT_TRUE(result.contains("predicted"));
    const Json& predicted = result["predicted"];
    for (const char* key : {"target", "peak_allocated_bytes", "peak_by_category", "guesses", "exact"}) {
        EXPECT_EQ(predicted[key], said[key]) << key;
    }
    ASSERT_EQ(predicted["activation_bytes"].size(), result["layers"].size());
    for (std::size_t i = 0; i < result["layers"].size(); ++i) {
        EXPECT_EQ(predicted["activation_bytes"][i], result["layers"][i]["activation_bytes"]) << i;
    }
    for (const char* category : {"input", "parameters", "gradients", "optimizer_state", "activations"}) {
        if (predicted["exact"]) {
            EXPECT_EQ(predicted["peak_by_category"][category], result["peak_by_category"][category])
                << category;
        }
    }
    EXPECT_LE(predicted["peak_allocated_bytes"]["low"], result["peak_allocated_bytes"]);
    EXPECT_GE(predicted["peak_allocated_bytes"]["high"], result["peak_allocated_bytes"]);
    EXPECT_THAT(cli({"run", experiment(), "--steps", "1"}).out, HasSubstr("predicted         estimated "));
}

}  // namespace
}  // namespace highwater::e2e
