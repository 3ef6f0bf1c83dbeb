#include "core/scan/cohort.h"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>

#include "core/scan/cohort_files.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::scan {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A folder of mostly empty files: findCases looks only at names.
class Cohorts : public testing::Test {
protected:
    void put(const std::string& name, const std::string& bytes = "") {
        const fs::path path = folder_.path() / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
    }
    void putAll(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            put(name);
        }
    }
    Cohort find(const std::string& inner = "") {
        auto cohort = findCases(folder_.path() / inner);
        EXPECT_TRUE(cohort.ok()) << cohort.error().message;
        return cohort ? *cohort : Cohort();
    }
    std::string refusal() {
        const auto cohort = findCases(folder_.path());
        return cohort ? "" : cohort.error().message;
    }
    /// The names of its channels' files, below the folder.
    std::vector<std::string> channels(const Case& one) const {
        std::vector<std::string> names;
        for (const CaseFile& file : one.channels) {
            names.push_back(below(file.path));
        }
        return names;
    }
    std::string below(const std::string& path) const {
        return path.empty() ? "" : fs::path(path).lexically_relative(folder_.path()).string();
    }
    static std::vector<std::string> names(const Cohort& cohort) {
        std::vector<std::string> names;
        for (const Case& one : cohort.cases) {
            names.push_back(one.name);
        }
        return names;
    }
    TemporaryFolder folder_;
};

TEST_F(Cohorts, AsNnunetHasThem) {
    putAll({"imagesTr/BRATS_10_0000.nii.gz", "imagesTr/BRATS_10_0001.nii.gz", "imagesTr/BRATS_2_0000.nii.gz",
            "imagesTr/BRATS_2_0001.nii.gz", "imagesTr/._BRATS_2_0001.nii.gz", "labelsTr/BRATS_2.nii.gz",
            "labelsTr/BRATS_10.nii.gz", "imagesTs/BRATS_3_0000.nii.gz", "dataset.json"});
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("BRATS_2", "BRATS_10")) << "by number";
    EXPECT_THAT(channels(cohort.cases[0]),
                ElementsAre("imagesTr/BRATS_2_0000.nii.gz", "imagesTr/BRATS_2_0001.nii.gz"));
    EXPECT_EQ(below(cohort.cases[1].labels), "labelsTr/BRATS_10.nii.gz");
    EXPECT_THAT(cohort.notes, ElementsAre(HasSubstr("imagesTs")));
    EXPECT_EQ(find("imagesTr").cases, cohort.cases) << "the folder of images itself";
}

TEST_F(Cohorts, ChannelFilesDirectlyInTheFolder) {
    putAll({"a_0000.nrrd", "a_0001.nrrd", "b_0000.nrrd", "b_0001.nrrd", "b_seg.nrrd"});
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("a", "b"));
    EXPECT_THAT(cohort.cases, Each(testing::Field(&Case::channels, SizeIs(2))));
    EXPECT_EQ(below(cohort.cases[1].labels), "b_seg.nrrd");
}

TEST_F(Cohorts, AsTheDecathlonHasThem) {
    putAll({"imagesTr/la_003.nii.gz", "imagesTr/la_010.nii.gz", "labelsTr/la_003.nii.gz",
            "labelsTr/la_010.nii.gz"});
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("la_003", "la_010"));
    EXPECT_THAT(channels(cohort.cases[0]), ElementsAre("imagesTr/la_003.nii.gz"));
    EXPECT_EQ(below(cohort.cases[0].labels), "labelsTr/la_003.nii.gz");
    EXPECT_THAT(cohort.notes, IsEmpty());

    put("dataset.json", R"({"tensorImageSize": "4D", "modality": {"0": "FLAIR", "1": "T1w", "2": "T2w"}})");
    const Case one = find().cases[0];
    ASSERT_THAT(one.channels, SizeIs(3)) << "the volumes of the 4D file";
    EXPECT_EQ(one.channels[2].volume, 2);
    EXPECT_EQ(one.channels[2].path, one.channels[0].path);
    for (const char* broken :
         {"{", "7", R"({"tensorImageSize": "4D"})", R"({"tensorImageSize": "4D", "modality": 3})",
          R"({"tensorImageSize": "3D", "modality": {"0": "CT", "1": "MR"}})"}) {
        put("dataset.json", broken);
        EXPECT_THAT(find().cases[0].channels, SizeIs(1)) << broken;
    }
}

/// Four digits at the end of a name are not always channels.
TEST_F(Cohorts, NumbersThatAreNoChannels) {
    for (int i = 1; i <= 30; ++i) {
        char name[40];
        std::snprintf(name, sizeof(name), "imagesTr/case_%04d.nii.gz", i);
        put(name);
        std::snprintf(name, sizeof(name), "labelsTr/case_%04d.nii.gz", i);
        put(name);
    }
    EXPECT_THAT(find().cases, SizeIs(30));
    put("imagesTr/case_0000.nii.gz");
    EXPECT_THAT(find().cases, SizeIs(31)) << "nobody has 31 channels";
}

TEST_F(Cohorts, AFolderACase) {
    for (const char* name : {"P2", "P10"}) {
        for (const char* file : {"_t1.nii.gz", "_flair.nii.gz", "_t2.nii.gz", "_seg.nii.gz", ".txt"}) {
            put(std::string(name) + "/" + name + file);
        }
    }
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("P2", "P10"));
    EXPECT_THAT(channels(cohort.cases[0]),
                ElementsAre("P2/P2_flair.nii.gz", "P2/P2_t1.nii.gz", "P2/P2_t2.nii.gz"));
    EXPECT_EQ(below(cohort.cases[0].labels), "P2/P2_seg.nii.gz");
    EXPECT_THAT(cohort.notes, IsEmpty());
}

TEST_F(Cohorts, DicomFoldersAreChannels) {
    const std::string dicom = std::string(128, '\0') + "DICM";
    put("one/IM0001", dicom);
    put("one/IM0002", dicom);
    put("two/1.2.840.1", dicom);
    put("three/a.dcm");
    put("four/README");
    Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("one", "three", "two"));
    EXPECT_THAT(channels(cohort.cases[0]), ElementsAre("one"));
    EXPECT_THAT(cohort.notes, ElementsAre(HasSubstr("four: holds no scan")));
    const Cohort single = find("one");
    EXPECT_THAT(names(single), ElementsAre("one"));
    EXPECT_THAT(channels(single.cases[0]), ElementsAre("one"));
}

TEST_F(Cohorts, DicomFoldersWithinACase) {
    for (const char* name : {"A", "B"}) {
        put(std::string(name) + "/T1/x.dcm");
        put(std::string(name) + "/T2/x.dcm");
        put(std::string(name) + "/notes/x.txt");
    }
    const Cohort cohort = find();
    EXPECT_THAT(channels(cohort.cases[0]), ElementsAre("A/T1", "A/T2"));
    EXPECT_THAT(cohort.cases, SizeIs(2));
}

TEST_F(Cohorts, DicomFoldersWithALabelMapBesideThem) {
    const std::string dicom = std::string(128, '\0') + "DICM";
    for (const char* file : {"A/IM1", "B/ct/IM1", "C/ct/IM1", "D/IM1", "E/IM1", "F/IM1"}) {
        put(file, dicom);
    }
    putAll({"A/label.nii.gz", "B/B_seg.nii.gz", "C/ct/mask.nrrd", "D/seg/s.dcm", "E_seg.nii.gz",
            "F/a_seg.nii", "F/b_seg.nii"});
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("A", "B", "C", "D", "E", "F"));
    const std::array<std::string, 6> channel{"A", "B/ct", "C/ct", "D", "E", "F"};
    const std::array<std::string, 6> labels{"A/label.nii.gz", "B/B_seg.nii.gz", "C/ct/mask.nrrd",
                                            "D/seg",          "E_seg.nii.gz",   "F/a_seg.nii"};
    for (std::size_t i = 0; i < cohort.cases.size(); ++i) {
        EXPECT_THAT(channels(cohort.cases[i]), ElementsAre(channel[i]));
        EXPECT_EQ(below(cohort.cases[i].labels), labels[i]);
    }
    EXPECT_THAT(cohort.notes, ElementsAre("F/b_seg.nii: a second label map; left out"));
    const Cohort single = find("A");
    EXPECT_THAT(names(single), ElementsAre("A"));
    EXPECT_THAT(channels(single.cases[0]), ElementsAre("A"));
    EXPECT_EQ(below(single.cases[0].labels), "A/label.nii.gz");
}

TEST_F(Cohorts, FilesOfAnotherKindAreNamed) {
    put("A/a.nii");
    put("B/1.dcm.gz", "\x1f\x8b\x08");
    put("C/1.txt", "some text");
    EXPECT_THAT(find().notes, ElementsAre("B: holds no scan (1.dcm.gz is compressed with gzip); left out",
                                          "C: holds no scan; left out"));
}

TEST_F(Cohorts, ScansDirectlyInTheFolder) {
    putAll({"p1.nii.gz", "p2.nii", "p10.mha", "p2_mask.nii", "p10-Label.mha", "q.hdr", "q.img", "r.hdr.gz",
            "r.img.gz", "notes.txt", "brain_seg.nii"});
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("p1", "p2", "p10", "q", "r"));
    EXPECT_EQ(below(cohort.cases[1].labels), "p2_mask.nii");
    EXPECT_EQ(below(cohort.cases[2].labels), "p10-Label.mha");
    EXPECT_THAT(channels(cohort.cases[3]), ElementsAre("q.hdr"));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("brain_seg.nii: a label map without a scan")));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("p1: has no label map")));
}

TEST_F(Cohorts, NamesWithSpacesQuotesAndUmlauts) {
    putAll({"Schädel 頭/o'Neil \"x\".nii.gz", "Schädel 頭/a $(b).nii.gz", "-rf/a.nii.gz", "-rf/b.nii.gz"});
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("-rf", "Schädel 頭"));
    EXPECT_THAT(channels(cohort.cases[1]),
                ElementsAre("Schädel 頭/a $(b).nii.gz", "Schädel 頭/o'Neil \"x\".nii.gz"));
    for (const Case& one : cohort.cases) {
        for (const CaseFile& file : one.channels) {
            EXPECT_TRUE(fs::exists(file.path)) << file.path;
        }
    }
}

TEST_F(Cohorts, WhatIsMixedUpIsLeftOutWithAWord) {
    putAll({"imagesTr/a_0000.nii", "imagesTr/a_0001.nii", "imagesTr/b_0000.nii", "imagesTr/b_0001.nii",
            "imagesTr/c_0000.nii", "imagesTr/d_0001.nii", "imagesTr/plain.nii", "imagesTr/a_0001.nii.gz",
            "labelsTr/a.nii", "labelsTr/z.nii"});
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("a", "b"));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("c: has 1 channel where most cases have 2")));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("d: its channel 0000 is missing")));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("plain.nii: has no channel number")));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("a_0001.nii.gz: a_0001.nii is that channel already")));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("z.nii: a label map without a scan")));
    EXPECT_THAT(cohort.notes, Contains(HasSubstr("b: has no label map")));
}

/// The same number of channels, but different ones: they would be trained on as if they were the same.
TEST_F(Cohorts, OtherChannelsThanMostHave) {
    for (const char* name : {"P1", "P2", "P3"}) {
        put(std::string(name) + "/t1.nii");
        put(std::string(name) + (name[1] == '3' ? "/ct.nii" : "/t2.nii"));
    }
    const Cohort cohort = find();
    EXPECT_THAT(names(cohort), ElementsAre("P1", "P2"));
    EXPECT_THAT(cohort.notes,
                ElementsAre(HasSubstr("P3: its channels are ct, t1 where most cases have t1, t2")));
}

TEST_F(Cohorts, FoldersBesideScans) {
    putAll({"a.nii", "b.nii", "c.nii", "old/a.nii"});
    const Cohort flat = find();
    EXPECT_THAT(names(flat), ElementsAre("a", "b", "c"));
    EXPECT_THAT(flat.notes, ElementsAre("1 folder of scans beside the scans; left out"));
    putAll({"p1/x.nii", "p2/x.nii", "p3/x.nii"});
    const Cohort folders = find();
    EXPECT_THAT(names(folders), ElementsAre("old", "p1", "p2", "p3"));
    EXPECT_THAT(folders.notes, Contains("3 scans beside the cases' folders; left out"));
}

TEST_F(Cohorts, Refusals) {
    EXPECT_THAT(findCases(folder_.path() / "none").error().message, HasSubstr("there is no such folder"));
    put("file");
    EXPECT_THAT(findCases(folder_.path() / "file").error().message,
                HasSubstr("is a file; choose the folder of the cases"));
    EXPECT_THAT(refusal(), AllOf(HasSubstr("holds no scans"), HasSubstr("imagesTr and labelsTr")));
    put("only_seg.nii");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("holds no scans"), HasSubstr("only_seg.nii")));
    putAll({"A/a.nii", "B/a.nii", "B/b.nii", "C/a.nii", "C/b.nii", "C/c.nii"});
    EXPECT_THAT(refusal(), HasSubstr("no two cases have the same number of channels: A has 1, B has 2"));
}

TEST_F(Cohorts, OneCaseIsACohort) {
    put("p/a.nii");
    EXPECT_THAT(find().cases, SizeIs(1));
}

TEST(LabelNames, WordsThatNameThem) {
    for (const char* yes : {"x_seg", "seg", "aseg", "x-Seg-1", "Segmentation", "labels", "brainmask",
                            "LabelMap", "Segmentation.seg"}) {
        EXPECT_TRUE(namesLabels(yes)) << yes;
    }
    for (const char* no : {"", "t1", "segal_t1", "SEGAL", "flair", "segovia"}) {
        EXPECT_FALSE(namesLabels(no)) << no;
    }
    EXPECT_EQ(labeledName("a_b_seg"), "a_b");
    EXPECT_EQ(labeledName("a.Mask"), "a");
    EXPECT_EQ(labeledName("_seg"), std::nullopt);
    EXPECT_EQ(labeledName("seg"), std::nullopt);
    EXPECT_EQ(labeledName("a_t1"), std::nullopt);
}

}  // namespace
}  // namespace highwater::scan
