#include "core/wire/events.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/core/wire/random_events.h"
#include "tests/fuzz/mutator.h"

namespace highwater::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Events, EveryKindSurvivesTheWire) {
    highwater::wire::test::RandomEvents random(7);
    for (std::size_t i = 0; i < 800; ++i) {
        const Event event = random.next(i);
        const std::string line = toLine(event);
        ASSERT_EQ(line.find('\n'), line.size() - 1) << line;
        const auto back = parseEvent(line);
        ASSERT_TRUE(back) << back.error().message << "\n" << line;
        ASSERT_EQ(*back, event) << line;
    }
}

TEST(Events, AreCalledAsTheContractHasThem) {
    highwater::wire::test::RandomEvents random(1);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::variant_size_v<Event>; ++i) {
        names.push_back(toJson(random.next(i)).at("event"));
    }
    EXPECT_THAT(names,
                ElementsAre("started", "ledger", "step", "layer", "patch", "warning", "failed", "finished"));
}

TEST(Result, HasTheContractsKeys) {
    RunResult result;
    result.layers = {{"1 conv", "conv", {2, 16, 64, 64, 64}, 448, 1024, 1.5, 2.5}};
    const Json json = toJson(result);
    for (const char* key : {"run_id", "status", "device", "versions", "threads", "isa",
                            "peak_allocated_bytes", "peak_rss_bytes", "peak_by_category", "layers", "step_ms",
                            "phases_ms", "throughput_samples_per_s", "loss_first", "loss_last"}) {
        EXPECT_TRUE(json.contains(key)) << key;
    }
    EXPECT_FALSE(json.contains("peak_reserved_bytes"));
    for (const char* key :
         {"parameters", "gradients", "optimizer_state", "input", "activations", "temporaries", "workspace"}) {
        EXPECT_TRUE(json.at("peak_by_category").contains(key)) << key;
    }
    for (const char* key :
         {"name", "output_shape", "parameters", "activation_bytes", "forward_ms", "backward_ms"}) {
        EXPECT_TRUE(json.at("layers").at(0).contains(key)) << key;
    }
    EXPECT_EQ(json.at("step_ms").dump(), R"({"median":0.0,"ci95":[0.0,0.0],"n":0})");
    for (const char* key : {"data", "forward", "recompute", "backward", "optimizer"}) {
        EXPECT_TRUE(json.at("phases_ms").contains(key)) << key;
    }
}

TEST(Result, WhatWasPredictedHasThePredictionsKeys) {
    RunResult result;
    EXPECT_FALSE(toJson(result).contains("predicted"));
    result.predicted = Predicted{"cpu", 90, 100, 110, {}, 1, 2, 3, {24, 0}, {"a guess"}};
    const Json json = toJson(result).at("predicted");
    EXPECT_EQ(json.at("peak_allocated_bytes").dump(), R"({"low":90,"expected":100,"high":110})");
    EXPECT_EQ(json.at("exact"), false);
    EXPECT_EQ(json.at("step_ms").dump(), R"({"low":1.0,"expected":2.0,"high":3.0})");
    EXPECT_EQ(json.at("activation_bytes").dump(), "[24,0]");
    Json bad = toJson(result);
    bad["predicted"]["activation_bytes"][1] = -1;
    EXPECT_THAT(resultFromJson(bad).error().message,
                HasSubstr("predicted/activation_bytes/1: must be a whole number"));
    bad = toJson(result);
    bad["predicted"]["guesses"] = "none";
    EXPECT_THAT(resultFromJson(bad).error().message, HasSubstr("guesses: must be a list"));
}

TEST(Result, AGpusPartIsLeftOutOnTheCpuAndKeepsItsKeys) {
    RunResult result;
    result.layers = {{"1 conv", "conv", {2, 16, 64, 64, 64}, 448, 1024, 1.5, 2.5}};
    const char* keys[] = {"architecture",      "device_at_peak", "device_at_end", "peak_device_used_bytes",
                          "host_ms",           "conditions",     "workspaces",    "allocation_retries",
                          "workspaces_refused"};
    for (const char* key : keys) {
        EXPECT_FALSE(toJson(result).contains(key)) << key;
    }
    result.environment.architecture = 90;
    result.deviceAtPeak = DeviceMemory{1, 2, 3, 4, 5, 6, 100, true};
    result.deviceAtEnd = DeviceMemory{};
    result.peakDeviceUsed = 21;
    result.hostMs.forward = kNan;
    result.after = GpuConditions{1980, 1980, 2619, 54, 310.5, {"heat"}};
    result.workspaces = {{0, Phase::Forward, 7}};
    result.allocationRetries = 1;
    result.workspacesRefused = 2;
    const Json json = toJson(result);
    for (const char* key : keys) {
        EXPECT_TRUE(json.contains(key)) << key;
    }
    EXPECT_EQ(json.at("device_at_peak").dump(),
              R"({"tensors":1,"rounding":2,"split":3,"cache":4,"context":5,"context_known":true,)"
              R"("others":6,"used":21,"capacity":100})");
    EXPECT_EQ(json.at("conditions").dump(),
              R"({"after":{"sm_clock_mhz":1980,"max_sm_clock_mhz":1980,"memory_clock_mhz":2619,)"
              R"("temperature_c":54,"power_w":310.5,"throttled":["heat"]}})");
    EXPECT_EQ(json.at("workspaces").dump(), R"([{"layer":0,"phase":"forward","bytes":7}])");
}

TEST(Result, AWorkspaceOfALayerThatIsNotThereIsRefused) {
    RunResult result;
    result.layers = {{"1 conv", "conv", {2}, 0, 0, 0, 0}};
    result.workspaces = {{1, Phase::Forward, 7}};
    EXPECT_THAT(resultFromJson(toJson(result)).error().message,
                HasSubstr("workspaces/layer: must be a whole number from -1 to 0"));
}

TEST(Result, ALossThatIsNoNumberSurvives) {
    RunResult result;
    result.lossFirst = 0.5;
    result.lossLast = kNan;
    result.losses = {0.5, std::numeric_limits<double>::infinity(), kNan};
    const auto back = parseEvent(toLine(Finished{result}));
    ASSERT_TRUE(back) << back.error().message;
    const RunResult& read = *std::get<Finished>(*back).result;
    EXPECT_EQ(read.lossFirst, 0.5);
    EXPECT_TRUE(std::isnan(read.lossLast));
    ASSERT_EQ(read.losses.size(), 3U);
    EXPECT_TRUE(std::isnan(read.losses[1]) && std::isnan(read.losses[2]));
}

TEST(Events, TextThatIsNotUtf8IsRepaired) {
    const auto back = parseEvent(toLine(Warning{"bad \xff byte"}));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(std::get<Warning>(*back).message, "bad \xEF\xBF\xBD byte");
}

TEST(Events, UnknownKeysAreAllowedUnknownEventsAreNot) {
    EXPECT_TRUE(parseEvent(R"({"event":"warning","message":"m","severity":3})"));
    const auto other = parseEvent(R"({"event":"dance"})");
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("dance"));
}

TEST(Events, WrongFieldsAreNamed) {
    const auto refusal = [](std::string_view line) {
        const auto event = parseEvent(line);
        return event ? "accepted" : event.error().message;
    };
    EXPECT_THAT(refusal(R"({"event":"warning"})"), HasSubstr("message"));
    EXPECT_THAT(refusal(R"({"event":"warning","message":3})"), HasSubstr("text"));
    EXPECT_THAT(refusal(R"([1,2])"), HasSubstr("object"));
    EXPECT_THAT(refusal(""), HasSubstr("JSON"));
    Json sample = toJson(Event(LedgerSample{}));
    for (const Json& wrong :
         {Json(-1), Json(1e30), Json(18446744073709551615ULL), Json("7"), Json(2.5), Json(nullptr)}) {
        sample["bytes"]["input"] = wrong;
        EXPECT_THAT(refusal(sample.dump()), HasSubstr("bytes/input")) << wrong;
    }
}

TEST(Events, ALayerIndexOutsideTheListIsRefused) {
    RunResult result;
    result.peak.layer = 0;
    EXPECT_FALSE(parseEvent(toLine(Finished{result})));
}

/// Whatever a damaged line contains: an error, or an event that can be written again.
TEST(Events, DamagedLinesNeverCrash) {
    highwater::wire::test::RandomEvents random(3);
    int accepted = 0;
    for (std::uint64_t i = 0; i < 6000; ++i) {
        const std::string line = fuzz::mutate(toLine(random.next(i)), i);
        const auto event = parseEvent(line);
        if (!event) {
            EXPECT_EQ(event.error().message.find('\n'), std::string::npos);
            continue;
        }
        ++accepted;
        const auto again = parseEvent(toLine(*event));
        EXPECT_TRUE(again) << again.error().message << "\n" << line;
    }
    EXPECT_GT(accepted, 0);
}

TEST(Keys, GoBothWays) {
    for (const RunStatus status : {RunStatus::Running, RunStatus::Done, RunStatus::Cancelled,
                                   RunStatus::OutOfMemory, RunStatus::Failed}) {
        EXPECT_EQ(statusFromKey(statusKey(status)), status);
    }
    for (const Phase phase :
         {Phase::Setup, Phase::Data, Phase::Forward, Phase::Recompute, Phase::Backward, Phase::Optimizer}) {
        EXPECT_EQ(phaseFromKey(phaseKey(phase)), phase);
    }
    EXPECT_EQ(statusFromKey("Done"), std::nullopt);
    EXPECT_EQ(phaseFromKey(""), std::nullopt);
}

}  // namespace
}  // namespace highwater::wire
