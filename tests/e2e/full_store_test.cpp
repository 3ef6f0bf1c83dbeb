#include <cstdio>

#include "tests/e2e/disk_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

/// A store of runs on a full disk.
using FullStore = DiskTest;

/// HIGHWATER_TEST_FULL_DISK: the step from one failing write to the next (default: 17; 1: each write of a
/// run). The index is left out, because it is rebuilt from the folders.
TEST_F(FullStore, ARunSaysWhatWasNotRecorded) {
    const char* named = std::getenv("HIGHWATER_TEST_FULL_DISK");
    const int stride = named && std::atoi(named) > 0 ? std::atoi(named) : 17;
    const std::string small = experiment();
    std::filesystem::create_directories(disk());
    const std::vector<std::string> run = {"run", small, "--steps", "2", "--store", disk().string()};
    int count = 0;
    std::string last = "first";
    for (int at = 1; !last.empty(); at += stride) {
        ASSERT_LT(at, 1000);
        SCOPED_TRACE("write " + std::to_string(at));
        const std::size_t before = runsThere().size();
        const Trial done = trial(run, {.at = at, .except = "index.db"});
        const auto left = names();  // before `runs list`, which cleans up itself
        last = done.failed;
        if (last.empty()) {
            EXPECT_EQ(done.finished.exit, 0) << done.finished.err;
            break;
        }
        ++count;
        SCOPED_TRACE(done.failed + ": " + done.finished.err);
        EXPECT_LT(done.finished.exit, 128);
        EXPECT_LE(std::count(done.finished.err.begin(), done.finished.err.end(), '\n'), 1);
        const Json now = runsThere();
        EXPECT_LE(now.size(), before + 1);
        if (done.finished.exit == 0) {
            ASSERT_EQ(now.size(), before + 1);
            EXPECT_EQ(now.back()["status"], "done");
        } else {
            EXPECT_NE(done.finished.err, "");
            EXPECT_TRUE(now.size() == before || now.back()["status"] == "failed") << now.back().dump();
        }
        if (done.failed != disk() / "lock") {  // without it a store is used as on a file system without locks
            EXPECT_NE(done.finished.err, "");
        }
        for (const std::string& name : left) {
            EXPECT_EQ(name.find(".new-"), std::string::npos) << name;
            EXPECT_EQ(name.find(".spare"), std::string::npos) << name;
            EXPECT_FALSE(std::filesystem::path(name).stem().extension() == ".json")
                << name;  // state.json.a1B2c3
        }
    }
    std::printf("%d writes failed, of each %d one\n", count, stride);
}

/// The engine cannot write the result or the last state; the program that follows it may or may not be able
/// to.
TEST_F(FullStore, TheEndOfARunIsRecordedOrItIsSaid) {
    std::filesystem::create_directories(disk());
    const std::vector<std::string> run = {"run",     experiment(),    "--steps",   "1",
                                          "--store", disk().string(), "--no-trace"};
    for (const auto& [file, at] : {std::pair("result.json", 1), {"state.json", 9}}) {
        for (const bool all : {false, true}) {
            const Trial done = trial(run, {.at = at, .from = all, .only = file});
            SCOPED_TRACE(done.failed + ": " + done.finished.err);
            expectOneLine(done);
            EXPECT_THAT(done.finished.err, HasSubstr("the end of the run could not be recorded: "));
            EXPECT_THAT(done.finished.err, HasSubstr(std::string(file) + ": cannot be written"));
            EXPECT_EQ(done.finished.exit, all ? 4 : 0);
            EXPECT_EQ(done.finished.out.empty(), all);
            EXPECT_EQ(runsThere().back()["status"], "done") << "the last event says so";
        }
    }
}

/// An engine that cannot open its record has failed; its input was valid.
TEST_F(FullStore, AnEngineWithoutARecordHasFailed) {
    const std::filesystem::path run = disk() / "run";
    for (const char* file : {"events.jsonl", ".spare", "state.json"}) {
        std::filesystem::remove_all(disk());
        std::filesystem::create_directories(run);
        std::filesystem::copy_file(experiment(), run / "experiment.json");
        const Trial done = trial({"--run", run.string(), "--steps", "1"},
                                 {.at = 1, .only = file, .program = "highwater-engine"});
        EXPECT_EQ(done.finished.exit, 4);
        EXPECT_EQ(done.finished.out, "");
        expectOneLine(done);
        EXPECT_THAT(done.finished.err, HasSubstr((run / file).string()));
    }
}

/// The measurements of a sweep are kept, and the rest can be measured once there is free space.
TEST_F(FullStore, ASweepIsResumedFromWhatIsKept) {
    std::filesystem::create_directories(disk());
    experiment();
    const std::string file = write("sweep.json", R"({"schema": "highwater.sweep/1", "base": "experiment.json",
        "axes": [{"path": "/step/batch_size", "values": [1, 2]}]})");
    const std::vector<std::string> sweep = {"sweep", file, "--steps", "1", "--store", disk().string()};
    auto resume = sweep;
    resume.push_back("--resume");
    const Trial unknown = trial(sweep, {.at = 2, .only = "/sweeps/"});
    EXPECT_EQ(unknown.finished.exit, 4);
    EXPECT_EQ(unknown.finished.out, "");
    expectOneLine(unknown);
    EXPECT_EQ(runsThere(), Json::array());
    const auto finish = [&] { return Program("highwater-cli", resume, folder_.path()).wait(); };
    EXPECT_EQ(finish().exit, 2) << "there is none";

    const Trial begun = trial(sweep, {.at = 14, .from = true, .only = "/.new-"});  // of the second run
    EXPECT_EQ(begun.finished.exit, 4);
    expectOneLine(begun);
    const Json before = runsThere();
    ASSERT_EQ(before.size(), 1U);
    EXPECT_EQ(before[0]["status"], "done");
    EXPECT_EQ(finish().exit, 0);
    const Json after = runsThere();
    ASSERT_EQ(after.size(), 2U);
    EXPECT_EQ(after[0], before[0]) << "it is not measured again";

    const std::string table = write("disk/table.csv", "what was there before\n");
    resume.insert(resume.end(), {"--out", table});
    const Trial unwritten = trial(resume, {.at = 2, .only = "table.csv"});
    EXPECT_EQ(unwritten.finished.exit, 2);
    expectOneLine(unwritten);
    EXPECT_EQ(textOf(table), "what was there before\n");
}

TEST_F(FullStore, AVerdictThatIsNotKeptIsSaid) {
    std::filesystem::create_directories(disk());
    const std::vector<std::string> claim = {"claims", "run", "S11.reserved", "--store", disk().string()};
    const Trial first = trial(claim, {.at = 1, .only = "/claims"});  // the folder
    EXPECT_EQ(first.finished.exit, 4);
    expectOneLine(first);
    ASSERT_EQ(trial(claim, {}).finished.exit, 0);
    const std::filesystem::path kept = disk() / "claims" / "S11.reserved.json";
    const std::string old = textOf(kept);
    const auto before = names();
    for (const int at : {1, 2, 3, 4}) {  // open, write, sync and rename
        const Trial done = trial(claim, {.at = at, .only = "/claims/"});
        EXPECT_EQ(done.finished.exit, 4);
        expectOneLine(done);
        EXPECT_THAT(done.finished.err,
                    HasSubstr("S11.reserved: the verdict could not be kept: " + kept.string()));
        EXPECT_THAT(done.finished.out, HasSubstr("not testable here")) << "it is said all the same";
        EXPECT_EQ(textOf(kept), old);
        EXPECT_EQ(names(), before);
    }
}

}  // namespace
}  // namespace highwater::e2e
