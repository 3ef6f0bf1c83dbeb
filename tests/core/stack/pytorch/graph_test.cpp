#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/pytorch/pytorch.h"
#include "tests/core/stack/pytorch/program_archive.h"

namespace highwater::stack {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Read {
    Json json;
    std::vector<std::string> notes;
    std::string error;
};

Read read(const Json& program, const PytorchOptions& options = {}, const std::string& weights = "{}") {
    const auto made = importPytorch(newerArchive(program.dump(), weights), "net.pt2", options);
    return made ? Read{Json::parse(made->text), made->notes, ""} : Read{{}, {}, made.error().message};
}

TEST(PytorchProgram, BecomesTheExperiment) {
    const Read made = read(smallProgram().json());
    EXPECT_EQ(made.error, "");
    EXPECT_THAT(made.notes, IsEmpty());
    EXPECT_EQ(made.json, Json::parse(R"({"schema": "highwater.experiment/1", "name": "Net",
        "input": {"synthetic": [1, 8, 8, 8]}, "target": {"classes": 2}, "loss": "cross_entropy",
        "stack": [
          {"type": "block", "name": "body", "layers": [
            {"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}, {"type": "relu", "inplace": true}]},
          {"type": "conv", "out_channels": 2, "kernel_size": 1, "bias": false}],
        "optimizer": {"type": "adam", "foreach": true},
        "step": {"batch_size": 2, "precision": "fp32", "keep_output": true}, "backend": {"tf32": true}})"));
}

TEST(PytorchProgram, ConvolutionsUseTf32UnlessAPrecisionIsNamed) {
    PytorchOptions options;
    options.settings = {{"backend", {{"tf32", false}}}};
    EXPECT_EQ(read(smallProgram().json(), options).json["backend"], Json({{"tf32", false}}));
    options = {};
    options.precision = "fp32";
    EXPECT_FALSE(read(smallProgram().json(), options).json.contains("backend"));
}

TEST(PytorchProgram, OptionsAreThoseOfTheFile) {
    PytorchOptions options;
    options.name = "mine";
    options.loss = "dice";
    options.optimizer = "sgd";
    options.precision = "bf16";
    const Read made = read(smallProgram().json(), options);
    EXPECT_EQ(made.json["name"], "mine");
    EXPECT_EQ(made.json["loss"], "dice");
    EXPECT_EQ(made.json["optimizer"], Json({{"type", "sgd"}, {"foreach", true}}));
    EXPECT_EQ(made.json["step"]["precision"], "bf16");
    options.loss = "l1";
    EXPECT_THAT(read(smallProgram().json(), options).error,
                HasSubstr("loss \"l1\" is unknown; there are mse, "));
}

TEST(PytorchProgram, ParametersOfTwoBytes) {
    ProgramText program = smallProgram();
    program.value("p_body.conv.weight", {4, 1, 3, 3, 3}, 13, true);
    const Read made = read(program.json());
    EXPECT_EQ(made.json["step"]["precision"], "bf16_true");
    EXPECT_FALSE(made.json.contains("backend"));
}

/// A residual: the input of the last convolution is added to its output in place.
TEST(PytorchProgram, SumsBringBackWhatTheyAdd) {
    ProgramText program;
    program.parameter("a.weight", {3, 1, 1, 1, 1});
    program.parameter("b.weight", {3, 3, 1, 1, 1});
    const std::string conv = ":torch.nn.modules.conv.Conv3d";
    program.call("conv3d.default", "a", {2, 3, 8, 8, 8},
                 {{"input", tensor("x")}, {"weight", tensor("p_a.weight")}}, "a" + conv);
    program.call("conv3d.default", "b", {2, 3, 8, 8, 8},
                 {{"input", tensor("a")}, {"weight", tensor("p_b.weight")}}, "b" + conv);
    program.call("add_.Tensor", "sum", {2, 3, 8, 8, 8}, {{"self", tensor("b")}, {"other", tensor("a")}});
    program.output("sum");
    const Read made = read(program.json());
    EXPECT_EQ(made.json["stack"][0]["id"], "a");
    EXPECT_EQ(made.json["stack"][2], Json({{"type", "add"}, {"inplace", true}, {"with", "a"}}));
    EXPECT_THAT(made.notes, ElementsAre());
}

/// The tensor modified in place need not be the last one computed: the path goes back to it.
TEST(PytorchProgram, SumsAreWrittenOverWhatTheNetworkWritesOver) {
    const auto stackOf = [](const std::string& over, const std::string& added) {
        ProgramText program;
        program.parameter("a.weight", {3, 1, 1, 1, 1});
        program.parameter("b.weight", {3, 1, 1, 1, 1});
        const std::string conv = ":torch.nn.modules.conv.Conv3d";
        for (const std::string name : {"a", "b"}) {
            program.call("conv3d.default", name, {2, 3, 8, 8, 8},
                         {{"input", tensor("x")}, {"weight", tensor("p_" + name + ".weight")}}, name + conv);
        }
        program.call("add_.Tensor", "sum", {2, 3, 8, 8, 8},
                     {{"self", tensor(over)}, {"other", tensor(added)}});
        program.output("sum");
        const Read made = read(program.json());
        EXPECT_THAT(made.notes, ElementsAre());
        return made.json["stack"];
    };
    const Json back = stackOf("a", "b");
    EXPECT_EQ(back[back.size() - 2], Json({{"type", "branch"}, {"with", "a"}}));
    EXPECT_EQ(back.back(), Json({{"type", "add"}, {"inplace", true}, {"with", "b"}}));
    const Json last = stackOf("b", "a");
    EXPECT_EQ(last[last.size() - 2]["type"], "conv");
    EXPECT_EQ(last.back(), Json({{"type", "add"}, {"inplace", true}, {"with", "a"}}));
}

ProgramText twoOutputs() {
    ProgramText program = smallProgram();
    program.parameter("side.weight", {2, 4, 1, 1, 1});
    program.call("conv3d.default", "side", {2, 2, 8, 8, 8},
                 {{"input", tensor("relu_")}, {"weight", tensor("p_side.weight")}},
                 "side:torch.nn.modules.conv.Conv3d");
    program.output("side");
    program.spec = R"([1, {"type": "builtins.dict", "context": "[\"out\", \"aux\"]", "children_spec": [
        {"type": null, "context": null, "children_spec": []}, {"type": null, "context": null, "children_spec": []}]}])";
    return program;
}

TEST(PytorchProgram, SideOutputsAreHeadsOrChosenByTheirKey) {
    const Read both = read(twoOutputs().json());
    EXPECT_EQ(both.error, "");
    EXPECT_EQ(both.json["stack"][1],
              Json({{"type", "head"}, {"weight", 0.5}, {"out_channels", 2}, {"bias", false}}));
    EXPECT_THAT(both.notes,
                ElementsAre("the side outputs are heads; their weights in the loss are taken as 0.5"));
    PytorchOptions options;
    options.output = "aux";
    const Read one = read(twoOutputs().json(), options);
    EXPECT_EQ(one.json["stack"].size(), 2U);
    // No parameters: last.weight may be another name of side.weight.
    EXPECT_THAT(one.notes,
                ElementsAre("one output is left out, and what only it needs not counted, so predictions are "
                            "bounds from below"));
    EXPECT_EQ(one.json["left_out"], Json({{"outputs", 1}}));
    options.output = "main";
    EXPECT_THAT(read(twoOutputs().json(), options).error, HasSubstr("no output \"main\"; it has out, aux"));
}

/// The stack's output is that of its last layer, whatever the network computes last.
TEST(PytorchProgram, TheOutputThatCountsIsTheLastLayer) {
    const std::string conv = ":torch.nn.modules.conv.Conv3d";
    for (const bool reads : {false, true}) {
        ProgramText program;
        for (const std::string name : {"e", "a", "b"}) {
            program.parameter(name + ".weight", {2, name == "e" ? 1 : 2, 1, 1, 1});
        }
        const auto add = [&](const std::string& name, const std::string& from) {
            program.call("conv3d.default", name, {2, 2, 8, 8, 8},
                         {{"input", tensor(from)}, {"weight", tensor("p_" + name + ".weight")}}, name + conv);
        };
        add("e", "x");
        add("a", "e");
        program.call("relu.default", "relu", {2, 2, 8, 8, 8}, {{"self", tensor(reads ? "a" : "e")}});
        add("b", "relu");
        program.output("a");
        program.output("b");
        const Read made = read(program.json());
        EXPECT_EQ(made.error, "");
        ASSERT_TRUE(made.json["stack"].is_array());
        std::vector<std::string> types;
        for (const Json& layer : made.json["stack"]) {
            types.push_back(layer["type"]);
        }
        EXPECT_THAT(types, reads ? ElementsAre("conv", "conv", "relu", "head", "branch")
                                 : ElementsAre("conv", "relu", "head", "branch", "conv"));
        EXPECT_EQ(made.json["stack"][reads ? 4 : 3]["with"], reads ? "a" : "e");
    }
}

/// The Python package marks where calls of torch.utils.checkpoint begin and end.
ProgramText withCheckpoints(bool marked, bool torn) {
    ProgramText program;
    int marks = 0;
    const auto mark = [&](std::int64_t size, const std::string& scopes) {
        const Json sizes = marked ? Json::array({0, size}) : Json::array({0});
        program.call("empty.memory_format", "empty" + std::to_string(marks++), {0},
                     {{"size", {{"as_ints", sizes}}}}, scopes);
    };
    const auto conv = [&](const std::string& name, const std::string& from) {
        program.parameter(name + ".weight", {1, 1, 1, 1, 1});
        program.call("conv3d.default", name, {2, 1, 8, 8, 8},
                     {{"input", tensor(from)}, {"weight", tensor("p_" + name + ".weight")}},
                     "body:my.Body " + name + ":torch.nn.modules.conv.Conv3d");
    };
    conv("before", "x");
    mark(7001, "body:my.Body");
    conv("first", "before");
    program.call("relu.default", "relu", {2, 1, 8, 8, 8}, {{"self", tensor("first")}}, "body:my.Body");
    if (torn) {
        mark(7002, "body:my.Body");
    }
    conv("second", "relu");
    mark(torn ? 7001 : 7002, "body:my.Body");
    conv("last", "second");
    if (torn) {
        mark(7002, "body:my.Body");
    }
    program.output("last");
    return program;
}

TEST(PytorchProgram, MarkedCheckpointsAreCheckpointedBlocks) {
    const Read made = read(withCheckpoints(true, false).json());
    EXPECT_EQ(made.error, "");
    EXPECT_THAT(made.notes, IsEmpty());
    EXPECT_FALSE(made.json.contains("left_out"));
    const Json layers = made.json["stack"][0]["layers"];
    ASSERT_EQ(layers.size(), 3U);
    EXPECT_EQ(layers[0]["type"], "conv");
    EXPECT_EQ(layers[1]["checkpoint"], true);
    EXPECT_EQ(layers[1]["layers"].size(), 3U);
    EXPECT_EQ(layers[2]["type"], "conv");
    // A single layer is a block, too.
    const Json two = read(withCheckpoints(true, true).json()).json["stack"][0]["layers"];
    ASSERT_EQ(two.size(), 4U);
    EXPECT_EQ(two[1]["layers"].size(), 2U);
    EXPECT_EQ(
        two[3],
        Json(
            {{"type", "block"},
             {"name", "last"},
             {"checkpoint", true},
             {"layers",
              Json::array({{{"type", "conv"}, {"out_channels", 1}, {"kernel_size", 1}, {"bias", false}}})}}));
}

TEST(PytorchProgram, CheckpointsWithoutMarksAreLeftOut) {
    const Read made = read(withCheckpoints(false, false).json());
    EXPECT_EQ(made.error, "");
    EXPECT_THAT(made.notes, ElementsAre(HasSubstr("one call of torch.utils.checkpoint is not taken over")));
    EXPECT_EQ(made.json["left_out"], Json({{"checkpoints", 1}}));
    EXPECT_FALSE(made.json["stack"][0].contains("checkpoint"));
}

TEST(PytorchProgram, LossesOfProbabilities) {
    PytorchOptions options;
    for (const std::string loss : {"bce", "sigmoid_dice", "sigmoid_dice_bce"}) {
        options.loss = loss;
        const Read made = read(withCheckpoints(true, false).json(), options);
        EXPECT_EQ(made.error, "");
        EXPECT_EQ(made.json["loss"], loss);
        EXPECT_EQ(made.json["target"], Json({{"classes", 2}}));
    }
    options.loss = "dice";
    EXPECT_THAT(read(withCheckpoints(true, false).json(), options).error,
                HasSubstr("give the last layer 2 channels, or take the loss sigmoid_dice"));
}

TEST(PytorchProgram, WithoutTheListOfWeightsLeftOutParametersMayBeMore) {
    ProgramText program = smallProgram();
    program.parameter("same.weight", {2, 4, 1, 1, 1});
    program.parameter("other.weight", {2, 5, 1, 1, 1});
    EXPECT_THAT(read(program.json()).notes,
                ElementsAre("at least 10 parameters have no part in the output and are left out, so "
                            "predictions are bounds from below"));
}

TEST(PytorchProgram, TheListOfWeightsSaysWhichAreTied) {
    ProgramText program = smallProgram();
    program.parameter("other.bias", {4});
    program.parameter("unused.bias", {1000});
    const auto entry = [](int path, std::int64_t size) {
        return Json{{"path_name", "weight_" + std::to_string(path)},
                    {"tensor_meta", {{"sizes", {size}}, {"storage_offset", {{"as_int", 0}}}}}};
    };
    const Json weights{
        {"config",
         {{"body.conv.bias", entry(0, 4)}, {"other.bias", entry(0, 4)}, {"unused.bias", entry(1, 1000)}}}};
    EXPECT_THAT(read(program.json(), {}, weights.dump()).notes,
                ElementsAre("1,000 parameters have no part in the output and are left out, so predictions "
                            "are bounds from below"));
}

TEST(PytorchProgram, TheGraphByItselfMaySayWhichAreTied) {
    ProgramText program = smallProgram();
    program.parameter("other.bias", {4});
    program.parameter("unused.bias", {1000});
    Json json{{"program", program.json()}, {"ties", {{"other.bias", "body.conv.bias"}}}};
    const auto made = importPytorch(json.dump(), "net.json", {});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(made->notes, ElementsAre("1,000 parameters have no part in the output and are left out, so "
                                         "predictions are bounds from below"));
    EXPECT_EQ(made->parameters[0].at("bias"), "body.conv.bias");
    json.erase("program");
    EXPECT_THAT(importPytorch(json.dump(), "net.json", {}).error().message,
                HasSubstr("net.json: has no \"program\""));
    EXPECT_THAT(
        importPytorch(R"({"schemaVersion": 1, "traceEvents": []})", "trace.json", {}).error().message,
        HasSubstr("trace.json: is a trace of PyTorch's profiler or of Chrome's format (JSON); a program"));
}

TEST(PytorchProgram, FrozenParametersAreTold) {
    ProgramText program = smallProgram();
    program.value("p_last.weight", {2, 4, 1, 1, 1}, 7, false);
    EXPECT_THAT(read(program.json()).notes,
                ElementsAre("8 parameters need no gradient; in the file they train like the others"));
}

TEST(PytorchProgram, WhatNoLayerStandsForIsNamedOnceAKind) {
    ProgramText program = smallProgram();
    for (const char* name : {"exp", "exp_1"}) {
        program.call("exp.default", name, {2, 2, 8, 8, 8}, {{"self", tensor("conv3d_1")}}, "end:my.End");
        program.output(name);
    }
    program.call("permute.default", "permute", {2, 8, 2, 8, 8}, {{"self", tensor("exp")}});
    program.output("permute");
    EXPECT_EQ(read(program.json()).error,
              "net.pt2: no layer implements exp (2 times, first in end); no layer implements permute (once, "
              "in the network itself)");
}

TEST(PytorchProgram, WhatNoLayerStandsForIsLeftOpen) {
    ProgramText program = programWithoutOutput();
    program.call("cumsum.default", "sums", {2, 2, 8, 8, 8}, {{"self", tensor("conv3d_1")}}, "sum:my.Sum");
    program.call("where.self", "chosen", {2, 2, 8, 8, 8},
                 {{"self", tensor("sums")}, {"other", tensor("conv3d_1")}}, "choose:my.Choose");
    program.call("relu.default", "made", {2, 2, 8, 8, 8}, {{"self", tensor("chosen")}});
    program.output("made");
    const Read made = read(program.json());
    EXPECT_EQ(made.error, "");
    const Json& layers = made.json["stack"];
    ASSERT_EQ(layers.size(), 5U) << layers.dump();
    EXPECT_EQ(layers[2].dump(), R"({"type":"unknown","operator":"cumsum","shape":[1,2,8,8,8]})");
    EXPECT_EQ(layers[3].value("operator", ""), "where");
    EXPECT_EQ(layers[3].value("with", ""), layers[1].value("id", "none"));
    EXPECT_THAT(made.notes, ::testing::Contains(
                                "no layer implements cumsum (once, in sum): what it takes is not counted, "
                                "predictions are bounds from below, and the network cannot run"));
}

TEST(PytorchProgram, AFrozenBatchNormSaysWhatToDo) {
    ProgramText program = smallProgram();
    program.call("batch_norm.default", "norm", {2, 2, 8, 8, 8},
                 {{"input", tensor("conv3d_1")}, {"training", {{"as_bool", false}}}});
    program.output("norm");
    EXPECT_THAT(
        read(program.json()).error,
        HasSubstr("batch_norm that is not training (once, in the network itself); export the network as "
                  "it is trained: model.train()"));
}

TEST(PytorchProgram, WhatWasMadeFunctionalHasANote) {
    Json program = smallProgram().json();
    program["verifiers"] = {"ATEN"};
    EXPECT_THAT(read(program).notes, ElementsAre(HasSubstr("the program was made functional")));
}

TEST(PytorchProgram, ADropoutInEvaluationHasANote) {
    ProgramText program = programWithoutOutput();
    program.call(
        "dropout.default", "dropped", {2, 2, 8, 8, 8},
        {{"input", tensor("conv3d_1")}, {"p", {{"as_float", 0.1}}}, {"train", {{"as_bool", false}}}});
    program.output("dropped");
    const Read made = read(program.json());
    EXPECT_EQ(made.json["stack"].size(), 2U);
    EXPECT_THAT(made.notes,
                ElementsAre("dropout is as in evaluation and left out; export the network as it is "
                            "trained: model.train() (once, in the network itself)"));
}

TEST(PytorchProgram, ViewsBecomeLayersWhereTheyAreRead) {
    ProgramText program = programWithoutOutput();
    const auto ints = [](std::vector<int> values) { return Json{{"as_ints", values}}; };
    program.call("view.default", "flat", {2, 2, 512}, {{"self", tensor("conv3d_1")}});
    program.call("permute.default", "moved", {2, 2, 512},
                 {{"self", tensor("flat")}, {"dims", ints({1, 0, 2})}});
    program.call("select.int", "one", {2, 512}, {{"self", tensor("moved")}, {"index", {{"as_int", 1}}}});
    program.call("unsqueeze.default", "wide", {2, 512, 1}, {{"self", tensor("one")}});
    program.call("transpose.int", "turned", {2, 1, 512},
                 {{"self", tensor("wide")}, {"dim0", {{"as_int", -1}}}, {"dim1", {{"as_int", -2}}}});
    program.call("matmul.default", "product", {2, 512, 512},
                 {{"self", tensor("wide")}, {"other", tensor("turned")}});
    program.output("product");
    const Read made = read(program.json());
    EXPECT_EQ(made.error, "");
    std::vector<std::string> layers;
    for (const Json& layer : made.json["stack"]) {
        layers.push_back(layer.dump());
    }
    EXPECT_THAT(layers, ::testing::Contains(HasSubstr(R"("shape":[-1,2,512])")));
    EXPECT_THAT(layers, ::testing::Contains(HasSubstr(R"("type":"select","dim":1,"index":1)")));
    EXPECT_THAT(layers, ::testing::Contains(HasSubstr(R"("type":"permute","dims":[0,2,1])")));
    EXPECT_THAT(layers.back(), HasSubstr(R"("type":"matmul")"));
}

std::vector<std::string> withoutIds(const Json& stack) {
    std::vector<std::string> layers;
    for (Json layer : stack) {
        layer.erase("id");
        layers.push_back(layer.dump());
    }
    return layers;
}

TEST(PytorchProgram, InputsOfOneSizeAreTheExperimentsSideBySide) {
    ProgramText program = programWithoutOutput();
    program.input("mask", {2, 2, 8, 8, 8});
    program.call("add.Tensor", "sum", {2, 2, 8, 8, 8},
                 {{"self", tensor("conv3d_1")}, {"other", tensor("mask")}});
    program.output("sum");
    const Read made = read(program.json());
    EXPECT_EQ(made.error, "");
    EXPECT_EQ(made.json["input"], Json({{"synthetic", {3, 8, 8, 8}}}));
    const auto layers = withoutIds(made.json["stack"]);
    ASSERT_EQ(layers.size(), 9U);  // "body" is one of them
    EXPECT_EQ(layers[1], R"({"type":"slice","dim":1,"end":1})");
    EXPECT_EQ(layers[2], R"({"type":"contiguous"})");
    EXPECT_EQ(layers[4], R"({"type":"slice","dim":1,"start":1,"end":3})");
    EXPECT_THAT(layers.back(), HasSubstr(R"("type":"add","with")"));
    EXPECT_THAT(made.notes,
                ElementsAre("the experiment's input is x of 1 channel, mask of 2 channels, side by "
                            "side; where a batch has several samples each is copied from it, which a "
                            "program in PyTorch need not do"));
}

/// A vector, and one number per sample computed from it.
TEST(PytorchProgram, InputsOfOtherSizesAreUnknown) {
    ProgramText program = programWithoutOutput();
    program.input("vector", {2, 2, 1, 1, 1});
    program.input("time", {2}, 5);
    program.call("mul.Tensor", "product", {2, 2, 1, 1, 1},
                 {{"self", tensor("time")}, {"other", {{"as_float", 0.5}}}});
    program.call("add.Tensor", "both", {2, 2, 1, 1, 1},
                 {{"self", tensor("vector")}, {"other", tensor("product")}});
    program.call("mul.Tensor", "made", {2, 2, 8, 8, 8},
                 {{"self", tensor("conv3d_1")}, {"other", tensor("both")}});
    program.output("made");
    const Read made = read(program.json());
    EXPECT_EQ(made.error, "");
    EXPECT_EQ(made.json["input"], Json({{"synthetic", {1, 8, 8, 8}}}));
    EXPECT_THAT(withoutIds(made.json["stack"]),
                ::testing::IsSupersetOf(
                    {R"({"type":"unknown","operator":"the input vector","shape":[1,2,1,1,1]})",
                     R"({"type":"unknown","operator":"mul with the input time","shape":[1,2,1,1,1]})"}));
    EXPECT_THAT(made.notes, ElementsAre(HasSubstr("implements the input vector (once"),
                                        HasSubstr("implements mul with the input time (")));
}

TEST(PytorchProgram, AttentionIsOneCall) {
    const auto with = [](const Json& more) {
        ProgramText program = programWithoutOutput();
        program.call("view.default", "rows", {2, 2, 8, 64}, {{"self", tensor("conv3d_1")}});
        Json arguments{{"query", tensor("rows")}, {"key", tensor("rows")}, {"value", tensor("rows")}};
        arguments.update(more);
        program.call("scaled_dot_product_attention.default", "made", {2, 2, 8, 64}, arguments, "att:my.Att");
        program.output("made");
        return read(program.json());
    };
    const Read made = with({{"dropout_p", {{"as_float", 0.25}}}});
    EXPECT_EQ(made.error, "");
    const auto layers = withoutIds(made.json["stack"].back()["layers"]);
    EXPECT_THAT(layers.back(),
                HasSubstr(R"({"type":"scaled_dot_product_attention","dropout_p":0.25,"with":[)"));
    EXPECT_THAT(made.notes, ElementsAre());
    for (const auto& [other, what] : {std::pair{Json{{"enable_gqa", {{"as_bool", true}}}}, "enable_gqa"},
                                      {Json{{"attn_mask", tensor("rows")}}, "a mask of other sizes"}}) {
        EXPECT_THAT(with(other).notes,
                    ::testing::Contains(HasSubstr("no layer implements scaled_dot_product_attention with " +
                                                  std::string(what) + " (once, in att)")));
    }
}

TEST(PytorchProgram, PartsOfAnyAxis) {
    ProgramText program = programWithoutOutput();
    const auto cut = [&](const char* from, const char* name, std::vector<std::int64_t> shape, int dim,
                         int start, int step) {
        program.call("slice.Tensor", name, std::move(shape),
                     {{"self", tensor(from)},
                      {"dim", {{"as_int", dim}}},
                      {"start", {{"as_int", start}}},
                      {"end", {{"as_int", std::numeric_limits<std::int64_t>::max()}}},
                      {"step", {{"as_int", step}}}});
    };
    cut("conv3d_1", "one", {2, 1, 8, 8, 8}, 1, 1, 1);
    cut("one", "odd", {2, 1, 8, 8, 4}, -1, 1, 2);
    cut("one", "even", {2, 1, 8, 8, 4}, -1, 0, 2);
    program.call("roll.default", "moved", {2, 1, 8, 8, 4},
                 {{"self", tensor("odd")}, {"shifts", {{"as_ints", {-1}}}}, {"dims", {{"as_ints", {-1}}}}});
    program.call("cat.default", "both", {2, 1, 8, 8, 8},
                 {{"tensors", {{"as_tensors", {tensor("moved")["as_tensor"], tensor("even")["as_tensor"]}}}},
                  {"dim", {{"as_int", 4}}}});
    program.call("add.Tensor", "more", {2, 1, 8, 8, 8},
                 {{"self", tensor("both")}, {"other", {{"as_float", 0.5}}}});
    program.output("more");
    const Read made = read(program.json());
    EXPECT_EQ(made.error, "");
    const auto layers = withoutIds(made.json["stack"]);
    ASSERT_EQ(layers.size(), 10U);
    EXPECT_EQ(layers[2], R"({"type":"slice","dim":1,"start":1,"end":2})");
    EXPECT_EQ(layers[3], R"({"type":"slice","dim":4,"start":1,"end":8,"step":2})");
    EXPECT_EQ(layers[4], R"({"type":"roll","shifts":[-1],"dims":[4]})");
    EXPECT_EQ(layers[6], R"({"type":"slice","dim":4,"end":7,"step":2})");
    EXPECT_THAT(layers[8], HasSubstr(R"("type":"concat","dim":4)"));
    EXPECT_EQ(layers[9], R"({"type":"offset","value":0.5})");
}

TEST(PytorchProgram, SamplesThatAreDrawnAreStochasticDepth) {
    ProgramText program = programWithoutOutput();
    program.call("rand.default", "rand", {2, 1, 1, 1, 1}, {{"dtype", {{"as_scalar_type", 7}}}});
    program.call("add_.Tensor", "kept", {2, 1, 1, 1, 1},
                 {{"self", tensor("rand")}, {"other", {{"as_float", 0.975}}}});
    program.call("floor.default", "drawn", {2, 1, 1, 1, 1}, {{"self", tensor("kept")}});
    program.call("mul.Tensor", "made", {2, 2, 8, 8, 8},
                 {{"self", tensor("conv3d_1")}, {"other", tensor("drawn")}});
    program.output("made");
    const Read made = read(program.json());
    EXPECT_EQ(made.error, "");
    EXPECT_EQ(made.json["stack"].back().dump(),
              R"({"type":"stochastic_depth","p":0.025,"scale_by_keep":false})");
}

TEST(PytorchProgram, WhatIsNoProgramIsOneLine) {
    const auto with = [](const char* place, const Json& value) {
        Json program = smallProgram().json();
        program[Json::json_pointer(place)] = value;
        return read(program).error;
    };
    EXPECT_THAT(read(Json::object()).error, HasSubstr("there is no graph; is it a program of torch.export?"));
    EXPECT_THAT(with("/schema_version/major", 5), HasSubstr("a PyTorch before 2.5"));
    EXPECT_THAT(with("/graph_module/graph/tensor_values/x/sizes/0", {{"as_expr", {{"expr_str", "s0"}}}}),
                HasSubstr("the sizes of \"x\" are symbolic; export without dynamic_shapes"));
    EXPECT_THAT(with("/graph_module/graph/tensor_values/x/sizes/0/as_int", -1), HasSubstr("not from 0 to"));
    EXPECT_THAT(with("/graph_module/graph/nodes/1/inputs/0/arg", tensor("nothing")),
                HasSubstr("/graph_module/graph/nodes/1: \"nothing\" is read before it is made"));
    EXPECT_THAT(with("/graph_module/graph/nodes/1/outputs/0", tensor("x")),
                HasSubstr("stands for two values"));
    EXPECT_THAT(with("/graph_module/signature/input_specs", Json::array()),
                HasSubstr("net.pt2: the network takes no tensor"));
    EXPECT_THAT(with("/graph_module/signature/output_specs", Json::array()), HasSubstr("returns no tensor"));
}

TEST(PytorchProgram, ALayerThatTheReaderRefusesIsItsOwnLine) {
    ProgramText program = smallProgram();
    program.call("mul.Tensor", "scaled", {2, 2, 8, 8, 8},
                 {{"self", tensor("conv3d_1")}, {"other", {{"as_float", 1e300}}}});
    program.output("scaled");
    EXPECT_THAT(read(program.json()).error, HasSubstr("net.pt2: "));
}

}  // namespace
}  // namespace highwater::stack
