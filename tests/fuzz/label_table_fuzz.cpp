#include <gtest/gtest.h>

#include <array>

#include "core/scan/label_table.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::scan {
namespace {

TEST(LabelTableFuzz, NamesLabelsOrGivesOneLine) {
    const std::array<std::string, 3> seeds{
        "# ITK-SnAP\n    1   255    0    0        1  1  1    \"Liver\"\n    2 0 255 0 0.5 1 0 \"Spleen\"\n",
        "#No. Name R G B A\n17  Left-Hippocampus   220 216 20  0\n1035 ctx lh insula 255 192 32 0\n",
        R"({"labels": {"background": 0, "edema": 1, "core": [2], "whole": [1, 2]}, "x": [1e3]})"};
    const std::uint64_t rounds = fuzz::rounds(20000);
    std::uint64_t read = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto table = parseLabelTable(fuzz::mutate(seeds[round % seeds.size()], round), "fuzz");
        if (!table) {
            fuzz::expectOneLine(table.error().message);
            continue;
        }
        ++read;
        EXPECT_FALSE(table->empty());
        for (const auto& [value, label] : *table) {
            fuzz::expectOneLine(label.name);
        }
    }
    EXPECT_GT(read, rounds / 20);
    EXPECT_LT(read, rounds);
}

}  // namespace
}  // namespace highwater::scan
