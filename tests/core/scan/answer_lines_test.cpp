#include "core/scan/answer_lines.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "core/scan/contents.h"
#include "core/scan/process.h"
#include "core/volume/volume_header.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/temporary_folder.h"
#include "tests/fuzz/mutator.h"

namespace highwater::scan {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

TEST(AnswerLines, InAnyPieces) {
    const std::string text =
        "{\"stage\": \"reading\", \"fraction\": 0.5}\n{\"stage\": \"a\", \"fraction\": null}\n"
        "{\"header\": 1}\n";
    for (std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
        std::vector<Progress> seen;
        AnswerLines lines([&](const Progress& progress) { seen.push_back(progress); });
        for (std::size_t at = 0; at < text.size(); at += piece) {
            lines.add(std::string_view(text).substr(at, piece));
        }
        ASSERT_EQ(seen.size(), 2U) << piece;
        EXPECT_EQ(seen[0].stage, "reading");
        EXPECT_EQ(seen[0].fraction, 0.5);
        EXPECT_EQ(seen[1].fraction, -1);
        EXPECT_EQ(lines.stage(), "a");
        ASSERT_TRUE(lines.last().has_value());
        EXPECT_EQ((*lines.last())["header"], 1);
    }
}

TEST(AnswerLines, WhatIsNoAnswerIsPassedOver) {
    std::vector<Progress> seen;
    AnswerLines lines([&](const Progress& progress) { seen.push_back(progress); });
    lines.add("\n[]\n{\n\"text\"\n{\"stage\": 7}\n{\"stage\": \"x\", \"fraction\": 9e99}\n\xff\xfe\n");
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].fraction, 1);
    EXPECT_FALSE(lines.last().has_value());
    lines.add("{\"stage\": \"two\\nlines and " + std::string(10'000, 'x') + "\"}\n");
    EXPECT_LE(lines.stage().size(), 43U);
    EXPECT_EQ(lines.stage().find('\n'), std::string::npos);
    EXPECT_FALSE(lines.tooLong());
    lines.add(std::string(17 << 20, 'x'));
    EXPECT_TRUE(lines.tooLong());
}

/// A reader that prints the contents of a file and exits normally.
base::Result<base::Json> saying(const std::string& path) {
    ProcessRequest request;
    request.program = "/bin/cat";
    request.arguments = {"--", path};
    request.name = "a.nii";
    return runScanProcess(request);
}

bool isOneLine(const std::string& message) {
    return !message.empty() && message.find('\n') == std::string::npos;
}

TEST(ScanProcess, GarbageFromTheReaderIsOneLine) {
    const TemporaryFolder folder;
    EXPECT_THAT(saying(folder.write("none", "")).error().message,
                HasSubstr("a.nii: this file cannot be decoded: the reader stopped (exit code 0)"));
    EXPECT_THAT(saying(folder.write("stage", "{\"stage\": \"inflating\"}\n{]")).error().message,
                HasSubstr("the reader stopped while inflating (exit code 0)"));
    EXPECT_THAT(saying(test::nowhere()).error().message, HasSubstr("the reader stopped (exit code 1)"));
    EXPECT_EQ(saying(folder.write("error", "{\"error\": \"two\\nlines\"}\n")).error().message, "two lines");
    EXPECT_TRUE(saying(folder.write("good", "{\"header\": {}}\n")).ok());
    EXPECT_THAT(saying(folder.write("long", std::string(20 << 20, '['))).error().message,
                HasSubstr("the reader printed too much"));
}

TEST(ScanProcess, NoSuchReader) {
    ProcessRequest request;
    request.program = test::nowhere();
    request.name = "a.nii";
    EXPECT_THAT(runScanProcess(request).error().message, HasSubstr("the scan reader cannot be started"));
}

/// With its child processes: none of them remains.
TEST(ScanProcess, EndsAReaderThatHangs) {
    for (const char* what : {"sleep 1000", "exec >&-; sleep 1000"}) {
        ProcessRequest request;
        request.program = "/bin/sh";
        request.arguments = {"-c", what};
        request.timeout = std::chrono::seconds(1);
        EXPECT_THAT(runScanProcess(request).error().message, HasSubstr("made no progress for 1 s")) << what;
        EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
    }
}

Contents someContents() {
    Contents contents;
    Series series;
    series.id = "1.2.840#2";
    series.description = "T1 \"MPRAGE\" sag ü";
    series.modality = "MR";
    series.number = -3;
    series.files = 64;
    series.size = {256, 256, 64};
    series.spacing = {0.859375, 0.859375, 0};
    series.volumes = 4;
    series.firstFile = "IM0001";
    series.warnings = {"a gap", "another"};
    Series broken;
    broken.id = "9";
    broken.problem = "is encoded in HTJ2K";
    contents.series = {series, broken};
    contents.scans = {"a.nii.gz", "quo'te\"s.nrrd"};
    contents.unread = {"IM7: cannot be decoded"};
    contents.ignored = 12;
    return contents;
}

TEST(Contents, TravelAsJson) {
    for (const Contents& contents : {Contents(), someContents()}) {
        const auto again = contentsFromJson(base::Json::parse(toJson(contents).dump()));
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_EQ(*again, contents);
    }
}

TEST(Contents, ErrorsNameTheField) {
    const auto errorWith = [](const char* pointer, const base::Json& value) {
        base::Json json = toJson(someContents());
        json[base::Json::json_pointer(pointer)] = value;
        const auto contents = contentsFromJson(json);
        return contents ? "none" : contents.error().message;
    };
    EXPECT_THAT(errorWith("/series", 7), HasSubstr("/series: must be a list"));
    EXPECT_THAT(errorWith("/series/0/size", {1, 2}), HasSubstr("/series/0/size"));
    EXPECT_THAT(errorWith("/series/0/size/2", -1), HasSubstr("/series/0/size"));
    EXPECT_THAT(errorWith("/series/0/spacing_mm/1", -1), HasSubstr("/series/0/spacing_mm"));
    EXPECT_THAT(errorWith("/series/0/spacing_mm/1", nullptr), HasSubstr("/series/0/spacing_mm"));
    EXPECT_THAT(errorWith("/series/1/volumes", 0), HasSubstr("/series/1/volumes"));
    EXPECT_THAT(errorWith("/series/1/warnings", {1}), HasSubstr("/series/1/warnings"));
    EXPECT_THAT(errorWith("/scans", "a"), HasSubstr("/scans"));
    EXPECT_THAT(errorWith("/ignored", -1), HasSubstr("/ignored"));
    EXPECT_THAT(errorWith("/color", 1), HasSubstr("color"));
    EXPECT_FALSE(contentsFromJson(base::Json::array()).ok());
}

/// Answers that were damaged in transit: an error of one line, or values that are consistent.
TEST(Contents, DamagedAnswers) {
    const std::string answer = toJson(someContents()).dump();
    int accepted = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const auto json = base::parseJson(fuzz::mutate(answer, seed), "answer");
        if (!json) {
            continue;
        }
        const auto contents = contentsFromJson(*json);
        if (!contents) {
            ++refused;
            EXPECT_TRUE(isOneLine(contents.error().message)) << seed;
            continue;
        }
        ++accepted;
        for (const Series& series : contents->series) {
            EXPECT_GE(series.volumes, 1) << seed;
            EXPECT_GE(*std::min_element(series.size.begin(), series.size.end()), 0) << seed;
            EXPECT_GE(*std::min_element(series.spacing.begin(), series.spacing.end()), 0) << seed;
        }
        EXPECT_EQ(*contentsFromJson(toJson(*contents)), *contents) << seed;
    }
    EXPECT_GT(accepted, 30);
    EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace highwater::scan
