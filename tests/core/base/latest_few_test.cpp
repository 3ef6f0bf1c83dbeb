#include "core/base/latest_few.h"

#include <gtest/gtest.h>

#include <string>

namespace highwater::base {
namespace {

TEST(LatestFew, ForgetsWhatWasAskedForLongestAgo) {
    LatestFew<int, std::string> few(3);
    few[1] = "one";
    few[2] = "two";
    few[3] = "three";
    EXPECT_EQ(few[1], "one");
    few[4] = "four";
    EXPECT_EQ(few.size(), 3U);
    EXPECT_EQ(few[1], "one");
    EXPECT_EQ(few[3], "three");
    EXPECT_EQ(few[4], "four");
    EXPECT_EQ(few[2], "") << "it was forgotten";
    for (int key = 0; key < 1000; ++key) {
        few[key] = "more";
    }
    EXPECT_EQ(few.size(), 3U);
}

}  // namespace
}  // namespace highwater::base
