#include "app/desktop/experiment/stack/sizes_text.h"

#include <gtest/gtest.h>

namespace highwater::desktop {
namespace {

TEST(SizesText, ReadsEveryWayPeopleWriteSizes) {
    for (const char* text : {"3,3,1", "3x3x1", "3 × 3 × 1", "3 3 1", " 3X3*1 ", "3, 3; 1"}) {
        EXPECT_EQ(parseSizes(text, {}).value(), (stack::Sizes{3, 3, 1})) << text;
    }
    EXPECT_EQ(parseSizes("3", {}).value(), (stack::Sizes{3}));
    EXPECT_EQ(parseSizes("96³", {}).value(), (stack::Sizes{96, 96, 96}));
    EXPECT_EQ(parseSizes("4²", {}).value(), (stack::Sizes{4, 4}));
    EXPECT_TRUE(parseSizes("", {.mayBeEmpty = true}).value().empty());
}

TEST(SizesText, RefusesTheRestWithAReason) {
    for (const char* text :
         {"", "x", "0", "-1", "3.5", "a", "1 2 3 4", "99999999999999999999", "3³³", "2000000"}) {
        const auto result = parseSizes(text, {});
        ASSERT_FALSE(result.ok()) << text;
        EXPECT_FALSE(result.error().message.empty());
    }
}

TEST(SizesText, BoundsAreWrittenOut) {
    EXPECT_EQ(parseSizes("0", {.low = 1, .high = 100'000}).error().message, "0 is not from 1 to 100000");
}

TEST(SizesText, WordsAreShort) {
    EXPECT_EQ(sizesWords({3}, 3), QString("3³"));
    EXPECT_EQ(sizesWords({3, 3, 1}, 3), QString("3 × 3 × 1"));
    EXPECT_EQ(sizesWords({3}, 1), QString("3"));
    EXPECT_EQ(sizesText({3, 3, 1}), QString("3 × 3 × 1"));
}

TEST(SizesText, NumbersReadBackAsTheyWere) {
    for (const double value : {0.01, 1e-5, 0.1, 1.0, 1.0 / 3}) {
        EXPECT_EQ(parseNumber(numberText(value), 0, 2).value(), value);
    }
    for (const char* text : {"", "abc", "nan", "3", "-1", "inf"}) {
        EXPECT_FALSE(parseNumber(text, 0, 2).ok()) << text;
    }
}

}  // namespace
}  // namespace highwater::desktop
