#include <gmock/gmock.h>

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/temporary_folder.h"

namespace highwater::scan {
namespace {

using test::Dicom;
using test::listHere;
using test::readDicomHere;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class DicomSeries : public testing::Test {
protected:
    Dicom slice(int k) const {
        Dicom d;
        d.instance = k + 1;
        d.position = {0, 0, 2.5 * k};
        d.values = {100 + k};
        return d;
    }
    void write(const std::string& name, const Dicom& d) { folder_.write(name, test::dicomFile(d)); }
    base::Result<volume::Volume> read(const std::string& id = "", std::int64_t index = 0) const {
        return readDicomHere(folder_.path().string(), id, index);
    }
    Contents list() const {
        auto contents = listHere(folder_.path().string());
        EXPECT_TRUE(contents.ok()) << contents.error().message;
        return contents ? *contents : Contents();
    }
    test::TemporaryFolder folder_;
};

TEST_F(DicomSeries, GapsNameTheFilesAroundThem) {
    for (const int k : {0, 1, 2, 5, 6, 8}) {
        write("IM" + std::to_string(k), slice(k));
    }
    const auto contents = list();
    ASSERT_THAT(contents.series, SizeIs(1));
    EXPECT_THAT(contents.series[0].warnings,
                ElementsAre(AllOf(HasSubstr("2 slices are missing"), HasSubstr("IM2 and IM5")),
                            AllOf(HasSubstr("1 slice is missing"), HasSubstr("IM6 and IM8"))));
    const auto volume = read();
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().spacing[2], 2.5);
    EXPECT_EQ(volume->geometry().size[2], 9);
    for (const int k : {0, 1, 2, 5, 6, 8}) {
        EXPECT_EQ(volume->at(1, 1, k), 100 + k);
    }
    for (const int k : {3, 4, 7}) {
        EXPECT_EQ(volume->at(1, 1, k), 100);  // the lowest value in the data
    }
}

TEST_F(DicomSeries, NobodysNameIsInAnything) {
    write("a", slice(0));
    Dicom broken = slice(1);
    broken.extra[0x00280010] = test::numbers("US", {0});
    write("b", broken);
    const std::string all = toJson(list()).dump() + read().value().header().format;
    EXPECT_THAT(all, Not(HasSubstr("Secret")));
    EXPECT_THAT(all, HasSubstr("head"));
}

TEST_F(DicomSeries, OneUidOnTwoGridsIsTwoSeries) {
    for (int k = 0; k < 3; ++k) {
        write("IM" + std::to_string(k), slice(k));
    }
    Dicom scout = slice(9);
    scout.orientation = {0, 1, 0, 0, 0, -1};
    scout.extra[0x00080008] = test::text("CS", "ORIGINAL\\PRIMARY\\LOCALIZER");
    write("scout", scout);
    const auto contents = list();
    ASSERT_THAT(contents.series, SizeIs(2));
    EXPECT_EQ(contents.series[0].id, "1.2.3");
    EXPECT_EQ(contents.series[0].files, 3);
    EXPECT_EQ(contents.series[1].id, "1.2.3#2");
    EXPECT_EQ(contents.series[1].firstFile, "scout");
    ASSERT_FALSE(read().ok());
    EXPECT_EQ(read("1.2.3")->geometry().size[2], 3);
    EXPECT_EQ(read("1.2.3#2")->geometry().size[2], 1);
    const auto wrong = read("9.9");
    ASSERT_FALSE(wrong.ok());
    EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("no series 9.9"), HasSubstr("1.2.3#2")));
}

TEST_F(DicomSeries, SeveralPicturesAtAPlaceAreVolumes) {
    for (int k = 0; k < 3; ++k) {
        for (int time = 0; time < 2; ++time) {
            Dicom d = slice(k);
            d.instance = 10 * (2 - time) + k;  // numbers in the opposite order
            d.values = {1000 * time + k};
            d.extra[0x00200100] = test::text("IS", std::to_string(time + 1));
            write("t" + std::to_string(time) + "k" + std::to_string(k), d);
        }
    }
    EXPECT_EQ(list().series.at(0).volumes, 2);
    for (int time = 0; time < 2; ++time) {
        const auto volume = read("", time);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->header().volumes, 2);
        EXPECT_EQ(volume->at(0, 0, 2), 1000 * time + 2);
    }
    const auto third = read("", 2);
    ASSERT_FALSE(third.ok());
    EXPECT_THAT(third.error().message, HasSubstr("no volume 2"));
}

TEST_F(DicomSeries, ASliceMissingInOneVolumeIsMissingThereAlone) {
    for (int k = 0; k < 4; ++k) {
        for (int time = 0; time < 2; ++time) {
            Dicom d = slice(k);
            d.instance = 10 * time + k + 1;
            d.values = {1000 * time + k};
            d.extra[0x00200012] = test::text("IS", std::to_string(time + 1));  // acquisition
            if (time == 0 || k != 1) {
                write("t" + std::to_string(time) + "k" + std::to_string(k), d);
            }
        }
    }
    EXPECT_THAT(list().series.at(0).warnings,
                ElementsAre(AllOf(HasSubstr("volume 1: 1 slice is missing"), HasSubstr("t1k0 and t1k2"))));
    EXPECT_EQ(read("", 0)->at(0, 0, 1), 1);
    EXPECT_EQ(read("", 1)->at(0, 0, 1), 1000);
    EXPECT_EQ(read("", 1)->at(0, 0, 2), 1002);
}

TEST_F(DicomSeries, TwoAtOnePlaceAndCopiesAreSaid) {
    for (int k = 0; k < 3; ++k) {
        write("IM" + std::to_string(k), slice(k));
    }
    write("IM1 (copy)", slice(1));
    Dicom again = slice(1);
    again.instance = 40;
    write("twin", again);
    const auto contents = list();
    ASSERT_THAT(contents.series, SizeIs(1));
    EXPECT_EQ(contents.series[0].size[2], 3);
    EXPECT_EQ(contents.series[0].volumes, 1);
    EXPECT_THAT(contents.series[0].warnings, ElementsAre(HasSubstr("twin is at the position of IM1"),
                                                         HasSubstr("IM1 (copy) is a copy of IM1")));
}

TEST_F(DicomSeries, OtherFilesAreCountedAndScansNamed) {
    write("no suffix", slice(0));
    write("\xE2\x82\xAC 'quoted' \"name\".jpg", slice(1));
    folder_.write("notes.dcm", "not DICOM at all, though the name says so");
    folder_.write("brain.nii", test::niftiFile({}, test::counting()));
    std::filesystem::create_directory(folder_.path() / "nested");
    const auto contents = list();
    ASSERT_THAT(contents.series, SizeIs(1));
    EXPECT_EQ(contents.series[0].files, 2);
    EXPECT_EQ(contents.ignored, 1);
    EXPECT_THAT(contents.scans, ElementsAre("brain.nii"));
    EXPECT_THAT(contents.unread, IsEmpty());
}

TEST_F(DicomSeries, NothingToReadIsOneLine) {
    const auto empty = read();
    ASSERT_FALSE(empty.ok());
    EXPECT_THAT(empty.error().message, HasSubstr("no DICOM pictures"));
    folder_.write("bad", test::dicomFile(slice(0)).substr(0, 500));
    const auto bad = read();
    ASSERT_FALSE(bad.ok());
    EXPECT_THAT(bad.error().message, HasSubstr("bad: truncated"));
    EXPECT_FALSE(listHere(test::nowhere()).ok());
    EXPECT_FALSE(listHere((folder_.path() / "bad").string()).ok());
}

TEST_F(DicomSeries, AnIndexAndReportsAreNoPictures) {
    write("IM0", slice(0));
    test::Elements report;
    report[0x00080060] = test::text("CS", "SR");
    folder_.write("report", test::wrapped("1.2.840.10008.1.2.1", test::encoded(report, true, false, false)));
    std::string index = test::dicomFile(slice(1));
    const std::string pictures = "1.2.840.10008.5.1.4.1.1.2", directory = "1.2.840.10008.1.3.10";
    std::string padded = directory;
    padded.resize(pictures.size(), '\0');
    index.replace(index.find(pictures), pictures.size(), padded);
    const std::string path = folder_.write("DICOMDIR", index);
    const auto contents = list();
    ASSERT_THAT(contents.series, SizeIs(1));
    EXPECT_EQ(contents.series[0].files, 1);
    EXPECT_EQ(contents.ignored, 2);
    EXPECT_THAT(contents.unread, IsEmpty());
    EXPECT_THAT(readDicomHere(path).error().message, HasSubstr("DICOMDIR: is the index of a DICOM folder"));
}

TEST_F(DicomSeries, ATruncatedSliceIsMissingAndNamed) {
    for (int k = 0; k < 4; ++k) {
        const std::string bytes = test::dicomFile(slice(k));
        folder_.write("IM" + std::to_string(k), k == 2 ? bytes.substr(0, bytes.size() - 6) : bytes);
    }
    const auto contents = list();
    ASSERT_THAT(contents.series, SizeIs(1));
    EXPECT_THAT(contents.unread, ElementsAre(HasSubstr("IM2: truncated")));
    EXPECT_THAT(contents.series[0].warnings,
                ElementsAre(HasSubstr("between IM1 and IM3"), HasSubstr("IM2 was left out: truncated")));
    EXPECT_EQ(read()->at(0, 0, 2), 100);
}

/// Two extra bytes between the headers of a JPEG picture: a warning in libjpeg, but an assertion in GDCM.
std::string jpegThatEndsTheDecoder(const Dicom& d) {
    const std::string size = test::word(static_cast<std::uint64_t>(d.rows), 2, true) +
                             test::word(static_cast<std::uint64_t>(d.columns), 2, true);
    return std::string("\xFF\xD8\xFF\xC0\x00\x0B\x08", 7) + size + std::string("\x01\x01\x11\x00", 4) +
           std::string(2, '\0') + std::string("\xFF\xDA\x00\x08\x01\x01\x00\x00\x3F\x00\xFF\xD9", 12);
}

TEST_F(DicomSeries, ADecoderThatDiesCostsOneFile) {
    for (int k = 0; k < 4; ++k) {
        Dicom d = slice(k);
        d.syntax = test::Syntax::Rle;
        if (k == 2) {
            d.fragments = {jpegThatEndsTheDecoder(d)};
            folder_.write("IM2", test::wrapped("1.2.840.10008.1.2.4.50", test::dataSet(d)));
            continue;
        }
        write("IM" + std::to_string(k), d);
    }
    const auto volume = read();
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_THAT(volume->header().warnings,
                ElementsAre(AllOf(HasSubstr("IM2: cannot be decoded: the decoder stopped"),
                                  HasSubstr("left blank"))));
    EXPECT_EQ(volume->at(0, 0, 1), 101);
    EXPECT_EQ(volume->at(0, 0, 2), 100);
    EXPECT_EQ(volume->at(0, 0, 3), 103);
    const auto alone = readDicomHere((folder_.path() / "IM2").string());
    ASSERT_FALSE(alone.ok());
    EXPECT_THAT(alone.error().message, HasSubstr("IM2: cannot be decoded: the decoder stopped"));
}

}  // namespace
}  // namespace highwater::scan
