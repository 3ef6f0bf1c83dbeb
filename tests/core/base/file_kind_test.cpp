#include "core/base/file_kind.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "tests/core/temporary_folder.h"

namespace highwater::base {
namespace {

using std::string_literals::operator""s;

const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\noid "
    "sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n";

TEST(FileKind, ByTheirBeginning) {
    EXPECT_EQ(whatItIs(kPointer), "is a pointer of Git LFS, not the file itself; run git lfs pull");
    EXPECT_EQ(whatItIs(std::string(128, '\0') + "DICM\2\0"), "is a DICOM file");
    EXPECT_EQ(whatItIs(std::string(344, '\0') + "n+1\0"s), "is a NIfTI scan");
    EXPECT_EQ(whatItIs("\x1f\x8b\x08"), "is compressed with gzip");
    EXPECT_EQ(whatItIs("\x80\x04\x95"), "is a Python pickle");
    EXPECT_EQ(whatItIs("\x89PNG\r\n\x1a\n...."), "is a PNG picture");
    EXPECT_EQ(whatItIs("\n <!DOCTYPE HTML><html>"), "is a web page, probably of a failed download");
    EXPECT_EQ(whatItIs("{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": []}"),
              "is a trace of PyTorch's profiler or of Chrome's format (JSON)");
    EXPECT_EQ(whatItIs("{\n \"plans_name\": \"nnUNetPlans\"}"), "is a plans file of nnU-Net (JSON)");
    EXPECT_EQ(whatItIs("\xEF\xBB\xBF[{\"a\": 1}]"), "is JSON");
    for (const std::string& unknown : {""s, "n"s, "DICM"s, "some text"s, "{]"s, std::string(1000, '\0')}) {
        EXPECT_EQ(whatItIs(unknown), "") << unknown;
    }
}

TEST(FileKind, ScansAndSweepsAreToldFromOthers) {
    EXPECT_TRUE(isScan(whatItIs(std::string(128, '\0') + "DICM")));
    EXPECT_TRUE(isScan(whatItIs("NRRD0004\n")));
    EXPECT_TRUE(isSweep(
        whatItIs(R"({"base": {"schema": "highwater.experiment/1"}, "schema": "highwater.sweep/1"})")));
    for (const char* other : {"", "{}", "GIF8", R"({"schema": "highwater.experiment/1"})"}) {
        EXPECT_FALSE(isScan(whatItIs(other))) << other;
        EXPECT_FALSE(isSweep(whatItIs(other))) << other;
    }
}

TEST(FileKind, WhatIsNeededInstead) {
    EXPECT_EQ(wrongKind("is a PNG picture", "JSON"), "is a PNG picture; JSON is needed");
    EXPECT_EQ(wrongKind(whatItIs(kPointer), "JSON"), whatItIs(kPointer));
    EXPECT_EQ(wrongKind("", "JSON"), "");
}

TEST(FileKind, JsonReadersSayIt) {
    EXPECT_EQ(parseJson(std::string(344, '\0') + "n+1\0"s, "a.nii").error().message,
              "a.nii: is a NIfTI scan; JSON is needed");
    EXPECT_EQ(parseJson(kPointer, "a.json").error().message,
              "a.json: is a pointer of Git LFS, not the file itself; run git lfs pull");
    EXPECT_EQ(parseJson("{\"traceEvents\": ", "a.json").error().message.substr(0, 22),
              "a.json: not valid JSON");
}

TEST(FileKind, FilesThatAreTooLargeSayItToo) {
    const test::TemporaryFolder folder;
    const std::filesystem::path path =
        folder.write("a.json", std::string(344, '\0') + "n+1\0"s + std::string(1000, '\0'));
    EXPECT_EQ(whatFileIs(path), "is a NIfTI scan");
    const auto text = readFile(path, 1000);
    EXPECT_FALSE(text.ok());
    EXPECT_EQ(text.error().message,
              path.string() + ": has 1.32 KiB; at most 1000 B is read here; it is a NIfTI scan");
    EXPECT_EQ(whatFileIs(folder.path() / "none"), "");
    EXPECT_EQ(whatFileIs(folder.path()), "");
}

}  // namespace
}  // namespace highwater::base
