#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/hosts_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

TEST_F(HostRun, LedgerIsThatOfARunHere) {
    const std::string small = experiment();
    const Finished here = cli({"run", small, "--steps", "5", "--json"});
    ASSERT_EQ(here.exit, 0) << here.err;
    const Finished there = cli({"run", small, "--steps", "5", "--host", "box", "--json"});
    ASSERT_EQ(there.exit, 0) << there.err;
    EXPECT_EQ(there.err, "");
    const Json a = parse(here.out), b = parse(there.out);
    for (const char* same : {"status", "device", "versions", "peak_allocated_bytes", "peak_by_category",
                             "losses", "loss_first", "loss_last", "predicted"}) {
        EXPECT_EQ(a.value(same, Json()), b.value(same, Json())) << same;
    }
    const Json rows = runs();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1]["status"], "done");
    std::vector<std::vector<Json>> peaks(2);
    for (std::size_t run = 0; run < 2; ++run) {
        for (const Json& event : eventsOf(rows[run]["id"])) {
            if (event["event"] == "step") {
                peaks[run].push_back(event["peak"]);
                peaks[run].back().erase("time_ms");
            }
        }
    }
    EXPECT_EQ(peaks[0].size(), 8U);
    EXPECT_EQ(peaks[0], peaks[1]);
    expectComplete(rows[1]["id"], 8);
    EXPECT_TRUE(std::filesystem::exists(store() / "runs" / rows[1]["id"] / "previews" / "patch.hwvol"));
    // The table and the reports say where it ran.
    EXPECT_FALSE(rows[0].contains("host"));
    EXPECT_EQ(rows[1]["host"], "box");
    EXPECT_THAT(cli({"runs", "list"}).out, HasSubstr("cpu on box"));
    EXPECT_THAT(cli({"runs", "list", "--filter", "host=box"}).out,
                Not(HasSubstr(rows[0]["id"].get<std::string>())));
    const auto report = [&](const std::string& ending) {
        const std::string out = (folder_.path() / ("report." + ending)).string();
        EXPECT_EQ(cli({"report", "1", "2", "--out", out}).exit, 0);
        return textOf(out);
    };
    EXPECT_THAT(report("html"), HasSubstr("on box"));
    EXPECT_THAT(report("html"), HasSubstr("--device cpu --host box"));
    EXPECT_THAT(report("csv"), HasSubstr(",box,"));
    testing::SchemaCheck check;
    const Json document = parse(report("json"));
    EXPECT_EQ(document["runs"][1]["host"], "box");
    EXPECT_EQ(check.problem("report.json", document), "");
    EXPECT_EQ(check.problem("runs.json", parse(cli({"runs", "list", "--json"}).out)), "");
    EXPECT_EQ(cli({"compare", "1", "2"}).exit, 0);
}

class HostTrace : public HostRun {
protected:
    Json traceOf(const std::string& run) {
        return parse(cli({"runs", "show", run, "--json"}).out).value("trace", Json());
    }
    /// Every allocation, without its time.
    std::string allocationsOf(const std::string& run) {
        const std::string file = (folder_.path() / (run + ".csv")).string();
        EXPECT_EQ(cli({"runs", "capture", run, "--out", file}).exit, 0);
        std::ifstream lines(file);
        std::string all, line;
        std::size_t column = 0;
        for (bool head = true; std::getline(lines, line); head = false) {
            std::vector<std::string> cells;
            for (std::istringstream row(line); std::getline(row, line, ',');) {
                cells.push_back(line);
            }
            for (std::size_t i = 0; i < cells.size(); ++i) {
                column = head && cells[i].starts_with("time") ? i : column;
                all += i == column ? "" : cells[i] + ",";
            }
            all += '\n';
        }
        return all;
    }
};

TEST_F(HostTrace, IsThatOfARunHere) {
    const std::string small = experiment();
    ASSERT_EQ(cli({"run", small, "--steps", "5"}).exit, 0);
    const Finished there = cli({"run", small, "--steps", "5", "--host", "box"});
    ASSERT_EQ(there.exit, 0) << there.err;
    EXPECT_GT(traceOf("1")["events"], 100);
    EXPECT_EQ(traceOf("1")["events"], traceOf("2")["events"]);
    EXPECT_EQ(traceOf("2")["complete"], true);
    EXPECT_EQ(allocationsOf("1"), allocationsOf("2"));
    const auto folder = store() / "runs" / runs()[1]["id"];
    EXPECT_FALSE(std::filesystem::exists(folder / "trace.chunks"));
    EXPECT_FALSE(std::filesystem::exists(folder / "trace.chunks.part"));
    ASSERT_EQ(cli({"run", small, "--steps", "5", "--host", "box", "--no-trace"}).exit, 0);
    EXPECT_TRUE(traceOf("3").is_null());
}

TEST_F(HostTrace, GoesOnWhereItBroke) {
    std::string id, whole;
    {
        Program run("highwater-cli", withStore(middlingRun()), folder_.path());
        id = onlyRunThere();
        ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runsThere() / id / "events.jsonl"); }));
    }  // killed
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runsThere() / id / "end.json"); }));
    whole = textOf(runsThere() / id / "trace.chunks");
    ASSERT_GT(whole.size(), 10'000U);
    // Different from the host's, so that it would be overwritten if it were sent again.
    std::string begun = whole.substr(0, whole.size() / 2);
    begun[0] = 'X';
    std::ofstream(store() / "runs" / id / "trace.chunks.part", std::ios::binary) << begun;
    EXPECT_EQ(cli({"runs", "fetch"}).exit, 0);
    expectComplete(id, 153);
    EXPECT_EQ(traceOf("1")["events"], 0);
    EXPECT_EQ(traceOf("1")["complete"], false);
}

TEST_F(HostTrace, OfAnEngineThatDiesIsFetchedAsFarAsItCame) {
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--host", "box"});
    Program run("highwater-cli", withStore(words), folder_.path());
    ASSERT_TRUE(says(run, R"("event":"step")"));
    std::this_thread::sleep_for(500ms);
    ::kill(enginePidThere(onlyRunThere()), SIGKILL);
    EXPECT_EQ(run.wait().exit, 4);
    EXPECT_GT(traceOf("1")["events"], 10);
    EXPECT_EQ(traceOf("1")["complete"], false);
}

TEST_F(HostTrace, ThatIsTooLargeIsLeftThereInOneLine) {
    std::string id;
    {
        Program run("highwater-cli", withStore(middlingRun()), folder_.path());
        id = onlyRunThere();
        ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runsThere() / id / "events.jsonl"); }));
    }  // killed
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runsThere() / id / "end.json"); }));
    std::filesystem::resize_file(runsThere() / id / "trace.chunks", (256 << 20) + 1);
    const Finished done = cli({"runs", "fetch"});
    EXPECT_EQ(done.exit, 0);
    EXPECT_THAT(done.err, HasSubstr("run without its trace: host box has 256 MiB of it"));
    expectComplete(id, 153);
    EXPECT_TRUE(traceOf("1").is_null());
}

TEST_F(HostRun, EventsArriveWhileItRuns) {
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--host", "box"});
    Program run("highwater-cli", withStore(words), folder_.path());
    ASSERT_TRUE(says(run, R"("event":"step")"));
    ASSERT_TRUE(says(run, R"("event":"ledger")"));
    EXPECT_EQ(runs()[0]["status"], "running");
    EXPECT_GT(runs()[0]["progress"]["done"], 0);
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit, 130);
    EXPECT_EQ(runs()[0]["status"], "cancelled");
    EXPECT_GT(parse(cli({"runs", "show", "1", "--json"}).out)["result"]["losses"].size(), 0U);
}

TEST_F(HostRun, ASecondInterruptKillsIt) {
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--host", "box"});
    Program run("highwater-cli", withStore(words), folder_.path());
    ASSERT_TRUE(says(run, R"("event":"step")"));
    const int engine = enginePidThere(onlyRunThere());
    ASSERT_GT(engine, 0);
    ::kill(engine, SIGSTOP);  // so that the first one has no effect
    run.signal(SIGINT);
    std::this_thread::sleep_for(500ms);
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit, 130);
    EXPECT_EQ(runs().size(), 1U);
}

TEST_F(HostRun, OutOfMemoryAndAnEngineThatDies) {
    const Finished over = cli({"run", experiment(), "--host", "box", "--budget", "1KiB"});
    EXPECT_EQ(over.exit, 3);
    EXPECT_EQ(runs()[0]["status"], "out_of_memory");
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--host", "box"});
    Program run("highwater-cli", withStore(words), folder_.path());
    ASSERT_TRUE(says(run, R"("event":"step")"));
    ::kill(enginePidThere(onlyRunThere()), SIGKILL);
    EXPECT_EQ(run.wait().exit, 4);
    EXPECT_EQ(runs()[1]["status"], "failed");
    EXPECT_THAT(runs()[1]["message"].get<std::string>(), HasSubstr("signal 9"));
}

TEST_F(HostRun, AFullDiskThereIsSaidAndWhatIsHereIsKept) {
    const SmallDisk disk(data(), "size=1m");
    if (!disk.problem().empty()) {
        GTEST_SKIP() << disk.problem();
    }
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--host", "box"});
    {
        Program run("highwater-cli", withStore(words), folder_.path());
        ASSERT_TRUE(says(run, R"("event":"step")"));
        disk.fill();
        EXPECT_EQ(run.wait().exit, 4);
    }
    ASSERT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs()[0]["status"], "failed");
    EXPECT_THAT(runs()[0]["message"].get<std::string>(), HasSubstr("No space left on device"));
    const auto steps = eventsOf(runs()[0]["id"]);
    EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const Json& e) { return e["event"] == "step"; }));
    disk.fill();
    expectOneLine(cli({"run", experiment(), "--host", "box"}), 4, "No space left on device");
    disk.clear();
    EXPECT_EQ(cli({"run", experiment(), "--steps", "2", "--host", "box"}).exit, 0);
    EXPECT_TRUE(nothingLeft()) << ::testing::PrintToString(left_);
}

TEST_F(HostRun, IsStoppedAtItsTimeLimitAndRecorded) {
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--host", "box", "--time-limit", "0.001"});
    const Finished run = Program("highwater-cli", withStore(words), folder_.path()).wait();
    EXPECT_EQ(run.exit, 130);
    EXPECT_THAT(run.err, HasSubstr("reached its time limit"));
    EXPECT_EQ(runs()[0]["status"], "cancelled");
}

/// Five times as fast as usual: without a heartbeat the host gives up after twelve seconds, this side after
/// five.
class HurriedHost : public HostRun {
protected:
    void SetUp() override {
        haste_ = 5;
        HostRun::SetUp();
    }
};

/// HIGHWATER_TEST_CUTS: the number of runs (default: 10). Five at a time: each loses its own connection,
/// unless the server drops all of them.
TEST_F(HurriedHost, ConnectionsThatBreakAtRandomMomentsLoseNothing) {
    constexpr int kTogether = 5;
    const char* named = std::getenv("HIGHWATER_TEST_CUTS");
    const int count = named && std::atoi(named) > 0 ? std::atoi(named) : 10;
    std::mt19937 random(20260101);
    const auto words = withStore(middlingRun());
    int cut = 0, begun = 0;
    while (begun < count) {
        std::vector<std::unique_ptr<Program>> programs;
        for (; programs.size() < kTogether && begun < count; ++begun) {
            programs.push_back(std::make_unique<Program>("highwater-cli", words, folder_.path()));
        }
        ASSERT_TRUE(eventually([&] { return followed() == static_cast<std::size_t>(begun); }));
        for (const auto& program : programs) {
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % 500));
            const bool all = random() % 2 == 0;
            cut += (all ? server_->cutConnections() > 0 : killSshOf(*program)) ? 1 : 0;
        }
        for (const auto& program : programs) {
            const Finished done = program->wait();
            ASSERT_EQ(done.exit, 0) << done.err;
        }
    }
    const Json rows = runs();
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(count));
    std::set<std::string> ids;
    for (const Json& row : rows) {
        EXPECT_EQ(row["status"], "done");
        expectComplete(row["id"], 153);
        ids.insert(row["id"]);
    }
    EXPECT_EQ(ids.size(), rows.size());
    EXPECT_GT(cut, count / 2);
    EXPECT_TRUE(nothingLeft()) << ::testing::PrintToString(left_);
    EXPECT_TRUE(std::filesystem::is_empty(runsThere()));
}

/// The two ends keep sending heartbeats, whatever else is sent.
TEST_F(HurriedHost, KeepsItsConnectionForLongerThanEitherEndWaits) {
    const auto slow = experiment(Json::parse(R"({"data": {"workers": 0, "read_delay_ms": 250}})"));
    const Finished done = cli({"run", slow, "--steps", "28", "--host", "box", "--json"});
    EXPECT_EQ(done.exit, 0);
    EXPECT_EQ(done.err, "");
    EXPECT_GT(parse(done.out)["step_ms"]["median"], 450);  // otherwise it was too short to show anything
}

TEST_F(HostRun, IsFetchedWhenTheHostIsBack) {
    Program run("highwater-cli", withStore(middlingRun()), folder_.path());
    const std::string id = onlyRunThere();
    ASSERT_NE(id, "");
    server_->stop();
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runsThere() / id / "end.json"); }));
    EXPECT_EQ(runs()[0]["status"], "running");
    server_->start();
    const Finished done = run.wait();
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("when the host is back\n"));
    expectComplete(id, 153);
}

TEST_F(HostRun, OutlivesThisProgramAndIsFetchedByTheNext) {
    {
        Program run("highwater-cli", withStore(middlingRun()), folder_.path());
        ASSERT_NE(onlyRunThere(), "");
    }  // killed
    EXPECT_EQ(runs()[0]["status"], "running");
    expectRefusal(cli({"runs", "delete", "1"}), "still running");
    const Finished done = cli({"runs", "fetch"});
    EXPECT_EQ(done.exit, 0) << done.err;
    expectComplete(runs()[0]["id"], 153);
    EXPECT_THAT(cli({"runs", "fetch"}).out, HasSubstr("no run is waiting"));
}

TEST_F(HostRun, CanBeLeftAndGivenUpWhereTheHostIsGone) {
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--host", "box", "--time-limit", "0.003"});
    Program run("highwater-cli", withStore(words), folder_.path());
    ASSERT_TRUE(says(run, R"("event":"step")"));
    server_->stop();
    ASSERT_TRUE(eventually([&] { return descendantsOf(run.pid()).empty(); }));
    std::this_thread::sleep_for(300ms);
    run.signal(SIGINT);
    std::this_thread::sleep_for(500ms);
    run.signal(SIGINT);
    const Finished left = run.wait();
    EXPECT_EQ(left.exit, 130);
    EXPECT_THAT(left.err, HasSubstr("continues on its host"));
    EXPECT_EQ(runs()[0]["status"], "running");
    expectOneLine(cli({"runs", "fetch", "1"}), 4, "run 1: host box: ");
    EXPECT_EQ(runs()[0]["status"], "running");
    EXPECT_EQ(cli({"runs", "fetch", "1", "--give-up"}).exit, 0);
    EXPECT_EQ(runs()[0]["status"], "failed");
    EXPECT_THAT(runs()[0]["message"].get<std::string>(), HasSubstr("given up"));
    EXPECT_GT(parse(cli({"runs", "show", "1", "--json"}).out)["result"]["losses"].size(), 0U);
}

TEST_F(HostRun, ARunTheHostDoesNotKnowNeverBeginsThere) {
    Program run("highwater-cli", withStore(middlingRun()), folder_.path());
    const std::string id = onlyRunThere();
    run.signal(SIGKILL);
    run.wait();
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runsThere() / id / "end.json"); }));
    std::filesystem::remove_all(runsThere() / id);
    EXPECT_EQ(cli({"runs", "fetch"}).exit, 4);
    EXPECT_EQ(runs()[0]["status"], "failed");
    EXPECT_THAT(runs()[0]["message"].get<std::string>(), HasSubstr("knows nothing of this run"));
    EXPECT_TRUE(std::filesystem::exists(runsThere() / id / "end.json"));  // nor will it
}

/// A scan that takes several messages to send.
class HostScan : public HostRun {
protected:
    std::string scan() const {
        test::Nifti scan;
        scan.dim = {3, 96, 96, 96, 1, 1, 1, 1};
        write("scan.nii", test::niftiFile(scan, test::counting(96 * 96 * 96)));
        return experiment(Json::parse(R"({"input": {"synthetic": null, "scan": "scan.nii",
            "patch": [16, 16, 16], "normalize": "zscore"}, "stack": [{"type": "conv", "out_channels": 1,
            "kernel_size": 3, "padding": 1}]})"));
    }
    std::filesystem::path volumes() const { return data() / "highwater-host" / "volumes"; }
    std::vector<std::filesystem::path> kept() const {
        std::vector<std::filesystem::path> paths;
        std::error_code ignored;
        for (std::filesystem::directory_iterator at(volumes(), ignored), end; at != end; ++at) {
            paths.push_back(at->path());
        }
        return paths;
    }
    Json there() {
        const Finished done = cli({"run", scan(), "--steps", "3", "--host", "box", "--json"});
        EXPECT_EQ(done.exit, 0) << done.err;
        return parse(done.out);
    }
};

TEST_F(HostScan, IsSentOnceAndGivesTheSameLosses) {
    const Finished here = cli({"run", scan(), "--steps", "3", "--json"});
    ASSERT_EQ(here.exit, 0) << here.err;
    const Json first = there();
    for (const char* same : {"losses", "peak_by_category", "peak_allocated_bytes"}) {
        EXPECT_EQ(parse(here.out).at(same), first.at(same)) << same;
    }
    ASSERT_EQ(kept().size(), 1U);
    const auto file = kept()[0];
    EXPECT_EQ(file.filename().string().size(), 64U);
    struct stat before{}, after{};
    ASSERT_EQ(::stat(file.c_str(), &before), 0);
    EXPECT_EQ(there().at("losses"), first.at("losses"));
    ASSERT_EQ(::stat(file.c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(after.st_nlink, 1U);  // the runs that used it are removed from the host
}

TEST_F(HostScan, GoesOnWhereItsSendingBroke) {
    const Json first = there();
    const auto file = kept().at(0);
    const std::string content = textOf(file), part = file.string() + ".part";
    std::filesystem::remove(file);
    std::ofstream(part, std::ios::binary) << content.substr(0, content.size() / 3);
    EXPECT_EQ(there().at("losses"), first.at("losses"));
    EXPECT_EQ(textOf(file), content);
    // The partial volume there is damaged: it is discarded, and sent again by the next run.
    std::filesystem::remove(file);
    std::ofstream(part, std::ios::binary) << std::string(content.size() / 3, 'x');
    expectOneLine(cli({"run", scan(), "--steps", "3", "--host", "box"}), 4, "arrived damaged");
    EXPECT_EQ(runs().back()["status"], "failed");
    EXPECT_EQ(there().at("losses"), first.at("losses"));
    EXPECT_EQ(kept().size(), 1U);
}

TEST_F(HostScan, IsKeptUpToAStatedSize) {
    startServer({{"HIGHWATER_HOST_KEEPS", "1KiB"}});
    there();
    EXPECT_TRUE(kept().empty());
    there();
}

TEST_F(HostRun, NothingIsRecordedWhereItCannotBegin) {
    const std::string small = experiment();
    expectOneLine(cli({"run", small, "--host", "fox"}), 2, "no host \"fox\"; there are box");
    std::filesystem::remove(engineThere() / "ready");
    expectOneLine(cli({"run", small, "--host", "box"}), 4,
                  "`highwater-cli hosts check box` builds the engine");
    server_->stop();
    expectOneLine(cli({"run", small, "--host", "box"}), 4, "Connection refused");
    EXPECT_FALSE(std::filesystem::exists(store() / "runs"));
}

}  // namespace
}  // namespace highwater::e2e
