// The short run: every format, a few hundred files. scan_fuzz_long runs any number.
#include <gmock/gmock.h>

#include "tests/fuzz/scan/scan_attack.h"

namespace highwater::fuzz {
namespace {

TEST(ScanFuzz, SeedsThemselvesAreRead) {
    for (const SeedFile& seed : madeSeeds()) {
        EXPECT_TRUE(seed.packing == Packing::None || zlibAccepts(seed)) << seed.format;
        EXPECT_EQ(openWhole(seed), "") << seed.format;
    }
}

TEST(ScanFuzz, NoDamagedFileOfAnyFormatGetsThrough) {
    const Summary summary = attack(madeSeeds(), 0, 480);
    EXPECT_THAT(summary.failures, testing::IsEmpty());
    EXPECT_GT(summary.mustRefuse, 60);
    EXPECT_GE(summary.formats.size(), 12U);
    for (const auto& [format, row] : summary.formats) {
        EXPECT_GT(row.refused, 0) << format;
    }
}

TEST(ScanFuzz, RealFilesNeither) {
    const auto seeds = realSeeds(600'000);
    if (seeds.empty()) {
        GTEST_SKIP() << "there are no real scans here";
    }
    const Summary summary = attack(seeds, 100'000, 90);
    EXPECT_THAT(summary.failures, testing::IsEmpty());
}

}  // namespace
}  // namespace highwater::fuzz
