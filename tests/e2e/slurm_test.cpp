#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <sstream>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/hosts_fixture.h"
#include "tests/e2e/slurm_cluster.h"

namespace highwater::e2e {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

/// A cluster whose login node is reached by ssh.
class SlurmSweep : public HostsTest {
protected:
    void SetUp() override {
        HostsTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        cluster_.emplace(folder_.path() / "slurm");
        if (!cluster_->problem().empty()) {
            GTEST_SKIP() << cluster_->problem();
        }
        startServer({{"SLURM_CONF", cluster_->config().string()}});
        prepareIn(cache());
        ASSERT_EQ(hosts({"add", "box", "loopback", "--slurm", "short", "--gres", "slot:1"}).exit, 0);
    }
    void TearDown() override {
        cluster_.reset();
        HostsTest::TearDown();
    }

    /// Cells of one and a half seconds each, however fast the machine, or very short ones.
    std::string sweep(int cells, bool slow = true) {
        experiment(slow ? Json::parse(R"({"data": {"workers": 0, "read_delay_ms": 20}})") : Json::object());
        Json values = Json::array();
        for (int i = 0; i < cells; ++i) {
            values.push_back(i + 1);
        }
        const Json json = {{"schema", "highwater.sweep/1"},
                           {"base", "experiment.json"},
                           {"axes", {{{"path", "/step/seed"}, {"values", values}}}}};
        return write("sweep.json", json.dump());
    }
    static std::vector<std::string> inQueue(const std::string& path, int steps = 40) {
        return {"sweep",  path,  "--steps", std::to_string(steps), "--executor", "slurm",
                "--host", "box", "--json"};
    }
    int count(const std::string& status) const {
        int found = 0;
        std::error_code ignored;
        for (std::filesystem::directory_iterator at(store() / "runs", ignored), end; at != end; ++at) {
            const Json state = Json::parse(textOf(at->path() / "state.json"), nullptr, false);
            found += state.is_object() && state.value("state", "") == status ? 1 : 0;
        }
        return found;
    }
    /// Every cell has one completed run, and none is still running.
    void expectEachOnce(int cells) {
        std::map<int, int> done;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(store() / "runs", ignored)) {
            const Json state = parse(textOf(entry.path() / "state.json"));
            const Json study = parse(textOf(entry.path() / "labels.json")).at("study");
            EXPECT_NE(state["state"], "running") << entry.path();
            EXPECT_EQ(study["repeat"], 0);
            if (state["state"] == "done") {
                ++done[study["cell"].get<int>()];
                EXPECT_EQ(parse(textOf(entry.path() / "result.json"))["status"], "done");
                EXPECT_THAT(study["place"].get<std::string>(), ::testing::MatchesRegex("node .+ of box"));
            }
        }
        EXPECT_EQ(done.size(), static_cast<std::size_t>(cells));
        for (const auto& [cell, times] : done) {
            EXPECT_EQ(times, 1) << cell;
        }
        EXPECT_TRUE(std::filesystem::is_empty(runsThere()));
    }
    void expectResult(const Finished& finished, int cells) {
        EXPECT_EQ(finished.exit, 0) << finished.err;
        const Json result = parse(finished.out);
        EXPECT_EQ(testing::SchemaCheck().problem("sweep-result.json", result), "");
        ASSERT_EQ(result["cells"].size(), static_cast<std::size_t>(cells));
        for (const Json& cell : result["cells"]) {
            EXPECT_EQ(cell["measured"]["status"], "done") << cell["measured"].value("why", "");
            EXPECT_EQ(cell["measured"]["run_ids"].size(), 1U);
        }
    }
    /// The running tasks, as "JOB_INDEX".
    std::vector<std::string> running() const {
        std::vector<std::string> tasks;
        std::istringstream lines(cluster_->ask("squeue --noheader --array --states=RUNNING --format=%F_%K"));
        for (std::string line; std::getline(lines, line);) {
            tasks.push_back(line);
        }
        return tasks;
    }
    /// What an administrator would do: returns a node to service that Slurm has drained because a killed
    /// controller forgot what runs there, so that requeued tasks do not wait for two minutes, or forever.
    void startRequeued() const {
        if (cluster_->nodeState().starts_with("drain")) {
            cluster_->resumeNode();
        }
        std::istringstream held(
            cluster_->ask("squeue --noheader --array --states=PENDING '--format=%F_%K %r' | grep held"));
        for (std::string line; std::getline(held, line);) {
            cluster_->ask("scontrol release " + line.substr(0, line.find(' ')));
        }
        std::istringstream lines(
            cluster_->ask("squeue --noheader --array --states=PENDING '--format=%F_%K %r' | grep BeginTime"));
        for (std::string task, reason; lines >> task >> reason;) {
            cluster_->ask("scontrol update JobId=" + task + " StartTime=now");
        }
    }
    bool begun() const {  // at least one run has made a step
        std::error_code ignored;
        for (std::filesystem::directory_iterator at(runsThere(), ignored), end; at != end;
             at.increment(ignored)) {
            if (textOf(at->path() / "events.jsonl").find("\"step\"") != std::string::npos &&
                !std::filesystem::exists(at->path() / "end.json")) {
                return true;
            }
        }
        return false;
    }

    std::optional<SlurmCluster> cluster_;
};

/// HIGHWATER_TEST_SLURM_CELLS: the number of cells (default: 12). With 200, the controller and the node die
/// five times each, and 20 tasks are killed or requeued.
TEST_F(SlurmSweep, LosesNothingAndMeasuresNothingTwice) {
    const char* named = std::getenv("HIGHWATER_TEST_SLURM_CELLS");
    const int cells = named && std::atoi(named) > 0 ? std::atoi(named) : 12;
    std::vector<char> blows;
    for (int i = 0; i < std::max(1, cells / 40); ++i) {
        blows.insert(blows.end(), {'c', i % 2 == 0 ? 'n' : 'l'});
    }
    for (int i = 0; i < std::max(2, cells / 10); ++i) {
        blows.push_back(i % 2 == 0 ? 'r' : 'k');
    }
    std::mt19937 random(20260101);
    std::shuffle(blows.begin(), blows.end(), random);
    Program program("highwater-cli", withStore(inQueue(sweep(cells), cells < 100 ? 40 : 16)), folder_.path());
    std::map<char, int> struck;
    for (std::size_t i = 0; i < blows.size(); ++i) {
        const int due = static_cast<int>(i) * cells / static_cast<int>(blows.size() + 1);
        const auto end = std::chrono::steady_clock::now() + 5min;
        bool hit = false;
        while (!hit && std::chrono::steady_clock::now() < end) {
            startRequeued();
            const std::vector<std::string> tasks =
                count("done") >= due && begun() ? running() : std::vector<std::string>();
            if (tasks.empty()) {
                std::this_thread::sleep_for(50ms);
                continue;
            }
            hit = true;
            switch (blows[i]) {
                case 'c':
                    cluster_->killController();
                    std::this_thread::sleep_for(1500ms);
                    cluster_->startController();
                    break;
                case 'n':
                    cluster_->killNode();
                    std::this_thread::sleep_for(500ms);
                    cluster_->startNode();
                    break;
                case 'l':
                    cluster_->loseNode();
                    EXPECT_TRUE(eventually([&] { return cluster_->nodeState().starts_with("down"); }));
                    cluster_->startNode();
                    break;
                case 'r':
                    cluster_->ask("scontrol requeue " + tasks[random() % tasks.size()]);
                    break;
                default: {
                    const auto here = programsWith(folder_.path().string());
                    const auto task = std::find_if(here.begin(), here.end(), [](const std::string& one) {
                        return one.find("--task") != std::string::npos;
                    });
                    hit = task != here.end() && ::kill(std::atoi(task->c_str()), SIGKILL) == 0;
                }
            }
        }
        ASSERT_TRUE(hit) << blows[i] << " " << program.out();
        ++struck[blows[i]];
    }
    std::atomic<bool> over{false};
    std::thread administrator([&] {
        while (!over) {
            startRequeued();
            std::this_thread::sleep_for(500ms);
        }
    });
    const Finished finished = program.wait();
    over = true;
    administrator.join();
    expectResult(finished, cells);
    expectEachOnce(cells);
    EXPECT_TRUE(nothingLeft()) << ::testing::PrintToString(left_);
    RecordProperty("runs", static_cast<int>(runs().size()));
    RecordProperty("broken_off", static_cast<int>(runs().size()) - cells);
    std::printf("%d cells, %zu runs; killed: controller %d, slurmd %d, node %d, tasks %d; requeued: %d\n",
                cells, runs().size(), struck['c'], struck['n'], struck['l'], struck['k'], struck['r']);
}

TEST_F(SlurmSweep, AnArrayThatIsCancelledIsResumed) {
    const std::string path = sweep(6);
    {
        Program program("highwater-cli", withStore(inQueue(path)), folder_.path());
        ASSERT_TRUE(eventually([&] { return count("done") >= 1 && begun(); }));
        cluster_->ask("scancel --user=" + std::to_string(::getuid()));
        const Finished cancelled = program.wait();
        EXPECT_EQ(cancelled.exit, 130) << cancelled.err;
        EXPECT_THAT(cancelled.out, HasSubstr("cancelled in the queue"));
    }
    const int done = count("done");
    EXPECT_LT(done, 6);
    EXPECT_EQ(count("running"), 0);
    expectOneLine(cli({"sweep", path, "--resume", "--steps", "7"}), 2, "was begun with --steps 40");
    expectOneLine(cli({"sweep", path, "--resume", "--executor", "local"}), 2, "--executor slurm --host box");
    expectResult(cli({"sweep", path, "--resume", "--json"}), 6);
    expectEachOnce(6);
    const auto before = runs().size();
    expectResult(cli({"sweep", path, "--resume", "--json"}), 6);  // nothing is left
    EXPECT_EQ(runs().size(), before);
}

TEST_F(SlurmSweep, OutlivesThisProgramAndIsTakenUpAgain) {
    const std::string path = sweep(6);
    {
        Program program("highwater-cli", withStore(inQueue(path)), folder_.path());
        ASSERT_TRUE(eventually([&] { return count("done") >= 1 && begun(); }));
        expectOneLine(cli({"sweep", path, "--resume"}), 4, "another program is measuring this sweep");
    }  // killed
    const auto before = runs().size();
    EXPECT_GT(count("running"), 0);
    expectResult(cli({"sweep", path, "--resume", "--json"}), 6);
    expectEachOnce(6);
    EXPECT_EQ(runs().size(), before);  // the tasks continued meanwhile
}

TEST_F(SlurmSweep, AFullDiskLosesNothingThatWasMeasured) {
    const SmallDisk disk(data(), "size=2m");
    if (!disk.problem().empty()) {
        GTEST_SKIP() << disk.problem();
    }
    const std::string path = sweep(4);
    int done = 0;
    {
        Program program("highwater-cli", withStore(inQueue(path)), folder_.path());
        ASSERT_TRUE(eventually([&] { return count("done") >= 1 && begun(); }));
        disk.fill();
        const Finished full = program.wait();
        EXPECT_EQ(full.exit, 4) << full.err;
        // A running task writes its reason to the same disk, and there may be no space for it.
        EXPECT_THAT(full.err, AnyOf(HasSubstr("No space left on device"),
                                    HasSubstr("the engine ended without a result (exit code 4)")));
        done = count("done");
        EXPECT_GE(done, 1);
        EXPECT_LT(done, 4);
        EXPECT_EQ(count("running"), 0);
    }
    disk.clear();
    expectResult(cli({"sweep", path, "--resume", "--json"}), 4);
    expectEachOnce(4);
}

TEST_F(SlurmSweep, AnInterruptTakesItFromTheQueue) {
    const std::string path = sweep(6);
    Program program("highwater-cli", withStore(inQueue(path)), folder_.path());
    ASSERT_TRUE(eventually([&] { return count("done") >= 1 && begun(); }));
    program.signal(SIGINT);
    const Finished done = program.wait();
    EXPECT_EQ(done.exit, 130) << done.err;
    EXPECT_EQ(parse(done.out)["cells"][0]["measured"]["status"], "done");
    EXPECT_EQ(count("running"), 0);
    EXPECT_TRUE(eventually([&] { return cluster_->ask("squeue --noheader").empty(); }));
    EXPECT_TRUE(std::filesystem::is_empty(runsThere()));
    expectResult(cli({"sweep", path, "--resume", "--json"}), 6);
    expectEachOnce(6);
}

TEST_F(SlurmSweep, OnTheLoginNodeItself) {
    setenv("SLURM_CONF", cluster_->config().c_str(), 1);
    setenv("XDG_DATA_HOME", data().c_str(), 1);
    const Finished done = cli({"sweep", sweep(2, false), "--steps", "2", "--executor", "slurm", "--json"});
    unsetenv("SLURM_CONF");
    unsetenv("XDG_DATA_HOME");
    expectResult(done, 2);
    EXPECT_THAT(parse(done.out)["cells"][0]["measured"]["place"].get<std::string>(),
                HasSubstr(" of localhost"));
}

TEST_F(SlurmSweep, ARunIsAnArrayOfOneTask) {
    const Finished done =
        cli({"run", experiment(), "--steps", "2", "--executor", "slurm", "--host", "box", "--events"});
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr(R"("event":"finished")"));
    ASSERT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs()[0]["status"], "done");
    EXPECT_EQ(cli({"run", experiment(), "--executor", "slurm", "--host", "box", "--budget", "1KiB"}).exit, 3);
    auto words = longRun(longExperiment());
    words.insert(words.end(), {"--executor", "slurm", "--host", "box"});
    {
        Program program("highwater-cli", withStore(words), folder_.path());
        ASSERT_TRUE(says(program, R"("event":"step")"));
        program.signal(SIGINT);
        EXPECT_EQ(program.wait().exit, 130);
        EXPECT_EQ(runs()[2]["status"], "cancelled");
    }
    cluster_->killNode();
    EXPECT_TRUE(eventually([&] { return cluster_->nodeState().starts_with("down"); }));
    Program program("highwater-cli", withStore(words), folder_.path());
    ASSERT_TRUE(eventually([&] { return !cluster_->ask("squeue --noheader").empty(); }));
    program.signal(SIGINT);  // while it is pending
    EXPECT_EQ(program.wait().exit, 130);
    EXPECT_EQ(runs()[3]["status"], "cancelled");
    EXPECT_TRUE(std::filesystem::is_empty(runsThere()));
    EXPECT_TRUE(cluster_->ask("squeue --noheader").empty());
}

TEST_F(SlurmSweep, WhatSlurmRefusesIsOneLine) {
    ASSERT_EQ(hosts({"add", "box", "loopback", "--slurm", "none"}).exit, 0);
    const std::string path = sweep(2, false);
    expectOneLine(cli(inQueue(path, 2)), 4,
                  "sbatch: Batch job submission failed: Invalid partition name specified");
    EXPECT_EQ(count("running"), 0);
    EXPECT_EQ(count("done"), 0);
    ASSERT_EQ(hosts({"add", "box", "loopback", "--slurm", "short", "--gres", "slot:1"}).exit, 0);
    expectResult(cli({"sweep", path, "--resume", "--json"}), 2);
}

}  // namespace
}  // namespace highwater::e2e
