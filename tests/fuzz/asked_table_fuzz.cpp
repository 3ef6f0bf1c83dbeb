#include "core/predict/tables/asked_table.h"

#include <gtest/gtest.h>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::predict {
namespace {

constexpr const char* kAskedSeed =
    R"({"schema":"highwater.asked-table/1","cudnn":"9.19.0","device":"h200","described":{"deviceVer":900,"deviceName":"x"}}
conv1d/b/n1/c1,8/i256/k3/s1/p1/d1/g1/gw tf32 524288 0 16 600000 700000
conv3d/f/n2/c16,32/i32,32,32/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1 - -
)";

TEST(AskedTableFuzz, GivesATableThatReadsBackOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(20000);
    std::uint64_t parsed = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::string text =
            round % 2 ? fuzz::mutate(kAskedSeed, round) : fuzz::strikeDigits(kAskedSeed, round);
        const auto table = parseAskedTable(text, "table");
        if (!table) {
            EXPECT_LT(table.error().message.size(), 1000U);
            EXPECT_EQ(table.error().message.find_first_of("\n\r"), std::string::npos) << text;
            continue;
        }
        ++parsed;
        const auto again = parseAskedTable(writeAskedTable(*table), "table");
        ASSERT_TRUE(again) << again.error().message << "\n" << text;
        EXPECT_EQ(again->rows(), table->rows());
        EXPECT_EQ(again->key(), table->key());
    }
    EXPECT_GT(parsed, rounds / 50);
    EXPECT_LT(parsed, rounds);
}

}  // namespace
}  // namespace highwater::predict
