#include "tests/gpu/kit/document.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/stack/json/json.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/temporary_folder.h"

namespace highwater::kit {
namespace {

using ::testing::HasSubstr;

Options cpu() {
    Options options;
    options.device = "cpu";
    return options;
}

const Json kEnvironment = {
    {"device", "cpu"}, {"device_name", "A processor"}, {"versions", {{"libtorch", "2.11.0"}}}, {"threads", 2},
    {"isa", "avx2"},   {"memory_bytes", 1 << 30}};

Json resultJson(int threads) {
    wire::RunResult result;
    result.status = wire::RunStatus::Done;
    result.peakAllocated = 12345;
    result.stepMs = {1.23456789, 1, 2, 3};
    result.losses = {1, 2};
    Json json = wire::toJson(result);
    for (const auto& [key, value] : kEnvironment.items()) {
        json[key] = value;
    }
    json["threads"] = threads;
    return json;
}

Json experimentLine(const Case& each, const char* key, Json value) {
    return {{"experiment",
             {{"name", each.name()},
              {"family", each.family},
              {"experiment", stack::toJson(each.experiment)},
              {key, std::move(value)}}}};
}

class Document : public ::testing::Test {
protected:
    Document() : cases_(*allCases(Scale::Rehearsal, false)) {
        lines_ = {{{"kind", "cpu"}, {"environment", kEnvironment}}};
        for (int i = 0; i < 3; ++i) {
            lines_.push_back({{"begin", cases_[static_cast<std::size_t>(i)].name()}});
        }
        lines_.push_back(experimentLine(cases_[0], "result", resultJson(2)));
        lines_.push_back(experimentLine(cases_[1], "skipped", "not here"));
    }
    std::vector<Case> cases_;
    std::vector<Json> lines_;
};

TEST_F(Document, HoldsWhatTheJournalSays) {
    lines_.push_back({{"oom", {{"tried", 10}, {"provoked", 10}, {"recovered", 10}}}});
    lines_.push_back({{"oom", {{"tried", 20}, {"provoked", 19}, {"recovered", 20}}}});
    lines_.push_back({{"convolution", {{"pass", "p"}, {"switches", "-"}, {"microseconds", 1.5}}}});
    lines_.push_back({{"left_out", "something"}});
    const Json document = documentOf(lines_, cpu(), 12.6);
    EXPECT_EQ(document["oom"]["tried"], 20) << "the last word counts";
    EXPECT_EQ(document["convolutions"].size(), 1u);
    EXPECT_EQ(document["seconds"], 13);
    EXPECT_EQ(document["left_out"][0], "something");
    EXPECT_EQ(document["experiments"][1]["skipped"], "not here");
    highwater::testing::SchemaCheck check;
    EXPECT_EQ(check.problem("gpu-reference.json", nlohmann::json::parse(textOf(document))), "");
}

TEST_F(Document, SaysOnceWhatAllResultsShare) {
    lines_.push_back(experimentLine(cases_[2], "result", resultJson(1)));
    const Json document = documentOf(lines_, cpu(), 1);
    const Json &same = document["experiments"][0]["result"], &other = document["experiments"][2]["result"];
    EXPECT_FALSE(same.contains("device_name") || same.contains("threads") || same.contains("losses"));
    EXPECT_EQ(other["threads"], 1);
    EXPECT_EQ(same["peak_allocated_bytes"], 12345);
    EXPECT_EQ(same["step_ms"]["median"], 1.2346);
}

TEST_F(Document, SlimLeavesLayersAndConvolutionsOut) {
    lines_.push_back({{"convolution", {{"pass", "p"}, {"switches", "-"}, {"microseconds", 1.5}}}});
    Options options = cpu();
    options.slim = true;
    const Json document = documentOf(lines_, options, 1);
    const Json& result = document["experiments"][0]["result"];
    EXPECT_TRUE(result["layers"].empty());
    EXPECT_EQ(result["peak"]["layer"], -1);
    EXPECT_EQ(result["peak_allocated_bytes"], 12345);
    EXPECT_EQ(document["left_out"].back(), "1 measured convolutions, by --slim");
}

TEST_F(Document, RungsSayHowTheyDifferFromTheFirst) {
    for (const char* name : {"a", "b"}) {
        lines_.push_back({{"rung",
                           {{"ladder", "l"},
                            {"name", name},
                            {"budget_bytes", 5},
                            {"experiment", {{"name", name}}},
                            {"out_of_memory", false}}}});
    }
    const Json ladder = documentOf(lines_, cpu(), 1)["ladder"];
    EXPECT_EQ(ladder[0]["experiment"]["name"], "a");
    EXPECT_FALSE(ladder[1].contains("experiment"));
    EXPECT_EQ(ladder[0]["experiment"].patch(ladder[1]["patch"])["name"], "b");
}

TEST_F(Document, AnExperimentThatTookItsProcessWithItHasFailed) {
    const Json document = documentOf(lines_, cpu(), 1);
    ASSERT_EQ(document["experiments"].size(), 3u);
    EXPECT_EQ(document["experiments"][2]["name"], cases_[2].name());
    EXPECT_EQ(document["experiments"][2]["failed"], "the process that ran it ended");
}

TEST_F(Document, NamesWhatWasNotReached) {
    const Json document = documentOf(lines_, cpu(), 1);
    const std::string line = document["left_out"].back();
    EXPECT_THAT(line, HasSubstr(std::to_string(cases_.size() - 3) + " experiments, as the time was over:"));
    EXPECT_THAT(line, HasSubstr(cases_[3].name()));
    Options one = cpu();
    one.only = cases_[0].name();
    EXPECT_TRUE(documentOf(lines_, one, 1)["left_out"].empty());
}

TEST_F(Document, IsARehearsalWhereTheGpuWasNotThere) {
    Options gpu;
    gpu.device = "cuda";
    EXPECT_EQ(documentOf(lines_, gpu, 1)["sizes"], "rehearsal");
}

TEST_F(Document, TextIsTheDocument) {
    const Json document = documentOf(lines_, cpu(), 1);
    EXPECT_EQ(Json::parse(textOf(document)), document);
}

TEST(Journal, KeepsWholeLines) {
    const highwater::test::TemporaryFolder folder;
    const Journal journal(folder.path() / "journal");
    EXPECT_TRUE(journal.read().empty());
    journal.add({{"begin", "a"}});
    journal.add({{"begin", "b\xff"}});
    std::ofstream(journal.path(), std::ios::app) << "{\"begin\": \"c";
    const std::vector<Json> lines = journal.read();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0]["begin"], "a");
    EXPECT_THROW(Journal(folder.path() / "none" / "journal").add({}), std::runtime_error);
}

}  // namespace
}  // namespace highwater::kit
