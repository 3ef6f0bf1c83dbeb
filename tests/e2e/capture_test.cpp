#include <filesystem>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

class Capture : public EngineCliTest {
protected:
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Json shown(const std::string& run = "1") { return parse(cli({"runs", "show", run, "--json"}).out); }
};

TEST_F(Capture, ARunHasATraceAndGivesItInEachFormat) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "4", "--warmup", "1"}).exit, 0);
    const Json trace = shown().at("trace");
    EXPECT_EQ(trace.at("steps"), 5);
    EXPECT_EQ(trace.at("complete"), true);
    EXPECT_GT(trace.at("events"), 100);
    EXPECT_THAT(cli({"runs", "show", "1"}).out, HasSubstr("runs capture 1"));

    const Finished csv = cli({"runs", "capture", "1", "--out", path("a.csv"), "--json"});
    ASSERT_EQ(csv.exit, 0) << csv.err;
    EXPECT_EQ(testing::SchemaCheck().problem("runs-capture.json", parse(csv.out)), "");
    EXPECT_EQ(parse(csv.out).at("events"), trace.at("events"));
    const std::string text = read("a.csv");
    EXPECT_GE(std::count(text.begin(), text.end(), '\n'), trace.at("events").get<std::ptrdiff_t>());

    ASSERT_EQ(cli({"runs", "capture", "1", "--out", path("a.json")}).exit, 0);
    EXPECT_TRUE(parse(read("a.json")).is_object());
    ASSERT_EQ(cli({"runs", "capture", "1", "--out", path("a"), "--format", "snapshot"}).exit, 0);
    EXPECT_EQ(read("a").substr(0, 2), std::string("\x80\x04", 2)) << "pickle protocol 4";
}

TEST_F(Capture, TakesSomeSteps) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "6", "--warmup", "1"}).exit, 0);
    const auto events = [&](const std::string& steps) {
        const Finished done =
            cli({"runs", "capture", "1", "--out", path("a.csv"), "--steps", steps, "--json"});
        EXPECT_EQ(done.exit, 0) << done.err;
        return parse(done.out);
    };
    const Json one = events("4"), two = events("4-5"), all = events("0-6");
    EXPECT_GT(one.at("events"), 10);
    EXPECT_EQ(two.at("events"), 2 * one.at("events").get<int>()) << "steps after the first repeat each other";
    EXPECT_EQ(two.at("first_event"), one.at("first_event"));
    EXPECT_LT(all.at("events"), all.at("all_events")) << "what comes before the first step is in no step";
}

TEST_F(Capture, NoTraceIsRecordedWhereNoneIsWanted) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "2", "--no-trace"}).exit, 0);
    const Json run = shown();
    EXPECT_FALSE(run.contains("trace"));
    EXPECT_FALSE(std::filesystem::exists(run.at("folder").get<std::string>() + "/trace.db"));
    expectRefusal(cli({"runs", "capture", "1", "--out", path("a.csv")}), "there is no trace");
}

TEST_F(Capture, ARunThatEndsEarlyHasItsTraceToTheEnd) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3", "--budget", "100KiB"}).exit, 3);
    EXPECT_EQ(shown().at("trace").at("complete"), true);
    Program running("highwater-cli", withStore(longRun(longExperiment())), folder_.path());
    ASSERT_TRUE(says(running, "\"event\":\"step\""));
    running.signal(SIGINT);
    EXPECT_EQ(running.wait().exit, 130);
    EXPECT_EQ(shown("2").at("trace").at("complete"), true);
    EXPECT_EQ(cli({"runs", "capture", "2", "--out", path("a.pickle")}).exit, 0);
}

TEST_F(Capture, AKilledEngineLeavesATrace) {
    Program running("highwater-cli", withStore(longRun(longExperiment())), folder_.path());
    ASSERT_TRUE(says(running, "\"event\":\"step\""));
    const std::string id = runs().at(0).at("id");
    ASSERT_TRUE(eventually([&] { return shown().value("/trace/events"_json_pointer, 0) > 0; }));
    ::kill(enginePid(id), SIGKILL);
    EXPECT_EQ(running.wait().exit, 4);
    EXPECT_EQ(shown().at("trace").at("complete"), false);
    const Finished captured = cli({"runs", "capture", "1", "--out", path("a.csv")});
    EXPECT_EQ(captured.exit, 0);
    EXPECT_THAT(captured.err, HasSubstr("not complete"));
}

TEST_F(Capture, WrongInputIsOneLine) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "2", "--warmup", "1"}).exit, 0);
    const auto capture = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"runs", "capture"});
        return cli(more);
    };
    expectRefusal(capture({"1", "--out", path("a.txt")}), "does not say the format");
    expectRefusal(capture({"1", "--out", path("a.csv"), "--format", "xml"}), "give snapshot, chrome or csv");
    expectRefusal(capture({"7", "--out", path("a.csv")}), "7");
    expectRefusal(capture({"1", "--out", path("a.csv"), "--steps", "2-1"}), "not a range of steps");
    expectRefusal(capture({"1", "--out", path("a.csv"), "--steps", "1-9"}), "holds the steps 0 to 2");
    expectRefusal(capture({"1", "--out", path("no/such/a.csv")}), "a.csv");
    expectRefusal(capture({"1"}), "--out is required");
    std::ofstream(shown().at("folder").get<std::string>() + "/trace.db") << "nonsense";
    expectRefusal(capture({"1", "--out", path("a.csv")}), "is not an SQLite database");
}

}  // namespace
}  // namespace highwater::e2e
