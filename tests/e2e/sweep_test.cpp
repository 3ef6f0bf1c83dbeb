#include <atomic>

#include "core/runs/run_store.h"
#include "core/stack/json/json.h"
#include "core/study/local_runner.h"
#include "core/study/trial.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SweepInput : public CliTest {
protected:
    std::string sweep(const std::string& axes, const Json& change = Json::object()) {
        experiment();
        Json json = {
            {"schema", "highwater.sweep/1"}, {"base", "experiment.json"}, {"axes", Json::parse(axes)}};
        json.merge_patch(change);
        return write("sweep.json", json.dump());
    }
};

class SweepCommand : public SweepInput {
protected:
    void SetUp() override {
        if (const std::string missing = missingPrograms(); !missing.empty()) {
            GTEST_SKIP() << missing;
        }
    }
};

const char* const kBatch = R"([{"path": "/step/batch_size", "values": [2, 4]}])";

TEST_F(SweepInput, WrongIsOneLine) {
    expectRefusal(cli({"sweep", "none.json"}), "none.json");
    expectRefusal(cli({"sweep"}), "--base");
    expectRefusal(cli({"sweep", sweep(R"([{"path": "/step/batch_size", "values": []}])")}),
                  "sweep.json: /axes/0/values");
    expectRefusal(cli({"sweep", sweep(kBatch), "--executor", "ssh"}), "--executor ssh: needs --host");
    expectRefusal(cli({"sweep", sweep(kBatch), "--executor", "moon"}), "--executor");
    expectRefusal(cli({"sweep", sweep(kBatch), "--device", "tpu"}), "--device");
    expectRefusal(cli({"sweep", sweep(kBatch), "--out", "a.txt"}), ".csv or .json");
    expectRefusal(cli({"sweep", sweep(kBatch), "--toggle", "inplace"}), "--toggle needs --base");
    expectRefusal(cli({"sweep", "--base", experiment()}), "--toggle");
    expectRefusal(cli({"sweep", "--base", experiment(), "--toggle", "inplce"}), "did you mean \"inplace\"?");
    expectRefusal(cli({"sweep", "--base", experiment(), "--toggle", "inplace", "--repeats", "1"}),
                  "at least 2");
    expectRefusal(cli({"sweep", sweep(R"([{"path": "/step/batch_size", "values": [0, -1]}])")}),
                  "none of the 2 combinations can be run; batch_size 0: /step/batch_size");
    EXPECT_FALSE(std::filesystem::exists(store() / "runs"));
}

TEST_F(SweepInput, TogglesAreListedWithWhyNot) {
    const Finished listed = cli({"sweep", "--list-toggles", experiment()});
    EXPECT_EQ(listed.exit, 0) << listed.err;
    EXPECT_THAT(listed.out, ::testing::ContainsRegex("inplace +S10 +yes"));
    EXPECT_THAT(listed.out, HasSubstr("the stack has no blocks"));
    EXPECT_THAT(listed.out, HasSubstr("needs a GPU"));
    expectRefusal(cli({"sweep", "--list-toggles", "none.json"}), "none.json");
}

TEST_F(SweepCommand, AGridSaysMemoryAndTimeOfEachCell) {
    const Finished done = cli(
        {"sweep", sweep(kBatch), "--steps", "6", "--json", "--out", (folder_.path() / "out.csv").string()});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(done.err, "");
    const Json result = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("sweep-result.json", result), "");
    const Json& cells = result.at("cells");
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_LT(cells[0]["measured"]["peak_allocated_bytes"], cells[1]["measured"]["peak_allocated_bytes"]);
    EXPECT_EQ(cells[1]["measured"]["repeat_ms"].size(), 1U);
    EXPECT_EQ(runs().size(), 2U);
    EXPECT_EQ(runs().at(1).at("name"), "batch_size 4");
    EXPECT_FALSE(std::filesystem::exists(store() / "runs" / runs().at(0).at("id") / "trace.db"));
    std::ifstream csv(folder_.path() / "out.csv");
    std::string line;
    int lines = 0;
    while (std::getline(csv, line)) {
        ++lines;
    }
    EXPECT_EQ(lines, 3);
}

TEST_F(SweepCommand, AFactorialOfTogglesHasEffects) {
    const Finished done =
        cli({"sweep", "--base", experiment(), "--toggle", "inplace", "--toggle", "checkpoint_sqrt", "--steps",
             "6", "--repeats", "2", "--out", (folder_.path() / "out.json").string()});
    ASSERT_EQ(done.exit, 0) << done.err;
    for (const char* word : {"inplace", "checkpoint_sqrt", "memory", "95 % interval", "main effects",
                             "interactions", "inplace × checkpoint_sqrt: ", "* on the front"}) {
        EXPECT_THAT(done.out, HasSubstr(word));
    }
    std::ifstream file(folder_.path() / "out.json");
    const Json result = Json::parse(file);
    EXPECT_EQ(testing::SchemaCheck().problem("sweep-result.json", result), "");
    ASSERT_EQ(result.at("effects").size(), 3U);
    // Four cells, 2 to 6 repeats, in turns.
    const std::size_t repeats = result["cells"][0]["measured"]["repeat_ms"].size();
    EXPECT_GE(repeats, 2U);
    EXPECT_EQ(runs().size(), 4 * repeats);
    EXPECT_EQ(runs().at(3).at("name"), runs().at(4).at("name"));
    for (const Json& cell : result["cells"]) {
        EXPECT_EQ(cell["measured"]["repeat_ms"].size(), repeats);
    }
}

TEST_F(SweepCommand, ScansAreReadOnceAndGivenToEveryRun) {
    test::Nifti cube;
    cube.dim = {3, 32, 32, 32, 1, 1, 1, 1};
    const std::string scan = write("scan.nii", test::niftiFile(cube, test::counting(32 * 32 * 32)));
    const std::string path = sweep(kBatch);
    experiment(Json{{"input", {{"scan", "scan.nii"}, {"patch", 16}, {"synthetic", nullptr}}}});
    Program program("highwater-cli", withStore({"sweep", path, "--steps", "20", "--json"}), folder_.path());
    ASSERT_TRUE(eventually([&] { return !runs().empty(); }));
    std::filesystem::remove(scan);  // the second run begins without it
    const Finished done = program.wait();
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(runs().size(), 2U);
    const Json result = parse(done.out);
    for (const Json& cell : result.at("cells")) {
        EXPECT_EQ(cell.at("measured").at("status"), "done");
    }
}

TEST_F(SweepCommand, CombinationsThatCannotRunAreSaidAndTheOthersMeasured) {
    const Finished done =
        cli({"sweep", sweep(R"([{"path": "/stack/0/kernel_size", "values": [3, 99]}])"), "--steps", "2"});
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("cannot be run"));
    EXPECT_THAT(done.out, HasSubstr("note: 1 of 2 combinations cannot be run: layer 1 `conv`"));
    EXPECT_EQ(runs().size(), 1U);
}

TEST_F(SweepCommand, AnInterruptKeepsWhatWasMeasured) {
    const std::string path = sweep(kBatch);
    longExperiment();
    Program program("highwater-cli", withStore({"sweep", path, "--steps", "100000", "--json"}),
                    folder_.path());
    ASSERT_TRUE(eventually([&] {
        const Json all = runs();
        return !all.empty() && enginePid(all.at(0).at("id")) > 0;
    }));
    program.signal(SIGINT);
    const Finished done = program.wait();
    EXPECT_EQ(done.exit, 130);
    EXPECT_THAT(done.err, HasSubstr("interrupted"));
    const Json result = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("sweep-result.json", result), "");
    EXPECT_EQ(result["cells"][0]["measured"]["status"], "cancelled");
    ASSERT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs().at(0).at("status"), "cancelled");
}

TEST_F(SweepCommand, WhatIsLeftIsResumed) {
    const std::string path = sweep(R"([{"path": "/step/batch_size", "values": [2, 3, 4]}])");
    const Json slow = Json::parse(R"({"data": {"workers": 0, "read_delay_ms": 10}})");
    experiment(slow);
    expectRefusal(cli({"sweep", path, "--resume"}), "there is no sweep of");
    {
        Program program("highwater-cli", withStore({"sweep", path, "--steps", "10", "--repeats", "2"}),
                        folder_.path());
        ASSERT_TRUE(eventually([&] { return runs().size() >= 2; }));
    }  // killed; the running engine continues
    const std::size_t begun = runs().size();
    experiment();
    expectRefusal(cli({"sweep", path, "--resume"}), "has changed since its sweep began");
    experiment(slow);
    expectRefusal(cli({"sweep", path, "--resume", "--repeats", "3"}), "was begun with --repeats 2");
    const Finished done = cli({"sweep", path, "--resume", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    std::size_t counted = 0;
    const Json result = parse(done.out);
    for (const Json& cell : result.at("cells")) {
        EXPECT_EQ(cell["measured"]["status"], "done");
        EXPECT_GE(cell["measured"]["repeat_ms"].size(), 2U);
        counted += cell["measured"]["run_ids"].size();
    }
    EXPECT_GT(begun, 1U);
    // Each is measured once, including those from before. A run that the killed program had recorded but not
    // yet started does not count.
    std::size_t measured = 0, unbegun = 0;
    for (const Json& row : runs()) {
        measured += row["status"] == "done";
        unbegun += row["status"] == "failed" &&
                   !std::filesystem::exists(store() / "runs" / row["id"] / "events.jsonl");
    }
    EXPECT_EQ(measured, counted);
    EXPECT_LE(unbegun, 1U);
    EXPECT_EQ(measured + unbegun, runs().size());
}

/// The runner itself, with the real engine.
class RealEngine : public SweepCommand {
protected:
    study::Subject subject(const Json& change = Json::object()) {
        return {"small", *stack::loadExperiment(experiment(change)), {}};
    }
    study::LocalRun how() const {
        study::LocalRun how;
        how.steps = 8;
        how.engine = programPath("highwater-engine");
        return how;
    }
    std::atomic<bool> cancel_{false};
};

TEST_F(RealEngine, GivesEveryStepAndTheResult) {
    auto runs = *runs::RunStore::open(store());
    const auto runner = study::localRunner(runs, how(), cancel_);
    const auto outcome = runner(subject(), 0);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->result.status, wire::RunStatus::Done);
    EXPECT_EQ(outcome->stepMs.size(), 8U);
    EXPECT_EQ(outcome->result.stepMs.n, 6);
    EXPECT_GT(outcome->result.peakAllocated, 0);
    EXPECT_EQ(runs.list()->front().status, wire::RunStatus::Done);
    EXPECT_FALSE(std::filesystem::exists(store() / "runs" / outcome->result.runId / "trace.db"));
}

TEST_F(RealEngine, TheBudgetEndsARun) {
    auto runs = *runs::RunStore::open(store());
    study::Subject small = subject();
    small.budget = 1000;
    const auto measured =
        study::measure({small, {"free", small.experiment, {}}}, study::localRunner(runs, how(), cancel_),
                       {.repeatsLeast = 2, .repeatsMost = 2}, cancel_);
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[0].status, wire::RunStatus::OutOfMemory);
    EXPECT_NE((*measured)[0].why, "");
    EXPECT_EQ((*measured)[1].status, wire::RunStatus::Done);
    EXPECT_EQ((*measured)[1].stepMs.n, 2);
    EXPECT_EQ(runs.list()->size(), 3U);
}

}  // namespace
}  // namespace highwater::e2e
