#include <sys/wait.h>

#include <cstdlib>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"
#include "tests/e2e/small_disk.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using Help = CliTest;
using RunCommand = EngineCliTest;

TEST_F(Help, IsShortAndShowsExamples) {
    const Finished help = cli({"--help"});
    EXPECT_EQ(help.exit, 0);
    EXPECT_EQ(help.err, "");
    for (const char* word : {"run", "runs", "compare", "report", "volume", "devices", "predict", "import",
                             "sweep", "Examples"}) {
        EXPECT_THAT(help.out, HasSubstr(word));
    }
    EXPECT_EQ(Program("highwater-cli", {"run", "--help"}, folder_.path()).wait().exit, 0);
    EXPECT_THAT(cli({"--version"}).out, HasSubstr("highwater-cli"));
}

TEST_F(Help, DevicesNamesTheProcessor) {
    const Finished devices = cli({"devices", "--json"});
    EXPECT_EQ(devices.exit, 0);
    const Json cpu = parse(devices.out).at("devices").at(0);
    EXPECT_EQ(cpu.at("id"), "cpu");
    EXPECT_GE(cpu.at("threads"), 1);
    EXPECT_GT(cpu.at("memory_bytes"), 1 << 20);
    EXPECT_EQ(cli({"devices"}).exit, 0);
}

TEST_F(Help, AnEmptyStoreIsNoError) {
    EXPECT_EQ(cli({"runs", "list"}).exit, 0);
    EXPECT_EQ(runs(), Json::array());
}

TEST_F(RunCommand, PrintsOneResultThatFitsItsSchema) {
    const Finished done = cli({"run", experiment(), "--steps", "5", "--warmup", "1", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(done.err, "");
    const Json result = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("result.json", result), "");
    EXPECT_EQ(result.at("status"), "done");
    EXPECT_EQ(result.at("step_ms").at("n"), 5);
    EXPECT_EQ(result.at("losses").size(), 6U);
    std::int64_t sum = 0;
    for (const auto& bytes : result.at("peak_by_category")) {
        sum += bytes.get<std::int64_t>();
    }
    EXPECT_EQ(sum, result.at("peak_allocated_bytes"));
    EXPECT_EQ(result.at("layers").size(), 3U);

    const Json shown = parse(cli({"runs", "show", "1", "--json"}).out);
    EXPECT_EQ(shown.at("result"), result);
    EXPECT_EQ(shown.at("id"), result.at("run_id"));
    EXPECT_THAT(cli({"runs", "show", "1"}).out, HasSubstr("run 1 · small · done"));
}

TEST_F(RunCommand, TheSameSeedGivesTheSameLosses) {
    const std::vector<std::string> line = {"run", experiment(), "--steps", "6", "--json"};
    const Json first = parse(cli(line).out), second = parse(cli(line).out);
    EXPECT_EQ(first.at("losses"), second.at("losses"));
    EXPECT_NE(first.at("run_id"), second.at("run_id"));
    const Json other = parse(
        cli({"run", experiment(Json::parse(R"({"step": {"seed": 8}})")), "--steps", "6", "--json"}).out);
    EXPECT_NE(first.at("losses"), other.at("losses"));

    const Json comparison = parse(cli({"compare", "1", "3", "--json"}).out).at("comparisons").at(0);
    EXPECT_EQ(comparison.at("differences"), Json::array({"seed 7 → 8"}));
    EXPECT_EQ(comparison.at("memory_ratio"), 1.0);
    EXPECT_THAT(cli({"compare", "1", "2"}).out, HasSubstr("run 2 against run 1"));
}

TEST_F(RunCommand, EventsFitTheirSchemaAndEndWithTheResult) {
    const Finished done = cli({"run", experiment(), "--steps", "3", "--events"});
    ASSERT_EQ(done.exit, 0) << done.err;
    testing::SchemaCheck check;
    std::istringstream lines(done.out);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        const Json event = parse(line);
        EXPECT_EQ(check.problem("event.json", event), "") << line.substr(0, 300);
        names.push_back(event.at("event"));
    }
    ASSERT_GE(names.size(), 2U);
    EXPECT_EQ(names.front(), "started");
    EXPECT_EQ(names.back(), "finished");
    EXPECT_EQ(std::count(names.begin(), names.end(), "step"), 6);
}

TEST_F(RunCommand, AScanIsTrainedOn) {
    const std::string phantom = (folder_.path() / "phantom.nii.gz").string();
    ASSERT_EQ(cli({"volume", "phantom", phantom}).exit, 0);
    const Finished done =
        cli({"run",
             experiment(Json{{"input", {{"scan", "phantom.nii.gz"}, {"patch", 16}, {"synthetic", nullptr}}}}),
             "--steps", "2", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(parse(done.out).at("status"), "done");
    EXPECT_EQ(runs().at(0).at("patch"), Json::array({16, 16, 16}));
}

/// As installed: in a read-only folder, without its scan beside it.
TEST_F(RunCommand, TheSampleRunsWhereItLies) {
    const std::string sample = std::string(HIGHWATER_SOURCE_DIR) + "/resources/samples/sample.json";
    const Finished done = cli({"run", sample, "--steps", "1", "--warmup", "0", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(parse(done.out).at("status"), "done");
    const std::string report = (folder_.path() / "report.html").string();
    ASSERT_EQ(cli({"report", "1", "--out", report}).exit, 0);
    std::ifstream file(report);
    const std::string page(std::istreambuf_iterator<char>(file), {});
    EXPECT_THAT(page, ::testing::HasSubstr("the head phantom"));
    EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("no longer there")));
}

TEST_F(RunCommand, OverTheBudgetIsRecordedWithWhere) {
    const Finished refused = cli({"run", experiment(), "--budget", "100KiB", "--json"});
    EXPECT_EQ(refused.exit, 3) << refused.err;
    const Json result = parse(refused.out);
    EXPECT_EQ(testing::SchemaCheck().problem("result.json", result), "");
    EXPECT_EQ(result.at("status"), "out_of_memory");
    EXPECT_GT(result.at("failure").at("requested_bytes"), 0);
    EXPECT_LE(result.at("peak_allocated_bytes"), 100 * 1024);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    const Json row = runs().at(0);
    EXPECT_EQ(row.at("status"), "out_of_memory");
    EXPECT_FALSE(row.at("message").get<std::string>().empty());
}

TEST_F(RunCommand, AnInterruptIsRecordedWithWhatWasMeasured) {
    Program program("highwater-cli", withStore(longRun(longExperiment())), folder_.path());
    ASSERT_TRUE(says(program, "\"event\":\"step\""));
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit, 130);
    const Json row = runs().at(0);
    EXPECT_EQ(row.at("status"), "cancelled");
    EXPECT_GT(row.at("peak_allocated_bytes"), 0);
}

TEST_F(RunCommand, AFullDiskStopsItAndWhatWasMeasuredIsKept) {
    const SmallDisk disk(store(), "size=2m");
    if (!disk.problem().empty()) {
        GTEST_SKIP() << disk.problem();
    }
    Program program("highwater-cli", withStore(longRun(longExperiment())), folder_.path());
    ASSERT_TRUE(says(program, R"("event":"step")"));
    disk.fill();
    const Finished full = program.wait();
    EXPECT_EQ(full.exit, 4);
    EXPECT_THAT(full.out, HasSubstr(R"("event":"failed")"));
    const Json row = runs().at(0);
    EXPECT_EQ(row["status"], "failed");
    EXPECT_THAT(row["message"].get<std::string>(), HasSubstr("events.jsonl: No space left on device"));
    const std::string id = row["id"];
    const std::string events = textOf(store() / "runs" / id / "events.jsonl");
    EXPECT_EQ(events.back(), '\n');
    EXPECT_THAT(events, HasSubstr(R"("event":"step")"));
    EXPECT_FALSE(std::filesystem::exists(store() / "runs" / id / ".spare"));
    disk.clear();
    EXPECT_EQ(cli({"run", experiment(), "--steps", "2"}).exit, 0);
}

TEST_F(RunCommand, AKilledEngineIsRecordedAndTheNextRunWorks) {
    Program program("highwater-cli", withStore(longRun(longExperiment())), folder_.path());
    ASSERT_TRUE(says(program, "\"event\":\"step\""));
    const std::string id = runs().at(0).at("id");
    ASSERT_GT(enginePid(id), 0);
    ::kill(enginePid(id), SIGKILL);
    const Finished failed = program.wait();
    EXPECT_EQ(failed.exit, 4);
    EXPECT_THAT(failed.err, HasSubstr("signal 9"));
    const Json row = runs().at(0);
    EXPECT_EQ(row.at("status"), "failed");
    EXPECT_THAT(row.at("message").get<std::string>(), HasSubstr("signal 9"));
    EXPECT_GT(row.at("peak_allocated_bytes"), 0);
    EXPECT_EQ(cli({"run", experiment(), "--steps", "2", "--json"}).exit, 0);
    EXPECT_EQ(runs().at(1).at("status"), "done");
}

TEST_F(RunCommand, TheRunOutlivesTheCommandLine) {
    const std::string path = experiment(Json::parse(R"({"input": {"synthetic": [1, 24, 24, 24]}})"));
    Program program("highwater-cli", withStore({"run", path, "--steps", "300", "--events"}), folder_.path());
    ASSERT_TRUE(says(program, "\"event\":\"step\""));
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait().exit, 128 + SIGKILL);
    EXPECT_TRUE(eventually([&] { return runs().at(0).at("status") != "running"; }));
    const Json row = runs().at(0);
    EXPECT_EQ(row.at("status"), "done") << row;
    EXPECT_EQ(row.at("step_ms").at("n"), 300);
}

TEST_F(RunCommand, DeleteRemovesIt) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "1", "--warmup", "0"}).exit, 0);
    EXPECT_EQ(cli({"runs", "delete", "1"}).exit, 0);
    EXPECT_EQ(runs(), Json::array());
}

}  // namespace
}  // namespace highwater::e2e
