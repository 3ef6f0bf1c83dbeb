#include "core/report/claims.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "core/report/canvas.h"
#include "core/report/claims_chart.h"
#include "tests/core/temporary_folder.h"

namespace highwater::report {
namespace {

using study::Figure;
using study::Verdict;
using ::testing::HasSubstr;
using ::testing::Not;

ClaimEntry entry(const std::string& id, Verdict verdict) {
    ClaimEntry made;
    made.claim.id = id;
    made.claim.row = id.substr(0, id.find('.'));
    made.claim.statement = "Less <than> before | truly.";
    made.claim.about = "What it means.";
    made.finding = study::Finding{};
    made.finding->id = id;
    made.finding->verdict = verdict;
    made.finding->why = "Because a & b.";
    made.finding->figures = {{"after", "peak_allocated_bytes", "B", {1048576, 1048576, 1048576, 1}, ""},
                             {"before", "peak_allocated_bytes", "B", {2097152, 2097152, 2097152, 1}, ""},
                             {"after / before", "peak_allocated_bytes", "", {0.5, 0.5, 0.5, 1}, ""},
                             {"after", "step_ms", "ms", {20, 19, 22, 5}, ""},
                             {"before", "step_ms", "ms", {40, 39, 41, 5}, ""}};
    made.finding->device = "cpu";
    made.finding->deviceName = "A CPU";
    made.finding->libtorch = "1.13.1";
    made.finding->isa = "avx2";
    made.finding->threads = 2;
    return made;
}

std::vector<ClaimEntry> book() {
    std::vector<ClaimEntry> all = {entry("S1.x", Verdict::Holds), entry("S2.x", Verdict::DoesNotHold),
                                   entry("S2.y", Verdict::Depends), entry("S3.x", Verdict::NotTestable)};
    all[1].finding->noise = true;
    all[2].finding->boundary = "up to 4; not from 8";
    all.push_back({entry("S4.x", Verdict::Holds).claim, {}, "the engine died"});
    return all;
}

TEST(Figures, AreWrittenWithTheirInterval) {
    const auto figures = entry("S1.x", Verdict::Holds).finding->figures;
    EXPECT_EQ(figureText(figures[0]), "1.00 MiB");
    EXPECT_EQ(figureText(figures[2]), "0.5 ×");
    EXPECT_EQ(figureText(figures[3]), "20.0 ms (19.0 ms to 22.0 ms)");
}

TEST(ClaimsPage, SaysEveryVerdictAndWhy) {
    const std::string html = claimsHtml(book(), "today");
    for (const char* text :
         {"A CPU, 2 threads, avx2, LibTorch 1.13.1", "Less &lt;than&gt; before", "Because a &amp; b.",
          ">holds<", "does not hold, within the noise", "depends: up to 4; not from 8", "not testable here",
          "no verdict", "the engine died", "What it means.", "id=\"S2-y\"", "href=\"#S2-y\"", "1.00 MiB",
          "<svg", "Made today."}) {
        EXPECT_THAT(html, HasSubstr(text)) << text;
    }
    EXPECT_THAT(html, Not(HasSubstr("<than>")));
}

TEST(ClaimsPage, DrawsAChartAQuantityWithoutRatios) {
    const auto charts = claimCharts(*entry("S1.x", Verdict::Holds).finding);
    ASSERT_EQ(charts.size(), 2U);
    EXPECT_EQ(charts[0].title, "Peak memory of the tensors");
    EXPECT_EQ(charts[1].title, "Time of a step");
    const std::string drawn = svg(charts[1]);
    EXPECT_THAT(drawn, HasSubstr("<svg"));
    study::Finding many = *entry("S1.x", Verdict::Holds).finding;
    many.figures.clear();
    EXPECT_TRUE(claimCharts(many).empty());
    for (int i = 0; i < 1000; ++i) {
        many.figures.push_back({"a", "loss", "", {1, 1, 1, 1}, std::to_string(i)});
    }
    ASSERT_EQ(claimCharts(many).size(), 1U);
    EXPECT_LT(claimCharts(many)[0].height, 1200);
}

TEST(ClaimsPage, IsMarkdownToo) {
    const std::string text = claimsMarkdown(book(), "today");
    for (const char* part :
         {"# The claims book", "| S2.y | Less \\<than> before \\| truly. | depends: up to 4; not from 8 |",
          "## S4.x: no verdict", "the engine died",
          "| after | peak memory of the tensors | 1.00 MiB | 1 |"}) {
        EXPECT_THAT(text, HasSubstr(part)) << part;
    }
}

TEST(ClaimsPage, IsWrittenByTheNamesEnding) {
    test::TemporaryFolder folder;
    for (const char* name : {"a.html", "a.md", "a.pdf"}) {
        EXPECT_TRUE(writeClaims(book(), "today", folder.path() / name)) << name;
    }
    std::ifstream in(folder.path() / "a.md");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(text, claimsMarkdown(book(), "today"));
    EXPECT_THAT(writeClaims(book(), "today", "a.txt").error().message,
                HasSubstr("must end in .html, .pdf or .md"));
}

TEST(ClaimsPage, OfNoClaimsIsAPage) {
    EXPECT_THAT(claimsHtml({}, ""), HasSubstr("</html>"));
    EXPECT_THAT(claimsMarkdown({}, ""), HasSubstr("# The claims book"));
}

}  // namespace
}  // namespace highwater::report
