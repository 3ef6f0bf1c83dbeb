#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/process.h"
#include "core/stack/json/json.h"
#include "core/stack/ranks.h"
#include "tests/core/predict/accuracy/foretold.h"
#include "tests/core/temporary_folder.h"

/// Two ranks on the CPU: this process is rank 0, whose every allocation is compared; the engine is rank 1.
namespace highwater::predict::testing {
namespace {

/// Rank 1 of a case that this process measures as rank 0.
class OtherRank {
public:
    explicit OtherRank(const Case& each) : file_((folder_.path() / "experiment.json").string()) {
        EXPECT_TRUE(stack::saveExperiment(each.experiment, file_));
        const auto memory = engine::RankLink::makeMemory(2);
        auto pipe = base::openPipe();
        base::Launch launch;
        launch.program = HIGHWATER_ENGINE_PROGRAM;
        launch.arguments = {"--experiment", file_, "--steps", "2", "--warmup", "0",
                            "--ranks",      "2",   "--rank",  "1", "--link",   std::to_string(memory->get())};
        if (each.ranks.gradientAsBucketView) {
            launch.arguments.emplace_back("--gradient-as-bucket-view");
        }
        launch.output = pipe->write.get();
        launch.errors = 2;
        launch.inherited = {memory->get()};
        launch.endsWithStarter = true;
        auto started = base::Process::start(launch);
        EXPECT_TRUE(started) << started.error().message;
        process_ = std::move(*started);
        output_ = std::move(pipe->read);
        link_ = std::move(*engine::RankLink::join(memory->get(), 0, 2));
    }

    void join(engine::RunRequest& request, const Ranks& ranks) const {
        request.ranks.emplace();
        request.ranks->link = link_;
        request.ranks->gradientAsBucketView = ranks.gradientAsBucketView;
        request.ranks->seed = request.experiment.step.seed;
    }

    wire::RankResult result() {
        std::string text;
        const auto code = process_.follow(
            output_.get(),
            [&](std::string_view part) {
                text += part;
                return base::Status{};
            },
            [](auto) { return base::Status{}; });
        EXPECT_EQ(*code, 0);
        const auto result = wire::resultFromJson(nlohmann::ordered_json::parse(text));
        EXPECT_TRUE(result) << result.error().message;
        return result->ranks.at(0);
    }

private:
    test::TemporaryFolder folder_;
    std::string file_;
    base::Process process_;
    base::Descriptor output_;
    std::shared_ptr<engine::RankLink> link_;
};

void expectBothForetold(Accuracy& accuracy, Case each) {
    OtherRank other(each);
    each.prepare = [&](engine::RunRequest& request) { other.join(request, each.ranks); };
    const auto outcome = accuracy.run(each);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->predicted.peak, outcome->measured.peak);
    EXPECT_EQ(outcome->predicted.atPeak, outcome->measured.atPeak);
    EXPECT_EQ(outcome->predicted.atEnd, outcome->measured.atEnd);
    EXPECT_EQ(outcome->difference, "");
    const wire::RankResult second = other.result();
    EXPECT_EQ(second.status, wire::RunStatus::Done);
    EXPECT_EQ(second.peakAllocated, outcome->predicted.peak);
    EXPECT_EQ(second.peakByCategory, outcome->predicted.atPeak);
}

TEST(RanksAccuracy, TwentyRandomStacksOnTwoRanks) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    constexpr int kStacks = 20;
    Accuracy accuracy;
    int stacks = 0, checkpointed = 0, normed = 0, micro = 0;
    for (int seed = 1000; stacks < kStacks; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        Case each = makeCase(seed);
        if (!stack::checkRanks(each.experiment, each.info)) {
            continue;
        }
        each.ranks = {2, stacks % 2 == 1};
        ++stacks;
        checkpointed += each.checkpointed ? 1 : 0;
        micro += each.experiment.step.microBatches > 1 ? 1 : 0;
        normed += std::any_of(each.info.layers.begin(), each.info.layers.end(),
                              [](const auto& layer) { return layer.type == "batch_norm"; })
                      ? 1
                      : 0;
        expectBothForetold(accuracy, std::move(each));
    }
    EXPECT_GE(checkpointed, 3);
    EXPECT_GE(normed, 3);
    EXPECT_GE(micro, 3);
    fmt::print("{} stacks on two ranks: {} checkpointed, {} with batch_norm, {} in micro-batches\n", stacks,
               checkpointed, normed, micro);
}

/// The one bucket of the first step becomes two.
TEST(RanksAccuracy, SeveralBuckets) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    Accuracy accuracy;
    for (const bool asView : {false, true}) {
        for (const bool keeps : {false, true}) {
            SCOPED_TRACE(fmt::format("views {}, gradients kept {}", asView, keeps));
            Case each;
            each.experiment = *stack::parseExperiment(
                R"({"schema": "highwater.experiment/1", "input": {"synthetic": [64, 4, 4, 4]}, "loss": "mean",
                    "stack": [{"type": "conv", "dims": 3, "out_channels": 256, "kernel_size": 3},
                              {"type": "batch_norm"}, {"type": "relu"},
                              {"type": "conv", "dims": 3, "out_channels": 512, "kernel_size": 2},
                              {"type": "flatten"}, {"type": "linear", "out_features": 9000},
                              {"type": "linear", "out_features": 10}],
                    "optimizer": {"type": "adamw"},
                    "step": {"batch_size": 2, "clip_gradients": 1.0}})",
                "test");
            each.experiment.step.keepGradients = keeps;
            each.experiment.backend.threads = 1;
            each.info = *stack::inferShapes(each.experiment);
            each.ranks = {2, asView};
            expectBothForetold(accuracy, std::move(each));
        }
    }
}

}  // namespace
}  // namespace highwater::predict::testing
