#include <cstdlib>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `run --python` with a stand-in for the interpreter of a virtual environment: it reports a PyTorch version
/// and, instead of training, lets tests/data/python_run/stand_in.py write a run.
/// tests/python/test_experiment.py trains with a real one.
class RunThroughPython : public CliTest {
protected:
    void SetUp() override {
        if (system("command -v python3 >/dev/null") != 0) {
            GTEST_SKIP() << "python3 is not installed";
        }
        environment(R"({"python": "3.11.7", "torch": "2.11.0+cu130", "problem": ""})");
    }
    std::string venv() const { return (folder_.path() / "venv").string(); }
    /// Answers with `described`, and trains as stand_in.py does `way`.
    void environment(const std::string& described, const std::string& way = "done") {
        std::filesystem::create_directories(venv() + "/bin");
        write("venv/bin/python",
              "#!/bin/sh\n"
              "[ \"$1\" = -I ] || exit 9\n"  // nothing of the current folder may be imported
              "case $3 in --describe*) echo '" +
                  described +
                  "'; exit;; esac\nshift 2\nexec python3 -I " HIGHWATER_SOURCE_DIR
                  "/tests/data/python_run/stand_in.py " +
                  way + " \"$@\"\n");
        std::filesystem::permissions(venv() + "/bin/python", std::filesystem::perms::owner_all);
    }
    Finished run(std::vector<std::string> options = {}, const Json& change = Json::object()) {
        std::vector<std::string> all = {"run", experiment(change), "--python", venv(), "--steps", "2"};
        all.insert(all.end(), options.begin(), options.end());
        return cli(all);
    }
    std::filesystem::path only() const {
        return std::filesystem::directory_iterator(store() / "runs")->path();
    }
};

TEST_F(RunThroughPython, IsAnOrdinaryRunOfTheExperimentThatSaysSo) {
    const Finished done = run();
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("PyTorch 2.11.0+cu130 in Python 3.11.7"));
    EXPECT_THAT(done.out, HasSubstr("1.00 ms of a step of 4.00 ms are Python's own (25 %)"));
    const Json row = runs().at(0);
    EXPECT_EQ(row["name"], "small");
    EXPECT_EQ(row["status"], "done");
    EXPECT_EQ(row["device"], "cpu");
    EXPECT_EQ(row["torch"], "2.11.0+cu130");
    EXPECT_THAT(cli({"runs", "list"}).out, HasSubstr("cpu, PyTorch 2.11.0+cu130 in Python"));
    const Json shown = parse(cli({"runs", "show", "1", "--json"}).out);
    EXPECT_EQ(testing::SchemaCheck().problem("run.json", shown), "");
    EXPECT_EQ(shown["pretended"], false);
    EXPECT_EQ(shown["python"]["torch"], "2.11.0+cu130");
    EXPECT_EQ(shown["python"]["interpreter"], venv() + "/bin/python");
    EXPECT_EQ(shown["python"]["share"]["python_ms"], 1.0);
    EXPECT_EQ(shown["experiment"]["name"], "small");
    // The prediction is that of the exported program with this PyTorch, made before it ran.
    EXPECT_GT(shown["result"]["predicted"]["peak_allocated_bytes"]["expected"], 0);

    const Finished html = cli({"report", "1", "--out", (folder_.path() / "report.html").string()});
    ASSERT_EQ(html.exit, 0) << html.err;
    EXPECT_THAT(textOf(folder_.path() / "report.html"),
                HasSubstr("The exported program ran with PyTorch 2.11.0+cu130 in Python 3.11.7"));
    const auto json = folder_.path() / "report.json";
    ASSERT_EQ(cli({"report", "1", "--out", json.string()}).exit, 0);
    EXPECT_EQ(testing::SchemaCheck().problem("report.json", parse(textOf(json))), "");
}

TEST_F(RunThroughPython, GetsTheProgramItsLayersAndTheEnginesArguments) {
    ASSERT_EQ(run({"--warmup", "1", "--budget", "1GiB"}).exit, 0);
    EXPECT_THAT(textOf(only() / "model.py"), HasSubstr("class Network(nn.Module)"));
    const Json python = parse(textOf(only() / "python.json"));
    ASSERT_EQ(python["layers"].size(), 3U);
    EXPECT_EQ(python["layers"][0]["module"], "conv1");
    EXPECT_EQ(python["layers"][0]["type"], "conv");
    EXPECT_EQ(python["layers"][1]["module"], "relu2");
    EXPECT_EQ(parse(textOf(only() / "arguments.json")),
              Json({"--run", only().string(), "--device", "cpu", "--steps", "2", "--warmup", "1", "--budget",
                    "1073741824"}));
}

TEST_F(RunThroughPython, PretendsAGpu) {
    const Finished done = run({"--pretend", "rtx3060", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(parse(done.out)["python"]["pretended_gpu"], "rtx3060");
    EXPECT_EQ(testing::SchemaCheck().problem("result.json", parse(done.out)), "");
    EXPECT_EQ(parse(textOf(only() / "arguments.json")).at(3), "cuda:0");
    EXPECT_EQ(textOf(only() / "pretended.txt"), "rtx3060");
    const Json shown = parse(cli({"runs", "show", "1", "--json"}).out);
    EXPECT_EQ(shown["device"], "pretended rtx3060");
    EXPECT_EQ(shown["pretended"], true);
    EXPECT_EQ(shown["result"]["predicted"]["target"], "rtx3060");
}

TEST_F(RunThroughPython, SaysHowPythonEnded) {
    environment(R"({"python": "3.11.7", "torch": "2.11.0", "problem": ""})", "killed");
    const Finished killed = run();
    EXPECT_EQ(killed.exit, 4);
    EXPECT_THAT(killed.err, HasSubstr("run 1: Python died: signal 9 (Killed)"));
    environment(R"({"python": "3.11.7", "torch": "2.11.0", "problem": ""})", "full");
    const Finished full = run();
    EXPECT_EQ(full.exit, 3);
    EXPECT_THAT(full.err, HasSubstr("run 2: a step needs more"));
    EXPECT_EQ(runs().at(1)["status"], "out_of_memory");
    environment(R"({"python": "3.11.7", "torch": "2.11.0", "problem": ""})", "silent");
    const Finished silent = run();
    EXPECT_EQ(silent.exit, 4);
    EXPECT_THAT(silent.err,
                HasSubstr("Python ended without a result (exit code 1): ImportError: no such module"));
}

TEST_F(RunThroughPython, AnInterruptStopsItAndLeavesNothingRunning) {
    environment(R"({"python": "3.11.7", "torch": "2.11.0", "problem": ""})", "waits");
    Program program("highwater-cli", withStore({"run", experiment(), "--python", venv(), "--events"}),
                    folder_.path());
    ASSERT_TRUE(says(program, R"("event":"started")"));
    const int python = enginePid(runs().at(0)["id"]);
    program.signal(SIGINT);
    const Finished done = program.wait();
    EXPECT_EQ(done.exit, 130);
    EXPECT_THAT(done.err, HasSubstr("run 1 was interrupted"));
    EXPECT_EQ(runs().at(0)["status"], "cancelled");
    EXPECT_NE(::kill(python, 0), 0);
}

TEST_F(RunThroughPython, ASweepGoesThroughItAndIsResumedWithTheSamePyTorch) {
    const std::string base = experiment();
    const std::vector<std::string> sweep = {"sweep",   "--base", base,        "--toggle", "inplace",
                                            "--steps", "4",      "--repeats", "2"};
    auto through = sweep;
    through.insert(through.end(), {"--python", venv(), "--json"});
    const Finished done = cli(through);
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(testing::SchemaCheck().problem("sweep-result.json", parse(done.out)), "");
    for (const Json& row : runs()) {
        EXPECT_EQ(row["torch"], "2.11.0+cu130");
        EXPECT_EQ(row["status"], "done");
    }
    auto resumed = sweep;
    resumed.insert(resumed.end() - 4, "--resume");
    resumed.resize(resumed.size() - 4);
    const Finished engine = cli(resumed);
    EXPECT_EQ(engine.exit, 2);
    EXPECT_THAT(engine.err, HasSubstr("the sweep was begun through PyTorch 2.11.0+cu130"));
}

TEST_F(RunThroughPython, RefusesInOneLineAndRecordsNothing) {
    const auto refused = [&](const Finished& done, const std::string& why) {
        EXPECT_EQ(done.exit, 2) << why;
        EXPECT_THAT(done.err, HasSubstr(why));
        EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    };
    refused(run({}, {{"step", {{"train", false}}}}),
            "/step/train is false: only training goes through Python; the engine can run it");
    refused(run({"--ranks", "2"}), "--ranks: the engine's ranks are run; leave out --python");
    refused(run({"--pretend", "rtx3060", "--device", "cuda"}), "--device: --pretend names the device");
    refused(run({"--pretend", "no-such-gpu"}), "no-such-gpu");
    environment(R"({"python": "3.11.7", "torch": "", "problem": "/x/python has no PyTorch; install it"})");
    refused(run(), "--python: /x/python has no PyTorch; install it");
    environment("not JSON");
    refused(run(), "--python: ");
    refused(cli({"run", experiment(), "--python", (folder_.path() / "none").string()}), "is not a Python");
    EXPECT_THAT(runs(), ::testing::IsEmpty());
}

TEST_F(RunThroughPython, NamesBecomeNoCode) {
    const std::string evil = "x\"\"\"\nimport os\nos.mkdir('made')\n\"\"\"";
    ASSERT_EQ(run({}, {{"name", evil}}).exit, 0);
    EXPECT_THAT(textOf(only() / "model.py"), Not(HasSubstr("\nimport os\nos.mkdir")));
}

}  // namespace
}  // namespace highwater::e2e
