#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/stack/json/schema_check.h"
#include "tests/core/study/sample_claim.h"
#include "tests/core/temporary_folder.h"

namespace highwater::study::testing {
namespace {

using ::testing::HasSubstr;

/// The error of the sample with `change` merged into it; also checked against the schema, if a schema can
/// express it.
std::string errorOf(const Json& change) {
    const auto claim = parsed(sampleClaim(change));
    return claim ? "" : claim.error().message;
}

TEST(Quantities, ReadAsTheyAreWritten) {
    for (const char* text :
         {"peak_allocated_bytes", "peak_reserved_bytes", "peak_rss_bytes", "category:activations",
          "kept_activations", "kept_activations:3 conv", "parameters", "output_size", "output_size:1 conv",
          "output_elements", "step_ms", "throughput_samples_per_s", "phase_ms:backward", "phase_share:data",
          "loss", "chosen", "/layers/0/forward_ms"}) {
        const auto quantity = parseQuantity(text);
        ASSERT_TRUE(quantity) << quantity.error().message;
        EXPECT_EQ(toText(*quantity), text);
        EXPECT_FALSE(wordsOf(*quantity).empty());
    }
    for (const char* text : {"", "bytes", "category", "category:", "category:weights", "phase_ms:setup",
                             "phase_share", "loss:x", "/a~", "/a~2"}) {
        EXPECT_FALSE(parseQuantity(text)) << text;
    }
}

TEST(Quantities, AreWrittenWithTheirUnit) {
    const auto text = [](const char* quantity, double value) {
        return formatValue(*parseQuantity(quantity), value);
    };
    EXPECT_EQ(text("peak_allocated_bytes", 12 * 1048576.0), "12.0 MiB");
    EXPECT_EQ(text("step_ms", 204), "204 ms");
    EXPECT_EQ(text("phase_share:data", 0.123), "12.3 %");
    EXPECT_EQ(text("throughput_samples_per_s", 4.714), "4.71 /s");
    EXPECT_EQ(text("output_size", 510), "510");
    EXPECT_EQ(text("parameters", 27680), "27.7 k");
    EXPECT_EQ(text("loss", NAN), "not measured");
    EXPECT_EQ(unitOf(*parseQuantity("category:input")), "B");
}

TEST(ParseClaim, ReadsTheWholeClaim) {
    const Claim claim = claimOf(Json::parse(R"({
        "about": "more", "experiments": {"b": {"budget": "8MiB"}},
        "rule": {"factor": 0.5, "margin": 0.1, "right_quantity": "peak_rss_bytes"},
        "needs": "cpu", "needs_because": "why", "trial": {"repeats_most": 4, "tolerance": 0.1},
        "holds_because": "{a|loss} {a / b|loss} {a - b|step_ms} {a % b|kept_activations:2 relu}",
        "fails_because": [{"given": {"left": "a", "compare": "done"}, "say": "done"}, "else"],
        "expected": "holds"})"));
    EXPECT_EQ(claim.id, "S2.memory");
    ASSERT_EQ(claim.experiments.size(), 2U);
    EXPECT_EQ(claim.experiments[1].experiment.step.batchSize, 2);
    EXPECT_EQ(claim.experiments[1].budget, 8 << 20);
    EXPECT_FALSE(claim.experiments[0].budget);
    ASSERT_EQ(claim.conditions.size(), 1U);
    const Condition& c = claim.conditions[0];
    EXPECT_EQ(std::tie(c.left, c.right, c.factor, c.margin), std::forward_as_tuple("a", "b", 0.5, 0.1));
    EXPECT_EQ(c.quantity.kind, Quantity::Kind::PeakAllocated);
    EXPECT_EQ(c.rightQuantity->kind, Quantity::Kind::PeakRss);
    EXPECT_TRUE(claim.needsCpu && !claim.needsCuda);
    EXPECT_EQ(claim.trial.repeatsMost, 4);
    EXPECT_EQ(claim.holdsBecause.size(), 1U);
    ASSERT_EQ(claim.failsBecause.size(), 2U);
    EXPECT_EQ(claim.failsBecause[0].given[0].compare, Condition::Compare::Done);
    EXPECT_EQ(claim.expected, Verdict::Holds);
}

TEST(ParseClaim, SetsAValueOfTheAxisInTheExperimentsThatVary) {
    const Claim claim = claimOf(Json::parse(R"({"along": {
        "path": "/step/batch_size", "words": "batch", "values": [3, 4], "labels": ["three", "four"],
        "experiments": ["b"], "any_is_enough": true}})"));
    ASSERT_TRUE(claim.along);
    EXPECT_EQ(claim.along->values, (std::vector<std::string>{"3", "4"}));
    EXPECT_EQ(claim.along->labels, (std::vector<std::string>{"three", "four"}));
    ASSERT_EQ(claim.along->variants.size(), 2U);
    EXPECT_EQ(claim.along->variants[1][0], claim.experiments[0]);
    EXPECT_EQ(claim.along->variants[1][1].experiment.step.batchSize, 4);
    EXPECT_TRUE(claim.along->anyIsEnough);
}

TEST(ParseClaim, ReadsWhatFits) {
    const Claim claim = claimOf(Json::parse(R"({"fits": [
        {"experiment": "b", "path": "/step/batch_size", "words": "batch", "values": [1, 2, 4]}],
        "rule": {"left": "b", "compare": "greater", "right": null, "number": 1, "quantity": "chosen"}})"));
    ASSERT_EQ(claim.fits.size(), 1U);
    EXPECT_EQ(claim.fits[0].values, (std::vector<double>{1, 2, 4}));
    EXPECT_EQ(claim.fits[0].subjects[2].experiment.step.batchSize, 4);
}

TEST(ParseClaim, KeepsWhyAnExperimentIsRefused) {
    const Claim claim = claimOf(Json::parse(R"({
        "experiments": {"bad": {"base": "a", "set": {"/stack/0/kernel_size": 100}}},
        "rule": [{"left": "bad", "compare": "refused"}, {"left": "a", "compare": "done"}],
        "holds_because": "{bad|reason}"})"));
    EXPECT_THAT(claim.refused.at("bad"), HasSubstr("kernel 100 does not fit"));
    EXPECT_EQ(claim.experiments.size(), 2U);
}

TEST(ParseClaim, TakesAnExperimentFromAFile) {
    highwater::test::TemporaryFolder folder;
    std::ofstream(folder.path() / "a.json") << sampleClaim()["experiments"]["a"].dump();
    Json json = sampleClaim();
    json["experiments"]["a"] = "a.json";
    const auto claim = parseClaim(json.dump(), "claim", folder.path());
    ASSERT_TRUE(claim) << claim.error().message;
    EXPECT_EQ(claim->experiments[1].experiment.step.batchSize, 2);
    json["experiments"]["a"] = "missing.json";
    EXPECT_THAT(parseClaim(json.dump(), "claim", folder.path()).error().message, HasSubstr("missing.json"));
}

TEST(ParseClaim, EveryMistakeIsOneLine) {
    struct Case {
        const char* change;
        const char* says;
    };
    for (const Case& c : std::vector<Case>{
             {R"({"schema": "highwater.claim/2"})", "/schema: must be \"highwater.claim/1\""},
             {R"({"id": "../x"})", "/id: must be letters"},
             {R"({"row": null})", "/row: is missing"},
             {R"({"statement": ""})", "/statement: must not be empty"},
             {R"({"staement": "x"})", "unknown key \"staement\"; did you mean \"statement\"?"},
             {R"({"quantity": "bytes"})", "/quantity: \"bytes\" is not a quantity; there are peak_allocated"},
             {R"({"quantity": null})", "/quantity: is missing"},
             {R"({"experiments": {}})", ""},
             {R"({"experiments": null})", "/experiments: is missing"},
             {R"({"experiments": {"b": 3}})", "/experiments/b: must be an experiment"},
             {R"({"experiments": {"x|y": {"base": "a"}}})", "is not a valid name"},
             {R"({"experiments": {"b": {"base": "c"}}})",
              "/experiments/b/base: there is no experiment \"c\""},
             {R"({"experiments": {"b": {"base": "b"}}})", "is based on itself"},
             {R"({"experiments": {"b": {"bse": 1}}})", "unknown key \"bse\""},
             {R"({"experiments": {"b": {"budget": "much"}}})", "/experiments/b/budget"},
             {R"({"experiments": {"b": {"budget": 0}}})", "must be more than 0"},
             {R"({"experiments": {"b": {"set": {"step": 1}}}})", "is not a JSON Pointer"},
             {R"({"experiments": {"b": {"set": {"/stack/9/bias": true}}}})", "does not exist"},
             {R"({"experiments": {"b": {"set": {"/stack/0/bais": true}}}})", "unknown key \"bais\""},
             {R"({"experiments": {"b": {"set": {"/stack/0/kernel_size": 99}}}})",
              "/experiments/b: layer 1 `conv`: kernel 99 does not fit"},
             {R"({"rule": []})", "/rule: must be a comparison or a list"},
             {R"({"rule": {"left": "c"}})", "/rule: there is no experiment \"c\""},
             {R"({"rule": {"compare": "smaller"}})", "/rule/compare: must be one of \"less\""},
             {R"({"rule": {"right": null}})", "compares with nothing"},
             {R"({"rule": {"number": 3}})", "cannot be combined with right"},
             {R"({"rule": {"margin": 2}})", "/rule/margin: must be a number from 0 to 1"},
             {R"({"rule": {"compare": "done"}})", "unknown key \"right\""},
             {R"({"rule": {"quantity": "kept_activations:9 conv"}})",
              "names no layer of \"a\"; there are 1 conv"},
             {R"({"rule": {"quantity": "chosen"}})", "\"chosen\" is of an experiment in \"fits\""},
             {R"({"holds_because": "{a}"})", "{a} is not a figure"},
             {R"({"holds_because": "{a|loss"})", "an unmatched brace"},
             {R"({"holds_because": "{c|loss}"})", "/holds_because: there is no experiment \"c\""},
             {R"({"holds_because": "{a|reason}"})", "there is no reason why it is refused"},
             {R"({"holds_because": [{"given": {"left": "x", "compare": "done"}, "say": "x"}]})",
              "there is no experiment \"x\""},
             {R"({"holds_because": 3})", "must be an object, not a number"},
             {R"({"needs": "gpu"})", "/needs: must be one of"},
             {R"({"steps": 0})", "/steps: must be a whole number from 1"},
             {R"({"trial": {"repeats_least": 5, "repeats_most": 2}})", "must be at least repeats_least"},
             {R"({"trial": {"repeat": 5}})", "unknown key \"repeat\""},
             {R"({"expected": "true"})", "/expected: must be one of"},
             {R"({"along": {"path": "/step/batch_size", "words": "x", "values": []}})", "/along/values"},
             {R"({"along": {"path": "/step/batch_size", "words": "x", "values": [0]}})",
              "/along/values/0: a: "},
             {R"({"along": {"path": "/stack/7/bias", "words": "x", "values": [1]}})", "/along/path: a: "},
             {R"({"along": {"path": "/step/seed", "words": "x", "values": [1], "labels": []}})",
              "/along/labels: must be a list of texts, one a value"},
             {R"({"along": {"path": "/step/seed", "words": "x", "values": [1], "experiments": ["c"]}})",
              "/along/experiments: must be a list of names"},
             {R"({"fits": [{"experiment": "c", "path": "/step/seed", "words": "x", "values": [1]}]})",
              "/fits/0/experiment: must name a valid experiment"},
             {R"({"fits": [{"experiment": "b", "path": "/step/seed", "words": "x", "values": [2, 1]}]})",
              "/fits/0/values: must be ascending numbers"},
             {R"({"fits": {}})", "/fits: must be a list"},
         }) {
        const std::string message = errorOf(Json::parse(c.change));
        if (*c.says == 0) {
            EXPECT_EQ(message, "") << c.change;  // merged into the sample, it changes nothing
            continue;
        }
        EXPECT_THAT(message, HasSubstr(c.says)) << c.change;
        EXPECT_TRUE(message.starts_with("claim: ")) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
    EXPECT_THAT(parseClaim("[1]", "claim", "").error().message, HasSubstr("must be an object"));
    EXPECT_THAT(parseClaim("{", "claim", "").error().message, HasSubstr("not valid JSON"));
}

/// If the schema refuses a claim, the parser must too.
TEST(ParseClaim, TakesNothingThatTheSchemaRefuses) {
    highwater::testing::SchemaCheck check;
    EXPECT_EQ(check.problem("claim.json", nlohmann::json::parse(sampleClaim().dump())), "");
    int refused = 0;
    for (const char* change :
         {R"({"id": "a b"})", R"({"row": ""})", R"({"statement": 3})", R"({"rule": []})", R"({"rule": 3})",
          R"({"rule": {"compare": "same"}})", R"({"rule": {"factor": 0}})", R"({"rule": {"margin": 1.5}})",
          R"({"needs": "gpu"})", R"({"steps": 1.5})", R"({"trial": {"tolerance": -1}})",
          R"({"along": {"path": "/step/seed", "words": "", "values": [1]}})",
          R"({"along": {"path": "/step/seed", "values": [1]}})", R"({"fits": []})", R"({"extra": 1})",
          R"({"fits": [{"experiment": "b", "path": "/step/seed", "words": "x", "values": ["1"]}]})",
          R"({"holds_because": []})", R"({"holds_because": {"given": [], "say": "x"}})"}) {
        const Json json = sampleClaim(Json::parse(change));
        ASSERT_NE(check.problem("claim.json", nlohmann::json::parse(json.dump())), "") << change;
        EXPECT_FALSE(parsed(json)) << change;
        ++refused;
    }
    EXPECT_EQ(refused, 18);
}

TEST(LoadClaims, RefusesTwoOfOneId) {
    highwater::test::TemporaryFolder folder;
    std::ofstream(folder.path() / "1.json") << sampleClaim().dump();
    std::ofstream(folder.path() / "2.json") << sampleClaim(Json{{"row", "S3"}}).dump();
    EXPECT_THAT(loadClaims(folder.path()).error().message, HasSubstr("two claims have the id \"S2.memory\""));
    std::filesystem::remove(folder.path() / "2.json");
    EXPECT_EQ(loadClaims(folder.path())->size(), 1U);
    EXPECT_FALSE(loadClaims(folder.path() / "none"));
}

}  // namespace
}  // namespace highwater::study::testing
