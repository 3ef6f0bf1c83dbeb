#include "core/stack/json/json.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::stack {
namespace {

constexpr const char* kContract = R"({ "schema": "highwater.experiment/1", "name": "small 3d stack",
  "input": { "scan": "head.nii.gz", "patch": [64, 64, 64], "normalize": "zscore", "sampling": "uniform" },
  "target": "input", "loss": "mse",
  "stack": [
    { "type": "conv", "dims": 3, "out_channels": 16, "kernel_size": 3, "padding": 1 },
    { "type": "batch_norm" }, { "type": "relu", "inplace": true },
    { "type": "block", "checkpoint": true, "layers": [ { "type": "conv", "dims": 3, "out_channels": 16, "kernel_size": 3, "padding": "same" } ] } ],
  "optimizer": { "type": "adam", "lr": 0.001 },
  "step": { "batch_size": 2, "precision": "fp32", "channels_last": false, "seed": 0 } })";

TEST(Parsing, ReadsTheContractsExample) {
    const auto e = parseExperiment(kContract, "a.json");
    ASSERT_TRUE(e) << e.error().message;
    EXPECT_EQ(e->name, "small 3d stack");
    EXPECT_EQ(std::get<ScanInput>(e->input).scans, (std::vector<ScanSource>{{"head.nii.gz", {}, 0}}));
    EXPECT_EQ(std::get<ScanInput>(e->input).patch, (Sizes{64, 64, 64}));
    ASSERT_EQ(e->stack.size(), 4U);
    EXPECT_EQ(std::get<Conv>(e->stack[0].op).dims, 3);
    EXPECT_TRUE(std::get<Activation>(e->stack[2].op).inplace);
    EXPECT_TRUE(std::get<Block>(e->stack[3].op).checkpoint);
    EXPECT_EQ(e->step.batchSize, 2);
}

TEST(Parsing, GivesPyTorchsDefaults) {
    const auto e = testing::experimentOf("[1, 8]", R"({"type": "instance_norm"}, {"type": "batch_norm"},
        {"type": "max_pool"}, {"type": "upsample"}, {"type": "conv_transpose", "out_channels": 1})",
                                         R"("optimizer": {"type": "adamw"})");
    ASSERT_TRUE(e) << e.error().message;
    EXPECT_FALSE(std::get<Norm>(e->stack[0].op).affine);
    EXPECT_TRUE(std::get<Norm>(e->stack[1].op).affine);
    EXPECT_TRUE(std::get<Pool>(e->stack[2].op).stride.empty());
    EXPECT_EQ(std::get<Upsample>(e->stack[3].op).scaleFactor, std::vector<double>{2});
    EXPECT_EQ(std::get<ConvTranspose>(e->stack[4].op).kernelSize, Sizes{2});
    EXPECT_EQ(e->optimizer.weightDecay, 0.01);
    EXPECT_EQ(e->loss, Loss::Mse);
    EXPECT_FALSE(e->windows);
}

TEST(Parsing, NamesAndIdsAreOneLine) {
    const auto e = testing::experimentOf(
        "[1, 8]", R"({"type": "relu", "id": "a\nb\u001b"}, {"type": "add", "with": "a\nb\u001b"},
            {"type": "block", "name": "x\r\ty\u202e", "layers": [{"type": "relu"}]},
            {"type": "block", "name": "as it is ", "layers": [{"type": "relu"}]})",
        R"("loss": "mean", "step": {"train": false}, "name": "one\ntwo")");
    ASSERT_TRUE(e) << e.error().message;
    EXPECT_EQ(e->name, "one two");
    EXPECT_EQ(e->stack[0].id, "a b");
    EXPECT_EQ(std::get<Merge>(e->stack[1].op).with.front(), "a b");
    EXPECT_EQ(std::get<Block>(e->stack[2].op).name, "x  y\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(std::get<Block>(e->stack[3].op).name, "as it is ");
    EXPECT_TRUE(inferShapes(*e));
}

TEST(RoundTrip, KeepsEveryRandomExperiment) {
    testing::RandomLimits limits;
    limits.levers = true;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Experiment e = testing::randomExperiment(seed, limits);
        const auto again = parseExperiment(toText(e), "again");
        ASSERT_TRUE(again) << seed << ": " << again.error().message;
        EXPECT_EQ(*again, e) << toText(e);
    }
}

TEST(RoundTrip, KeepsEveryKindOfTargetAndSeed) {
    Experiment e = *parseExperiment(kContract, "a");
    e.step.seed = ~std::uint64_t{0};
    for (const Target& target : {Target{Target::Kind::Threshold, -0.1, "", 2}, testing::labelsTarget("l.nii"),
                                 Target{Target::Kind::Classes, 0, "", 7}, Target{}}) {
        e.target = target;
        EXPECT_EQ(*parseExperiment(toText(e), "a"), e);
    }
}

TEST(RoundTrip, KeepsAPlanOfCheckpoints) {
    Experiment e = *parseExperiment(kContract, "a");
    e.step.checkpoint = {
        Checkpointing::Kind::Plan, 2, {{0, 3, {}}, {3, 9, {{4, 6, {{4, 5, {}}}}, {6, 8, {}}}}}};
    EXPECT_EQ(toJson(e).at("step").at("checkpoint").dump(),
              R"({"plan":[[0,3],[3,9,[[4,6,[[4,5]]],[6,8]]]]})");
    EXPECT_EQ(*parseExperiment(toText(e), "a"), e);
}

TEST(RoundTrip, LabelsOfACohortAreItsCases) {
    Experiment e = *parseExperiment(kContract, "a");
    ScanInput input;
    input.cohort = "cases";
    e.input = input;
    e.target = testing::labelsTarget("");
    EXPECT_EQ(toJson(e).at("target"), "labels");
    EXPECT_EQ(*parseExperiment(toText(e), "a"), e);
    e.target = testing::labelsTarget("labelsTr");
    EXPECT_EQ(*parseExperiment(toText(e), "a"), e);
}

TEST(Writing, LeavesDefaultsOut) {
    Experiment e =
        *testing::experimentOf("[1, 8]", R"({"type": "conv", "out_channels": 4})", R"("name": "n")");
    EXPECT_EQ(toJson(e).dump(),
              R"({"schema":"highwater.experiment/1","name":"n","input":{"synthetic":[1,8]},)"
              R"("stack":[{"type":"conv","out_channels":4,"kernel_size":3}]})");
}

TEST(Writing, TakesTextThatIsNoUtf8) {
    Experiment e = *parseExperiment(kContract, "a");
    e.name = "\xff\xfe";
    EXPECT_TRUE(parseExperiment(toText(e), "a"));
}

std::string errorOfText(const std::string& text) {
    const auto e = parseExperiment(text, "a.json");
    return e ? "no error" : e.error().message;
}

std::string errorWith(const std::string& key, const std::string& value) {
    auto json = nlohmann::ordered_json::parse(kContract);
    json[nlohmann::ordered_json::json_pointer(key)] = nlohmann::ordered_json::parse(value);
    return errorOfText(json.dump());
}

TEST(ParseErrors, NameTheFieldAndWhatWouldBeRight) {
    EXPECT_EQ(errorWith("/stack/0/kernel_size", R"("3")"),
              "a.json: /stack/0/kernel_size: must be a number or a list of numbers, not text");
    EXPECT_EQ(errorWith("/stack/0/kernel_sise", "3"),
              "a.json: /stack/0: unknown key \"kernel_sise\"; did you mean \"kernel_size\"?");
    EXPECT_EQ(errorWith("/stack/3/layers/0/stride", "0"),
              "a.json: /stack/3/layers/0/stride: must be a whole number from 1 to 1048576, not 0");
    EXPECT_EQ(errorWith("/stack/1/type", R"("batchnorm")"),
              "a.json: /stack/1/type: \"batchnorm\" is not a layer type; did you mean \"batch_norm\"?");
    EXPECT_EQ(errorWith("/stack/0/padding", R"("valid")"),
              "a.json: /stack/0/padding: must be a number, a list of numbers or \"same\"");
    EXPECT_EQ(errorWith("/step/batch_size", "0"),
              "a.json: /step/batch_size: must be a whole number from 1 to 2147483647, not 0");
    EXPECT_EQ(errorWith("/schema", R"("highwater.experiment/2")"),
              "a.json: /schema: must be \"highwater.experiment/1\", not \"highwater.experiment/2\"");
    EXPECT_EQ(errorWith("/target", R"("labels")"),
              R"(a.json: /target: must be "input", {"threshold": V}, {"labels": PATH} or {"classes": N})");
    EXPECT_EQ(errorWith("/target", R"({"treshold": 1})"),
              "a.json: /target: unknown key \"treshold\"; did you mean \"threshold\"?");
    EXPECT_EQ(errorWith("/target", R"({"threshold": 1, "classes": 2})"),
              "a.json: /target: must hold one of threshold, labels and classes");
    EXPECT_EQ(errorWith("/target", "{}"), "a.json: /target: must hold threshold, labels or classes");
    EXPECT_EQ(errorWith("/input", "{}"),
              R"(a.json: /input: names no data: give "scan", "cohort" or "synthetic")");
    EXPECT_EQ(errorWith("/input/cohort", R"("x")"),
              "a.json: /input/cohort: cannot be combined with scan; give one of them");
    EXPECT_EQ(errorWith("/input/patch", "[1, 2]"),
              "a.json: /input/patch: must be one number or three: depth, height, width");
    EXPECT_EQ(errorWith("/input/normalize", R"({"window": [3, 1]})"),
              "a.json: /input/normalize/window: the second number must be larger than the first");
    EXPECT_EQ(errorWith("/input", R"({"synthetic": [1]})"),
              "a.json: /input/synthetic: must be a list: [C, L], [C, H, W] or [C, D, H, W]");
    EXPECT_EQ(errorWith("/optimizer/type", R"("rmsprop")"),
              R"(a.json: /optimizer/type: must be one of "sgd", "adam", "adamw", not "rmsprop")");
    EXPECT_EQ(
        errorWith("/optimizer/betas", "[0.9]"),
        "a.json: /optimizer/betas: must be a list of two numbers from 0 to below 1, such as [0.9, 0.999]");
    EXPECT_EQ(
        errorWith("/step/checkpoint", "3"),
        R"(a.json: /step/checkpoint: must be "blocks", "none", "sqrt", {"segments": N} or {"plan": [...]})");
    for (const char* const plan : {"3", "[3]", "[[3]]", "[[3, 3]]", "[[0, 2], [1, 3]]", "[[0, 2, [[1, 3]]]]",
                                   "[[-1, 2]]", "[[0, 2.5]]", "[[0, 100000]]", "[[0, 2, 1]]"}) {
        EXPECT_EQ(
            errorWith("/step/checkpoint", std::string(R"({"plan": )") + plan + "}"),
            "a.json: /step/checkpoint/plan: must be a list of parts, each [first, last], [first, last, "
            "[parts within it]] or [first, last, \"offload\"], which count layers from 0, ascend and do not "
            "overlap");
    }
    EXPECT_EQ(errorWith("/stack/0", R"({"type": "upsample", "size": 3, "scale_factor": 2})"),
              "a.json: /stack/0/scale_factor: cannot be combined with size; give one of them");
    EXPECT_EQ(
        errorWith("/stack/0", R"({"type": "upsample", "scale_factor": 0})"),
        "a.json: /stack/0/scale_factor: must be a number above 0 and up to 1024 or a list of 1 to 3 such");
    EXPECT_EQ(errorWith("/stack/0", R"({"type": "add"})"),
              "a.json: /stack/0/with: is missing; text is needed");
    EXPECT_EQ(errorWith("/stack/0", R"({"type": "add", "with": ["a"]})"),
              "a.json: /stack/0/with: must be text, not a list");
    for (const char* const with : {"[]", "[1]", R"(["a", ["b"]])"}) {
        EXPECT_EQ(errorWith("/stack/0", std::string(R"({"type": "concat", "with": )") + with + "}"),
                  "a.json: /stack/0/with: must be an id or a list of 1 to 256 ids");
    }
    EXPECT_EQ(errorWith("/stack/0", R"({"type": "concat", "with": ["a", ""]})"),
              "a.json: /stack/0/with: must not be empty");
    EXPECT_EQ(errorWith("/stack/0", R"({"type": "gelu", "inplace": true})"),
              "a.json: /stack/0: unknown key \"inplace\"; known are: id, type");
    EXPECT_EQ(errorWith("/data", R"({"augment": [{"type": "flip", "prob": 1}]})"),
              "a.json: /data/augment/0: unknown key \"prob\"; known are: amount, p, type");
    EXPECT_EQ(errorOfText(R"({"schema": "highwater.experiment/1", "stack": []})"),
              "a.json: /input: is missing; give a scan, a cohort or a synthetic shape");
    EXPECT_EQ(errorOfText("[]"), "a.json: the document: must be an object, not a list");
}

TEST(ParseErrors, RefuseEndlessNesting) {
    std::string text = R"({"schema": "highwater.experiment/1", "input": {"synthetic": [1, 8]}, "stack": [)";
    for (int i = 0; i < 40; ++i) {
        text += R"({"type": "block", "layers": [)";
    }
    for (int i = 0; i < 40; ++i) {
        text += "]}";
    }
    EXPECT_THAT(errorOfText(text + "]}"), ::testing::HasSubstr("blocks are nested more than 32 deep"));
}

class Files : public ::testing::Test {
protected:
    Files() { std::filesystem::create_directories(folder_ / "scans"); }
    ~Files() override { std::filesystem::remove_all(folder_); }
    const std::filesystem::path folder_ =
        std::filesystem::path(::testing::TempDir()) / ("stack-" + std::to_string(::getpid()));
};

TEST_F(Files, MakePathsAbsoluteAndRelativeAgain) {
    Experiment e = *parseExperiment(kContract, "a");
    e.input = testing::scanInput({(folder_ / "scans" / "a.nii").string(), "/elsewhere/b.nii", "phantom:head"},
                                 {64});
    e.target = testing::labelsTarget((folder_ / "l.nii").string());
    const auto file = folder_ / "e.json";
    ASSERT_TRUE(saveExperiment(e, file));
    const auto text = base::readFile(file);
    EXPECT_THAT(*text,
                ::testing::AllOf(::testing::HasSubstr("\"scans/a.nii\""), ::testing::HasSubstr("\"l.nii\""),
                                 ::testing::HasSubstr("\"/elsewhere/b.nii\""),
                                 ::testing::HasSubstr("\"phantom:head\"")));
    const auto loaded = loadExperiment(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(*loaded, e);
}

TEST_F(Files, NameThemselvesInErrors) {
    const auto file = (folder_ / "none.json").string();
    EXPECT_EQ(loadExperiment(file).error().message, file + ": no such file");
    EXPECT_EQ(loadExperiment(folder_).error().message,
              folder_.string() + ": is a directory; a file is needed");
}

TEST_F(Files, OtherKindsAreNamed) {
    const auto refusal = [&](const std::string& bytes) {
        const auto file = folder_ / "e.json";
        std::ofstream(file, std::ios::binary) << bytes;
        const auto loaded = loadExperiment(file);
        EXPECT_FALSE(loaded);
        return loaded ? "" : loaded.error().message.substr(file.string().size());
    };
    EXPECT_EQ(refusal(std::string(344, '\0') + "n+1" + std::string(100, '\0')),
              ": is a NIfTI scan; JSON is needed");
    EXPECT_EQ(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
              ": is a pointer of Git LFS, not the file itself; run git lfs pull");
    EXPECT_EQ(refusal("{\"schemaVersion\": 1, \"traceEvents\": []}"),
              ": is a trace of PyTorch's profiler or of Chrome's format (JSON); an experiment is needed");
    EXPECT_EQ(refusal("{\"plans_name\": \"nnUNetPlans\"}"),
              ": is a plans file of nnU-Net (JSON); an experiment is needed");
    EXPECT_THAT(refusal("{\"name\": 1}"), ::testing::HasSubstr("schema: is missing"));
}

/// The window can save incomplete experiments, and must be able to open them again.
TEST(RoundTrip, KeepsWhatIsNotCompleteYet) {
    Experiment experiment;
    experiment.stack = {{"", *makeOp("conv")}};
    experiment.input = ScanInput{};
    auto opened = parseExperiment(toText(experiment), "saved");
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(*opened, experiment);
    EXPECT_FALSE(inferShapes(*opened));
    EXPECT_NE(inferShapes(*opened).error().message.find("no scan is chosen"), std::string::npos);
    experiment.input = SyntheticInput{{1, 8, 8, 8}};
    for (const std::string_view type : typeNames()) {
        experiment.stack = {{"", *makeOp(type)}};
        opened = parseExperiment(toText(experiment), "saved");
        ASSERT_TRUE(opened) << type << ": " << opened.error().message;
        EXPECT_EQ(*opened, experiment) << type;
    }
}

}  // namespace
}  // namespace highwater::stack
