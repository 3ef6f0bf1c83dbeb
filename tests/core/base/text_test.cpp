#include "core/base/text.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/base/duration.h"
#include "core/base/id.h"

namespace highwater::base {
namespace {

TEST(FormatBytes, ShowsThreeDigits) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(1023), "1023 B");
    EXPECT_EQ(formatBytes(1536), "1.50 KiB");
    EXPECT_EQ(formatBytes(216 * kMiB), "216 MiB");
    EXPECT_EQ(formatBytes(Bytes{116187056640}), "108 GiB");
    EXPECT_EQ(formatBytes(-3 * kGiB), "-3.00 GiB");
    EXPECT_EQ(formatBytes(INT64_MAX), "8.00 EiB");
    EXPECT_EQ(formatBytes(kMiB - 1), "1.00 MiB") << "never \"1024 KiB\"";
}

TEST(FormatMillis, ChangesUnit) {
    EXPECT_EQ(formatMillis(0.4231), "0.42 ms");
    EXPECT_EQ(formatMillis(204.1), "204 ms");
    EXPECT_EQ(formatMillis(1254), "1.25 s");
    EXPECT_EQ(formatMillis(200000), "3 min 20 s");
    EXPECT_EQ(formatMillis(std::nan("")), "—");
    EXPECT_EQ(formatTimeLeft(14), "1 s");
    EXPECT_EQ(formatTimeLeft(8400), "8 s");
    EXPECT_EQ(formatTimeLeft(95100), "1 min 35 s");
    EXPECT_EQ(formatTimeLeft(7500000), "2 h 5 min");
    EXPECT_EQ(formatTimeLeft(std::nan("")), "—");
    EXPECT_EQ(formatChange(200, 201.5), "+0.8 %");
    EXPECT_EQ(formatChange(200, 100), "-50.0 %");
    EXPECT_EQ(formatChange(1e6, 1e6 - 1), "0.0 %");
}

TEST(FormatShape, Shortens) {
    const std::vector<std::int64_t> cube = {64, 96, 96, 96}, flat = {2, 3, 5}, image = {16, 32, 32};
    EXPECT_EQ(formatShape(cube), "64 × 96 × 96 × 96");
    EXPECT_EQ(formatShapeShort(cube), "64 × 96³");
    EXPECT_EQ(formatShapeShort(flat), "2 × 3 × 5");
    EXPECT_EQ(formatShapeShort(image), "16 × 32²");
}

TEST(ParseBytes, TakesUsualSpellings) {
    for (const auto& [text, bytes] : std::vector<std::pair<std::string, Bytes>>{{"8GiB", 8 * kGiB},
                                                                                {"512 MiB", 512 * kMiB},
                                                                                {"1.5g", 3 * kGiB / 2},
                                                                                {" 1000000 ", 1000000},
                                                                                {"7kb", 7 * kKiB},
                                                                                {"12 B", 12}}) {
        const auto parsed = parseBytes(text);
        ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
        EXPECT_EQ(*parsed, bytes) << text;
    }
}

TEST(ParseBytes, RefusesTheRest) {
    for (const char* text :
         {"", "GiB", "-1", "1 parsec", "nan", "inf", "1e400", "9000000000 GiB", "8 EiB", "1 GiBs", "0x10"}) {
        EXPECT_FALSE(parseBytes(text)) << text;
    }
}

TEST(FormatNumber, HasThreeDigitsAndNoExponent) {
    EXPECT_EQ(formatNumber(0.0421), "0.0421");
    EXPECT_EQ(formatNumber(4.714), "4.71");
    EXPECT_EQ(formatNumber(999.4), "999");
    EXPECT_EQ(formatNumber(999.6), "1.00 k");
    EXPECT_EQ(formatNumber(4031.2), "4.03 k");
    EXPECT_EQ(formatNumber(1e300), "1e+300");
    EXPECT_EQ(formatNumber(std::nan("")), "—");
}

TEST(ParseBytes, ReadsWhatFormatBytesWrites) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 1000; ++i) {
        const auto bytes = static_cast<Bytes>(random() >> (1 + random() % 62));
        const auto back = parseBytes(formatBytes(bytes));
        if (bytes > 9223372036854775807 / 1000 * 998) {
            continue;  // rounds up to 8 EiB, one more than fits
        }
        ASSERT_TRUE(back) << bytes;
        EXPECT_NEAR(static_cast<double>(*back), static_cast<double>(bytes),
                    0.006 * static_cast<double>(bytes));
    }
}

TEST(OneLine, CutsAtACharacter) {
    EXPECT_EQ(oneLine("a\nb\tc\x01"), "a b c");
    EXPECT_EQ(oneLine("aé", 2), "a…");
    EXPECT_EQ(oneLine("abc", 3), "abc");
}

TEST(OneLine, IsValidUtf8WhateverComesIn) {
    EXPECT_EQ(oneLine("ü–𝄞"), "ü–𝄞");
    EXPECT_EQ(oneLine("a\xfc"), "a\uFFFD");           // Latin-1
    EXPECT_EQ(oneLine("\xc0\xaf"), "\uFFFD\uFFFD");   // overlong
    EXPECT_EQ(oneLine("\xe2\x82"), "\uFFFD\uFFFD");   // cut off
    EXPECT_EQ(oneLine("\xed\xa0\x80x").back(), 'x');  // surrogate
    EXPECT_EQ(oneLine("\xc2\x9b"
                      "31m"),
              "\uFFFD\uFFFD"
              "31m");                                    // the one-byte form of ESC [
    EXPECT_EQ(oneLine("\xf4\x90\x80\x80").size(), 12U);  // past U+10FFFF
}

TEST(NearestWord, FindsSlipsOnly) {
    const std::vector<std::string_view> words = {"padding", "stride", "kernel_size"};
    EXPECT_EQ(nearestWord("paddin", words), "padding");
    EXPECT_EQ(nearestWord("kernelsize", words), "kernel_size");
    EXPECT_EQ(nearestWord("color", words), "");
}

TEST(NewId, SortsAndDiffers) {
    const std::string a = newId(), b = newId();
    EXPECT_NE(a, b);
    EXPECT_EQ(a.size(), std::string("20261121-070512-3f9a2c").size());
    EXPECT_EQ(isoNow().size(), std::string("2026-11-21T07:05:12.345Z").size());
}

}  // namespace
}  // namespace highwater::base
