#include "tests/gpu/public/public_comparison.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/gpu/public/public_misses.h"
#include "tests/gpu/public/public_page.h"

namespace highwater::truth {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kExperiments =
    std::filesystem::path(HIGHWATER_SOURCE_DIR) / "tests/gpu/public/experiments";

json memoryJson() {
    return {
        {"format", "highwater.public-truth/1"},
        {"title", "a layer"},
        {"source", "https://example.org"},
        {"kind", "training step"},
        {"measured_on", {{"gpu", "a100-80"}, {"gpu_as_published", "A100"}, {"libtorch", "2.0.1"}}},
        {"predict_with",
         {{"libtorch", "2.0"}, {"cudnn", "8.7.0"}, {"roofs", {{"fp32", 1e13}, {"bytes_per_second", 2e12}}}}},
        {"experiment", "conv-chain-185903"},
        {"measured", {{"allocated_peak", 1000}, {"reserved_peak", 2000}}},
        {"rounding", {{"allocated_peak", 10}}},
        {"python_corrections", {{"bytes_to_add_to_prediction", 100}, {"why", "logits"}}},
        {"trust", "high"},
        {"what", "peak"},
        {"why", "a reason"}};
}

std::string problemOf(const json& entry) {
    const auto read = parseEntry(entry.dump(), "x", kExperiments);
    return read ? "" : read.error().message;
}

Entry entryWith(base::Bytes pythonBytes = 0) {
    Entry entry;
    entry.name = "entry";
    entry.trust = "high";
    entry.libtorch = "2.0";
    entry.pythonBytes = pythonBytes;
    return entry;
}

TEST(PublicEntry, IsReadWithItsExperiment) {
    const auto entry = parseEntry(memoryJson().dump(), "x", kExperiments);
    ASSERT_TRUE(entry) << entry.error().message;
    EXPECT_EQ(entry->name, "x");
    EXPECT_EQ(entry->gpu, "a100-80");
    EXPECT_EQ(entry->predictWith, (memory::TorchVersion{2, 0}));
    EXPECT_EQ(entry->cudnn, (predict::CudnnVersion{8, 7, 0}));
    ASSERT_TRUE(entry->roofs);
    EXPECT_EQ(entry->roofs->fp32, 1e13);
    EXPECT_EQ(entry->roofs->bytesPerSecond, 2e12);
    ASSERT_EQ(entry->memory.size(), 2U);
    EXPECT_EQ(entry->memory[0].rounding, 10);
    EXPECT_EQ(entry->memory[1].measure, Measure::Reserved);
    EXPECT_EQ(entry->memory[1].rounding, 0);
    EXPECT_EQ(entry->pythonBytes, 100);
    EXPECT_FALSE(entry->experiment.stack.empty());
}

TEST(PublicEntry, SaysWhatIsWrong) {
    json other = memoryJson();
    other["format"] = "highwater.public-truth/2";
    EXPECT_EQ(problemOf(other), "x: /format: must be \"highwater.public-truth/1\"");
    other = memoryJson();
    other["kind"] = "guess";
    EXPECT_THAT(problemOf(other), HasSubstr("x: /kind: must be one of training step, "));
    other = memoryJson();
    other["predict_with"]["libtorch"] = "1.5";
    EXPECT_THAT(problemOf(other), HasSubstr("1.13 is the oldest"));
    other = memoryJson();
    other["compare"] = {{"quantity", "all"}};
    EXPECT_THAT(problemOf(other), HasSubstr("/compare/quantity"));
    other = memoryJson();
    other["measured"] = json::object();
    EXPECT_EQ(problemOf(other), "x: /measured: must hold a size or a time above 0");
    other = memoryJson();
    other["experiment"] = "none";
    EXPECT_THAT(problemOf(other), HasSubstr("/experiment"));
    EXPECT_FALSE(parseEntry("[", "x", kExperiments));
}

TEST(PublicComparison, AValueIsInsideIfItsRoundingMeetsTheInterval) {
    const Entry entry = entryWith(50);
    MemoryRow row{&entry, {Measure::Allocated, 1000, 0}, {800, 900, 1000}};
    EXPECT_TRUE(row.inside());
    EXPECT_DOUBLE_EQ(row.error(), -0.1);
    EXPECT_DOUBLE_EQ(row.knownError(), -0.05);
    row.predicted = {800, 900, 955};
    EXPECT_TRUE(row.inside()) << "with the bytes that Python holds";
    row.predicted = {800, 900, 940};
    EXPECT_FALSE(row.inside());
    row.measured.rounding = 10;
    EXPECT_TRUE(row.inside());
}

TEST(PublicComparison, FiguresAreOfTheWantedRows) {
    const Entry entry = entryWith();
    const std::vector<MemoryRow> rows = {{&entry, {Measure::Allocated, 1000, 0}, {990, 990, 990}},
                                         {&entry, {Measure::Allocated, 1000, 0}, {1000, 1030, 1040}},
                                         {&entry, {Measure::Reserved, 1000, 0}, {5000, 5000, 5000}}};
    const auto figures =
        figuresOf(rows, [](const MemoryRow& row) { return row.measured.measure == Measure::Allocated; });
    EXPECT_EQ(figures.n, 2U);
    EXPECT_EQ(figures.inside, 1U);
    EXPECT_NEAR(figures.median, 2, 1e-9);
    EXPECT_NEAR(figures.worst, 3, 1e-9);
    EXPECT_EQ(figuresOf(rows, [](const MemoryRow&) { return false; }).n, 0U);
    EXPECT_TRUE(isMiss(rows[0]));
}

TEST(PublicComparison, TimesAreMeasuredOverExpected) {
    const Entry entry = entryWith();
    const std::vector<TimeRow> rows = {{&entry, 100, {50, 100, 300}}, {&entry, 400, {50, 100, 300}}};
    const auto figures = figuresOf(rows, [](const TimeRow&) { return true; });
    EXPECT_EQ(figures.n, 2U);
    EXPECT_EQ(figures.inside, 1U);
    EXPECT_DOUBLE_EQ(figures.smallest, 1);
    EXPECT_DOUBLE_EQ(figures.largest, 4);
    EXPECT_DOUBLE_EQ(figures.low, 0.5);
    EXPECT_DOUBLE_EQ(figures.high, 3);
}

TEST(PublicMisses, OfOneReasonAreOneLine) {
    EXPECT_EQ(missList({{"a", "why"}, {"b", ""}, {"c", "why"}}), "- a, c: why\n- **Not understood:** b.\n");
    EXPECT_EQ(missList({}), "None.\n");
}

TEST(PublicPage, SaysHowManyAndWhatIsMissed) {
    const auto entry = parseEntry(memoryJson().dump(), "chain", kExperiments);
    ASSERT_TRUE(entry);
    const std::vector<Entry> entries = {*entry};
    const Comparison comparison = compare(entries);
    ASSERT_EQ(comparison.memory.size(), 2U);
    EXPECT_TRUE(comparison.refused.empty());
    const std::string page = publicPage(comparison);
    EXPECT_THAT(page, HasSubstr("2 sizes and 0 times."));
    EXPECT_THAT(page, HasSubstr("a reason"));
    EXPECT_THAT(page, Not(HasSubstr("Not predicted")));
}

TEST(PublicPage, NamesWhatCannotBePredicted) {
    auto entry = parseEntry(memoryJson().dump(), "chain", kExperiments);
    ASSERT_TRUE(entry);
    entry->gpu = "none";
    const std::vector<Entry> entries = {*entry};
    EXPECT_THAT(publicPage(compare(entries)), HasSubstr("- chain: \"none\" is not a GPU profile"));
}

}  // namespace
}  // namespace highwater::truth
