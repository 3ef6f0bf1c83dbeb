#include <fmt/format.h>

#include <set>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

/// Data-parallel runs: highwater-engine starts the other ranks as separate processes.
namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

class RanksCommand : public EngineCliTest {
protected:
    /// Without convolutions, so that its prediction is exact on any machine.
    std::string exactExperiment() const {
        return experiment(Json::parse(R"({"input": {"synthetic": [3, 16, 16]}, "loss": "mean",
            "stack": [{"type": "batch_norm"}, {"type": "relu"}, {"type": "flatten"},
                      {"type": "linear", "out_features": 600}, {"type": "relu"},
                      {"type": "linear", "out_features": 7}],
            "optimizer": {"type": "adam"}, "step": {"micro_batches": 2}})"));
    }
    /// The processes that the engine of a run has started.
    std::vector<int> othersOf(int engine) const {
        std::vector<int> found;
        std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", engine));
        for (int pid = 0; file >> pid;) {
            found.push_back(pid);
        }
        return found;
    }
    static bool lives(int pid) {
        std::ifstream file(fmt::format("/proc/{}/stat", pid));
        std::string text;
        std::getline(file, text);
        const std::size_t end = text.rfind(')');
        return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z';
    }
    /// Starts a long run of two ranks, and waits until it is training.
    struct Started {
        std::unique_ptr<Program> program;
        int engine = 0, other = 0;
    };
    Started startLong() {
        std::vector<std::string> arguments = longRun(longExperiment());
        arguments.insert(arguments.end(), {"--ranks", "2"});
        Started made{std::make_unique<Program>("highwater-cli", withStore(arguments), folder_.path()), 0, 0};
        EXPECT_TRUE(says(*made.program, "\"event\":\"step\""));
        made.engine = enginePid(runs().at(0).at("id"));
        const std::vector<int> others = othersOf(made.engine);
        EXPECT_EQ(others.size(), 1U);
        made.other = others.empty() ? 0 : others.front();
        EXPECT_TRUE(lives(made.other));
        return made;
    }
    static void expectGone(const Started& run) {
        EXPECT_TRUE(eventually([&] { return !lives(run.engine) && !lives(run.other); }));
    }
};

TEST_F(RanksCommand, EachRankNeedsWhatWasPredicted) {
    const std::string path = exactExperiment();
    for (const std::vector<std::string>& how :
         {std::vector<std::string>{"--ranks", "2"}, {"--ranks", "3", "--gradient-as-bucket-view"}}) {
        std::vector<std::string> predict{"predict", path, "--json"},
            run{"run", path, "--steps", "4", "--json"};
        predict.insert(predict.end(), how.begin(), how.end());
        run.insert(run.end(), how.begin(), how.end());
        const Finished foretold = Program("highwater-cli", predict, folder_.path()).wait();
        ASSERT_EQ(foretold.exit, 0) << foretold.err;
        const Json predicted = parse(foretold.out);
        EXPECT_EQ(testing::SchemaCheck().problem("predict.json", predicted), "");
        const auto ranks = std::stoi(how[1]);
        EXPECT_EQ(predicted.at("ranks").at("count"), ranks);
        EXPECT_EQ(predicted.at("ranks").at("total_batch_size"), 2 * ranks);

        const Finished done = cli(run);
        ASSERT_EQ(done.exit, 0) << done.err;
        EXPECT_EQ(done.err, "");
        const Json result = parse(done.out);
        EXPECT_EQ(testing::SchemaCheck().problem("result.json", result), "");
        ASSERT_EQ(result.at("ranks").size(), static_cast<std::size_t>(ranks));
        std::set<double> losses;
        for (const Json& rank : result.at("ranks")) {
            EXPECT_EQ(rank.at("status"), "done");
            EXPECT_EQ(rank.at("peak_allocated_bytes"), predicted.at("peak_allocated_bytes").at("expected"));
            EXPECT_EQ(rank.at("peak_by_category"), predicted.at("peak_by_category"));
            EXPECT_EQ(rank.at("step_ms").at("n"), 4);
            EXPECT_EQ(rank.at("weights"), result.at("ranks").at(0).at("weights"));
            losses.insert(rank.at("loss_last").get<double>());
        }
        EXPECT_EQ(losses.size(), static_cast<std::size_t>(ranks)) << "each rank has data of its own";
        EXPECT_EQ(result.at("predicted").at("peak_allocated_bytes"), predicted.at("peak_allocated_bytes"));
    }
}

TEST_F(RanksCommand, CheckpointedSegmentsAndInplaceAbnTrainAlike) {
    const std::string path = experiment(Json::parse(R"({
        "stack": [{"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}, {"type": "inplace_abn"},
                  {"type": "block", "checkpoint": true, "layers": [
                      {"type": "conv", "out_channels": 6, "kernel_size": 3, "padding": 1}, {"type": "dropout", "p": 0.3}]},
                  {"type": "block", "checkpoint": true, "layers": [
                      {"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}]}]})"));
    const Finished done = cli({"run", path, "--steps", "3", "--ranks", "2", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json ranks = parse(done.out).at("ranks");
    EXPECT_EQ(ranks.at(0).at("weights"), ranks.at(1).at("weights"));
    EXPECT_EQ(ranks.at(0).at("peak_allocated_bytes"), ranks.at(1).at("peak_allocated_bytes"));
    EXPECT_NE(ranks.at(0).at("loss_last"), ranks.at(1).at("loss_last"));
}

TEST_F(RanksCommand, AKilledRankEndsTheRunAndIsNamed) {
    const Started run = startLong();
    ::kill(run.other, SIGKILL);
    const Finished failed = run.program->wait();
    EXPECT_EQ(failed.exit, 4);
    EXPECT_THAT(failed.err, HasSubstr("rank 1: killed by signal 9"));
    EXPECT_EQ(std::count(failed.err.begin(), failed.err.end(), '\n'), 1) << failed.err;
    EXPECT_EQ(runs().at(0).at("status"), "failed");
    expectGone(run);
}

TEST_F(RanksCommand, AKilledEngineLeavesNoRankBehind) {
    const Started run = startLong();
    ::kill(run.engine, SIGKILL);
    EXPECT_EQ(run.program->wait().exit, 4);
    expectGone(run);
}

TEST_F(RanksCommand, AnInterruptEndsAllRanksAndIsRecorded) {
    const Started run = startLong();
    run.program->signal(SIGINT);
    const Finished interrupted = run.program->wait();
    EXPECT_EQ(interrupted.exit, 130) << interrupted.err;
    const Json row = runs().at(0);
    EXPECT_EQ(row.at("status"), "cancelled");
    EXPECT_GT(row.at("peak_allocated_bytes"), 0);
    expectGone(run);
}

TEST_F(RanksCommand, AnInterruptEndsARunThatWaitsForAStoppedRank) {
    const Started run = startLong();
    ::kill(run.other, SIGSTOP);
    run.program->signal(SIGINT);
    const Finished interrupted = run.program->wait();
    EXPECT_EQ(interrupted.exit, 130) << interrupted.err;
    EXPECT_EQ(runs().at(0).at("status"), "cancelled");
    expectGone(run);
}

TEST_F(RanksCommand, ABudgetIsOneRanks) {
    const Finished full = cli({"run", exactExperiment(), "--ranks", "2", "--budget", "6MiB"});
    EXPECT_EQ(full.exit, 3);
    EXPECT_THAT(full.err, HasSubstr("over the budget of 6.00 MiB"));
    EXPECT_EQ(runs().at(0).at("status"), "out_of_memory");
}

TEST_F(RanksCommand, WhatCannotRunIsRefusedInOneLine) {
    const std::string path = experiment();
    expectRefusal(cli({"run", path, "--ranks", "2", "--device", "cuda"}), "predict EXPERIMENT --ranks N");
    expectRefusal(cli({"run", path, "--ranks", "9"}), "--ranks");
    expectRefusal(cli({"run", path, "--ranks", "2", "--host", "far"}), "--host");
    const std::string still = experiment(Json::parse(R"({"step": {"train": false}})"));
    expectRefusal(cli({"run", still, "--ranks", "2"}), "/step/train");
    EXPECT_EQ(runs(), Json::array());
}

TEST_F(RanksCommand, OnGpusNcclsBuffersAreAnEstimate) {
    const Finished two =
        Program("highwater-cli", {"predict", experiment(), "--ranks", "2", "--target", "a100-40"},
                folder_.path())
            .wait();
    EXPECT_EQ(two.exit, 0) << two.err;
    EXPECT_THAT(two.out, HasSubstr("NCCL's buffers"));
    EXPECT_THAT(two.out, HasSubstr("estimated from published figures"));
}

}  // namespace
}  // namespace highwater::e2e
