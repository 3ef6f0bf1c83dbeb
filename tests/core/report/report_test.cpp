#include "core/report/report.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <clocale>
#include <filesystem>
#include <limits>
#include <locale>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/report/portable.h"
#include "core/stack/json/json.h"
#include "tests/core/report/sample.h"

namespace highwater::report {
namespace {

using testing::HasSubstr;

/// Parses RFC 4180 into rows of fields.
std::vector<std::vector<std::string>> parseCsv(const std::string& text) {
    std::vector<std::vector<std::string>> rows(1);
    std::string field;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            field += text[++i];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == ',' || c == '\n')) {
            rows.back().push_back(std::exchange(field, ""));
            if (c == '\n') {
                rows.emplace_back();
            }
        } else {
            field += c;
        }
    }
    rows.pop_back();
    return rows;
}

std::vector<std::map<std::string, std::string>> csvRows(const ReportInput& input) {
    const auto rows = parseCsv(csv(input));
    std::vector<std::map<std::string, std::string>> named;
    for (std::size_t r = 1; r < rows.size(); ++r) {
        EXPECT_EQ(rows[r].size(), rows[0].size());
        auto& row = named.emplace_back();
        for (std::size_t c = 0; c < std::min(rows[0].size(), rows[r].size()); ++c) {
            row[rows[0][c]] = rows[r][c];
        }
    }
    return named;
}

class Folder : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("highwater-report-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_;
};

TEST(Csv, ARowARunThatAddsUp) {
    const runs::RunRecord run = sampleRun();
    const auto rows = csvRows(reportOf({run, failedRun()}));
    ASSERT_EQ(rows.size(), 2u);
    const auto& row = rows[0];
    EXPECT_EQ(row.at("name"), "two levels, checkpoint enc2") << "the comma is quoted";
    EXPECT_EQ(row.at("patch"), "96x80x64");
    EXPECT_EQ(row.at("steps"), "27");
    EXPECT_EQ(row.at("parameters"), "447810") << "a block's own sum is not counted twice";
    std::int64_t sum = 0;
    for (const memory::Category c : memory::kCategories) {
        sum += std::stoll(row.at("peak_" + std::string(memory::categoryKey(c)) + "_bytes"));
    }
    EXPECT_EQ(std::to_string(sum), row.at("peak_allocated_bytes"));
    EXPECT_EQ(sum, run.result.peakAllocated);
    EXPECT_DOUBLE_EQ(std::stod(row.at("step_ms_median")), run.result.stepMs.median);
    EXPECT_EQ(row.at("failure"), "");
    EXPECT_EQ(rows[1].at("status"), "out_of_memory");
    EXPECT_EQ(rows[1].at("failure_step"), "2");
    EXPECT_EQ(rows[1].at("failure_requested_bytes"), std::to_string(480 * base::kMiB));
    EXPECT_EQ(rows[1].at("step_ms_median"), "") << "nothing was timed";
}

TEST(Csv, QuotesWhatRfc4180Asks) {
    runs::RunRecord run = sampleRun();
    run.summary.name = "a \"b\",\nc";
    EXPECT_EQ(csvRows(reportOf({run})).at(0).at("name"), "a \"b\",\nc");
}

TEST(Csv, ANameIsNoFormulaAndANegativeLossIsANumber) {
    runs::RunRecord run = sampleRun();
    run.summary.name = "=HYPERLINK(\"https://example.org\")";
    run.result.lossLast = -0.5;
    const auto row = csvRows(reportOf({run})).at(0);
    EXPECT_EQ(row.at("name"), "'=HYPERLINK(\"https://example.org\")");
    EXPECT_EQ(row.at("loss_last"), "-0.5");
}

struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(Csv, DoesNotDependOnTheLocale) {
    const ReportInput input = reportOf({sampleRun()});
    const std::string plain = csv(input), page = html(input), document = json(input);
    const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // if it is installed, C functions follow it too
    EXPECT_EQ(csv(input), plain);
    EXPECT_TRUE(html(input) == page);
    EXPECT_TRUE(json(input) == document);
    std::locale::global(before);
    std::setlocale(LC_ALL, "C");
}

TEST(Json, HoldsResultAndExperimentOfEachRun) {
    const ReportInput input = reportOf({sampleRun(), failedRun()});
    const auto document = nlohmann::ordered_json::parse(json(input));
    EXPECT_EQ(document["schema"], "highwater.report/1");
    ASSERT_EQ(document["runs"].size(), 2u);
    const auto& first = document["runs"][0];
    EXPECT_EQ(first["number"], 12);
    EXPECT_EQ(first["peak_allocated_bytes"], input.runs[0].result.peakAllocated);
    const auto result = wire::resultFromJson(first);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->peakByCategory, input.runs[0].result.peakByCategory);
    const auto experiment = stack::experimentFromJson(first["experiment"], "report");
    ASSERT_TRUE(experiment.ok()) << experiment.error().message;
    EXPECT_EQ(*experiment, portable(input.runs[0].experiment)) << "with the names of its files";
    EXPECT_EQ(document["runs"][1]["status"], "out_of_memory");
}

TEST(Json, SaysWhichRunsWerePretended) {
    const auto document = nlohmann::ordered_json::parse(json(reportOf({sampleRun(), pretendedRun()})));
    EXPECT_EQ(document["runs"][0]["pretended"], false);
    EXPECT_EQ(document["runs"][1]["pretended"], true);
    EXPECT_EQ(document["runs"][1]["script"], "train.py --batch 8");
    EXPECT_FALSE(document["runs"][1].contains("experiment"));
    const auto rows = csvRows(reportOf({sampleRun(), pretendedRun()}));
    EXPECT_EQ(rows.at(0).at("pretended"), "false");
    EXPECT_EQ(rows.at(1).at("pretended"), "true");
    EXPECT_EQ(rows.at(1).at("watched"), "false");
}

TEST(Json, SaysWhichRunsWereWatched) {
    runs::RunRecord watched = sampleRun();
    watched.script.emplace();
    watched.script->command = {"/home/someone/train.py"};
    watched.script->watched = true;
    const auto document = nlohmann::ordered_json::parse(json(reportOf({sampleRun(), watched})));
    EXPECT_FALSE(document["runs"][0].contains("watched"));
    EXPECT_EQ(document["runs"][1]["watched"], true);
    EXPECT_EQ(csvRows(reportOf({watched})).at(0).at("watched"), "true");
    const std::string page = html(reportOf({watched}));
    EXPECT_THAT(page, HasSubstr("Watched run #12"));
    EXPECT_THAT(page, HasSubstr("python train.py"));
    EXPECT_THAT(page, testing::Not(HasSubstr("/home/someone")));
}

TEST(Json, SurvivesNamesThatAreNotUtf8AndBadNumbers) {
    runs::RunRecord run = sampleRun(1);
    run.summary.name = "a\xFF";
    run.result.lossLast = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(nlohmann::ordered_json::accept(json(reportOf({run}))));
}

TEST_F(Folder, WritesByTheNamesEnding) {
    const ReportInput input = reportOf({sampleRun(5)});
    for (const auto& [name, text] : std::map<std::string, std::string>{{"a.html", html(input)},
                                                                       {"b.HTM", html(input)},
                                                                       {"b.Pdf", pdf(input)},
                                                                       {"c.csv", csv(input)},
                                                                       {"d.json", json(input)}}) {
        ASSERT_TRUE(write(input, folder_ / name).ok()) << name;
        const auto read = base::readFile(folder_ / name);
        ASSERT_TRUE(read.ok());
        EXPECT_TRUE(*read == text) << name << " differs";
    }
}

TEST_F(Folder, SaysWhatWorksWhereItCannotWrite) {
    const ReportInput input = reportOf({sampleRun(5)});
    for (const char* name : {"a.ps", "a.txt", "a"}) {
        const base::Status status = write(input, folder_ / name);
        ASSERT_FALSE(status.ok()) << name;
        EXPECT_THAT(status.error().message, HasSubstr(name));
        EXPECT_THAT(status.error().message, HasSubstr("must end in .html, .pdf, .csv or .json"));
        EXPECT_FALSE(std::filesystem::exists(folder_ / name));
    }
    EXPECT_FALSE(write(input, folder_ / "missing" / "a.html").ok());
    EXPECT_FALSE(write(reportOf({}), folder_ / "a.html").ok());
}

}  // namespace
}  // namespace highwater::report
