#include "core/scan/label_table.h"

#include <gmock/gmock.h>

#include <fstream>

namespace highwater::scan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Color = std::array<std::uint8_t, 3>;

/// A separate folder that is removed at the end.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "label-table-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    void write(const char* name, const char* text) const {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name) << text;
    }
};

TEST(LabelTable, ReadsItkSnapsDescriptions) {
    const auto table = parseLabelTable(
        "################\n# ITK-SnAP Label Description File\n"
        "    0     0    0    0        0  0  0    \"Clear Label\"\n"
        "    1   255    0    0        1  1  1    \"Left \"upper\" lobe\"\r\n"
        "   12     0  206    0      0.5  1  1    \"  \"\n",
        "labels.txt");
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(*table, (LabelTable{{0, {"Clear Label", Color{0, 0, 0}}},
                                  {1, {"Left \"upper\" lobe", Color{255, 0, 0}}},
                                  {12, {"label 12", Color{0, 206, 0}}}}));
}

TEST(LabelTable, ReadsFreeSurfersAndSlicersTables) {
    const auto table = parseLabelTable(
        "#No. Label Name:   R   G   B   A\n\n"
        "17  Left-Hippocampus   220 216 20  0\n"
        "\t1035 ctx-lh-insula 255 192 32 0\n"
        "17 again 1 2 3 0\n"
        "4 left lung lobe 10 20 30 255",
        "lut.txt");
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(*table, (LabelTable{{4, {"left lung lobe", Color{10, 20, 30}}},
                                  {17, {"Left-Hippocampus", Color{220, 216, 20}}},
                                  {1035, {"ctx-lh-insula", Color{255, 192, 32}}}}));
}

TEST(LabelTable, ReadsDatasetsOfBothVersions) {
    const auto newer = parseLabelTable(
        R"({"labels": {"background": 0, "whole tumour": [1, 2], "edema": 1, "core": [2], "x": 1.5}})", "d");
    ASSERT_TRUE(newer) << newer.error().message;
    EXPECT_EQ(*newer, (LabelTable{{0, {"background"}}, {1, {"edema"}}, {2, {"core"}}}));
    const auto older = parseLabelTable(R"( {"labels": {"0": "background", "1": "Anterior"}})", "d");
    ASSERT_TRUE(older) << older.error().message;
    EXPECT_EQ(*older, (LabelTable{{0, {"background"}}, {1, {"Anterior"}}}));
}

TEST(LabelTable, SaysWhatIsWrongAndWhere) {
    const auto why = [](std::string_view text) { return parseLabelTable(text, "t.txt").error().message; };
    EXPECT_EQ(why(""), "t.txt: names no label");
    EXPECT_EQ(why("# nothing\n"), "t.txt: names no label");
    EXPECT_THAT(why("1 Liver 1 2 3 0\n\n2 Spleen 1 2 300 0"), StartsWith("t.txt: line 3: names no label"));
    EXPECT_THAT(why("1 1 2 3 0"), StartsWith("t.txt: line 1:"));
    EXPECT_THAT(why("1 255 0 0 1 1 \"six\""), StartsWith("t.txt: line 1:"));
    EXPECT_THAT(why("1 255 0 0 1 1 1 \"open"), StartsWith("t.txt: line 1:"));
    EXPECT_THAT(why("99999999999 Liver 1 2 3 0"), StartsWith("t.txt: line 1:"));
    EXPECT_THAT(why("{}"), HasSubstr("/labels: must be an object"));
    EXPECT_THAT(why(R"({"labels": {"a": [1, 2]}})"), HasSubstr("names no single label"));
    EXPECT_THAT(why("{"), StartsWith("t.txt: "));
}

TEST(LabelTable, LiesBesideItsLabelMap) {
    const Folder folder;
    folder.write("labelsTr/a.nii.gz", "");
    const auto map = folder.path / "labelsTr" / "a.nii.gz";
    EXPECT_EQ(labelTableBeside(map), "");
    folder.write("dataset.json", R"({"labels": {"liver": 1}})");
    EXPECT_EQ(labelTableBeside(map), folder.path / "dataset.json");
    folder.write("labelsTr/a.label", "1 255 0 0 1 1 1 \"Liver\"\n");
    EXPECT_EQ(labelTableBeside(map), folder.path / "labelsTr" / "a.label");
    EXPECT_EQ(readLabelTable(labelTableBeside(map))->at(1).name, "Liver");
    EXPECT_THAT(readLabelTable(folder.path / "none.txt").error().message, HasSubstr("none.txt"));
}

}  // namespace
}  // namespace highwater::scan
