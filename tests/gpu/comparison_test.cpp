#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/predict/predict.h"
#include "core/stack/json/json.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/gpu/accuracy_page.h"
#include "tests/gpu/kit/case.h"

namespace highwater::reference {
namespace {

using base::Bytes;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEnvironment = R"({"device": "cuda:0", "device_name": "NVIDIA H200",
    "versions": {"libtorch": "2.11.0", "cuda": "13.0", "cudnn": "9.19.0", "highwater": "0.1.0"},
    "threads": 8, "isa": "avx512", "memory_bytes": 150000000000, "architecture": 90})";

/// The predictor's own values, as if they had been measured, times a factor.
ordered_json resultOf(const stack::Experiment& experiment, double factor) {
    const auto info = stack::inferShapes(experiment);
    const auto target = predict::gpuTarget("h200", experiment);
    const auto prediction = predict::predict(experiment, *info, *target);
    wire::RunResult result;
    result.status = wire::RunStatus::Done;
    result.peakAllocated =
        static_cast<Bytes>(factor * static_cast<double>(prediction->peakAllocated.expected));
    result.peakReserved = prediction->peakReserved.expected;
    result.peakByCategory = prediction->peakByCategory;
    ordered_json json = wire::toJson(result);
    for (const char* key :
         {"device", "device_name", "versions", "threads", "isa", "memory_bytes", "run_id"}) {
        json.erase(key);
    }
    return json;
}

/// A file in the kit's format. The measured peaks are the predictions times `factors`, one per case.
ordered_json document(const std::vector<double>& factors, const std::string& kind = "gpu") {
    const auto cases = kit::allCases(kit::Scale::Rehearsal, false);
    ordered_json json = {{"schema", "highwater.gpu-reference/1"},
                         {"kind", kind},
                         {"when", "2026-01-01T00:00:00Z"},
                         {"seconds", 100},
                         {"sizes", "gpu"},
                         {"quick", false},
                         {"environment", ordered_json::parse(kEnvironment)},
                         {"conditions", ordered_json::object()},
                         {"experiments", ordered_json::array()},
                         {"ladder", ordered_json::array()},
                         {"oom",
                          {{"wanted", 100},
                           {"tried", 100},
                           {"provoked", 99},
                           {"recovered", 98},
                           {"problems", {"run after provocation 7: lost"}}}},
                         {"overhead", ordered_json::array()},
                         {"convolutions", ordered_json::array()},
                         {"left_out", ordered_json::array()}};
    for (std::size_t i = 0; i < factors.size(); ++i) {
        json["experiments"].push_back({{"name", (*cases)[i].name()},
                                       {"family", (*cases)[i].family},
                                       {"experiment", stack::toJson((*cases)[i].experiment)},
                                       {"result", resultOf((*cases)[i].experiment, factors[i])}});
    }
    return json;
}

Comparison comparisonOf(const ordered_json& json) {
    const auto file = parseReference(json.dump(), "a.json");
    EXPECT_TRUE(file) << (file ? "" : file.error().message);
    const auto comparison = file ? compare(*file) : base::Result<Comparison>(Comparison());
    EXPECT_TRUE(comparison) << (comparison ? "" : comparison.error().message);
    return comparison ? *comparison : Comparison();
}

TEST(Comparison, TellsErrorsAndUnderEstimates) {
    // Measured 25 % more, 20 % less, and as predicted.
    const Comparison comparison = comparisonOf(document({1.25, 0.8, 1}));
    ASSERT_EQ(comparison.experiments.size(), 3u);
    EXPECT_NEAR(comparison.experiments[0].allocatedError(), -0.2, 1e-6);
    EXPECT_NEAR(comparison.experiments[1].allocatedError(), 0.25, 1e-6);
    EXPECT_EQ(comparison.experiments[2].allocatedError(), 0);
    const Figures all = figuresOf(comparison, Quantity::Allocated);
    EXPECT_EQ(all.n, 3u);
    EXPECT_NEAR(all.median, 20, 1e-3);
    EXPECT_NEAR(all.worst, 25, 1e-3);
    EXPECT_NEAR(all.under, 100.0 / 3, 1e-9);
    EXPECT_EQ(figuresOf(comparison, Quantity::Reserved).worst, 0);
    EXPECT_EQ(figuresOf(comparison, Quantity::Allocated, "networks").n, 1u);
    EXPECT_EQ(figuresOf(comparison, Quantity::Allocated, "none").n, 0u);
}

TEST(Comparison, PredictsLaddersWithinTheirBudget) {
    ordered_json json = document({1});
    const Bytes reserved = json["experiments"][0]["result"]["peak_reserved_bytes"].get<Bytes>();
    for (const auto& [budget, out] :
         {std::pair{reserved / 4, true}, {reserved * 2, false}, {reserved * 2, true}}) {
        json["ladder"].push_back({{"ladder", "l"},
                                  {"name", "l 1"},
                                  {"budget_bytes", budget},
                                  {"experiment", json["experiments"][0]["experiment"]},
                                  {"out_of_memory", out},
                                  {"peak_allocated_bytes", 1},
                                  {"peak_reserved_bytes", 1}});
    }
    const Comparison comparison = comparisonOf(json);
    ASSERT_EQ(comparison.ladder.size(), 3u);
    EXPECT_TRUE(comparison.ladder[0].predicted);
    EXPECT_FALSE(comparison.ladder[1].predicted);
    EXPECT_NEAR(rightlyPredicted(comparison), 200.0 / 3, 1e-9);

    json["ladder"][1].erase("experiment");
    json["ladder"][1]["patch"] =
        ordered_json::parse(R"([{"op": "replace", "path": "/name", "value": "renamed"}])");
    auto file = parseReference(json.dump(), "a.json");
    ASSERT_TRUE(file) << file.error().message;
    stack::Experiment renamed = file->ladder[0].experiment;
    renamed.name = "renamed";
    EXPECT_EQ(file->ladder[1].experiment, renamed);
    json["ladder"][1]["patch"] = 3;
    file = parseReference(json.dump(), "a.json");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().message, "a.json: l 1: /patch: does not fit the ladder's first experiment");
}

TEST(Comparison, StandinsArePredictedWithoutWorkspaces) {
    const auto widths = [](const Comparison& comparison) {
        base::Bytes sum = 0;
        for (const Compared& each : comparison.experiments) {
            EXPECT_LE(each.predictedAllocated.low, each.predictedAllocated.expected);
            sum += each.predictedAllocated.high - each.predictedAllocated.low;
        }
        return sum;
    };
    EXPECT_LT(10 * widths(comparisonOf(document({1, 1, 1}, "standin"))),
              widths(comparisonOf(document({1, 1, 1}, "gpu"))));
}

TEST(Comparison, LeavesOutWhatDidNotRun) {
    ordered_json json = document({1, 1, 1});
    json["experiments"][0].erase("result");
    json["experiments"][0]["skipped"] = "not here";
    json["experiments"][1]["result"]["status"] = "out_of_memory";
    const Comparison comparison = comparisonOf(json);
    EXPECT_EQ(comparison.experiments.size(), 1u);
    EXPECT_EQ(comparison.notRun, 2u);
}

TEST(Comparison, FilesThatAreNoneAreRefusedInALine) {
    const auto problem = [](const ordered_json& json) {
        const auto file = parseReference(json.dump(), "a.json");
        return file ? "" : file.error().message;
    };
    ordered_json json = document({1});
    EXPECT_EQ(problem(json), "");
    json["kind"] = "tpu";
    EXPECT_EQ(problem(json), R"(a.json: /kind: must be "gpu", "cpu" or "standin")");
    json = document({1});
    json["experiments"][0]["result"].erase("peak_allocated_bytes");
    EXPECT_THAT(problem(json), HasSubstr("peak_allocated_bytes"));
    json = document({1});
    json["experiments"][0]["experiment"].erase("stack");
    EXPECT_THAT(problem(json), HasSubstr("/stack"));
    json = document({1});
    json.erase("environment");
    EXPECT_EQ(problem(json), "a.json: environment: must be an object");
    for (const char* text :
         {"", "[]", "3", "{}", "{\"schema\": 3}", "{\"schema\": \"highwater.gpu-reference/2\"}"}) {
        EXPECT_FALSE(parseReference(text, "a.json")) << text;
    }
}

TEST(Comparison, DocumentsFitTheSchema) {
    highwater::testing::SchemaCheck check;
    for (const char* kind : {"gpu", "cpu", "standin"}) {
        EXPECT_EQ(check.problem("gpu-reference.json", nlohmann::json::parse(document({1, 1}, kind).dump())),
                  "");
    }
    nlohmann::json wrong = nlohmann::json::parse(document({1}).dump());
    wrong["experiments"][0].erase("name");
    EXPECT_EQ(check.problem("gpu-reference.json", wrong), "/experiments/0: lacks \"name\"");
}

TEST(AccuracyPage, SaysFirstWhetherAGpuWasMeasured) {
    const std::string none = accuracyPage({comparisonOf(document({1}, "standin"))});
    EXPECT_THAT(none, HasSubstr("**No GPU has been measured yet.**"));
    EXPECT_THAT(none, HasSubstr("No measurement:"));
    const std::string gpu = accuracyPage({comparisonOf(document({1.25, 0.8, 1}))});
    EXPECT_THAT(gpu, Not(HasSubstr("No GPU has been measured")));
    EXPECT_THAT(gpu, HasSubstr("1 of the files below was measured on a GPU"));
    EXPECT_THAT(gpu, HasSubstr("| allocated | 3 | 20.00 % |"));
    EXPECT_THAT(gpu, HasSubstr("provoked out of memory 99 times in 100, and 98 next runs succeeded"));
    EXPECT_THAT(accuracyPage({}), HasSubstr("No GPU has been measured yet"));
}

}  // namespace
}  // namespace highwater::reference
