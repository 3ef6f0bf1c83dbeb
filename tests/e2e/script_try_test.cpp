#include <cstdlib>

#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `script --try` with tests/data/script/torch, a GPU of 1 GiB.
class ScriptTry : public CliTest {
protected:
    void SetUp() override {
        if (system("command -v python3 >/dev/null") != 0) {
            GTEST_SKIP() << "python3 is not installed";
        }
        ::setenv("PYTHONPATH", HIGHWATER_SOURCE_DIR "/tests/data/script", 1);
        ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
    }
    void TearDown() override { ::unsetenv("PYTHONPATH"); }
    std::vector<std::string> words(const std::string& text, const std::vector<std::string>& options) {
        std::vector<std::string> all = {"script",  "--pretend",      "rtx3060",   "--python", "python3",
                                        "--store", store().string(), "--context", "0",        "--try"};
        all.insert(all.end(), options.begin(), options.end());
        all.push_back(write("train.py", text));
        return all;
    }
    Finished tries(const std::string& text, const std::vector<std::string>& options = {}) {
        return Program("highwater-cli", words(text, options), folder_.path()).wait();
    }
};

/// Four modules, each inside the one before, whose outputs are kept: 300 MiB each.
constexpr const char* kTraining = R"(import torch
model = torch.Module(1000, torch.Module(1000, torch.Module(1000, torch.Module(1000))))
optimizer = torch.Optimizer(model)
for step in range(1000):
    for tensor in model(300 << 20):
        tensor.free(frames=[])
    optimizer.step()
)";

TEST_F(ScriptTry, RecomputesTheModulesThatHoldTheMost) {
    const Finished done = tries(kTraining, {"--json", "--keep", "fits.py"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    const Json& plain = json["as_it_is"];
    EXPECT_EQ(plain["status"], "out_of_memory");
    EXPECT_EQ(plain["on_larger_gpu"], true);
    EXPECT_EQ(plain["allocated_bytes"], 4 * (300 << 20) + 8 * 1000)
        << "four outputs, parameters and momentum, without a limit";
    const Json row = json["rows"].at(0);
    EXPECT_EQ(json["fitting"].at(0), row["name"]);
    EXPECT_EQ(row["name"], "recompute 1 module (Module)");
    EXPECT_EQ(row["fits"], true);
    EXPECT_EQ(row["results"], "equal");
    EXPECT_EQ(row["modules"], Json::array({"child"}));
    EXPECT_EQ(row["allocated_bytes"], 2 * (300 << 20) + 8 * 1000);
    EXPECT_EQ(textOf(folder_.path() / "fits.py"), row["file"].get<std::string>());
    EXPECT_THAT(textOf(folder_.path() / "train.py"), Not(HasSubstr("checkpoint"))) << "it is not changed";

    // The file runs the script, with the same memory.
    const Json kept =
        parse(Program("highwater-cli",
                      {"script", "--pretend", "rtx3060", "--python", "python3", "--store", store().string(),
                       "--context", "0", "--json", (folder_.path() / "fits.py").string()},
                      folder_.path())
                  .wait()
                  .out);
    EXPECT_EQ(kept["memory"]["allocated_bytes"], row["allocated_bytes"]);
}

TEST_F(ScriptTry, RunsAreOneStudyAndNamedByTheirChanges) {
    ASSERT_EQ(tries(kTraining).exit, 0);
    const Json rows = runs();
    ASSERT_GE(rows.size(), 2U);
    EXPECT_EQ(rows.at(0)["name"], "as it is");
    EXPECT_EQ(rows.at(1)["name"], "recompute 1 module (Module)");
    EXPECT_EQ(rows.at(1)["device"], "pretended rtx3060");
    EXPECT_EQ(rows.at(1)["study"], rows.at(0)["study"]);
    EXPECT_EQ(rows.at(1)["study"]["name"], "What would help: train.py on rtx3060");
}

TEST_F(ScriptTry, SaysWhatFitsAndPrintsItsFile) {
    const Finished done = tries(kTraining);
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("as it is: 1.17 GiB on the device, 1.17 GiB allocated, out of memory\n"));
    EXPECT_THAT(done.out, HasSubstr("recompute 1 module (Module): 601 MiB on the device, 600 MiB allocated, "
                                    "fits\n"));
    EXPECT_THAT(done.out, HasSubstr("equal to the bit"));
    EXPECT_THAT(done.out, HasSubstr("\nMODULES = {\n    \"child\",\n}\n"));
    EXPECT_THAT(done.out, HasSubstr("    when_called(\"Module\", change)\n"));
    EXPECT_THAT(done.out, Not(HasSubstr("in_bfloat16"))) << "only what the change needs";
}

TEST_F(ScriptTry, NothingIsTriedIfItFits) {
    const Finished done = tries("import torch\ntorch.Tensor(1000)\n", {"--keep", "fits.py"});
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("The script fits as it is"));
    EXPECT_EQ(runs().size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "fits.py"));
}

TEST_F(ScriptTry, ABudgetCounts) {
    const Json json = parse(tries(kTraining, {"--json", "--budget", "400MiB"}).out);
    EXPECT_EQ(json["limit_bytes"], 400 << 20);
    EXPECT_EQ(json["fitting"].size(), 0U) << "two outputs remain";
    EXPECT_EQ(tries("import torch\ntorch.Tensor(1000)\n", {"--budget", "400MiB"}).exit, 0);
}

TEST_F(ScriptTry, ExitsWithThreeIfNothingFits) {
    const Finished done = tries("import torch\ntorch.Tensor(2 << 30)\n");
    EXPECT_EQ(done.exit, 3);
    EXPECT_THAT(done.out, HasSubstr("as it is: 2.00 GiB on the device"));
}

TEST_F(ScriptTry, AScriptThatFailsIsNotTried) {
    const Finished done = tries("import torch\ntorch.Tensor(1)\nraise ValueError('bad')\n");
    EXPECT_NE(done.exit, 0);
    EXPECT_THAT(done.err, HasSubstr("highwater-cli: train.py:3: ValueError: bad\n"));
    EXPECT_EQ(runs().size(), 1U);
}

TEST_F(ScriptTry, AnInterruptEndsWithTheRowsSoFar) {
    Program program("highwater-cli",
                    words(std::string(R"(import os, time
if "HIGHWATER_SCRIPT_CHANGED" in os.environ:
    open("ready", "w").close()
    while True:
        time.sleep(0.01)
)") + kTraining,
                          {"--json"}),
                    folder_.path());
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder_.path() / "ready"); }));
    program.signal(SIGINT);
    const Finished done = program.wait();
    EXPECT_EQ(done.exit, 130);
    const Json json = parse(done.out);
    EXPECT_EQ(json["stopped"], true);
    ASSERT_EQ(json["rows"].size(), 1U);
    EXPECT_EQ(json["rows"][0]["status"], "cancelled");
}

TEST_F(ScriptTry, OptionsBelongTogether) {
    expectRefusal(cli({"script", "--pretend", "rtx3060", "--keep", "fits.py", "train.py"}), "--try");
}

}  // namespace
}  // namespace highwater::e2e
