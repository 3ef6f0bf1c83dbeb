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
    std::vector<std::string> words(const std::string& text, const std::vector<std::string>& options,
                                   const std::string& budget = "1GiB") {
        std::vector<std::string> all = {"script",  "--pretend", "rtx3060",        "--python",
                                        "python3", "--store",   store().string(), "--context",
                                        "0",       "--budget",  budget,           "--try"};
        all.insert(all.end(), options.begin(), options.end());
        all.push_back(write("train.py", text));
        return all;
    }
    Finished tries(const std::string& text, const std::vector<std::string>& options = {},
                   const std::string& budget = "1GiB") {
        return Program("highwater-cli", words(text, options, budget), folder_.path()).wait();
    }
};

/// Four blocks that each keep 250 MiB and return 25 MiB.
constexpr const char* kBlocks = R"(import torch
kept = []
class Block(torch.Module):
    def forward(self, size):
        made = torch.Tensor(size)
        kept.extend([made, torch.Tensor(10 * size)])
        return [made]
class Network(torch.Module):
    def __init__(self):
        super().__init__(1000)
        self.blocks = [Block(1000) for _ in range(4)]
    def named_modules(self):
        return [("", self)] + [(f"blocks.{i}", block) for i, block in enumerate(self.blocks)]
    def named_parameters(self):
        return [(name + ".weight", module.parameter) for name, module in self.named_modules()]
    def forward(self, size):
        return [tensor for block in self.blocks for tensor in block(size)]
network = Network()
optimizer = torch.Optimizer(network)
for step in range(1000):
    network(25 << 20)
    for tensor in kept:
        if tensor.address in torch.cuda.living:
            tensor.free(frames=[])
    kept.clear()
    optimizer.step()
)";

TEST_F(ScriptTry, RecomputesTheModulesThatHoldTheMost) {
    const Finished done = tries(kBlocks, {"--json", "--keep", (folder_.path() / "fits.py").string()});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    const Json& plain = json["as_it_is"];
    EXPECT_EQ(plain["status"], "out_of_memory");
    EXPECT_EQ(plain["on_larger_gpu"], true);
    EXPECT_EQ(plain["allocated_bytes"], 4 * (275 << 20) + 10 * 1000)
        << "with parameters and momentum, on a larger GPU";
    const Json row = json["rows"].at(0);
    EXPECT_EQ(json["fitting"].at(0), row["name"]);
    EXPECT_EQ(row["name"], "recompute 2 modules (Block)");
    EXPECT_EQ(row["fits"], true);
    EXPECT_EQ(row["results"], "equal");
    EXPECT_EQ(row["modules"], Json::array({"blocks.0", "blocks.1"}));
    EXPECT_EQ(row["allocated_bytes"], (2 * 25 + 2 * 275) * (1 << 20) + 10 * 1000);
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
    ASSERT_EQ(tries(kBlocks).exit, 0);
    const Json rows = runs();
    ASSERT_GE(rows.size(), 2U);
    EXPECT_EQ(rows.at(0)["name"], "as it is");
    EXPECT_EQ(rows.at(1)["name"], "recompute 2 modules (Block)");
    EXPECT_EQ(rows.at(1)["device"], "pretended rtx3060");
    EXPECT_EQ(rows.at(1)["study"], rows.at(0)["study"]);
    EXPECT_EQ(rows.at(1)["study"]["name"], "What would help: train.py on rtx3060");
}

TEST_F(ScriptTry, SaysWhatFitsAndPrintsItsFile) {
    const Finished done = tries(kBlocks);
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("as it is: 1.08 GiB on the device, 1.07 GiB allocated, out of memory\n"));
    EXPECT_THAT(done.out, HasSubstr("recompute 2 modules (Block): 601 MiB on the device, 600 MiB allocated, "
                                    "fits\n"));
    EXPECT_THAT(done.out, HasSubstr("equal to the bit"));
    EXPECT_THAT(done.out, HasSubstr("\nMODULES = {\n    \"blocks.0\", \"blocks.1\",\n}\n"));
    EXPECT_THAT(done.out, HasSubstr("    when_called(\"Network\", change)\n"));
    EXPECT_THAT(done.out, Not(HasSubstr("in_bfloat16"))) << "only what the change needs";
}

TEST_F(ScriptTry, NothingIsTriedIfItFits) {
    const Finished done =
        tries("import torch\ntorch.Tensor(1000)\n", {"--keep", (folder_.path() / "fits.py").string()});
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("The script fits as it is"));
    EXPECT_EQ(runs().size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "fits.py"));
}

TEST_F(ScriptTry, ABudgetCounts) {
    const Finished enough = tries(kBlocks, {"--json"}, "500MiB");
    EXPECT_EQ(enough.exit, 0) << enough.err;
    const Json json = parse(enough.out);
    EXPECT_EQ(json["limit_bytes"], 500 << 20);
    EXPECT_EQ(json["fitting"], Json::array({"recompute 4 modules (Block)"}));
    const Finished little = tries(kBlocks, {"--json"}, "300MiB");
    EXPECT_EQ(little.exit, 3) << "a block is recomputed as a whole";
    EXPECT_EQ(parse(little.out)["fitting"], Json::array());
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
    ::setenv("TRY_READY", (folder_.path() / "ready").c_str(), 1);
    Program program("highwater-cli",
                    words(std::string(R"(import os, time
if "HIGHWATER_SCRIPT_CHANGED" in os.environ:
    open(os.environ["TRY_READY"], "w").close()
    while True:
        time.sleep(0.01)
)") + kBlocks,
                          {"--json"}),
                    folder_.path());
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder_.path() / "ready"); }));
    ::unsetenv("TRY_READY");
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
