#include <gtest/gtest.h>

#include <random>

#include "core/stack/pytorch/pytorch.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/json/places.h"
#include "tests/core/stack/pytorch/program_archive.h"
#include "tests/fuzz/hostile/kinds.h"
#include "tests/fuzz/imports.h"
#include "tests/fuzz/mutator.h"

namespace highwater::stack {
namespace {

using namespace testing;

/// A program with every kind of operator.
ProgramText seedProgram() {
    ProgramText program = programWithoutOutput();
    const auto of = [](const char* name) { return Json{{"self", tensor(name)}}; };
    const auto with = [&of](const char* name, const Json& more) {
        Json arguments = of(name);
        arguments.update(more);
        return arguments;
    };
    program.parameter("norm.weight", {2});
    program.parameter("norm.bias", {2});
    program.parameter("up.weight", {2, 2, 2, 2, 2});
    program.call("batch_norm.default", "norm", {2, 2, 8, 8, 8},
                 {{"input", tensor("conv3d_1")},
                  {"weight", tensor("p_norm.weight")},
                  {"bias", tensor("p_norm.bias")},
                  {"training", {{"as_bool", true}}},
                  {"eps", {{"as_float", 1e-3}}}});
    program.call("max_pool3d.default", "pool", {2, 2, 4, 4, 4},
                 with("norm", {{"kernel_size", {{"as_ints", {2, 2, 2}}}}}));
    program.call(
        "conv_transpose3d.input", "up", {2, 2, 8, 8, 8},
        {{"input", tensor("pool")}, {"weight", tensor("p_up.weight")}, {"stride", {{"as_ints", {2, 2, 2}}}}});
    program.call(
        "cat.default", "cat", {2, 4, 8, 8, 8},
        {{"tensors", {{"as_tensors", {{{"name", "up"}}, {{"name", "norm"}}}}}}, {"dim", {{"as_int", 1}}}});
    program.call(
        "slice.Tensor", "slice", {2, 4, 4, 8, 8},
        with("cat", {{"dim", {{"as_int", 2}}}, {"start", {{"as_int", 2}}}, {"end", {{"as_int", 6}}}}));
    program.call("mul.Tensor", "mul", {2, 4, 8, 8, 8}, with("cat", {{"other", {{"as_float", 0.5}}}}));
    program.call("add.Tensor", "add", {2, 4, 8, 8, 8}, with("mul", {{"other", tensor("cat")}}));
    program.call("view.default", "view", {2, 2048}, with("add", {{"size", {{"as_ints", {2, -1}}}}}));
    program.call("leaky_relu_.default", "leaky", {2, 4, 8, 8, 8},
                 with("add", {{"negative_slope", {{"as_float", 0.2}}}}));
    program.input("mask", {2, 4, 8, 8, 8});
    program.input("time", {2}, 5);
    program.call("mul.Tensor", "masked", {2, 4, 8, 8, 8}, with("leaky", {{"other", tensor("mask")}}));
    program.call("scaled_dot_product_attention.default", "attended", {2, 4, 8, 8, 8},
                 {{"query", tensor("masked")}, {"key", tensor("leaky")}, {"value", tensor("masked")}});
    program.call("upsample_nearest3d.vec", "upsampled", {2, 4, 16, 16, 16},
                 {{"input", tensor("attended")}, {"scale_factors", {{"as_floats", {2.0, 2.0, 2.0}}}}});
    program.output("upsampled");
    return program;
}

/// Replaces some values, so that the text stays JSON and reaches the later checks.
std::string struck(Json json, std::uint64_t seed) {
    static const std::vector<Json> values = {nullptr,
                                             true,
                                             0,
                                             1,
                                             -1,
                                             2.5,
                                             1e300,
                                             32,
                                             9223372036854775807,
                                             18446744073709551615U,
                                             "x",
                                             "conv3d",
                                             "",
                                             Json::array(),
                                             Json::object(),
                                             Json::array({1, 1}),
                                             Json{{"as_none", true}},
                                             Json{{"as_int", 1LL << 40}},
                                             Json{{"as_ints", {0, -5, 7}}},
                                             Json{{"as_sym_ints", {{{"as_name", "x"}}}}},
                                             tensor("norm"),
                                             tensor("cat")};
    std::mt19937_64 random(seed);
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        std::vector<Json::json_pointer> all;
        places(json, Json::json_pointer(), all);
        const auto at = all[random() % all.size()];
        if (random() % 4 == 0 && !at.empty() && json[at.parent_pointer()].is_object()) {
            json[at.parent_pointer()].erase(at.back());
        } else {
            json[at] = values[random() % values.size()];
        }
    }
    return json.dump();
}

/// A damaged archive; damaged text in an intact archive; text that is still JSON, in an archive and by
/// itself.
TEST(PytorchFuzz, GivesAValidExperimentOrOneLine) {
    const Json program = seedProgram().json();
    const std::string whole[] = {olderArchive(program.dump()),
                                 newerArchive(program.dump(), R"({"config": {}})", ZIP_CM_DEFLATE)};
    ASSERT_TRUE(importPytorch(whole[0], "fuzz", {})) << importPytorch(whole[0], "fuzz", {}).error().message;
    fuzz::expectExperimentsOrLines([&](std::uint64_t round) {
        const std::string bytes = round % 4 == 0   ? fuzz::mutate(whole[round / 4 % 2], round)
                                  : round % 4 == 1 ? newerArchive(fuzz::mutate(program.dump(), round))
                                  : round % 4 == 2
                                      ? olderArchive(struck(program, round))
                                      : struck({{"program", program}, {"ties", {{"a", "b"}}}}, round);
        return importPytorch(bytes, "fuzz", {});
    });
}

/// What a memory budget rejects, and what it accepts.
TEST(PytorchFuzz, HostileProgramsGiveAnExperimentOrOneLine) {
    for (std::uint64_t round = 0; round < fuzz::rounds(60); ++round) {
        fuzz::Draw draw(round, 1);
        const auto made = importPytorch(fuzz::hostileProgram(draw).files.front().second, "fuzz", {});
        if (!made) {
            fuzz::expectOneLine(made.error().message);
        }
    }
}

}  // namespace
}  // namespace highwater::stack
