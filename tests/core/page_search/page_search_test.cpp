#include "core/page_search/page_search.h"

#include <gmock/gmock.h>

namespace highwater::page_search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> filesOf(const std::vector<PageSearch::Found>& found) {
    std::vector<std::string> files;
    for (const PageSearch::Found& page : found) {
        files.push_back(page.file);
    }
    return files;
}

TEST(PageSearch, ATitleCountsMoreThanAHeadingAndAHeadingMoreThanText) {
    PageSearch search;
    search.add({"text.md", "One", ""}, "# One\n\nPlans are here.\n");
    search.add({"heading.md", "Two", ""}, "# Two\n\nWords.\n\n## Plans\n\nMore words.\n");
    search.add({"title.md", "Plans", ""}, "# Plans\n\nWords.\n");
    search.add({"table.md", "Four", ""}, "# Four\n\n| plans | words |\n");
    search.add({"other.md", "Five", ""}, "# Five\n\nNothing.\n");
    const auto found = search.search("plans");
    EXPECT_THAT(filesOf(found), ElementsAre("title.md", "heading.md", "text.md", "table.md"));
    EXPECT_EQ(found[0].heading, "");
    EXPECT_EQ(found[1].heading, "Plans");
}

TEST(PageSearch, FindsOtherFormsOfAWordAndItsBeginning) {
    PageSearch search;
    search.add({"a.md", "A", ""}, "# A\n\nA layer that is recomputed.\n");
    search.add({"b.md", "B", ""}, "# B\n\nMicrobatches.\n");
    EXPECT_THAT(filesOf(search.search("Recomputing")), ElementsAre("a.md"));
    EXPECT_THAT(filesOf(search.search("micro")), ElementsAre("b.md"));
    EXPECT_THAT(filesOf(search.search("micro layer")), ElementsAre("a.md"))
        << "only the last word is unfinished";
}

TEST(PageSearch, PagesWithAllWordsComeAloneOtherwiseThoseWithSome) {
    PageSearch search;
    search.add({"both.md", "A", ""}, "# A\n\nThe store of runs.\n");
    search.add({"one.md", "B", ""}, "# B\n\nRuns, runs and runs.\n");
    EXPECT_THAT(filesOf(search.search("where are the runs stored?")), ElementsAre("both.md"));
    EXPECT_THAT(filesOf(search.search("runs elsewhere")), ElementsAre("one.md", "both.md"));
}

TEST(PageSearch, WeightDecidesBetweenPagesThatFitAsWell) {
    PageSearch search;
    search.add({"low.md", "Plans", "", 0.5}, "# Plans\n\nWords.\n");
    search.add({"high.md", "Plans", ""}, "# Plans\n\nWords.\n");
    search.add({"other.md", "Other", ""}, "# Other\n\nNothing.\n");
    search.add({"more.md", "More", ""}, "# More\n\nNothing.\n");
    search.add({"last.md", "Last", ""}, "# Last\n\nNothing.\n");
    EXPECT_THAT(filesOf(search.search("plans")), ElementsAre("high.md", "low.md"));
}

TEST(PageSearch, NothingIsFoundOfNothing) {
    PageSearch search;
    search.add({"a.md", "A", ""}, "# A\n\nQuotes \" and * and NEAR.\n");
    EXPECT_THAT(search.search(""), IsEmpty());
    EXPECT_THAT(search.search(" ?! \"*"), IsEmpty());
    EXPECT_THAT(search.search("quince"), IsEmpty());
    EXPECT_THAT(filesOf(search.search("\"NEAR(")), ElementsAre("a.md")) << "nothing is an operator";
}

}  // namespace
}  // namespace highwater::page_search
