#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/stack/json/json.h"
#include "core/study/sweep.h"
#include "tests/core/stack/random_stack.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::study {
namespace {

using Json = nlohmann::ordered_json;

const char* const kAxes[] = {
    R"([{"path": "/step/batch_size", "values": [1, 2]}, {"toggle": "inplace"}])",
    R"([{"name": "size", "paths": ["/input/synthetic/1"], "values": [8, 16, 24]}])",
    R"([{"path": "/stack/0/kernel_size", "values": [1, 3]}, {"toggle": "checkpoint_sqrt"},
        {"toggle": "separable"}])",
    R"([{"path": "/windows", "values": [null, {"size": 8}]}, {"path": "/step", "values": [{}, {"train": false}]}])",
};
const char* const kModes[] = {"grid", "zip", "factorial"};

std::string seed(std::uint64_t round) {
    stack::testing::RandomLimits limits;
    limits.layers = 4;
    limits.levers = round % 3 == 0;
    Json json = {{"schema", "highwater.sweep/1"},
                 {"name", "fuzz"},
                 {"base", stack::toJson(stack::testing::randomExperiment(round % 8 + 1, limits))},
                 {"axes", Json::parse(kAxes[round % std::size(kAxes)])},
                 {"mode", kModes[round / 5 % std::size(kModes)]},
                 {"repeats", 2 + round % 3}};
    return json.dump();
}

void expectOneLine(const std::string& message) {
    EXPECT_FALSE(message.empty());
    EXPECT_LT(message.size(), 1500U);
    EXPECT_EQ(message.find_first_of("\n\r"), std::string::npos) << message;
}

TEST(SweepFuzz, GivesCellsOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(6000);
    std::uint64_t parsed = 0, runnable = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::string text = round % 4 == 0 ? seed(round) : fuzz::mutate(seed(round), round);
        const auto sweep = parseSweep(text, "fuzz", "/none");
        if (!sweep) {
            expectOneLine(sweep.error().message);
            continue;
        }
        ++parsed;
        const auto cells = expand(*sweep, round % 2 == 0);
        ASSERT_TRUE(cells) << cells.error().message << "\n" << text;
        for (const Cell& cell : *cells) {
            runnable += cell.problem.empty();
            if (!cell.problem.empty()) {
                expectOneLine(cell.problem);
            }
        }
        const auto again =
            parseSweep(toJson(*sweep).dump(-1, ' ', false, Json::error_handler_t::replace), "again", "/none");
        ASSERT_TRUE(again) << again.error().message << "\n" << text;
        EXPECT_EQ(again->axes, sweep->axes);
    }
    EXPECT_GT(parsed, rounds / 20);
    EXPECT_GT(runnable, rounds / 20);
}

}  // namespace
}  // namespace highwater::study
