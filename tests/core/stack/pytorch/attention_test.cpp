#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/stack/pytorch/pytorch.h"
#include "tests/core/stack/pytorch/program_archive.h"

/// Attention as computed by torch.nn.MultiheadAttention, and the other parts of a vision transformer.
namespace highwater::stack {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kScope = "att:torch.nn.modules.activation.MultiheadAttention";
constexpr std::int64_t kSamples = 2, kPlaces = 64, kFeatures = 8, kHeads = 2, kSize = kFeatures / kHeads;

Json of(const std::string& name, const Json& more = Json::object()) {
    Json arguments{{"self", tensor(name)}};
    arguments.update(more);
    return arguments;
}

Json axes(int one, int other) {
    return {{"dim0", {{"as_int", one}}}, {"dim1", {{"as_int", other}}}};
}

/// An image, as positions with features: "x_places".
ProgramText places() {
    ProgramText program({kSamples, kFeatures, 8, 8});
    program.parameter("begin.weight", {kFeatures, kFeatures, 1, 1});
    program.call("conv2d.default", "image", {kSamples, kFeatures, 8, 8},
                 {{"input", tensor("x")}, {"weight", tensor("p_begin.weight")}});
    program.call("flatten.using_ints", "flat", {kSamples, kFeatures, kPlaces},
                 of("image", {{"start_dim", {{"as_int", 2}}}}));
    program.call("transpose.int", "x_places", {kSamples, kPlaces, kFeatures}, of("flat", axes(1, 2)));
    return program;
}

struct Changes {
    Json attention = Json::object();           ///< further arguments of the attention
    std::string odd = {};                      ///< an additional operator within the module
    bool placesFirst = false;                  ///< batch_first=False
    std::string key = "third_1", out = "out";  ///< the source of the keys; the network's output
};

/// The graph that torch.export writes for MultiheadAttention(8, 2) of a tensor with itself, without requested
/// weights.
ProgramText attention(const Changes& changes = {}) {
    ProgramText program = places();
    program.parameter("att.in_proj_weight", {3 * kFeatures, kFeatures});
    program.parameter("att.in_proj_bias", {3 * kFeatures});
    program.parameter("att.out_proj.weight", {kFeatures, kFeatures});
    program.parameter("att.out_proj.bias", {kFeatures});
    const auto call = [&](const std::string& target, const std::string& name, Sizes sizes,
                          const Json& arguments) {
        program.call(target, name, std::move(sizes), arguments, kScope);
    };
    const auto linear = [&](const char* name, Sizes sizes, const char* input, const std::string& which) {
        call("linear.default", name, std::move(sizes),
             {{"input", tensor(input)},
              {"weight", tensor("p_att." + which + "weight")},
              {"bias", tensor("p_att." + which + "bias")}});
    };
    program.call("transpose.int", "turned", {kPlaces, kSamples, kFeatures}, of("x_places", axes(1, 0)),
                 changes.placesFirst ? "" : kScope);
    linear("packed", {kPlaces, kSamples, 3 * kFeatures}, "turned", "in_proj_");
    call("unflatten.int", "apart", {kPlaces, kSamples, 3, kFeatures},
         of("packed", {{"dim", {{"as_int", -1}}}, {"sizes", {{"as_ints", {3, kFeatures}}}}}));
    call("unsqueeze.default", "more", {1, kPlaces, kSamples, 3, kFeatures},
         of("apart", {{"dim", {{"as_int", 0}}}}));
    call("transpose.int", "three", {3, kPlaces, kSamples, 1, kFeatures}, of("more", axes(0, -2)));
    call("squeeze.dim", "less", {3, kPlaces, kSamples, kFeatures}, of("three", {{"dim", {{"as_int", -2}}}}));
    call("contiguous.default", "thirds", {3, kPlaces, kSamples, kFeatures}, of("less"));
    for (int i = 0; i < 3; ++i) {
        const std::string which = std::to_string(i);
        call("select.int", "third_" + which, {kPlaces, kSamples, kFeatures},
             of("thirds", {{"dim", {{"as_int", 0}}}, {"index", {{"as_int", i}}}}));
        call("view.default", "heads_" + which, {kPlaces, kSamples * kHeads, kSize},
             of(i == 1 ? changes.key : "third_" + which,
                {{"size", {{"as_ints", {kPlaces, kSamples * kHeads, kSize}}}}}));
        call("transpose.int", "joined_" + which, {kSamples * kHeads, kPlaces, kSize},
             of("heads_" + which, axes(0, 1)));
        call("view.default", "factor_" + which, {kSamples, kHeads, kPlaces, kSize},
             of("joined_" + which, {{"size", {{"as_ints", {kSamples, kHeads, kPlaces, kSize}}}}}));
    }
    Json factors{{"query", tensor("factor_0")}, {"key", tensor("factor_1")}, {"value", tensor("factor_2")}};
    factors.update(changes.attention);
    call("scaled_dot_product_attention.default", "attended", {kSamples, kHeads, kPlaces, kSize}, factors);
    call("permute.default", "back", {kPlaces, kSamples, kHeads, kSize},
         of("attended", {{"dims", {{"as_ints", {2, 0, 1, 3}}}}}));
    call("view.default", "rows", {kPlaces * kSamples, kFeatures},
         of("back", {{"size", {{"as_ints", {kPlaces * kSamples, kFeatures}}}}}));
    if (!changes.odd.empty()) {
        call(changes.odd + ".default", "odd", {kPlaces * kSamples, kFeatures}, of("rows"));
    }
    linear("projected", {kPlaces * kSamples, kFeatures}, changes.odd.empty() ? "rows" : "odd", "out_proj.");
    call("view.default", "whole", {kPlaces, kSamples, kFeatures},
         of("projected", {{"size", {{"as_ints", {kPlaces, kSamples, kFeatures}}}}}));
    program.call("transpose.int", "out", {kSamples, kPlaces, kFeatures}, of("whole", axes(1, 0)),
                 changes.placesFirst ? "" : kScope);
    program.output(changes.out);
    return program;
}

base::Result<PytorchImport> imported(const ProgramText& program, const PytorchOptions& options = {}) {
    return importPytorch(newerArchive(program.text()), "net.pt2", options);
}

std::vector<std::string> typesIn(const Json& layers) {
    std::vector<std::string> types;
    for (const Json& layer : layers) {
        types.push_back(layer["type"]);
    }
    return types;
}

TEST(PytorchAttention, AModuleIsABlockThatKeepsSamplesFirst) {
    for (const bool placesFirst : {false, true}) {
        const auto made = imported(attention({.placesFirst = placesFirst}));
        ASSERT_TRUE(made) << made.error().message;
        const Json stack = Json::parse(made->text)["stack"];
        EXPECT_THAT(typesIn(stack), ElementsAre("conv", "reshape", "permute", "block"));
        const Json& block = stack.back();
        EXPECT_EQ(block["name"], "att");
        EXPECT_THAT(typesIn(block["layers"]),
                    ElementsAre("linear", "reshape", "permute", "contiguous", "select", "permute", "branch",
                                "select", "permute", "branch", "select", "permute", "branch",
                                "scaled_dot_product_attention", "permute", "clone", "reshape", "linear"));
        EXPECT_THAT(made->notes, ElementsAre(HasSubstr("may copy what it gives (2x64x8) or its gradient")));
    }
}

/// On an H200, 12 such modules of 32 samples kept no copy of the output of cuDNN's kernel (tests/python/gpu).
TEST(PytorchAttention, WhatKernelsOfLowPrecisionGiveLiesAsItIsRead) {
    const std::map<std::string, std::string> reads{{"fp32", "clone"},
                                                   {"tf32", "clone"},
                                                   {"fp16", "contiguous"},
                                                   {"bf16", "contiguous"},
                                                   {"fp16_true", "contiguous"}};
    for (const auto& [precision, layer] : reads) {
        PytorchOptions options;
        options.precision = precision;
        const auto made = imported(attention(), options);
        ASSERT_TRUE(made) << made.error().message;
        EXPECT_EQ(Json::parse(made->text)["stack"].back()["layers"][15]["type"], layer) << precision;
    }
}

TEST(PytorchAttention, TheCallKeepsItsOptions) {
    const auto made = imported(attention({.attention = {{"is_causal", {{"as_bool", true}}},
                                                        {"scale", {{"as_float", 0.25}}},
                                                        {"dropout_p", {{"as_float", 0.1}}}}}));
    ASSERT_TRUE(made) << made.error().message;
    const Json layers = Json::parse(made->text)["stack"].back()["layers"];
    const auto found = std::find_if(layers.begin(), layers.end(), [](const Json& layer) {
        return layer["type"] == "scaled_dot_product_attention";
    });
    ASSERT_NE(found, layers.end());
    EXPECT_EQ((*found)["is_causal"], true);
    EXPECT_EQ((*found)["scale"], 0.25);
    EXPECT_EQ((*found)["dropout_p"], 0.1);
}

TEST(PytorchAttention, WhatIsComputedOtherwiseIsNotTakenForIt) {
    for (const Changes& changes : {Changes{.attention = {{"enable_gqa", {{"as_bool", true}}}}},
                                   Changes{.odd = "cumsum"}, Changes{.key = "third_0"}}) {
        const auto made = imported(attention(changes));
        EXPECT_THAT(made ? fmt::format("{}", fmt::join(made->notes, "; ")) : made.error().message,
                    HasSubstr("no layer implements "));
    }
}

/// Another tensor of the module is also used, so that the module cannot be one block.
TEST(PytorchAttention, AModuleOfWhichMoreIsUsedIsNotTaken) {
    ProgramText program = attention();
    program.call("mul.Tensor", "scaled", {kPlaces, kSamples, kFeatures},
                 of("third_0", {{"other", {{"as_float", 2.0}}}}));
    program.output("scaled");
    const auto made = imported(program);
    EXPECT_FALSE(made && made->notes.empty());
}

TEST(PytorchAttention, AParameterBeforeThePlacesIsAClassToken) {
    const auto with = [](const char* target, const Json& more, Sizes token) {
        ProgramText program = places();
        program.parameter("token", std::move(token));
        program.call(target, "tokens", {kSamples, 1, kFeatures}, of("p_token", more));
        const Json joined{tensor("tokens")["as_tensor"], tensor("x_places")["as_tensor"]};
        program.call("cat.default", "out", {kSamples, kPlaces + 1, kFeatures},
                     {{"tensors", {{"as_tensors", joined}}}, {"dim", {{"as_int", 1}}}});
        program.output("out");
        return imported(program);
    };
    const Json sizes{{"size", {{"as_ints", {-1, -1, -1}}}}};
    const auto made = with("expand.default", sizes, {1, 1, kFeatures});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(Json::parse(made->text)["stack"].back(),
              (Json{{"type", "class_token"}, {"shape", {1, 1, kFeatures}}}));
    EXPECT_THAT(made->parameters.back(),
                ElementsAre(std::pair<const std::string, std::string>("weight", "token")));
    for (const auto& other :
         {with("expand.default", sizes, {1, kFeatures}),
          with("repeat.default", {{"repeats", {{"as_ints", {2, 1, 1}}}}}, {1, 1, kFeatures})}) {
        ASSERT_TRUE(other) << other.error().message;
        EXPECT_THAT(other->notes, Contains(HasSubstr("no layer implements cat with a parameter")));
    }
}

}  // namespace
}  // namespace highwater::stack
