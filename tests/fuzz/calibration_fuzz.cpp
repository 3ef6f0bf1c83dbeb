#include <gtest/gtest.h>

#include "core/predict/tables/calibration.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::predict {
namespace {

constexpr const char* kSeeds[] = {
    R"({"schema":"highwater.calibration/1","libtorch":"1.13.0","onednn":"2.6.3","isa":"avx512","threads":1,"machine":"x",)"
    R"("speed":{"flops":2.6e11,"bytes_per_second":2e10,"overhead_us":0.6,"compute":{"conv":[0.1,0.2,0.7]},"memory":{}}}
conv1d/b/n1/c1,8/i256/k3/s1/p1/d1/g1/b/gi/gw/strided 271 +524288 r0 -0 r2 r1 +524288 +196608 -2 -1
conv3d/f/n2/c16,32/i32,32,32/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b 812.5 +4194304 +55296 +8388608 -1 -0 r0 -2
)",
    R"({"schema":"highwater.calibration/1","libtorch":"2.4.0","onednn":"off","isa":"avx2","threads":16}
conv_transpose2d/b/n1/c4,6/i12,12/k3,3/s2,2/p1,1/d1,1/g2/o1,1/gi/gw/strided 3 r0 r1

conv1d/f/n1/c1,1/i10/k3/s2/p0/d4/g1/b/bf16/cl 0 r0)"};

TEST(CalibrationFuzz, GivesATableThatReadsBackOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(20000);
    std::uint64_t parsed = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::string seed = kSeeds[round / 2 % std::size(kSeeds)];
        const std::string text = round % 2 ? fuzz::mutate(seed, round) : fuzz::strikeDigits(seed, round);
        const auto table = parseCalibration(text, "table");
        if (!table) {
            EXPECT_LT(table.error().message.size(), 1000U);
            EXPECT_EQ(table.error().message.find_first_of("\n\r"), std::string::npos) << text;
            continue;
        }
        ++parsed;
        const auto again = parseCalibration(writeCalibration(*table), "table");
        ASSERT_TRUE(again) << again.error().message << "\n" << text;
        EXPECT_EQ(again->rows(), table->rows());
        for (const auto& [name, row] : table->rows()) {
            const Estimate guess = table->guess(*parseConvKey(name));
            EXPECT_LE(guess.low, guess.expected);
            EXPECT_LE(guess.expected, guess.high);
            EXPECT_GE(highestTemporaries(row), 0);
        }
    }
    EXPECT_GT(parsed, rounds / 50);
    EXPECT_LT(parsed, rounds);
}

}  // namespace
}  // namespace highwater::predict
