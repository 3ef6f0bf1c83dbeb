#include <gmock/gmock.h>

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/nifti/builder.h"

/// Segmentations (PS3.3, A.51).
namespace highwater::scan {
namespace {

using test::Dicom;
using test::Elements;
using test::numbers;
using test::sequence;
using test::text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Frame {
    int segment = 0;
    double z = 0;
    std::string pixels;  ///< of 4 × 3: a letter for each
};

/// Segments of 4 × 3 pixels, 3 mm apart. A pixel of a frame is in the segment where there is an "x".
Dicom segmentation(const std::string& type, const std::vector<Frame>& frames, int segments) {
    Dicom d;
    const bool binary = type == "BINARY";
    d.bits = d.stored = binary ? 1 : 8;
    d.isSigned = false;
    for (const std::uint32_t tag : {0x00200032U, 0x00200037U, 0x00280030U}) {
        d.extra[tag] = {};
    }
    d.extra[0x00080060] = text("CS", "SEG");
    d.extra[0x00280008] = text("IS", std::to_string(frames.size()));
    d.extra[0x00620001] = text("CS", type);
    d.extra[0x0062000E] = numbers("US", {200});
    std::vector<Elements> items;
    for (int i = 1; i <= segments; ++i) {
        items.push_back({{0x00620004, numbers("US", {static_cast<double>(i)})}});
    }
    d.extra[0x00620002] = sequence(items);
    Elements shared;
    shared[0x00209116] = sequence({{{0x00200037, text("DS", "1\\0\\0\\0\\1\\0")}}});
    shared[0x00289110] = sequence({{{0x00180088, text("DS", "3")}, {0x00280030, text("DS", "1\\1")}}});
    d.extra[0x52009229] = sequence({shared});
    std::vector<Elements> groups;
    std::vector<int> values;
    for (const Frame& frame : frames) {
        Elements e;
        e[0x00209113] = sequence({{{0x00200032, test::decimals(std::array<double, 3>{0, 0, frame.z})}}});
        if (frame.segment > 0) {
            e[0x0062000A] = sequence({{{0x0062000B, numbers("US", {static_cast<double>(frame.segment)})}}});
        }
        groups.push_back(e);
        for (const char c : frame.pixels) {
            values.push_back(c == 'x' ? 1 : c >= '0' && c <= '9' ? c - '0' : 0);
        }
    }
    d.extra[0x52009230] = sequence(groups);
    d.pixels.assign(binary ? (values.size() + 7) / 8 : values.size(), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        char& byte = d.pixels[binary ? i / 8 : i];
        byte = static_cast<char>(binary ? byte | values[i] << i % 8 : values[i]);
    }
    return d;
}

class DicomSegments : public testing::Test {
protected:
    base::Result<volume::Volume> read(const Dicom& d) {
        return test::readDicomHere(folder_.write("seg", test::dicomFile(d)));
    }
    /// A slice as digits, row by row.
    static std::string slice(const volume::Volume& volume, std::int64_t k) {
        std::string out;
        for (std::int64_t i = 0; i < 12; ++i) {
            out += fmt::format("{}", volume.at(i % 4, i / 4, k));
        }
        return out;
    }
    test::TemporaryFolder folder_;
};

TEST_F(DicomSegments, SegmentsAreLabels) {
    const auto volume = read(segmentation(
        "BINARY",
        {{1, 0, "xx.........."}, {1, 3, "xxx........."}, {2, 3, ".....xx....."}, {5, 6, "...........x"}}, 5));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().type, volume::VoxelType::U8);
    EXPECT_EQ(volume->header().volumes, 1);
    EXPECT_THAT(volume->header().warnings, IsEmpty());
    EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{4, 3, 3}));
    EXPECT_EQ(slice(*volume, 0), "110000000000");
    EXPECT_EQ(slice(*volume, 1), "111002200000");
    EXPECT_EQ(slice(*volume, 2), "000000000005");
    EXPECT_EQ(volume->header().max, 5);
}

TEST_F(DicomSegments, OverlapsAreSaid) {
    const auto volume = read(
        segmentation("BINARY", {{3, 0, "xxx........."}, {1, 0, "xx.........."}, {2, 0, ".x.........x"}}, 3));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(slice(*volume, 0), "333000000002");
    EXPECT_THAT(
        volume->header().warnings,
        ElementsAre("segments overlap: 3 voxels in several of them have the highest of their numbers"));
}

/// Slices without a label are left out of the file, and that is no gap. Every frame may be all label.
TEST_F(DicomSegments, EmptySlicesAreZero) {
    for (const char* type : {"BINARY", "LABELMAP"}) {
        const auto volume = read(segmentation(type, {{1, 0, "xxxxxxxxxxxx"}, {1, 90, "xxxxxxxxxxxx"}}, 1));
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_THAT(volume->header().warnings, IsEmpty());
        EXPECT_EQ(volume->geometry().size[2], 31);
        EXPECT_EQ(volume->geometry().spacing[2], 3);
        EXPECT_EQ(slice(*volume, 0), "111111111111");
        EXPECT_EQ(slice(*volume, 1), "000000000000");
        EXPECT_EQ(slice(*volume, 30), "111111111111");
        const auto listed = test::listHere(folder_.path().string());
        EXPECT_THAT(listed->series.at(0).warnings, IsEmpty());
        EXPECT_EQ(listed->series.at(0).volumes, 1);
    }
}

TEST_F(DicomSegments, NumbersAbove255AreWide) {
    const auto volume = read(segmentation("BINARY", {{1, 0, "x..........."}, {300, 0, "...........x"}}, 2));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().type, volume::VoxelType::U16);
    EXPECT_EQ(volume->at(3, 2, 0), 300);
    EXPECT_EQ(volume->at(0, 0, 0), 1);
}

TEST_F(DicomSegments, LabelMapsAreReadAsTheyAre) {
    Dicom d = segmentation("LABELMAP", {{0, 0, "012300000000"}, {0, 3, "000000000009"}}, 9);
    for (const char* photometric : {"MONOCHROME2", "PALETTE COLOR"}) {
        d.extra[0x00280004] = text("CS", photometric);
        const auto volume = read(d);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(slice(*volume, 0), "012300000000");
        EXPECT_EQ(slice(*volume, 1), "000000000009");
        EXPECT_THAT(volume->header().warnings, IsEmpty());
    }
}

TEST_F(DicomSegments, FractionsAreReadOfOneSegment) {
    Dicom one = segmentation("FRACTIONAL", {{1, 0, "012300000008"}, {1, 3, "000000000000"}}, 1);
    auto volume = read(one);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->at(3, 2, 0), 0.04);  // 8 of 200
    volume = read(segmentation("FRACTIONAL", {{1, 0, "012300000008"}, {2, 0, "000000000000"}}, 2));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("seg: holds fractions of 2 segments"));
}

TEST_F(DicomSegments, WhatIsNotSaidIsRefused) {
    const std::vector<Frame> unnamed{{0, 0, "x..........."}, {0, 3, "x..........."}};
    EXPECT_EQ(slice(*read(segmentation("BINARY", unnamed, 1)), 1), "100000000000");
    EXPECT_THAT(read(segmentation("BINARY", unnamed, 2)).error().message,
                HasSubstr("picture 1 of the segmentation does not say its segment"));
    EXPECT_THAT(read(segmentation("SURFACE", unnamed, 1)).error().message, HasSubstr("of the type SURFACE"));
    const auto uneven = read(
        segmentation("BINARY", {{1, 0, "x..........."}, {1, 4, "x..........."}, {1, 9, "x..........."}}, 1));
    ASSERT_FALSE(uneven.ok());
    EXPECT_THAT(uneven.error().message, HasSubstr("labels cannot be interpolated"));
}

/// Two files of one series are two segmentations, and each has its segment 1.
TEST_F(DicomSegments, EachFileIsAVolume) {
    for (int file = 0; file < 2; ++file) {
        Dicom d = segmentation("BINARY", {{1, 0, file == 0 ? "x..........." : ".x.........."}}, 1);
        d.instance = file + 1;
        folder_.write("seg" + std::to_string(file), test::dicomFile(d));
    }
    for (int file = 0; file < 2; ++file) {
        const auto volume = test::readDicomHere(folder_.path().string(), "", file);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(slice(*volume, 0), file == 0 ? "100000000000" : "010000000000");
    }
}

}  // namespace
}  // namespace highwater::scan
