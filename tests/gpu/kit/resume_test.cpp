#include "tests/gpu/kit/resume.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/stack/json/json.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/gpu/kit/document.h"

namespace highwater::kit {
namespace {

using ::testing::HasSubstr;

const Json kGpu = {{"device", "cuda:0"},
                   {"device_name", "A GPU"},
                   {"versions", {{"libtorch", "2.11.0"}, {"cuda", "13.0"}, {"cudnn", "9.19.0"}}},
                   {"threads", 2},
                   {"isa", "avx2"},
                   {"memory_bytes", 1 << 30}};

Json convolution(const char* pass, const char* switches) {
    return {{"convolution", {{"pass", pass}, {"switches", switches}, {"microseconds", 2.5}}}};
}

/// A run that was interrupted after its first experiment.
std::vector<Json> earlierLines() {
    const auto cases = allCases(Scale::Gpu, false);
    const Case& first = cases->front();
    std::vector<Json> lines = {{{"kind", "gpu"}, {"environment", kGpu}},
                               {{"begin", first.name()}},
                               {{"experiment",
                                 {{"name", first.name()},
                                  {"family", first.family},
                                  {"experiment", stack::toJson(first.experiment)},
                                  {"skipped", "not here"}}}}};
    for (const char* name : {"a", "b"}) {
        Json rung = stack::toJson(first.experiment);
        rung["name"] = name;
        lines.push_back({{"rung",
                          {{"ladder", "by batch"},
                           {"name", name},
                           {"budget_bytes", 5},
                           {"experiment", rung},
                           {"failed", "not here"}}}});
    }
    lines.push_back({{"oom",
                      {{"wanted", 100},
                       {"tried", 100},
                       {"provoked", 100},
                       {"recovered", 100},
                       {"problems", Json::array()}}}});
    lines.push_back({{"overhead", {{"name", "old"}, {"steps", 1}, {"rounds", Json::array()}}}});
    lines.push_back(convolution("p", "-"));
    lines.push_back(convolution("q", "benchmark"));
    return lines;
}

Options gpu() {
    Options options;
    options.device = "cuda";
    return options;
}

std::size_t count(const std::vector<Json>& lines, const std::string& key) {
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const Json& line) { return line.contains(key); }));
}

TEST(KitResume, AFileComesOutAsItWentIn) {
    const Json earlier = documentOf(earlierLines(), gpu(), 10);
    const auto lines = journalOf(earlier, kGpu);
    ASSERT_TRUE(lines) << lines.error().message;
    std::vector<Json> all = {{{"kind", "gpu"}, {"environment", kGpu}}};
    all.insert(all.end(), lines->begin(), lines->end());
    const Json again = documentOf(all, gpu(), 5);
    for (const char* key : {"experiments", "ladder", "oom", "convolutions", "left_out"}) {
        EXPECT_EQ(again[key], earlier[key]) << key;
    }
    EXPECT_EQ(again["seconds"], 5);
    ASSERT_EQ(again["continued"].size(), 1u);
    EXPECT_EQ(again["continued"][0]["seconds"], 10);
    EXPECT_EQ(again["continued"][0]["when"], earlier["when"]);
    highwater::testing::SchemaCheck check;
    EXPECT_EQ(check.problem("gpu-reference.json", nlohmann::json::parse(textOf(again))), "");
}

TEST(KitResume, WhatItHoldsIsNotBegunAgain) {
    const auto lines = journalOf(documentOf(earlierLines(), gpu(), 10), kGpu);
    ASSERT_TRUE(lines);
    EXPECT_EQ(count(*lines, "begin"), 1u);
    EXPECT_EQ(count(*lines, "ladder"), 1u);
    EXPECT_EQ(count(*lines, "rung"), 2u);
    EXPECT_EQ(count(*lines, "begin_convolution"), 2u);
    EXPECT_EQ(count(*lines, "overhead"), 0u) << "the loops it compared did not have the same switches";
}

TEST(KitResume, TimedConvolutionsThatWereNotMeasuredApartAreMeasuredAgain) {
    Json earlier = documentOf(earlierLines(), gpu(), 10);
    earlier.erase("timed_apart");
    const auto lines = journalOf(earlier, kGpu);
    ASSERT_TRUE(lines);
    EXPECT_EQ(count(*lines, "begin_convolution"), 1u);
}

TEST(KitResume, AnotherDeviceOrLibraryIsRefused) {
    const Json earlier = documentOf(earlierLines(), gpu(), 10);
    Json other = kGpu;
    other["device_name"] = "Another";
    EXPECT_THAT(journalOf(earlier, other).error().message,
                HasSubstr("device_name is A GPU there and Another here"));
    other = kGpu;
    other["versions"]["cudnn"] = "9.20.0";
    EXPECT_THAT(journalOf(earlier, other).error().message,
                HasSubstr("versions/cudnn is 9.19.0 there and 9.20.0 here"));
    EXPECT_FALSE(journalOf(Json::object(), kGpu));
    EXPECT_FALSE(journalOf(Json(Json::value_t::discarded), kGpu));
}

}  // namespace
}  // namespace highwater::kit
