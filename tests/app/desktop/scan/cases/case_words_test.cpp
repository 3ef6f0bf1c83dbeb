#include "app/desktop/scan/cases/case_words.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/desktop/scan/cases/rows.h"

namespace highwater::desktop {
namespace {

using testing::caseRow;
using testing::series;
using testing::unread;

TEST(CaseWords, SayWhatIsKnownAndThatTheRestIsNot) {
    EXPECT_EQ(sizeWords({240, 240, 155}), "240 × 240 × 155");
    EXPECT_EQ(sizeWords({}), "—");
    EXPECT_EQ(spacingWords({0.859375, 0.859375, 0.9}), "0.8594 × 0.8594 × 0.9");
    EXPECT_EQ(spacingWords({}), "unknown");
    EXPECT_EQ(spacingWords({0.5, 0.5, 0}), "0.5 × 0.5 × ?");
    EXPECT_EQ(rangeWords(-1024, 3071), "−1024 to 3071");
    EXPECT_EQ(rangeWords(std::nan(""), 1), "—");
    EXPECT_EQ(noteOf("", {}), "");
    EXPECT_EQ(noteOf("", {"a gap"}), "a gap");
    EXPECT_EQ(noteOf("", {"a gap", "tilted"}), "2 warnings: a gap");
    EXPECT_EQ(noteOf("truncated", {"a gap"}), "truncated");
}

TEST(CaseWords, MediansAreOverTheCasesThatCanBeUsed) {
    std::vector<CaseRow> rows{caseRow("a", {10, 20, 30}, 0, 5), caseRow("b", {30, 20, 10}, -7, 3),
                              caseRow("c", {20, 20, 50}, 0, 9), caseRow("bad", {900, 900, 900}, 0, 9000),
                              unread("unread")};
    rows[3].problem = "truncated";
    const auto medians = mediansOf(rows);
    ASSERT_TRUE(medians);
    EXPECT_EQ(medians->cases, 3);
    EXPECT_EQ(medians->size, (std::array<double, 3>{20, 20, 30}));
    EXPECT_EQ(medians->spacing, (std::array<double, 3>{1, 1, 2}));
    EXPECT_EQ(medians->low, -7);
    EXPECT_EQ(medians->high, 9);
    EXPECT_EQ(mediansWords(rows),
              "Median of 3 cases as stored: 20 × 20 × 30 voxels, 1 × 1 × 2 mm; values −7 to 9. 1 cannot be "
              "used; bad: truncated.");
    rows[1].problem = "a gap";
    EXPECT_TRUE(mediansWords(rows).endsWith(" 2 cannot be used; b: a gap.")) << "the first says why";
    rows[1].problem.clear();
    rows.resize(2);
    EXPECT_EQ(mediansOf(rows)->size, (std::array<double, 3>{20, 20, 20})) << "between the two in the middle";
}

TEST(CaseWords, NothingReadHasNoMedians) {
    EXPECT_FALSE(mediansOf({unread("unread")}));
    EXPECT_EQ(mediansWords({unread("unread")}), "");
    CaseRow bad = caseRow("bad", {}, 0, 1);
    bad.problem = "truncated";
    EXPECT_EQ(mediansWords({bad}), "1 cannot be used; bad: truncated.");
    bad.problem = "bad_0001.nii: truncated";
    EXPECT_EQ(mediansWords({bad}), "1 cannot be used; bad_0001.nii: truncated.");
}

TEST(CaseWords, UnknownSpacingTakesNoPartInMedians) {
    std::vector<CaseRow> rows{caseRow("a", {10, 10, 10}, 0, 1), caseRow("b", {10, 10, 10}, 0, 1)};
    rows[1].spacing = {};
    EXPECT_EQ(mediansOf(rows)->spacing, (std::array<double, 3>{1, 1, 2}));
    rows[0].spacing = {};
    EXPECT_EQ(mediansWords(rows),
              "Median of 2 cases as stored: 10 × 10 × 10 voxels, spacing unknown; values 0 to 1.");
}

TEST(CaseWords, ChannelsLieOnOneGrid) {
    EXPECT_NE(whyNotChannels({}), "");
    EXPECT_NE(whyNotChannels({series("t1")}), "") << "one is not a channels";
    EXPECT_EQ(whyNotChannels({series("t1"), series("t2")}), "");
    EXPECT_EQ(whyNotChannels({series("t1"), series("t2", {256, 256, 65})}),
              "t2 is 256 × 256 × 65 voxels, t1 is 256 × 256 × 64: channels must share one grid");
    SeriesRow wide = series("t2");
    wide.spacing[0] = 0.6;
    EXPECT_NE(whyNotChannels({series("t1"), wide}), "");
    wide.spacing[0] = 0.50001;
    EXPECT_EQ(whyNotChannels({series("t1"), wide}), "") << "headers round";
    SeriesRow bad = series("t2");
    bad.problem = "truncated";
    EXPECT_EQ(whyNotChannels({series("t1"), bad}), "t2 cannot be read");
    EXPECT_NE(whyNotChannels({series("t1"), series("t2", {})}), "") << "its size is not known yet";
}

}  // namespace
}  // namespace highwater::desktop
