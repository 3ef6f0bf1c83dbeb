#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RunsCommand : public EngineCliTest {
protected:
    void expectRuns(const std::string& filter, const std::vector<int>& numbers) {
        const Finished listed = cli({"runs", "list", "--filter", filter, "--json"});
        ASSERT_EQ(listed.exit, 0) << listed.err;
        const Json json = parse(listed.out);
        EXPECT_EQ(check_.problem("runs.json", json), "");
        std::vector<int> found;
        for (const Json& run : json.at("runs")) {
            found.push_back(run.at("number"));
        }
        EXPECT_EQ(found, numbers) << filter;
    }
    testing::SchemaCheck check_;
};

TEST_F(RunsCommand, LabelsAreKeptAndShownEverywhere) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3"}).exit, 0);
    const Finished labeled = cli({"runs", "label", "1", "--name", "the first", "--note", "for the paper",
                                  "--tag", "paper", "--tag", "baseline", "--json"});
    ASSERT_EQ(labeled.exit, 0) << labeled.err;
    EXPECT_EQ(check_.problem("runs.json", parse(labeled.out)), "");
    const std::string id = runs().at(0).at("id");
    std::ifstream file(store() / "runs" / id / "labels.json");
    EXPECT_EQ(check_.problem("labels.json", Json::parse(file)), "");

    std::filesystem::remove(store() / "index.db");
    const Json shown = parse(cli({"runs", "show", "1", "--json"}).out);
    EXPECT_EQ(check_.problem("run.json", shown), "");
    EXPECT_EQ(shown.at("name"), "the first");
    EXPECT_EQ(shown.at("note"), "for the paper");
    EXPECT_EQ(shown.at("tags"), Json::array({"paper", "baseline"}));
    EXPECT_GT(shown.at("loss"), 0);
    EXPECT_THAT(cli({"runs", "show", "1"}).out, HasSubstr("run 1 · the first · done"));
    EXPECT_THAT(cli({"runs", "list"}).out, HasSubstr("the first #paper #baseline · for the paper"));

    const std::string json = (folder_.path() / "r.json").string(),
                      html = (folder_.path() / "r.html").string();
    ASSERT_EQ(cli({"report", "1", "--out", json}).exit, 0);
    ASSERT_EQ(cli({"report", "1", "--out", html}).exit, 0);
    std::ifstream report(json);
    const Json written = Json::parse(report);
    EXPECT_EQ(check_.problem("report.json", written), "");
    EXPECT_EQ(written.at("runs").at(0).at("name"), "the first");
    EXPECT_EQ(written.at("runs").at(0).at("note"), "for the paper");
    std::ifstream page(html);
    const std::string text(std::istreambuf_iterator<char>(page), {});
    EXPECT_THAT(text, HasSubstr("<h1>the first</h1>"));
    EXPECT_THAT(text, HasSubstr("for the paper · #paper · #baseline"));

    const std::string pdf = (folder_.path() / "r.pdf").string();
    ASSERT_EQ(cli({"report", "1", "1", "--out", pdf}).exit, 0);
    std::ifstream pages(pdf);
    const std::string bytes(std::istreambuf_iterator<char>(pages), {});
    EXPECT_THAT(bytes, StartsWith("%PDF-"));
    EXPECT_THAT(bytes, HasSubstr("/Title (2 runs compared)"));

    ASSERT_EQ(cli({"runs", "label", "1", "--name", "", "--untag", "paper"}).exit, 0);
    EXPECT_EQ(runs().at(0).at("name"), "small");
    EXPECT_EQ(runs().at(0).at("tags"), Json::array({"baseline"}));
}

TEST_F(RunsCommand, ListsWhatFitsAFilter) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3"}).exit, 0);
    ASSERT_EQ(cli({"run", experiment(Json::parse(R"({"name": "wide", "step": {"batch_size": 4}})")),
                   "--steps", "3"})
                  .exit,
              0);
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3", "--budget", "1KiB"}).exit, 3);
    ASSERT_EQ(cli({"runs", "label", "2", "3", "--tag", "paper"}).exit, 0);
    expectRuns("", {1, 2, 3});
    expectRuns("tag=paper", {2, 3});
    expectRuns("tag=paper peak<8GiB device=cpu wide", {2});
    expectRuns("small status!=done", {3});
    expectRuns("step < 1 min batch=2", {1});
    expectRuns("nothing", {});
    EXPECT_THAT(cli({"runs", "list", "--filter", "nothing"}).out, HasSubstr("no run matches the filter"));
    EXPECT_THAT(cli({"runs", "list", "--filter", "wide"}).out, Not(HasSubstr("small")));
}

TEST_F(RunsCommand, SaysHowFarARunIs) {
    Program running("highwater-cli", withStore(longRun(longExperiment())), folder_.path());
    ASSERT_TRUE(eventually([&] {
        const Json all = runs();
        return !all.empty() && all.at(0).contains("progress") && all.at(0).at("progress").contains("left_ms");
    }));
    const Finished listed = cli({"runs", "list", "--json"});
    EXPECT_EQ(check_.problem("runs.json", parse(listed.out)), "");
    EXPECT_THAT(cli({"runs", "list"}).out, HasSubstr(" left)"));
    running.signal(SIGINT);
    EXPECT_EQ(running.wait().exit, 130);
}

TEST_F(RunsCommand, ASweepIsOneStudy) {
    const std::string base = experiment();
    ASSERT_EQ(cli({"sweep", "--base", base, "--toggle", "inplace", "--steps", "3", "--repeats", "2"}).exit,
              0);
    const Json all = runs();
    ASSERT_GE(all.size(), 2U);
    for (const Json& run : all) {
        EXPECT_EQ(run.at("study"), all.at(0).at("study"));
    }
    EXPECT_EQ(all.at(0).at("study").at("name"), "sweep of small");
}

TEST_F(RunsCommand, TheBaselineIsTheRunThatWasNamedFirst) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3"}).exit, 0);
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3"}).exit, 0);
    EXPECT_THAT(cli({"compare", "2", "1"}).out, HasSubstr("run 1 against run 2"));
    const std::string html = (folder_.path() / "r.html").string();
    ASSERT_EQ(cli({"report", "2", "1", "--out", html}).exit, 0);
    std::ifstream page(html);
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(page), {}), HasSubstr("against #2"));
}

TEST_F(CliTest, LabelsAndFiltersThatCannotBeAreOneLine) {
    expectRefusal(cli({"runs", "list", "--filter", "peek<8GiB"}), "did you mean \"peak\"?");
    expectRefusal(cli({"runs", "list", "--filter", "peak<"}), "lacks a value");
    expectRefusal(cli({"runs", "label", "1"}), "--name, --note, --tag or --untag");
    expectRefusal(cli({"runs", "label", "1", "--note", "x"}), "no run \"1\"");
}

}  // namespace
}  // namespace highwater::e2e
