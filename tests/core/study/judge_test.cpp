#include "core/study/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/study/sample_claim.h"

namespace highwater::study::testing {
namespace {

using memory::Category;
using ::testing::HasSubstr;

/// A run with this peak; half of it are activations, the rest temporaries.
wire::RunResult runWith(base::Bytes peak) {
    wire::RunResult result;
    result.peakAllocated = peak;
    result.peakByCategory[Category::Activations] = peak / 2;
    result.peakByCategory[Category::Temporaries] = peak - peak / 2;
    result.layers = {{"1 conv", "conv", {1, 4, 8, 8}, 40, peak / 2, 1, 1}, {"2 relu", "relu", {1, 4, 8, 8}}};
    result.phasesMs = {1, 2, 0, 6, 1};
    result.lossLast = 0.5;
    return result;
}

Evidence evidence(const std::string& name, std::vector<base::Bytes> peaks, std::vector<Millis> times = {}) {
    Evidence made;
    made.name = made.measured.name = name;
    for (const base::Bytes peak : peaks) {
        made.results.push_back(runWith(peak));
    }
    made.measured.result = made.results.back();
    made.measured.repeatMs = std::move(times);
    return made;
}

Evidences pair(base::Bytes a, base::Bytes b, const std::string& at = "") {
    return {at, {evidence("a", {a}), evidence("b", {b})}};
}

Evidences timed(std::vector<Millis> a, std::vector<Millis> b) {
    return {"", {evidence("a", {1}, std::move(a)), evidence("b", {1}, std::move(b))}};
}

Finding judged(const Claim& claim, const std::vector<Evidences>& all) {
    auto finding = judge(claim, all);
    if (!finding) {
        throw std::runtime_error(finding.error().message);
    }
    return *finding;
}

Json rule(const char* text) {
    return Json{{"rule", Json::parse(text)}};
}

TEST(Values, ComeFromTheResult) {
    const Evidence one = evidence("a", {100}, {20});
    const auto value = [&](const char* quantity) { return valuesOf(*parseQuantity(quantity), one); };
    EXPECT_EQ(value("peak_allocated_bytes"), (std::vector<double>{100}));
    EXPECT_EQ(value("peak_reserved_bytes"), std::vector<double>());
    EXPECT_EQ(value("category:temporaries"), (std::vector<double>{50}));
    EXPECT_EQ(value("kept_activations"), (std::vector<double>{50}));
    EXPECT_EQ(value("kept_activations:2 relu"), (std::vector<double>{0}));
    EXPECT_EQ(value("parameters"), (std::vector<double>{40}));
    EXPECT_EQ(value("output_size"), (std::vector<double>{8}));
    EXPECT_EQ(value("output_elements"), (std::vector<double>{256}));
    EXPECT_EQ(value("step_ms"), (std::vector<double>{20}));
    EXPECT_EQ(value("throughput_samples_per_s"), (std::vector<double>{50}));
    EXPECT_EQ(value("phase_share:backward"), (std::vector<double>{0.6}));
    EXPECT_EQ(value("loss"), (std::vector<double>{0.5}));
    EXPECT_EQ(value("/peak_allocated_bytes"), (std::vector<double>{100}));
    EXPECT_EQ(value("/no/such"), std::vector<double>());
}

TEST(Judge, HoldsWhereEveryConditionIsMet) {
    const Claim claim = claimOf(
        Json::parse(R"({"holds_because": "{a % b|peak_allocated_bytes} less: {a|peak_allocated_bytes}."})"));
    const Finding finding = judged(claim, {pair(50, 200)});
    EXPECT_EQ(finding.verdict, Verdict::Holds);
    EXPECT_EQ(finding.why,
              "75 % less: 50 B. At the peak the largest difference is in activations: 25 B (a) against "
              "100 B (b); of the layers "
              "it is `1 conv`, which keeps 25 B against 100 B.");
    EXPECT_FALSE(finding.noise);
    ASSERT_EQ(finding.figures.size(), 3U);
    EXPECT_EQ(finding.figures[0], (Figure{"a", "peak_allocated_bytes", "B", {50, 50, 50, 1}, ""}));
    EXPECT_EQ(finding.figures[2], (Figure{"a / b", "peak_allocated_bytes", "", {0.25, 0.25, 0.25, 1}, ""}));
}

TEST(Judge, DoesNotHoldWhereOneIsNot) {
    const Claim claim = claimOf(rule(R"([{"left": "a", "compare": "less", "right": "b"},
                                         {"left": "a", "compare": "less", "number": 10}])"));
    const Finding finding = judged(claim, {pair(100, 200)});
    EXPECT_EQ(finding.verdict, Verdict::DoesNotHold);
    EXPECT_EQ(finding.why, "Peak memory of the tensors: 100 B (a) against 10 B.");
    EXPECT_FALSE(finding.noise);
}

TEST(Judge, EqualBytesAreNotLessAndTheLedgerSaysSo) {
    const Finding finding = judged(claimOf(), {pair(100, 100)});
    EXPECT_EQ(finding.verdict, Verdict::DoesNotHold);
    EXPECT_FALSE(finding.noise);
    EXPECT_THAT(finding.why, HasSubstr("equal in every category"));
}

TEST(Judge, WithinTheMarginCountsAsEqual) {
    EXPECT_EQ(judged(claimOf(Json::parse(R"({"rule": {"margin": 0.05}})")), {pair(97, 100)}).verdict,
              Verdict::DoesNotHold);
    EXPECT_EQ(judged(claimOf(Json::parse(R"({"rule": {"margin": 0.05}})")), {pair(94, 100)}).verdict,
              Verdict::Holds);
    const Claim equal =
        claimOf(Json::parse(R"({"rule": {"compare": "equal", "factor": 0.5, "margin": 0.05}})"));
    EXPECT_EQ(judged(equal, {pair(52, 100)}).verdict, Verdict::Holds);
    EXPECT_EQ(judged(equal, {pair(56, 100)}).verdict, Verdict::DoesNotHold);
    const Claim differs = claimOf(Json::parse(R"({"rule": {"compare": "differs"}})"));
    EXPECT_EQ(judged(differs, {pair(100, 100)}).verdict, Verdict::DoesNotHold);
    EXPECT_EQ(judged(differs, {pair(100, 101)}).verdict, Verdict::Holds);
}

TEST(Judge, TimesAreToldApartOnlyWhereTheirIntervalIs) {
    const Claim claim = claimOf(Json{{"quantity", "step_ms"}, {"fails_because", "It is slower."}});
    EXPECT_EQ(judged(claim, {timed({10, 10.1, 9.9, 10}, {20, 20.2, 19.9, 20})}).verdict, Verdict::Holds);
    const Finding noise = judged(claim, {timed({10, 9, 11, 10}, {10, 11, 9, 10.2})});
    EXPECT_EQ(noise.verdict, Verdict::DoesNotHold);
    EXPECT_TRUE(noise.noise);
    EXPECT_THAT(noise.why, HasSubstr("within the noise"));
    EXPECT_EQ(noise.why.find("It is slower"), std::string::npos) << noise.why;
    const Finding slower = judged(claim, {timed({20, 20.1, 19.9}, {10, 10.1, 9.9})});
    EXPECT_EQ(slower.verdict, Verdict::DoesNotHold);
    EXPECT_FALSE(slower.noise);
    const Claim equal = claimOf(Json::parse(R"({"quantity": "step_ms", "rule": {"compare": "equal"}})"));
    EXPECT_EQ(judged(equal, {timed({10, 9, 11, 10}, {10, 11, 9, 10.2})}).verdict, Verdict::Holds);
}

TEST(Judge, ZerosAreComparedAsDifferences) {
    const Claim claim = claimOf(Json{{"quantity", "category:workspace"}});
    EXPECT_EQ(judged(claim, {pair(10, 20)}).verdict, Verdict::DoesNotHold);  // 0 is not less than 0
    Evidences more = pair(10, 20);
    more.of[1].results[0].peakByCategory[Category::Workspace] = 5;
    EXPECT_EQ(judged(claim, {more}).verdict, Verdict::Holds);
    const Claim none = claimOf(Json::parse(
        R"({"rule": {"compare": "equal", "right": null, "number": 0, "quantity": "category:workspace"}})"));
    EXPECT_EQ(judged(none, {pair(10, 20)}).verdict, Verdict::Holds);
}

Claim alongBatch(bool any = false) {
    return claimOf(Json{{"along",
                         {{"path", "/step/batch_size"},
                          {"words", "batch"},
                          {"values", {1, 2, 4, 8}},
                          {"any_is_enough", any}}}});
}

std::vector<Evidences> line(const std::vector<base::Bytes>& peaks) {
    std::vector<Evidences> all;
    const char* const at[] = {"1", "2", "4", "8"};
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        all.push_back(pair(peaks[i], 100, at[i]));
    }
    return all;
}

TEST(Judge, FindsTheBoundaryAlongAnAxis) {
    const Finding up = judged(alongBatch(), line({50, 60, 120, 130}));
    EXPECT_EQ(up.verdict, Verdict::Depends);
    EXPECT_EQ(up.boundary, "up to batch 2; not from 4");
    EXPECT_THAT(
        up.why,
        HasSubstr("At batch 4: Peak memory of the tensors: 120 B (a) against 100 B (b), 1.20 times."));
    EXPECT_EQ(up.figures.size(), 12U);
    EXPECT_EQ(up.figures.back().at, "8");
    EXPECT_EQ(judged(alongBatch(), line({120, 110, 100, 90})).boundary, "from batch 8; not up to 4");
    EXPECT_EQ(judged(alongBatch(), line({90, 110, 90, 110})).boundary, "at batch 1, 4; not at 2, 8");
    EXPECT_EQ(judged(alongBatch(), line({50, 60, 70, 80})).verdict, Verdict::Holds);
    EXPECT_EQ(judged(alongBatch(), line({50, 60, 70, 80})).boundary, "");
    EXPECT_EQ(judged(alongBatch(), line({110, 120, 130, 140})).verdict, Verdict::DoesNotHold);
}

TEST(Judge, OneValueIsEnoughForWhatCanBe) {
    const Finding finding = judged(alongBatch(true), line({110, 90, 120, 130}));
    EXPECT_EQ(finding.verdict, Verdict::Holds);
    EXPECT_EQ(finding.boundary, "at batch 2; not at 1, 4, 8");
    EXPECT_EQ(judged(alongBatch(true), line({110, 120, 130, 140})).verdict, Verdict::DoesNotHold);
}

TEST(Judge, SaysOnlyWhatTheFiguresSupport) {
    const Claim claim = claimOf(Json::parse(R"({"fails_because": [
        {"given": {"left": "a", "compare": "equal", "right": "b"}, "say": "The same, {a|peak_allocated_bytes}."},
        {"given": {"left": "a", "compare": "greater", "right": "b", "factor": 2}, "say": "Twice as much."},
        {"given": {"left": "a", "compare": "greater", "right": "b"},
         "say": "{a - b|peak_allocated_bytes} more, and reserved {a|peak_reserved_bytes}."}]})"));
    EXPECT_THAT(judged(claim, {pair(100, 100)}).why, HasSubstr("The same, 100 B."));
    EXPECT_THAT(judged(claim, {pair(300, 100)}).why, HasSubstr("Twice as much."));
    // Its reserved bytes were not measured: uses the plain numbers instead.
    EXPECT_THAT(judged(claim, {pair(150, 100)}).why,
                HasSubstr("Peak memory of the tensors: 150 B (a) against 100 B (b), 1.50 times."));
}

TEST(Judge, StatusesAndRefusalsAreConditions) {
    const Claim claim = claimOf(Json::parse(R"({
        "experiments": {"bad": {"base": "a", "set": {"/stack/0/kernel_size": 100}}},
        "rule": [{"left": "bad", "compare": "refused"}, {"left": "a", "compare": "out_of_memory"},
                 {"left": "b", "compare": "done"}]})"));
    Evidences evidences = pair(1, 2);
    Finding finding = judged(claim, {evidences});
    EXPECT_EQ(finding.verdict, Verdict::DoesNotHold);
    EXPECT_EQ(finding.why, "\"a\" ran to its end.");
    evidences.of[0].measured.status = wire::RunStatus::OutOfMemory;
    evidences.of[0].measured.why = "too much";
    finding = judged(claim, {evidences});
    EXPECT_EQ(finding.verdict, Verdict::Holds);
    EXPECT_THAT(finding.why, HasSubstr("\"a\" ran out of memory: too much."));
    EXPECT_THAT(finding.why, HasSubstr("\"bad\" is refused: layer 1"));
}

TEST(Judge, WithoutTheRunsThereIsNoVerdict) {
    Evidences evidences = pair(1, 2);
    evidences.of[1].measured.status = wire::RunStatus::Failed;
    evidences.of[1].measured.why = "the engine died";
    EXPECT_EQ(judge(claimOf(), {evidences}).error().message, "S2.memory: \"b\" did not end: the engine died");
    EXPECT_EQ(judge(claimOf(), {{"", {evidence("a", {1})}}}).error().message, "S2.memory: \"b\" was not run");
    EXPECT_FALSE(judge(claimOf(), {}));
    const Claim reserved = claimOf(Json{{"quantity", "peak_reserved_bytes"}});
    EXPECT_THAT(judge(reserved, {pair(1, 2)}).error().message, HasSubstr("was not measured here"));
}

}  // namespace
}  // namespace highwater::study::testing
