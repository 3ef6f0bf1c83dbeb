#include "app/desktop/scan/patches/patch_words.h"

#include <gtest/gtest.h>

#include <clocale>

#include "tests/widgets/scan/volumes.h"

namespace highwater::desktop {
namespace {

using highwater::testing::makeVolume;

TEST(PatchWords, GroupsThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(grouped(-999), "-999");
    EXPECT_EQ(grouped(-1000), "-1,000");
}

TEST(PatchWords, PlaceNamesFirstAndLastVoxel) {
    EXPECT_EQ(placeText({12, 40, -4}, {64, 64, 64}), QString::fromUtf8("i 12–75, j 40–103, k −4 to 59"));
    EXPECT_EQ(placeText({7, 0, 0}, {1, 2, 3}), QString::fromUtf8("i 7–7, j 0–1, k 0–2"));
}

TEST(PatchWords, WhatWasDone) {
    EXPECT_EQ(doneText({"flipped along i", "turned by 7.1°", "gamma 0.83"}, true),
              QString::fromUtf8("flipped along i, turned by 7.1°, gamma 0.83"));
    EXPECT_EQ(doneText({}, true), "none was applied to this patch");
    EXPECT_EQ(doneText({}, false), "none is set");
}

TEST(PatchWords, SharesSayWhenTheyAreRounded) {
    const QString percent = QString(QChar(0xa0)) + '%';
    EXPECT_EQ(shareText(0), "0" + percent);
    EXPECT_EQ(shareText(0.0004), "under 0.1" + percent);
    EXPECT_EQ(shareText(0.0412), "4.1" + percent);
    EXPECT_EQ(shareText(0.9996), "over 99.9" + percent);
    EXPECT_EQ(shareText(1), "100" + percent);
}

TEST(PatchWords, CoverageSaysLeastWhereVoxelsShareAPlace) {
    volume::Coverage coverage;
    coverage.map = makeVolume({8, 8, 8}, [](auto, auto, auto) { return 1.0F; });
    coverage.mean = 12.34;
    coverage.never = 0.041;
    const QString percent = QString(QChar(0xa0)) + '%';
    EXPECT_EQ(coverageText(coverage, {8, 8, 8}),
              "mean 12.3 samples per voxel, 4.1" + percent + " never seen");
    EXPECT_EQ(coverageText(coverage, {16, 16, 16}),
              "mean 12.3 samples per voxel, at least 4.1" + percent + " never seen");
}

TEST(PatchWords, NumbersKeepTheirPointInACommaLocale) {
    const std::string before = setlocale(LC_NUMERIC, nullptr);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) {
        GTEST_SKIP() << "de_DE.UTF-8 is not installed";
    }
    volume::Coverage coverage;
    coverage.map = makeVolume({2, 2, 2}, [](auto, auto, auto) { return 1.0F; });
    coverage.mean = 1.25;
    coverage.never = 0.125;
    const QString text = coverageText(coverage, {2, 2, 2});
    setlocale(LC_NUMERIC, before.c_str());
    EXPECT_EQ(text, QString("mean 1.25 samples per voxel, 12.5") + QChar(0xa0) + "% never seen");
}

TEST(PatchWords, HeatIsFromNoneToMost) {
    const volume::Volume counts =
        makeVolume({4, 3, 2}, [](auto i, auto j, auto) { return static_cast<float>(i * 10 + j); });
    const volume::Volume heat = heatOf(counts, 32);
    EXPECT_EQ(heat.data(), counts.data()) << "the voxels are shared";
    EXPECT_EQ(heat.geometry(), counts.geometry());
    EXPECT_DOUBLE_EQ(heat.at(3, 2, 1), 1);
    EXPECT_DOUBLE_EQ(heat.at(0, 0, 0), 0);
    EXPECT_DOUBLE_EQ(heat.at(1, 0, 0), 10.0 / 32);
    EXPECT_DOUBLE_EQ(heat.header().max, 1);
    EXPECT_TRUE(heatOf(counts, 0).empty());
    EXPECT_TRUE(heatOf({}, 1).empty());
}

TEST(PatchWords, HeatOutlivesItsVolume) {
    volume::Volume heat;
    {
        const volume::Volume counts = makeVolume({2, 2, 2}, [](auto, auto, auto) { return 4.0F; });
        heat = heatOf(counts, 8);
    }
    EXPECT_DOUBLE_EQ(heat.at(1, 1, 1), 0.5);
}

}  // namespace
}  // namespace highwater::desktop
