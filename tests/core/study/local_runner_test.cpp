#include "core/study/local_runner.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace highwater::study {
namespace {

using ::testing::HasSubstr;

Subject small(std::optional<Bytes> budget = {}) {
    Subject subject{"small", {}, budget};
    subject.experiment.input = stack::SyntheticInput{};
    return subject;
}

/// A store, and shell scripts in place of the engine.
class LocalRunner : public ::testing::Test {
protected:
    std::filesystem::path script(const std::string& lines) const {
        const auto path = folder_.path() / "engine.sh";
        std::ofstream(path) << "#!/bin/sh\nshift\nRUN=$1\necho \"$@\" > $RUN/arguments\n" << lines;
        ::chmod(path.c_str(), 0755);
        return path;
    }
    base::Result<RunOutcome> run(const LocalRun& how, const Subject& subject = small()) {
        return localRunner(store_, how, cancel_)(subject, 0);
    }
    std::string arguments() {
        std::ifstream file(store_.folder() / "runs" / store_.list()->back().id / "arguments");
        std::string line;
        std::getline(file, line);
        return line.substr(line.find(' ') + 1);
    }
    highwater::test::TemporaryFolder folder_;
    runs::RunStore store_ = *runs::RunStore::open(folder_.path() / "store");
    std::atomic<bool> cancel_{false};
};

TEST_F(LocalRunner, AMissingEngineIsOneErrorAndLeavesNoRun) {
    LocalRun how;
    how.engine = folder_.path() / "none";
    const auto outcome = run(how);
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message, HasSubstr("there is no engine"));
    EXPECT_TRUE(store_.list()->empty());
}

TEST_F(LocalRunner, AnEngineThatCannotBeExecutedIsAnErrorAndTheRunIsSettled) {
    LocalRun how;
    how.engine = folder_.path() / "plain.txt";
    std::ofstream(how.engine) << "no program";
    ASSERT_FALSE(run(how));
    ASSERT_EQ(store_.list()->size(), 1U);
    EXPECT_EQ(store_.list()->front().status, wire::RunStatus::Failed);
}

TEST_F(LocalRunner, PassesStepsBudgetAndDeviceOnAndWantsNoTrace) {
    LocalRun how;
    how.engine = script("");
    how.device = "cuda:1";
    ASSERT_TRUE(run(how, small(1000)));
    EXPECT_EQ(arguments(), "--device cuda:1 --steps 9 --warmup 3 --budget 1000 --no-trace");
    how.steps = 1;
    how.trace = true;
    how.device = "cpu";
    ASSERT_TRUE(run(how));
    EXPECT_EQ(arguments(), "--device cpu --steps 1 --warmup 0");
    how.steps = 0;
    EXPECT_FALSE(run(how));
}

TEST_F(LocalRunner, StepsAreThoseOfTheEventsWarmUpIncluded) {
    wire::StepDone step;
    std::string lines;
    for (int i = 0; i < 4; ++i) {
        step.index = i;
        step.warmup = i == 0;
        step.waited = i == 3;  // its time does not count
        step.total = 10.0 - i;
        const std::string line = wire::toLine(step);
        lines += "cat <<'END'\n" + line + "END\n";
    }
    LocalRun how;
    how.engine = script(lines + "exit 4\n");
    int heard = 0;
    how.event = [&](const wire::Event& event) { heard += std::holds_alternative<wire::StepDone>(event); };
    const auto outcome = run(how);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->stepMs, (std::vector<Millis>{10, 9, 8}));
    EXPECT_EQ(heard, 4);
    EXPECT_EQ(outcome->result.status, wire::RunStatus::Failed);
    ASSERT_TRUE(outcome->result.failure);
    EXPECT_THAT(outcome->result.failure->why, HasSubstr("exit code 4"));
    EXPECT_EQ(outcome->result.runId, store_.list()->front().id);
}

TEST_F(LocalRunner, CancelIsPassedOn) {
    LocalRun how;
    how.engine = script(
        "trap 'exit 130' INT\necho '{\"event\":\"warning\",\"message\":\"up\"}'\n"
        "while :; do sleep 0.02; done\n");
    how.event = [&](const wire::Event&) { cancel_ = true; };
    const auto outcome = run(how);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->result.status, wire::RunStatus::Cancelled);
    EXPECT_EQ(store_.list()->front().status, wire::RunStatus::Cancelled);
}

TEST_F(LocalRunner, AnEngineThatDoesNotHearIsEndedAfterAGrace) {
    LocalRun how;
    how.engine = script(
        "trap '' INT\necho '{\"event\":\"warning\",\"message\":\"up\"}'\n"
        "while :; do sleep 0.02; done\n");
    how.grace = std::chrono::milliseconds(300);
    how.event = [&](const wire::Event&) { cancel_ = true; };
    const auto outcome = run(how);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->result.status, wire::RunStatus::Cancelled);
}

TEST_F(LocalRunner, ScansAreHandedOver) {
    Subject subject{"scan", {}, {}};
    subject.experiment.input = stack::ScanInput{{{"head.nii.gz", {}, 0}}, "", 1, {8}, {}, {}};
    LocalRun how;
    how.engine = script("");
    const auto refused = run(how, subject);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("\"scan\" trains on scans"));
    EXPECT_TRUE(store_.list()->empty());
    how.volumes = [](const stack::Experiment&) { return base::Result<std::vector<int>>({0, 0}); };
    ASSERT_TRUE(run(how, subject));
    EXPECT_THAT(arguments(), ::testing::ContainsRegex("--volume [0-9]+ --volume [0-9]+"));
    how.volumes = [](const stack::Experiment&) -> base::Result<std::vector<int>> {
        return base::Error{"head.nii.gz: is not a scan"};
    };
    EXPECT_EQ(run(how, subject).error().message, "head.nii.gz: is not a scan");
}

}  // namespace
}  // namespace highwater::study
