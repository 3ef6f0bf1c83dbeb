#include "core/study/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "tests/core/stack/json/schema_check.h"
#include "tests/core/study/machine.h"
#include "tests/core/study/sample_claim.h"
#include "tests/core/temporary_folder.h"

namespace highwater::study::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::atomic<bool> kGoOn{false};

Machine machine() {
    Machine made;
    made.stepMs = {{"a", 10}, {"b", 20}};
    made.peak = {{"a", 100}, {"b", 300}};
    return made;
}

base::Result<Finding> examined(const Claim& claim, Machine& on, bool cuda = false) {
    const Runner runner = on.runner();
    return examine(claim, runner, cuda, kGoOn);
}

TEST(Examine, RunsTheExperimentsAndJudges) {
    Machine on = machine();
    std::vector<std::string> said;
    const Runner runner = on.runner();
    const auto finding = examine(claimOf(), runner, false, kGoOn,
                                 [&](const Progress& progress) { said.push_back(progress.what); });
    ASSERT_TRUE(finding) << finding.error().message;
    EXPECT_EQ(finding->verdict, Verdict::Holds);
    EXPECT_THAT(on.log, ElementsAre("a 0", "b 0"));
    EXPECT_THAT(said, ElementsAre("a, repeat 1", "b, repeat 1"));
    EXPECT_THAT(finding->runIds, ElementsAre("run1", "run2"));
    EXPECT_EQ(finding->device, "cpu");
    EXPECT_FALSE(finding->created.empty());
}

TEST(Examine, RepeatsWhatIsTimedInPairs) {
    Machine on = machine();
    on.noise = 0.02;
    const Claim claim =
        claimOf(Json::parse(R"({"quantity": "step_ms", "trial": {"repeats_least": 3, "repeats_most": 5}})"));
    const auto finding = examined(claim, on);
    ASSERT_TRUE(finding) << finding.error().message;
    EXPECT_EQ(finding->verdict, Verdict::Holds);
    EXPECT_GE(on.log.size(), 6U);
    EXPECT_GE(finding->figures.front().value.n, 3);
}

TEST(Examine, RepeatsMoreWhereTheNoiseHidesAVerdict) {
    const Json timed =
        Json::parse(R"({"quantity": "step_ms", "trial": {"repeats_least": 3, "repeats_most": 3}})");
    Machine equal = machine();
    equal.stepMs["b"] = 10;
    equal.noise = 0.3;
    const auto noise = examined(claimOf(timed), equal);
    ASSERT_TRUE(noise) << noise.error().message;
    EXPECT_EQ(noise->verdict, Verdict::DoesNotHold);
    EXPECT_TRUE(noise->noise);
    EXPECT_EQ(noise->figures.front().value.n, 15);
    EXPECT_EQ(noise->runIds.size(), 30U);
    Machine clear = machine();
    clear.noise = 0.01;
    EXPECT_EQ(examined(claimOf(timed), clear)->figures.front().value.n, 3);
}

TEST(Examine, RunsOnlyWhatIsAskedAbout) {
    Machine on = machine();
    const Claim claim = claimOf(Json::parse(R"({"experiments": {"c": {"base": "a"}, "d": {"base": "a"}},
        "holds_because": "{d|peak_allocated_bytes}"})"));
    ASSERT_TRUE(examined(claim, on));
    EXPECT_THAT(on.log, ElementsAre("a 0", "b 0", "d 0"));
}

TEST(Examine, RunsWhatDoesNotVaryOnce) {
    Machine on = machine();
    const Claim claim = claimOf(Json::parse(R"({"along": {"path": "/step/batch_size", "words": "batch",
        "values": [3, 4, 5], "experiments": ["b"]}})"));
    const auto finding = examined(claim, on);
    ASSERT_TRUE(finding) << finding.error().message;
    EXPECT_THAT(on.log, ElementsAre("a 0", "b 0", "b 0", "b 0"));
}

TEST(Examine, FindsTheLargestThatFits) {
    const Claim claim = claimOf(Json::parse(R"({
        "fits": [{"experiment": "b", "path": "/step/batch_size", "words": "batch", "values": [1, 2, 4, 8]}],
        "quantity": "chosen", "rule": {"left": "b", "compare": "equal", "right": null, "number": 2}})"));
    std::vector<std::int64_t> batches;
    const Runner runner = [&](const Subject& subject, int) -> base::Result<RunOutcome> {
        batches.push_back(subject.experiment.step.batchSize);
        RunOutcome outcome;
        outcome.result.status = batches.back() < 4 ? wire::RunStatus::Done : wire::RunStatus::OutOfMemory;
        outcome.stepMs = {1, 1};
        return outcome;
    };
    const auto finding = examine(claim, runner, false, kGoOn);
    ASSERT_TRUE(finding) << finding.error().message;
    EXPECT_EQ(finding->verdict, Verdict::Holds);
    EXPECT_THAT(batches, ElementsAre(1, 2, 4, 2));
    EXPECT_EQ(finding->figures.front().quantity, "chosen");
    EXPECT_EQ(finding->figures.front().value.median, 2);
}

TEST(Examine, WhatNeedsAnotherDeviceIsNotTestableHere) {
    Machine on = machine();
    const Claim gpu = claimOf(Json{{"needs", "cuda"}, {"needs_because", "It is cuDNN's."}});
    auto finding = examined(gpu, on);
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->verdict, Verdict::NotTestable);
    EXPECT_EQ(finding->why, "It needs an NVIDIA GPU, and the device is the CPU. It is cuDNN's.");
    finding = examined(claimOf(Json{{"needs", "cpu"}}), on, true);
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->verdict, Verdict::NotTestable);
    EXPECT_TRUE(on.log.empty());
    EXPECT_EQ(examined(gpu, on, true)->verdict, Verdict::Holds);
}

TEST(Examine, WhatCannotBeRunIsAnErrorAndBeginsNothing) {
    Machine on = machine();
    const Claim bf16 =
        claimOf(Json::parse(R"({"experiments": {"b": {"set": {"/step/precision": "bf16"}}}})"));
    EXPECT_THAT(examined(bf16, on).error().message, HasSubstr("S2.memory: \"b\": /step/precision"));
    EXPECT_TRUE(on.log.empty());
    on.endsAs["b"] = wire::RunStatus::Failed;
    EXPECT_THAT(examined(claimOf(), on).error().message, HasSubstr("\"b\" did not end"));
    on.endsAs["b"] = wire::RunStatus::OutOfMemory;
    EXPECT_THAT(examined(claimOf(), on).error().message, HasSubstr("\"b\" did not end: out of memory"));
    const Runner nothing = [](const Subject&, int) { return base::Error{"no engine"}; };
    EXPECT_THAT(examine(claimOf(), nothing, false, kGoOn).error().message, HasSubstr("no engine"));
}

TEST(Examine, CancelledIsSaid) {
    Machine on = machine();
    std::atomic<bool> cancel{false};
    on.afterRun = [&](int) { cancel = true; };
    const Runner runner = on.runner();
    EXPECT_EQ(examine(claimOf(), runner, false, cancel).error().message, "cancelled");
    EXPECT_EQ(on.log.size(), 1U);
}

Finding sampleFinding() {
    return {
        "S2.memory",
        Verdict::Depends,
        "up to 4; not from 8",
        "because \"it\" does",
        true,
        {{"a", "step_ms", "ms", {1.5, 1.25, 2, 5}, "4"}, {"a / b", "step_ms", "", {0.5, 0.5, 0.5, 1}, ""}},
        {"run1"},
        "cpu",
        "A CPU",
        "1.13.1",
        "avx2",
        "2026-11-21T07:05:12.345Z",
        2};
}

TEST(Findings, AreReadAsTheyWereWritten) {
    const auto json = toJson(sampleFinding());
    EXPECT_EQ(highwater::testing::SchemaCheck().problem("finding.json", nlohmann::json::parse(json.dump())),
              "");
    const auto again = findingFromJson(json);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, sampleFinding());
    for (const char* key : {"verdict", "figures", "why", "created"}) {
        Json broken = json;
        broken[key] = 3;
        EXPECT_THAT(findingFromJson(broken).error().message, HasSubstr(key));
        broken.erase(key);
        EXPECT_THAT(findingFromJson(broken).error().message, HasSubstr(key));
    }
}

TEST(Findings, TheLatestOfEachClaimIsKept) {
    highwater::test::TemporaryFolder folder;
    EXPECT_TRUE(loadFindings(folder.path()).empty());
    Finding first = sampleFinding(), second = sampleFinding(), other = sampleFinding();
    second.verdict = Verdict::Holds;
    other.id = "S1.naive";
    for (const Finding& finding : {first, second, other}) {
        ASSERT_TRUE(saveFinding(folder.path(), finding));
    }
    std::ofstream(folder.path() / "claims" / "S9.x.json") << "{";
    const auto loaded = loadFindings(folder.path());
    ASSERT_EQ(loaded.size(), 2U);
    EXPECT_EQ(loaded[0], other);
    EXPECT_EQ(loaded[1], second);
}

}  // namespace
}  // namespace highwater::study::testing
