#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

/// `highwater-cli script` with an interpreter whose PyTorch is tests/data/script/torch: it allocates numbers.
class ScriptCommand : public CliTest {
protected:
    void SetUp() override {
        if (system("command -v python3 >/dev/null") != 0) {
            GTEST_SKIP() << "python3 is not installed";
        }
        ::setenv("PYTHONPATH", HIGHWATER_SOURCE_DIR "/tests/data/script", 1);
        ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);  // where contexts are stored
    }
    void TearDown() override { ::unsetenv("PYTHONPATH"); }
    Finished script(const std::string& text, std::vector<std::string> options = {},
                    std::vector<std::string> arguments = {}) {
        std::vector<std::string> all = {"script",  "--pretend", "rtx3060",       "--python",
                                        "python3", "--store",   store().string()};
        all.insert(all.end(), options.begin(), options.end());
        all.push_back(write("train.py", text));
        all.insert(all.end(), arguments.begin(), arguments.end());
        return Program("highwater-cli", all, folder_.path()).wait();
    }
    Json result(const std::string& text, std::vector<std::string> options = {}) {
        options.push_back("--json");
        const Finished done = script(text, options);
        EXPECT_EQ(done.exit, 0) << done.err;
        return parse(done.out);
    }
};

constexpr const char* kTraining = R"(import sys
import torch
model = torch.Module(1000, torch.Module(2000))
optimizer = torch.Optimizer(model)
print("arguments", sys.argv[1:], __name__)
for step in range(1000):
    made = model(10000)
    for tensor, parameter in zip(reversed(made), reversed(optimizer.parameters)):
        parameter.grad = torch.Tensor(parameter.size, frames=[])
        tensor.free(frames=[])
    optimizer.step()
    for parameter in optimizer.parameters:
        parameter.grad.free()
        parameter.grad = None
print("never")
)";

TEST_F(ScriptCommand, SetsVariablesAndTellsRunsApartByThem) {
    const char* const prints = "import os\nprint(os.environ.get('EPOCHS'), os.environ.get('NAME'))\n";
    const Finished set = script(prints, {"--env", "EPOCHS=1", "--env", "NAME=a b"}, {"--lr"});
    ASSERT_EQ(set.exit, 0) << set.err;
    EXPECT_THAT(set.out, HasSubstr("1 a b\n"));
    const Finished plain = script(prints);
    EXPECT_THAT(plain.out, HasSubstr("None None\n"));
    const Finished runs =
        Program("highwater-cli", {"runs", "list", "--store", store().string()}, folder_.path()).wait();
    EXPECT_THAT(runs.out, HasSubstr("train.py --lr (EPOCHS=1 NAME=a b)"));
    const Finished wrong = script(prints, {"--env", "EPOCHS"});
    EXPECT_NE(wrong.exit, 0);
    EXPECT_EQ(wrong.err, "highwater-cli: \"EPOCHS\" sets no variable; write NAME=value\n");
    EXPECT_EQ(wrong.out, "");
}

TEST_F(ScriptCommand, StopsAfterTheStepsAndSaysWhereTheMemoryIs) {
    const Finished done = script(kTraining, {"--steps", "2"}, {"--lr", "0.1"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("arguments ['--lr', '0.1'] __main__"));
    EXPECT_THAT(done.out, ::testing::Not(HasSubstr("never")));
    EXPECT_THAT(done.out, HasSubstr("pretended: nothing was executed"));
    EXPECT_THAT(done.out, HasSubstr("Recorded as run 1."));

    const Json memory = result(kTraining, {"--steps", "2"}).at("memory");
    EXPECT_EQ(memory["steps"], 2);
    EXPECT_EQ(memory["step_peaks_bytes"].size(), 2U);
    // Parameters, their momentum in the second step, two outputs, and the gradient of the inner weight.
    EXPECT_EQ(memory["requested_bytes"], 3000 + 3000 + 20000 + 2000);
    EXPECT_EQ(memory["peak_by_category"]["parameters"], 3000);
    EXPECT_EQ(memory["peak_by_category"]["optimizer_state"], 3000);
    EXPECT_EQ(memory["peak_by_category"]["gradients"], 2000);
    EXPECT_EQ(memory["peak_by_category"]["activations"], 20000);
    EXPECT_EQ(memory["peak"]["phase"], "backward");
    EXPECT_EQ(memory["peak"]["step"], 1);
    EXPECT_EQ(memory["modules"][0]["name"], "child");
    EXPECT_EQ(memory["modules"][0]["bytes"], 10000 + 2000 + 2000 + 2000);
    EXPECT_EQ(memory["lines"][0]["name"], "train.py:5 forward");
}

/// The Python package's program records in a temporary folder, which is gone afterwards.
TEST_F(ScriptCommand, ThePackagesProgramNeedsNoStore) {
    const std::filesystem::path temporary = folder_.path() / "temporary";
    std::filesystem::create_directory(temporary);
    const char* old = std::getenv("TMPDIR");
    const std::string before = old ? old : "";
    ::setenv("TMPDIR", temporary.c_str(), 1);
    const Finished done = Program("../tests/wheel_program",
                                  {"script", "--pretend", "rtx3060", "--python", "python3", "--steps", "2",
                                   "--json", write("train.py", kTraining)},
                                  folder_.path())
                              .wait();
    old ? ::setenv("TMPDIR", before.c_str(), 1) : ::unsetenv("TMPDIR");
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(parse(done.out).at("memory")["requested_bytes"], 3000 + 3000 + 20000 + 2000);
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

/// The highest resident memory is the kernel's own record, so the measured peak does not depend on when it is
/// sampled.
TEST_F(ScriptCommand, HostMemoryIsMeasuredAndKept) {
    constexpr std::int64_t kHeld = 200 << 20;
    const Json before = result("import torch\ntorch.Tensor(1000)\n").at("memory").at("host_memory");
    const Json after = result("import torch\ntorch.Tensor(1000)\nheld = b'x' * (200 << 20)\ndel held\n")
                           .at("memory")
                           .at("host_memory");
    EXPECT_EQ(after["measured"], true);
    EXPECT_GE(after["peak_bytes"].get<std::int64_t>(), kHeld);
    EXPECT_LT(before["peak_bytes"].get<std::int64_t>(), kHeld);
    EXPECT_EQ(after["workers_bytes"], 0);
    EXPECT_THAT(script("import torch\ntorch.Tensor(1000)\n").out, HasSubstr(", measured ("));
    const Json run = parse(cli({"runs", "show", "2", "--json"}).out);
    EXPECT_GE(run["result"]["peak_rss_bytes"].get<std::int64_t>(), kHeld);
}

TEST_F(ScriptCommand, ItsRunIsInTheStoreAndMarkedAsPretended) {
    result(kTraining);
    const Json run = runs().at(0);
    EXPECT_EQ(run["name"], "train.py");
    EXPECT_EQ(run["device"], "pretended rtx3060");
    EXPECT_EQ(run["status"], "done");
    const Finished shown = cli({"runs", "show", "1"});
    EXPECT_THAT(shown.out, HasSubstr("pretended: nothing was executed"));
    EXPECT_THAT(shown.out, HasSubstr("train.py:5 forward"));
    const Json json = parse(cli({"runs", "show", "1", "--json"}).out);
    EXPECT_EQ(json["script"].size(), 1U);
    EXPECT_EQ(json["pretended"], true);
    EXPECT_EQ(testing::SchemaCheck().problem("run.json", json), "");
    const Finished report = cli({"report", "1", "--out", (folder_.path() / "report.html").string()});
    ASSERT_EQ(report.exit, 0) << report.err;
    EXPECT_THAT(textOf(folder_.path() / "report.html"), HasSubstr("run on a pretended GPU, rtx3060"));
}

TEST_F(ScriptCommand, OutOfMemoryIsSaidWithItsLine) {
    const Finished done = script("import torch\ntorch.Tensor(1000)\ntorch.Tensor(2 << 30)\n");
    EXPECT_EQ(done.exit, 3);
    EXPECT_THAT(done.err, HasSubstr("OutOfMemoryError"));
    EXPECT_THAT(done.err, ::testing::Not(HasSubstr("run_script.py"))) << "the traceback is the script's";
    EXPECT_THAT(
        done.out,
        HasSubstr("no: train.py:3: OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."));
    EXPECT_EQ(runs().at(0)["status"], "out_of_memory");
}

TEST_F(ScriptCommand, ExitsAsTheScriptDoes) {
    EXPECT_EQ(script("import sys, torch\ntorch.Tensor(1)\nsys.exit(7)\n").exit, 7);
    const Finished crashed = script("import torch\ntorch.Tensor(1)\nraise ValueError('bad\\nlines')\n");
    EXPECT_EQ(crashed.exit, 1);
    EXPECT_THAT(crashed.err, HasSubstr("highwater-cli: train.py:3: ValueError: bad\n"));
    const Finished idle = script("print('no GPU')\n");
    EXPECT_EQ(idle.exit, 0) << idle.err;
    EXPECT_THAT(idle.out, HasSubstr("the script never used the GPU"));
}

TEST_F(ScriptCommand, SaysThatPyTorchHasNoCodeForTheGpu) {
    const Finished done = script(
        "import torch\ntorch.Tensor(1)\n"
        "raise RuntimeError('CUDA error: no kernel image is available for execution on the "
        "device\\nMore.')\n");
    EXPECT_EQ(done.exit, 1);
    EXPECT_THAT(
        done.err,
        HasSubstr(
            "highwater-cli: train.py:3: RuntimeError: CUDA error: no kernel image is available for "
            "execution on the device; the GPU is sm_86, PyTorch 2.11.0+cu130 has code for sm_90, sm_120\n"));
}

TEST_F(ScriptCommand, ABudgetIsAGate) {
    EXPECT_EQ(script(kTraining, {"--budget", "1GiB"}).exit, 0);
    const Finished over = script(kTraining, {"--budget", "64MiB"});
    EXPECT_EQ(over.exit, 3) << "the CUDA context alone is larger";
    EXPECT_THAT(over.out, HasSubstr("exceeded"));
    EXPECT_THAT(over.err, HasSubstr("highwater-cli: the script needs "));
    EXPECT_THAT(over.err, HasSubstr(" of the device, more than the budget of 64.0 MiB\n"));
    EXPECT_EQ(script(kTraining, {"--budget", "64MiB", "--context", "0"}).exit, 0);
}

TEST_F(ScriptCommand, RemembersTheContextOfTheGpu) {
    const Json first = result(kTraining).at("memory");
    EXPECT_EQ(first["context_source"], "profile");
    EXPECT_EQ(result(kTraining, {"--context", "700MiB"}).at("memory")["context_bytes"], 700 << 20);
    const Finished next = script(kTraining);
    EXPECT_THAT(next.out, HasSubstr("with 700 MiB for the CUDA context, as it was given on this machine"));
    const Json json = result(kTraining).at("memory");
    EXPECT_EQ(json["context_bytes"], 700 << 20);
    EXPECT_EQ(json["context_source"], "given");
    EXPECT_EQ(json["device_bytes"], json["reserved_bytes"].get<std::int64_t>() + (700 << 20));
    EXPECT_EQ(result(kTraining, {"--context", "profile"}).at("memory")["context_bytes"],
              first["context_bytes"]);
    EXPECT_THAT(cli({"runs", "show", "3"}).out, HasSubstr("with 700 MiB for the CUDA context"))
        << "a run keeps what counted when it was made";
    EXPECT_EQ(script(kTraining, {"--context", "much"}).exit, 2);
}

TEST_F(ScriptCommand, EverywhereIsATableOfAllProfiles) {
    const Json json = result(kTraining, {"--all"});
    EXPECT_GT(json["everywhere"].size(), 20U);
    EXPECT_EQ(json["everywhere"][0]["fits"], true);
}

TEST_F(ScriptCommand, AnInterruptStopsItWhereItIs) {
    const std::string file = write("train.py",
                                   "import time\nimport torch\ntorch.Tensor(1000)\nprint('ready', "
                                   "flush=True)\nwhile True:\n    time.sleep(0.01)\n");
    Program program(
        "highwater-cli",
        {"script", "--pretend", "rtx3060", "--python", "python3", "--store", store().string(), file},
        folder_.path());
    ASSERT_TRUE(says(program, "ready"));
    program.signal(SIGINT);
    const Finished done = program.wait();
    EXPECT_EQ(done.exit, 130);
    EXPECT_THAT(done.err, HasSubstr("the script was stopped at train.py:"));
    EXPECT_EQ(runs().at(0)["status"], "cancelled");
    EXPECT_EQ(runs().at(0)["peak_allocated_bytes"], 1000);
}

TEST_F(ScriptCommand, OneThatNeverEndsIsStopped) {
    const Finished done =
        script("import time\nwhile True:\n    time.sleep(0.01)\n", {"--time-limit", "0.01"});
    EXPECT_EQ(done.exit, 130);
    EXPECT_THAT(done.err, HasSubstr("stopped the script after"));
    EXPECT_EQ(runs().at(0)["status"], "cancelled");
}

TEST_F(ScriptCommand, TwoDashesBeforeTheScriptEndTheOptions) {
    const Finished done = script(kTraining, {"--steps", "2", "--"}, {"--", "--lr"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("arguments ['--', '--lr'] __main__"));
    expectRefusal(cli({"script", "--pretend", "rtx3060", "--json", "--", "none.py"}),
                  "none.py: there is no such script");
}

TEST_F(ScriptCommand, ATimeThatCannotBeEstimatedIsAWarning) {
    const Finished done = script(kTraining, {"--steps", "2", "--time"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("the operators of a step could not be recorded: "));
    EXPECT_THAT(done.err, HasSubstr("no time of a step"));
    EXPECT_THAT(done.out, HasSubstr("Recorded as run 1."));
    expectRefusal(script(kTraining, {"--steps", "0", "--time"}), "--time needs a number of steps");
}

/// For programs that show a run while it goes on: the state during a step, then the steps, the result, and
/// what it says in words.
TEST_F(ScriptCommand, EventsTellTheStateDuringAStep) {
    const std::string file =
        write("train.py",
              "import os, time\nimport torch\nheld = torch.Tensor(5000)\n"
              "while not os.path.exists(os.path.join(os.path.dirname(__file__), 'go')):\n"
              "    time.sleep(0.01)\n" +
                  std::string(kTraining));
    Program program("highwater-cli",
                    {"script", "--pretend", "rtx3060", "--steps", "2", "--python", "python3", "--store",
                     store().string(), "--events", file},
                    folder_.path());
    ASSERT_TRUE(
        says(program, R"("temporaries":5000},"low":5000,"high":5000,"merged":1,"step":0,"phase":"setup"})"))
        << program.out();
    write("go", "");
    const Finished done = program.wait();
    ASSERT_EQ(done.exit, 0) << done.err;
    std::vector<Json> steps, results;
    std::istringstream lines(done.out);
    for (std::string line; std::getline(lines, line);) {
        const Json event = Json::parse(line);
        if (event["event"] == "step" || event["event"] == "result") {
            (event["event"] == "step" ? steps : results).push_back(event);
        }
    }
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[1]["peak"]["bytes"]["activations"], 5000 + 20000);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0]["words"]["time"], Json::array());
    EXPECT_THAT(results[0]["words"]["host"].get<std::string>(), HasSubstr(", measured ("));
    EXPECT_EQ(result(kTraining).count("words"), 0U) << "figures alone";
}

TEST_F(ScriptCommand, EventsOfRanksSayWhichOneAndEndWithTheirTable) {
    const Finished done = script(kTraining, {"--ranks", "2", "--steps", "2", "--events"});
    ASSERT_EQ(done.exit, 0) << done.err;
    std::multiset<int> steps;
    Json last;
    std::istringstream lines(done.out);
    for (std::string line; std::getline(lines, line);) {
        last = Json::parse(line);
        if (last["event"] == "step") {
            steps.insert(last["rank"].get<int>());
        }
    }
    EXPECT_EQ(steps, (std::multiset<int>{0, 0, 1, 1}));
    const Json& words = last["words"];
    ASSERT_EQ(words["ranks"].size(), 3U);
    EXPECT_EQ(words["ranks"][0][0], "rank");
    EXPECT_EQ(words["ranks"][2][0], "1");
    EXPECT_EQ(words["nccl"], "none: NCCL was not used");
    EXPECT_EQ(words["rank0_extra"], "nothing: no rank holds more");
    EXPECT_EQ(words["overflow"], "");
}

/// kTraining, in which rank 0 also holds 5000 bytes.
const std::string kOfRanks =
    "import os, torch\nrank = int(os.environ['RANK'])\nprint('rank', rank, 'of', "
    "os.environ['WORLD_SIZE'])\nextra = torch.Tensor(5000) if rank == 0 else None\n" +
    std::string(kTraining);

TEST_F(ScriptCommand, SeveralRanksAreOneStudyAndRankZerosExtraIsNamed) {
    const Json json = result(kOfRanks, {"--ranks", "3", "--steps", "2"});
    ASSERT_EQ(json["ranks"].size(), 3U);
    const std::int64_t alone = 3000 + 3000 + 20000 + 2000;
    for (int rank = 0; rank < 3; ++rank) {
        const Json& one = json["ranks"][static_cast<std::size_t>(rank)];
        EXPECT_EQ(one["rank"], rank);
        EXPECT_EQ(one["status"], "done");
        EXPECT_EQ(one["memory"]["steps"], 2);
        EXPECT_EQ(one["memory"]["requested_bytes"], alone + (rank == 0 ? 5000 : 0));
    }
    EXPECT_EQ(json["fullest_rank"], 0);
    EXPECT_EQ(json["memory"], json["ranks"][0]["memory"]);
    EXPECT_EQ(json["rank0_extra"]["allocated_bytes"], 5000);
    EXPECT_EQ(json["rank0_extra"]["by_other_ranks_bytes"], 0);
    EXPECT_EQ(json["nccl"]["communicators"], 0) << "this torch has none";
    const Json all = runs();
    ASSERT_EQ(all.size(), 3U);
    std::set<std::string> names, studies;
    for (const Json& run : all) {
        names.insert(run["name"]);
        studies.insert(run["study"]["id"]);
    }
    EXPECT_EQ(names, (std::set<std::string>{"train.py, rank 0", "train.py, rank 1", "train.py, rank 2"}));
    EXPECT_EQ(studies.size(), 1U);

    const Finished text = script(kOfRanks, {"--ranks", "2"});
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("rank 1 of 2\n"));
    EXPECT_THAT(text.out, HasSubstr("rank 0's extra    4.88 KiB more in whole blocks than any other rank"));
    EXPECT_THAT(text.out, HasSubstr("Recorded as runs 4, 5, one study."));
}

TEST_F(ScriptCommand, WhatOtherRanksHoldOnTheGpuOfRankZeroCounts) {
    const std::string text =
        "import torch\ntorch._C._cuda_hasPrimaryContext = lambda device: device == 0\ntorch.Tensor(1000)\n";
    const Json json = result(text, {"--ranks", "2", "--context", "100MiB"});
    const std::int64_t reserved = 1000 + (1 << 20);
    EXPECT_EQ(json["rank0_extra"]["by_other_ranks_bytes"], reserved + (100 << 20));
    EXPECT_EQ(json["fits"], true);
    const Finished full = script(text, {"--ranks", "2", "--context", "7GiB"});
    EXPECT_EQ(full.exit, 3) << "12 GiB hold one of these contexts";
    EXPECT_THAT(full.err, HasSubstr("highwater-cli: the GPU of rank 0 would hold 14.0 GiB, with what other "
                                    "ranks use there; it has 11.8 GiB\n"));
}

TEST_F(ScriptCommand, ARankThatFailsEndsTheOthers) {
    const Finished done = script(
        "import os, sys, time, torch\ntorch.Tensor(1)\nif os.environ['RANK'] == '1':\n    sys.exit(7)\n"
        "while True:\n    time.sleep(0.01)\n",
        {"--ranks", "2"});
    EXPECT_EQ(done.exit, 7);
    EXPECT_THAT(done.err, HasSubstr("highwater-cli: rank 1: the script ended with exit code 7\n"));
    std::map<std::string, std::string> states;
    for (const Json& run : runs()) {
        states[run["name"]] = run["status"];
    }
    EXPECT_EQ(states["train.py, rank 0"], "cancelled");
    EXPECT_EQ(states["train.py, rank 1"], "failed");
    EXPECT_EQ(script("import os, torch\ntorch.Tensor(1 << 40 if os.environ['RANK'] == '1' else 1)\n",
                     {"--ranks", "2"})
                  .exit,
              3);
    const Finished killed = script(
        "import os, torch\ntorch.Tensor(1)\nif os.environ['RANK'] == '1':\n    os.kill(os.getpid(), 9)\n",
        {"--ranks", "2"});
    EXPECT_EQ(killed.exit, 137);
    EXPECT_THAT(killed.err, HasSubstr("highwater-cli: rank 1: ended by signal 9\n"));
}

TEST_F(ScriptCommand, AnInterruptStopsAllRanks) {
    const std::string file = write("train.py",
                                   "import time\nimport torch\ntorch.Tensor(1000)\nprint('ready', "
                                   "flush=True)\nwhile True:\n    time.sleep(0.01)\n");
    Program program("highwater-cli",
                    {"script", "--pretend", "rtx3060", "--ranks", "2", "--python", "python3", "--store",
                     store().string(), file},
                    folder_.path());
    ASSERT_TRUE(says(program, "ready\nready"));
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit, 130);
    for (const Json& run : runs()) {
        EXPECT_EQ(run["status"], "cancelled");
    }
}

TEST_F(ScriptCommand, TorchrunIsReplacedByRanks) {
    expectRefusal(script("", {"-m", "torch.distributed.run", "--nproc-per-node", "2"}),
                  "torch.distributed.run starts processes of its own, which cannot be recorded; give the "
                  "training script itself, and --ranks 2 before it");
    expectRefusal(script("", {"--ranks", "9"}), "--ranks");
    expectRefusal(script("", {"--ranks", "2", "--all"}), "--all");
}

TEST_F(ScriptCommand, WhatCannotRunIsOneLine) {
    expectRefusal(cli({"script", "--pretend", "rtx3060", "none.py"}), "none.py: there is no such script");
    expectRefusal(cli({"script", "--pretend", "gtx1", "none.py"}), "\"gtx1\" is not a GPU profile");
    expectRefusal(cli({"script", "--pretend", "rtx3060"}), "no script is given");
    expectRefusal(script("", {"--budget", "much"}), "--budget");
    ::setenv("PYTHONPATH", folder_.path().c_str(), 1);
    std::filesystem::create_directory(folder_.path() / "torch");
    write("torch/__init__.py", "");
    write("torch/version.py", "__version__ = '2.4.1+cu121'\ncuda: str = '12.1'\n");
    expectRefusal(script("import torch\n"), "PyTorch 2.4 is too old");
    write("torch/version.py", "__version__ = '2.9.0+cpu'\ncuda: str = None\n");
    expectRefusal(script("import torch\n"), "is built without CUDA");
    write("torch/version.py", "__version__ = '2.9.0+cu118'\ncuda: str = '11.8'\n");
    expectRefusal(script("import torch\n"), "built for CUDA 11");
}

}  // namespace
}  // namespace highwater::e2e
