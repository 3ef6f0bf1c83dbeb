#include "core/script/outcome.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/wire/running_engine.h"
#include "tests/core/temporary_folder.h"

namespace highwater::script {
namespace {

using ::testing::HasSubstr;

/// The files that run_script.py and the pretended device leave in a run's folder.
class Outcome : public ::testing::Test {
protected:
    void SetUp() override {
        memory::Trace trace;
        trace.blocks = {{1000, 1024, -1, -1}};
        trace.events = {{0, 0, -1, memory::TraceEvent::Kind::Allocate, memory::Category::Activations,
                         memory::Phase::Forward}};
        trace.allEvents = 1;
        std::ofstream out(folder_.path() / "snapshot.pickle", std::ios::binary);
        ASSERT_TRUE(capture::write(trace, capture::Format::Snapshot, out));
        write("script-result.json",
              R"({"allocated": 1024, "reserved": 2097152, "requested": 1000, "retries": 1, "steps": 2,
              "reads": [{"place": "train.py:7", "times": 3}]})");
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.path() / name) << text;
    }
    base::Result<ScriptOutcome> read() const {
        return readOutcome(folder_.path(), {{"train.py"}, "", "", "rtx3060", 3, 5, 100});
    }
    test::TemporaryFolder folder_;
};

TEST_F(Outcome, HoldsWhatWasLeft) {
    write("device.json",
          R"({"workspaces": {"asked": 2, "cached": 3, "table": 0, "guessed": 1, "largest": 4096,
          "benchmarked": {"operations": 1, "least": 0, "most": 4096}}, "unmodeled": ["cufftExecC2C"]})");
    const auto outcome = read();
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->requested, 1000);
    EXPECT_EQ(outcome->allocated, 1024);
    EXPECT_EQ(outcome->onDevice(), 2097152 + 100);
    EXPECT_EQ(outcome->others, 5);
    ASSERT_EQ(outcome->reads.size(), 1U);
    EXPECT_EQ(outcome->reads[0].times, 3);
    ASSERT_TRUE(outcome->workspaces);
    EXPECT_EQ(outcome->workspaces->asked, 5) << "now or earlier";
    EXPECT_EQ(outcome->workspaces->benchmarkMost, 4096);
    EXPECT_TRUE(outcome->searches());
    EXPECT_EQ(outcome->mostInSearch(), outcome->capacity - 5) << "all that is free may be held for a moment";
    EXPECT_THAT(outcome->unmodeled, ::testing::ElementsAre("cufftExecC2C"));

    const Completed run = completed("id", {}, *outcome, 0);
    EXPECT_EQ(run.result.status, wire::RunStatus::Done);
    EXPECT_EQ(run.result.peakAllocated, 1000);
    EXPECT_EQ(run.result.deviceAtPeak->reserved(), 2097152);
    EXPECT_EQ(run.result.stepMs.n, 0) << "nothing was executed, so nothing was timed";
    ASSERT_EQ(run.steps.size(), 1U);
    EXPECT_EQ(run.steps[0].peak.ledger.total(), 1000);
}

TEST_F(Outcome, NcclsBuffersAreOnTheDevice) {
    write("device.json", R"({"workspaces": {"asked": 0}, "nccl": {"communicators": 2, "bytes": 3000}})");
    write("script-result.json",
          R"({"allocated": 1024, "reserved": 2097152, "steps": 2, "device": 1,
          "elsewhere": [{"device": 0, "reserved": 77, "context": true}]})");
    const auto outcome = read();
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->communicators, 2);
    EXPECT_EQ(outcome->nccl, 3000);
    EXPECT_EQ(outcome->onDevice(), 2097152 + 100 + 3000);
    EXPECT_EQ(outcome->device, 1);
    ASSERT_EQ(outcome->elsewhere.size(), 1U);
    EXPECT_EQ(outcome->elsewhere[0].reserved, 77);
    EXPECT_TRUE(outcome->elsewhere[0].context);
    EXPECT_EQ(completed("id", {}, *outcome, 0).result.deviceAtPeak->used(), outcome->onDevice() + 5);
}

TEST_F(Outcome, DamageIsSaidAndADeviceThatSaysNothingIsNone) {
    EXPECT_FALSE(read()->workspaces);
    for (const char* damaged :
         {"", "[]", R"({"workspaces": 5, "unmodeled": 7})", R"({"workspaces": {"asked": -5}})"}) {
        write("device.json", damaged);
        ASSERT_TRUE(read()) << damaged;
        EXPECT_FALSE(read()->workspaces) << damaged;
    }
    write("script-result.json", R"({"allocated": "much"})");
    EXPECT_THAT(read().error().message, HasSubstr("script-result.json: /allocated"));
}

TEST_F(Outcome, AnEndWithoutOneKeepsWhatWasSaid) {
    wire::LedgerSample sample;
    sample.high = 77;
    wire::Failed failed;
    failed.status = wire::RunStatus::OutOfMemory;
    const Completed run = completed("id", {sample, failed}, std::nullopt, 3);
    EXPECT_EQ(run.result.status, wire::RunStatus::OutOfMemory);
    EXPECT_EQ(run.result.peakAllocated, 77);
    EXPECT_EQ(completed("id", {}, std::nullopt, wire::kInterrupted).result.status,
              wire::RunStatus::Cancelled);
    EXPECT_EQ(completed("id", {}, std::nullopt, 1).result.status, wire::RunStatus::Failed);
}

}  // namespace
}  // namespace highwater::script
