#include "tests/core/stack/json/schema_check.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/core/stack/onnx/onnx_text.h"
#include "tests/core/stack/pytorch/program_archive.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

class Import : public CliTest {
protected:
    /// Without a store, which importing does not need.
    Finished import(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"import", "nnunet"});
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    std::string plans(const nlohmann::ordered_json& json = stack::testing::newerPlans()) const {
        return write("plans.json", json.dump());
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    Json read(const std::string& name) const {
        std::ifstream file(path(name));
        return Json::parse(file, nullptr, false);
    }
};

TEST_F(Import, WritesTheExperimentAndSaysWhatWasAssumed) {
    const Finished done =
        import({plans(), "--configuration", "chain", "--out", path("net.json"), "--classes", "3"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_THAT(done.out, HasSubstr("Dataset001_Test chain, 31.2 M parameters, patch 64 × 64 × 64, batch 4"));
    EXPECT_THAT(done.out, HasSubstr("note: 1 input channel, one for each normalization scheme of the plans"));
    EXPECT_THAT(done.out, HasSubstr("note: precision is fp16"));
    EXPECT_EQ(read("net.json")["target"]["classes"], 3);
    EXPECT_EQ(read("net.json")["step"]["batch_size"], 4);
}

TEST_F(Import, PrintsWhatItsSchemaPromises) {
    const Finished done =
        import({plans(), "--configuration", "resenc", "--out", path("net.json"), "--channels", "2",
                "--precision", "bf16", "--no-deep-supervision", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("import.json", json), "");
    EXPECT_EQ(json["input_shape"], Json({2, 2, 128, 128, 128}));
    EXPECT_EQ(read("net.json")["step"]["precision"], "bf16");
    EXPECT_EQ(read("net.json").dump().find("\"head\""), std::string::npos);
}

TEST_F(Import, TakesTheOnlyConfigurationOrAsks) {
    expectRefusal(import({plans(), "--out", path("net.json")}),
                  "--configuration: " + path("plans.json") +
                      " has several; choose one of 3d_fullres, resenc, pair, chain");
    auto one = stack::testing::newerPlans();
    for (const char* name : {"3d_fullres", "pair", "chain"}) {
        one["configurations"].erase(name);
    }
    EXPECT_EQ(import({plans(one), "--out", path("net.json")}).exit, 0);
    expectRefusal(import({plans(), "--configuration", "2d", "--out", path("net.json")}),
                  "there is no configuration \"2d\"; there are 3d_fullres, resenc, pair, chain");
}

TEST_F(Import, RefusesWhatItCannotReadOrWrite) {
    expectRefusal(import({path("none.json"), "--out", path("net.json")}), "no such file");
    expectRefusal(import({write("a.json", "{}"), "--out", path("net.json")}),
                  "is it a plans file of nnU-Net?");
    expectRefusal(import({write("a.json", "{"), "--out", path("net.json")}), "a.json: not valid JSON");
    expectRefusal(import({plans(), "--configuration", "pair", "--out", path("no/net.json")}), "no/net.json");
    expectRefusal(import({plans(), "--configuration", "pair"}), "--out");
    expectRefusal(import({plans(), "--out", path("n.json"), "--precision", "int8"}), "--precision");
    expectRefusal(import({plans(), "--out", path("n.json"), "--classes", "1"}), "--classes");
}

class ImportPytorch : public Import {
protected:
    Finished pytorch(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"import", "pytorch"});
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    std::string program(const stack::testing::ProgramText& text = stack::testing::smallProgram()) const {
        return write("net.pt2", stack::testing::newerArchive(text.text()));
    }
};

TEST_F(ImportPytorch, WritesTheExperimentAndSaysWhatItIs) {
    const Finished done = pytorch({program(), "--out", path("net.json"), "--precision", "bf16"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_EQ(done.out, path("net.json") + ": Net, 120 parameters, input 1 × 8 × 8 × 8, batch 2\n");
    EXPECT_EQ(read("net.json")["step"]["precision"], "bf16");
    const std::vector<std::string> predict{"predict", path("net.json"), "--target", "rtx4090"};
    EXPECT_EQ(Program("highwater-cli", predict, folder_.path()).wait().exit, 0);
}

TEST_F(ImportPytorch, PrintsTheExperimentItselfWithoutAFile) {
    const Finished done = pytorch({program(), "--loss", "dice", "--optimizer", "sgd", "--name", "mine"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(json["loss"], "dice");
    EXPECT_EQ(json["name"], "mine");
    EXPECT_EQ(json["optimizer"]["type"], "sgd");
    EXPECT_EQ(json["stack"].size(), 2U);
}

TEST_F(ImportPytorch, PrintsWhatItsSchemaPromises) {
    auto text = stack::testing::smallProgram();
    text.parameter("unused.scale", {1000});
    const Finished done = pytorch({program(text), "--out", path("net.json"), "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("import.json", json), "");
    EXPECT_EQ(json["input_shape"], Json({2, 1, 8, 8, 8}));
    EXPECT_EQ(json["classes"], 2);
    EXPECT_EQ(json["notes"], Json({"1,000 parameters have no part in the output and are left out, so "
                                   "predictions are bounds from below"}));
    EXPECT_EQ(json["parameter_names"][0]["weight"], "body.conv.weight");
    EXPECT_EQ(json["parameter_names"].size(), 3U);  // a block has two layers
}

TEST_F(ImportPytorch, AnyKeyOfTheFileCanBeSet) {
    const Finished done =
        pytorch({program(), "--scan", "head.nii.gz", "--labels", "seg.nii.gz", "--set",
                 "step.micro_batches=2", "--set", "optimizer={\"type\": \"sgd\", \"lr\": 0.5}", "--set",
                 "backend.alloc_conf=expandable_segments:True"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(json["input"], parse(R"({"scan": "head.nii.gz", "patch": [8, 8, 8]})"));
    EXPECT_EQ(json["target"], parse(R"({"labels": "seg.nii.gz"})"));
    EXPECT_EQ(json["step"]["micro_batches"], 2);
    EXPECT_EQ(json["optimizer"], parse(R"({"type": "sgd", "foreach": true, "lr": 0.5})"));
    EXPECT_EQ(json["backend"]["alloc_conf"], "expandable_segments:True");
}

TEST_F(ImportPytorch, RefusesOptionsThatDoNotFit) {
    for (const char* pair : {"step", "=1", ".a=1", "step..a=1", "a.=1"}) {
        expectRefusal(pytorch({program(), "--set", pair}),
                      fmt::format("--set: \"{}\" is not KEY=VALUE, such as step.micro_batches=2", pair));
    }
    expectRefusal(pytorch({program(), "--set", "step.patience=1"}), "/step: unknown key \"patience\"");
    expectRefusal(pytorch({program(), "--loss", "l1"}), "loss \"l1\" is unknown; there are mse, ");
    expectRefusal(pytorch({program(), "--optimizer", "lion"}),
                  "optimizer \"lion\" is unknown; there are sgd");
    expectRefusal(pytorch({program(), "--classes", "5"}),
                  "classes: 5 classes do not fit the network's output of 2 channels");
    expectRefusal(pytorch({program(), "--labels", "seg.nii.gz"}), "labels: a labels file needs a scan");
    expectRefusal(pytorch({program(), "--scan", "a", "--scan", "b"}),
                  "scan: 2 scans do not fit an input of 1");
}

TEST_F(ImportPytorch, RefusesWhatItCannotReadOrWrite) {
    expectRefusal(pytorch({path("none.pt2")}), "none.pt2: no such file");
    expectRefusal(pytorch({write("a.pt2", "\x80\x02}")}), "is a pickle, as an old torch.save writes it");
    expectRefusal(
        pytorch({write("a.pt2", stack::testing::zipped({{"a/data.pkl", ""}, {"a/constants.pkl", ""}}))}),
        "is a TorchScript archive of torch.jit.save; a program is written by torch.export.save(");
    expectRefusal(pytorch({write("a.pt2", stack::testing::zipped({{"a/data.pkl", ""}}))}),
                  "is a checkpoint of torch.save, which has no graph");
    expectRefusal(pytorch({program(), "--out", path("no/net.json")}), "no/net.json");
    expectRefusal(pytorch({program(), "--output", "aux"}), "the network has no output \"aux\"; it has 0");
    expectRefusal(pytorch({program(), "--precision", "int8"}), "precision \"int8\" is unknown");
    expectRefusal(pytorch({program(), "--json"}), "--out");
    expectRefusal(pytorch({}), "PROGRAM");
}

class ImportOnnx : public ImportPytorch {
protected:
    Finished onnx(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"import", "onnx"});
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    /// A convolution and a norm; -1: the batch is left open.
    std::string network(std::int64_t batch = 2) const {
        stack::testing::OnnxText text({batch, 1, 8, 8, 8});
        text.output(text.batchNorm("norm", text.conv("conv", "x", 1, 4), 4));
        return write("net.onnx", text.bytes());
    }
};

TEST_F(ImportOnnx, WritesTheExperimentAndSaysWhatTheFileCannot) {
    const Finished done = onnx({network(), "--out", path("net.json")});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out,
                HasSubstr(path("net.json") + ": net, 120 parameters, input 1 × 8 × 8 × 8, batch 2\n"));
    EXPECT_THAT(done.out, HasSubstr("note: ONNX does not say what works in place"));
    EXPECT_EQ(read("net.json")["stack"].size(), 2U);
    EXPECT_EQ(pytorch({network(), "--out", path("same.json")}).exit, 0);
    EXPECT_EQ(read("same.json"), read("net.json"));
}

TEST_F(ImportOnnx, AsksForSizesThatTheFileLeavesOpen) {
    expectRefusal(onnx({network(-1)}), "give them with --batch N");
    const Finished done = onnx({network(-1), "--batch", "3", "--out", path("net.json"), "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(testing::SchemaCheck().problem("import.json", parse(done.out)), "");
    EXPECT_EQ(parse(done.out)["input_shape"], Json({3, 1, 8, 8, 8}));
    expectRefusal(onnx({network(-1), "--input", "3,1"}),
                  "the input has 5 axes in the file, and 2 were given");
    expectRefusal(onnx({network(-1), "--input", "3,0,8,8,8"}), "--input");
    expectRefusal(pytorch({program(), "--batch", "3"}), "is not an .onnx file");
    expectRefusal(onnx({program()}), "net.pt2: is a ZIP archive");
}

using ImportAndRun = Import;

/// The network of the plans with small patches and few features, trained for two steps.
TEST_F(ImportAndRun, BothNetworksTrain) {
    if (!std::filesystem::exists(programPath("highwater-engine"))) {
        GTEST_SKIP() << "highwater-engine is not built";
    }
    auto json = stack::testing::newerPlans();
    for (const char* name : {"3d_fullres", "resenc"}) {
        json["configurations"][name]["patch_size"] = {32, 32, 32};
        json["configurations"][name]["architecture"]["arch_kwargs"]["features_per_stage"] = {4, 6, 6,
                                                                                             8, 8, 8};
        // The lowest stage would have one voxel, which no norm accepts.
        json["configurations"][name]["architecture"]["arch_kwargs"]["strides"][5] = {1, 1, 1};
    }
    for (const char* name : {"3d_fullres", "resenc"}) {
        const Finished done =
            import({plans(json), "--configuration", name, "--out", path("net.json"), "--precision", "fp32"});
        ASSERT_EQ(done.exit, 0) << done.err;
        const Finished run = cli({"run", path("net.json"), "--steps", "2", "--warmup", "0", "--json"});
        ASSERT_EQ(run.exit, 0) << run.err;
        const Json result = parse(run.out);
        EXPECT_EQ(result["status"], "done");
        EXPECT_GT(result["peak_by_category"]["activations"], 0);
        EXPECT_TRUE(result["loss_last"].is_number());
    }
}

}  // namespace
}  // namespace highwater::e2e
