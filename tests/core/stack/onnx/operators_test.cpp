#include <gmock/gmock.h>

#include "core/stack/onnx/onnx.h"
#include "tests/core/stack/onnx/onnx_text.h"
#include "tests/core/temporary_folder.h"

namespace highwater::stack {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

PytorchImport taken(const OnnxText& text, const OnnxInput& input = {}) {
    const auto made = importOnnx(text.bytes(), "net.onnx", {}, input);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : PytorchImport{};
}

Json stackOf(const OnnxText& text) {
    const std::string made = taken(text).text;
    return made.empty() ? Json() : layersOf(Json::parse(made)["stack"]);
}

std::string refusal(const OnnxText& text, const OnnxInput& input = {}) {
    const auto made = importOnnx(text.bytes(), "net.onnx", {}, input);
    EXPECT_FALSE(made);
    return made ? "" : made.error().message;
}

/// The input after a layer with a parameter, without which nothing would train.
std::string trained(OnnxText& text) {
    return text.node("PRelu", "/first/PRelu", {"x", text.weight("first.weight", {1})});
}

/// The layers that one operator on the network's input is converted to.
Json layerOf(const std::string& kind, const OnnxAttributes& attributes, int opset = 17) {
    OnnxText text({2, 4, 8, 8, 8}, opset);
    text.output(text.node(kind, "/it/" + kind, {trained(text)}, attributes));
    const Json stack = stackOf(text);
    return stack.size() < 2 ? Json() : stack[1];
}

TEST(OnnxOperators, BecomeTheLayersOfPytorch) {
    EXPECT_EQ(layerOf("Relu", {}), Json({{"type", "relu"}}));
    EXPECT_EQ(layerOf("LeakyRelu", {{"alpha", 0.2}}),
              Json({{"type", "leaky_relu"}, {"negative_slope", 0.2}}));
    EXPECT_EQ(layerOf("HardSwish", {}), Json({{"type", "hardswish"}}));
    EXPECT_EQ(layerOf("Softmax", {{"axis", std::int64_t{1}}}), Json({{"type", "softmax"}, {"dim", 1}}));
    EXPECT_EQ(layerOf("Neg", {}), Json({{"type", "scale"}, {"value", -1}}));
    EXPECT_EQ(layerOf("MaxPool", {{"kernel_shape", OnnxSizes{3, 3, 3}},
                                  {"strides", OnnxSizes{2, 2, 2}},
                                  {"pads", OnnxSizes{1, 1, 1, 1, 1, 1}}}),
              Json({{"type", "max_pool"}, {"kernel_size", 3}, {"stride", 2}, {"padding", 1}}));
    EXPECT_EQ(layerOf("GlobalAveragePool", {}), Json({{"type", "adaptive_avg_pool"}, {"output_size", 1}}));
    EXPECT_EQ(layerOf("ReduceMean", {{"axes", OnnxSizes{2, 3, -1}}}),
              Json({{"type", "adaptive_avg_pool"}, {"output_size", 1}}));
    EXPECT_EQ(layerOf("Flatten", {}), Json({{"type", "flatten"}}));
    EXPECT_EQ(
        layerOf("LRN", {{"size", std::int64_t{5}}}),
        Json({{"type", "local_response_norm"}, {"size", 5}, {"alpha", 0.0001}, {"beta", 0.75}, {"k", 1}}));
}

TEST(OnnxOperators, TakeTheirConstantsFromInputs) {
    OnnxText text({2, 4, 8, 8, 8});
    const std::string low = text.filled("val_1", {}, 0), high = text.filled("val_2", {}, 6);
    const std::string relu6 = text.node("Clip", "/a/Clip", {trained(text), low, high});
    const std::string up =
        text.node("Resize", "/b/Resize", {relu6, "", "", text.list("sizes", {2, 4, 16, 16, 16})},
                  {{"mode", std::string("nearest")}, {"nearest_mode", std::string("floor")}});
    const std::string cut = text.node(
        "Slice", "/Slice",
        {up, text.list("starts", {1, -8}), text.list("ends", {9, 1 << 30}), text.list("axes", {2, -1})});
    const std::string wide =
        text.node("Pad", "/Pad", {cut, text.list("pads", {0, 0, 1, 2, 3, 0, 0, 4, 5, 6})},
                  {{"mode", std::string("edge")}});
    text.output(text.node("Mul", "/Mul", {wide, text.filled("half", {}, 0.5)}));
    EXPECT_EQ(stackOf(text), Json::parse(R"([
        {"type": "prelu"}, {"type": "relu6"}, {"type": "upsample", "size": 16},
        {"type": "crop", "start": [1, 0, 8], "size": [8, 16, 8]},
        {"type": "pad", "padding": [3, 6, 2, 5, 1, 4], "mode": "replicate"},
        {"type": "scale", "value": 0.5}])"));
}

TEST(OnnxOperators, ComeTogetherAgain) {
    OnnxText text({2, 4, 8, 8, 8});
    const std::string sigmoid = text.node("Sigmoid", "/s/Sigmoid", {"x"});
    const std::string silu = text.node("Mul", "/s/Mul", {"x", sigmoid});
    const std::string plus = text.node("Softplus", "/m/Softplus", {silu});
    const std::string mish = text.node("Mul", "/m/Mul", {silu, text.node("Tanh", "/m/Tanh", {plus})});
    const std::string root = text.node("Div", "/g/Div", {mish, text.filled("root", {}, 1.41421356F)});
    const std::string one =
        text.node("Add", "/g/Add", {text.node("Erf", "/g/Erf", {root}), text.filled("one", {}, 1)});
    const std::string gelu =
        text.node("Mul", "/g/Mul_1", {text.node("Mul", "/g/Mul", {mish, one}), text.filled("half", {}, 0.5)});
    const std::string groups = text.node("Reshape", "/n/Reshape", {gelu, text.list("groups", {0, 2, -1})});
    const std::string normed = text.node(
        "InstanceNormalization", "/n/InstanceNormalization",
        {groups, text.filled("val_ones", {2}, 1), text.filled("val_zeros", {2}, 0)}, {{"epsilon", 1e-3}});
    const std::string back =
        text.node("Reshape", "/n/Reshape_1", {normed, text.node("Shape", "/n/Shape", {gelu})});
    const std::string scaled = text.node("Mul", "/n/Mul", {back, text.weight("onnx::Mul_1", {4, 1, 1, 1})});
    text.output(text.node("Add", "/n/Add", {scaled, text.weight("onnx::Add_1", {4, 1, 1, 1})}));
    EXPECT_EQ(stackOf(text), Json::parse(R"([{"type": "silu"}, {"type": "mish"}, {"type": "gelu"},
        {"type": "group_norm", "num_groups": 2, "eps": 0.001}])"));
}

TEST(OnnxOperators, LinearLayersHaveTheirWeightsEitherWay) {
    OnnxText text({2, 4, 8});
    const std::string flat = text.node("Flatten", "/Flatten", {"x"});
    const std::string one =
        text.node("Gemm", "/a/Gemm", {flat, text.weight("a.weight", {6, 32}), text.weight("a.bias", {6})},
                  {{"transB", std::int64_t{1}}});
    const std::string two = text.node("MatMul", "/b/MatMul", {one, text.weight("onnx::MatMul_1", {6, 5})});
    text.output(text.node("Add", "/b/Add", {text.weight("b.bias", {5}), two}));
    EXPECT_EQ(stackOf(text), Json::parse(R"([{"type": "flatten"}, {"type": "linear", "out_features": 6},
        {"type": "linear", "out_features": 5}])"));
}

TEST(OnnxOperators, NormsOfConstantsHaveNoParameters) {
    OnnxText text({2, 4, 8, 8});
    const std::string ones = text.filled("val_1", {4}, 1), zeros = text.filled("val_2", {4}, 0);
    const std::string plain = text.node("InstanceNormalization", "/a/I", {"x", ones, zeros});
    text.output(text.node("InstanceNormalization", "/b/I",
                          {plain, text.filled("b.weight", {4}, 1), text.filled("b.bias", {4}, 0)}));
    EXPECT_EQ(stackOf(text),
              Json::parse(R"([{"type": "instance_norm"}, {"type": "instance_norm", "affine": true}])"));
}

TEST(OnnxOperators, ScopesBecomeBlocks) {
    OnnxText text;
    const std::string a = text.conv("body/body.0", "x", 1, 4);
    const std::string b = text.node("Relu", "/body/body.1/Relu", {a});
    text.output(text.conv("last", b, 4, 2));
    const Json stack = Json::parse(taken(text).text)["stack"];
    ASSERT_EQ(stack.size(), 2U);
    EXPECT_EQ(stack[0]["name"], "body");
    EXPECT_EQ(stack[0]["layers"].size(), 2U);
}

TEST(OnnxOperators, MetadataOfTheNewerExporterIsRead) {
    OnnxText text;
    std::string last = "x";
    for (const char* name : {"one", "two"}) {
        last = text.node("Relu", std::string("node_") + name, {last});
        // Possibly unknown to this ONNX version: NodeProto's field 9 with a key and a value.
        auto* unknown = text.graph().mutable_node(text.graph().node_size() - 1);
        const auto put = [unknown](const std::string& key, const std::string& value) {
            ::onnx::StringStringEntryProto entry;
            entry.set_key(key);
            entry.set_value(value);
            const std::string bytes = entry.SerializeAsString();
            unknown->MergeFromString(std::string{'\x4a', static_cast<char>(bytes.size())} + bytes);
        };
        put("pkg.torch.onnx.name_scopes", std::string("['', 'up', 'up.") + name + "', 'relu']");
        put("pkg.torch.onnx.class_hierarchy", "['my.Net', 'my.Up', 'my.Act', 'aten.relu.default']");
    }
    text.output(text.conv("c", last, 1, 4));
    const Json made = Json::parse(taken(text).text);
    EXPECT_EQ(made["name"], "Net");
    EXPECT_EQ(made["stack"][0]["name"], "up");
}

TEST(OnnxOperators, OpenSizesAreAskedFor) {
    OnnxText text({-1, 1, 8, 8});
    text.output(text.conv("c", "x", 1, 2, 2));
    EXPECT_THAT(refusal(text),
                HasSubstr("leaves the sizes of its input open (?,1,8,8); give them with --batch N"));
    EXPECT_EQ(taken(text, {.batch = 3}).experiment.step.batchSize, 3);
    EXPECT_EQ(taken(text, {.shape = {5, 1, 16, 16}}).experiment.step.batchSize, 5);
    EXPECT_THAT(refusal(text, {.shape = {5, 1, 16}}), HasSubstr("has 4 axes in the file, and 3 were given"));
    EXPECT_THAT(refusal(text, {.shape = {5, 2, 16, 16}}),
                HasSubstr("no layer implements Conv with such sizes"));
}

TEST(OnnxOperators, InputsOfOneSizeAreTheExperimentsSideBySide) {
    OnnxText text({-1, 1, 8, 8});
    text.input("mask", {-1, 2, 8, 8});
    text.input("time", {2}, ::onnx::TensorProto::INT64);
    text.output(text.node("Mul", "/m/Mul", {text.conv("c", "x", 1, 2, 2), "mask"}));
    EXPECT_THAT(refusal(text), HasSubstr("sizes of its input x open (?,1,8,8); give them with --batch N"));
    EXPECT_THAT(refusal(text, {.shape = {2, 1, 8, 8}}),
                HasSubstr("takes 3 tensors, whose sizes must be in the file; --input gives those of one"));
    const PytorchImport made = taken(text, {.batch = 2});
    EXPECT_EQ(Json::parse(made.text)["input"], Json({{"synthetic", {3, 8, 8}}}));
    EXPECT_THAT(made.notes, Contains(HasSubstr("input is x of 1 channel, mask of 2 channels, side by side")));
    OnnxText vectors({2, 8});
    vectors.input("other", {2, 8});
    vectors.output(vectors.node("Add", "/a/Add", {"x", "other"}));
    EXPECT_THAT(refusal(vectors),
                HasSubstr("no input of the network has samples, channels and one to three"));
}

TEST(OnnxOperators, WhatIsNotKnownIsALineAKind) {
    OnnxText text({2, 4, 8, 8});
    const std::string a = text.node("Einsum", "/a/Einsum", {trained(text)}),
                      b = text.node("Relu", "/b/Relu", {a});
    const std::string c = text.node("my.Own", "/c/Own", {b});
    text.graph().mutable_node(text.graph().node_size() - 1)->set_domain("my");
    text.output(text.node("Einsum", "/d/Einsum", {text.node("Softsign", "/d/S", {"x"}), c}));
    EXPECT_EQ(refusal(text),
              "net.onnx: no layer implements Einsum (once, in a); no layer implements softsign (once, in d)");
}

TEST(OnnxOperators, WhatAnExportForInferenceDidIsSaid) {
    OnnxText text;
    text.output(text.batchNorm("b", text.conv("a", "x", 1, 4), 4, false));
    EXPECT_THAT(taken(text).notes,
                Contains("taken as in training, though as in inference in the file: 1 batch normalization"));
    OnnxText folded;
    folded.output(folded.node("Conv", "/a/Conv", {"x", folded.weight("onnx::Conv_5", {4, 1, 1, 1, 1})}));
    EXPECT_THAT(taken(folded).notes,
                Contains(HasSubstr("the export computed the weights of 1 convolution, as where")));
}

TEST(OnnxFile, OtherFilesAreNamed) {
    EXPECT_THAT(importOnnx("PK\x03\x04", "a.onnx", {}).error().message,
                HasSubstr("a.onnx: is not an ONNX file, or a damaged one"));
    EXPECT_FALSE(importOnnx("", "a.onnx", {}));
    OnnxText old({2, 1, 8, 8}, 9);
    old.output(old.node("Relu", "/Relu", {"x"}));
    EXPECT_THAT(refusal(old),
                HasSubstr("has the operators of opset 9; export with opset_version=11 or newer"));
    EXPECT_THAT(importOnnxFile(test::nowhere() + "/a.onnx", {}).error().message, HasSubstr("no such file"));
    EXPECT_TRUE(isOnnxName("a/b.ONNX"));
    EXPECT_FALSE(isOnnxName("a/onnx"));
    EXPECT_THAT(importNetworkFile("a.pt2", {}, {.batch = 2}).error().message,
                HasSubstr("is not an .onnx file"));
}

TEST(OnnxFile, ASizeOfNoTensorIsRefused) {
    OnnxText text;
    text.weight("huge", {});
    auto& tensor = *text.graph().mutable_initializer(0);
    tensor.add_dims(std::int64_t{1} << 31);
    text.output(text.conv("a", "x", 1, 4));
    EXPECT_THAT(refusal(text), HasSubstr("the sizes of \"huge\" are those of no tensor"));
}

/// Two bytes per node, two hundred in memory.
TEST(OnnxFile, EmptyNodesAreRefusedBeforeTheyAreMade) {
    OnnxText text;
    for (int i = 0; i < 800'000; ++i) {
        text.graph().add_node();
    }
    EXPECT_THAT(refusal(text), HasSubstr("would take more than 128 MiB of memory"));
}

TEST(OnnxFile, ATensorHasNotManyAxes) {
    OnnxText text;
    text.weight("w", OnnxSizes(65, 1));
    text.output(text.node("Relu", "/Relu", {"x"}));
    EXPECT_THAT(refusal(text), HasSubstr("\"w\" has 65 axes"));
}

}  // namespace
}  // namespace highwater::stack
