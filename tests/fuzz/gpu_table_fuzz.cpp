#include <gtest/gtest.h>

#include "core/predict/tables/gpu_table.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::predict {
namespace {

constexpr const char* kTableSeeds[] = {
    R"({"schema":"highwater.gpu-table/1","libtorch":"2.11","cudnn":"9.19.0","architecture":90,"device":"h200","machine":"x"}
conv1d/b/n1/c1,8/i256/k3/s1/p1/d1/g1/b/gi/gw/strided tf32 271 i:0 w:524288
conv3d/f/n2/c16,32/i32,32,32/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b - 812.5 f:4194304
)",
    R"({"schema":"highwater.gpu-table/1","libtorch":"2.4","cudnn":"9.1.0","architecture":80,"device":"a100-40"}
conv_transpose2d/b/n1/c4,6/i12,12/k3,3/s2,2/p1,1/d1,1/g2/o1,1/gi benchmark,deterministic 3 i:9

conv2d/f/n1/c1,1/i10,10/k3,3/s2,2/p0,0/d1,1/g1/b/bf16/cl - 0 f:12)"};

TEST(GpuTableFuzz, GivesATableThatReadsBackOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(20000);
    std::uint64_t parsed = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::string seed = kTableSeeds[round / 2 % std::size(kTableSeeds)];
        const std::string text = round % 2 ? fuzz::mutate(seed, round) : fuzz::strikeDigits(seed, round);
        const auto table = parseGpuTable(text, "table");
        if (!table) {
            EXPECT_LT(table.error().message.size(), 1000U);
            EXPECT_EQ(table.error().message.find_first_of("\n\r"), std::string::npos) << text;
            continue;
        }
        ++parsed;
        const auto again = parseGpuTable(writeGpuTable(*table), "table");
        ASSERT_TRUE(again) << again.error().message << "\n" << text;
        EXPECT_EQ(again->rows(), table->rows());
        EXPECT_EQ(again->key(), table->key());
        EXPECT_EQ(keyOfGpuTableName(gpuTableFileName(table->key())), table->key()) << text;
    }
    EXPECT_GT(parsed, rounds / 50);
    EXPECT_LT(parsed, rounds);
}

}  // namespace
}  // namespace highwater::predict
