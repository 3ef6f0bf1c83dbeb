#include <fstream>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ClaimsCommand = EngineCliTest;
using ClaimsLine = CliTest;

TEST_F(ClaimsLine, ListsTheBook) {
    const Finished listed = cli({"claims", "list", "--json"});
    ASSERT_EQ(listed.exit, 0) << listed.err;
    const Json json = parse(listed.out);
    EXPECT_EQ(testing::SchemaCheck().problem("claims.json", json), "");
    EXPECT_GE(json.at("claims").size(), 25U);
    EXPECT_FALSE(json.at("claims").at(0).contains("finding"));
    EXPECT_THAT(cli({"claims", "list"}).out, HasSubstr("not run yet"));
}

TEST_F(ClaimsLine, RefusesWhatItDoesNotKnow) {
    expectRefusal(cli({"claims", "run", "S2.memery"}), "did you mean \"S2.memory\"?");
    expectRefusal(cli({"claims", "run", "S99.nothing-like-it"}), "see `highwater-cli claims list`");
    expectRefusal(cli({"claims", "run", "S2.memory", "--device", "gpu"}),
                  "--device: \"gpu\" is not a device");
    expectRefusal(cli({"claims", "run", "S2.memory", "--report", "a.txt"}), "must end in .html, .pdf or .md");
    EXPECT_EQ(cli({"claims", "run"}).exit, 2);
    EXPECT_EQ(cli({"claims"}).exit, 2);
}

TEST_F(ClaimsCommand, GivesTheSameVerdictsTwiceAndKeepsThem) {
    const std::string page = (folder_.path() / "claims.html").string();
    const std::vector<std::string> line = {"claims",       "run",    "S5.length", "S2.memory",
                                           "S11.reserved", "--json", "--report",  page};
    const Finished done = cli(line);
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("findings.json", json), "");
    std::map<std::string, std::string> verdicts;
    for (const Json& finding : json.at("findings")) {
        verdicts[finding.at("id")] = finding.at("verdict");
    }
    EXPECT_EQ(verdicts, (std::map<std::string, std::string>{{"S2.memory", "holds"},
                                                            {"S5.length", "does_not_hold"},
                                                            {"S11.reserved", "not_testable_here"}}));
    EXPECT_THAT(done.err, HasSubstr("S2.memory: holds"));
    std::ifstream file(page);
    const std::string html{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(html, HasSubstr("does not hold"));

    const Json again = parse(cli(line).out);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(again.at("findings")[i].at("verdict"), json.at("findings")[i].at("verdict"));
        EXPECT_EQ(again.at("findings")[i].at("figures"), json.at("findings")[i].at("figures"));
    }
    const Json listed = parse(cli({"claims", "list", "--json"}).out);
    int known = 0;
    for (const Json& claim : listed.at("claims")) {
        known += claim.contains("finding");
    }
    EXPECT_EQ(known, 3);
    EXPECT_THAT(cli({"claims", "list"}).out, HasSubstr("not testable here"));
    EXPECT_GE(runs().size(), 8U);
}

TEST_F(ClaimsCommand, AnInterruptKeepsWhatWasFound) {
    Program program("highwater-cli", withStore({"claims", "run", "S2.memory", "S3.onednn"}), folder_.path());
    ASSERT_TRUE(says(program, "S2.memory: holds"));
    program.signal(SIGINT);
    const Finished ended = program.wait();
    EXPECT_EQ(ended.exit, 130) << ended.out << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("interrupted; 1 claim was examined and kept"));
}

}  // namespace
}  // namespace highwater::e2e
