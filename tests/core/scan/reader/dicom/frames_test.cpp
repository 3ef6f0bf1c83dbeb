#include <gmock/gmock.h>

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/nifti/builder.h"

/// Files with several pictures.
namespace highwater::scan {
namespace {

using test::Dicom;
using test::Elements;
using test::numbers;
using test::sequence;
using test::Syntax;
using test::text;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kFrames = 4;

/// An enhanced object: frames stored from top to bottom, every 3 mm, with their own slope.
Dicom enhanced() {
    Dicom d;
    for (const std::uint32_t tag : {0x00200032U, 0x00200037U, 0x00280030U}) {
        d.extra[tag] = {};
    }
    d.extra[0x00280008] = text("IS", std::to_string(kFrames));
    Elements shared;
    shared[0x00209116] = sequence({{{0x00200037, text("DS", "1\\0\\0\\0\\1\\0")}}});
    shared[0x00289110] = sequence({{{0x00280030, text("DS", "0.5\\0.25")}}});
    d.extra[0x52009229] = sequence({shared});
    std::vector<Elements> frames;
    for (int frame = 0; frame < kFrames; ++frame) {
        Elements e;
        e[0x00209113] = sequence({{{0x00200032, test::decimals(std::array<double, 3>{0, 0, -3.0 * frame})}}});
        e[0x00289145] = sequence({{{0x00281052, text("DS", "10")}, {0x00281053, text("DS", "2")}}});
        frames.push_back(e);
    }
    d.extra[0x52009230] = sequence(frames);
    for (int frame = 0; frame < kFrames; ++frame) {
        Dicom one;
        one.values = {100 * frame};
        d.pixels += test::pixelBytes(one);
        d.fragments.push_back(test::rleFrame(one));
    }
    return d;
}

class DicomFrames : public testing::Test {
protected:
    base::Result<volume::Volume> read(const Dicom& d) {
        return test::readDicomHere(folder_.write("brain", test::dicomFile(d)));
    }
    test::TemporaryFolder folder_;
};

TEST_F(DicomFrames, EnhancedObjectsSayWhereEveryFrameLies) {
    for (const Syntax syntax : {Syntax::Explicit, Syntax::Implicit, Syntax::Rle}) {
        for (const bool undefined : {false, true}) {
            Dicom d = enhanced();
            d.syntax = syntax;
            d.undefinedLengths = undefined;
            if (syntax != Syntax::Rle) {
                d.fragments.clear();
            }
            const auto volume = read(d);
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{4, 3, kFrames}));
            EXPECT_EQ(volume->geometry().spacing, (std::array<double, 3>{0.25, 0.5, 3}));
            EXPECT_EQ(volume->geometry().origin[2], -9);
            EXPECT_THAT(volume->header().warnings, IsEmpty());
            for (int k = 0; k < kFrames; ++k) {
                EXPECT_EQ(volume->at(1, 1, k), 200 * (kFrames - 1 - k) + 10);
            }
        }
    }
}

TEST_F(DicomFrames, AFrameLeftOutIsAGapWithinTheFile) {
    Dicom d = enhanced();
    d.fragments.clear();
    d.extra[0x52009230].items[2][0x00209113] = sequence({{{0x00200032, text("DS", "0\\0\\-12")}}});
    const auto volume = read(d);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_THAT(volume->header().warnings,
                ElementsAre(HasSubstr("picture 4 of brain and picture 2 of brain")));
}

TEST_F(DicomFrames, WithoutSpacingItIsOneAndSaid) {
    Dicom d = enhanced();
    d.fragments.clear();
    d.extra.erase(0x52009229);
    d.extra.erase(0x52009230);
    const auto volume = read(d);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().spacing, (std::array<double, 3>{1, 1, 1}));
    EXPECT_FALSE(volume->header().spacingKnown);
    EXPECT_THAT(volume->header().warnings,
                ElementsAre(HasSubstr("no spacing"), HasSubstr("do not give the positions")));
    EXPECT_EQ(volume->at(0, 0, 3), 300);
}

TEST_F(DicomFrames, DoseGridsSayTheirOffsets) {
    Dicom d = enhanced();
    d.fragments.clear();
    d.extra.clear();
    d.extra[0x00080060] = text("CS", "RTDOSE");
    d.extra[0x00280008] = text("IS", "4");
    d.extra[0x3004000C] = text("DS", "0\\2\\4\\6");
    d.extra[0x3004000E] = text("DS", "0.5");
    const auto volume = read(d);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().spacing, (std::array<double, 3>{1, 2, 2}));
    EXPECT_EQ(volume->at(0, 0, 3), 150);
}

TEST_F(DicomFrames, FewerThanPromisedAreRefused) {
    Dicom described = enhanced();
    described.fragments.clear();
    described.extra[0x52009230].items.pop_back();
    auto volume = read(described);
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("3 of 4 pictures are described"));
    Dicom fragments = enhanced();
    fragments.syntax = Syntax::Rle;
    fragments.fragments.pop_back();
    volume = read(fragments);
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("truncated: 3 of 4 compressed pictures"));
    Dicom pixels = enhanced();
    pixels.fragments.clear();
    pixels.pixels.resize(pixels.pixels.size() - 2);
    volume = read(pixels);
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("truncated: the header promises 96 bytes of voxels"));
}

/// United Imaging: 5 tiles of 4 × 3 in 3 columns and 2 rows, in steps of 2 mm.
Dicom vframe() {
    Dicom d;
    d.columns = 12;
    d.rows = 6;
    d.extra[0x00080008] = text("CS", "ORIGINAL\\PRIMARY\\M\\VFRAME");
    d.extra[0x00650010] = text("LO", "Image Private Header");
    std::vector<Elements> tiles;
    for (int tile = 0; tile < 5; ++tile) {
        tiles.push_back({{0x00200032, test::decimals(std::array<double, 3>{-10, 20, 2.0 * tile})}});
    }
    d.extra[0x00651051] = sequence(tiles);
    for (int row = 0; row < d.rows; ++row) {
        for (int column = 0; column < d.columns; ++column) {
            d.values.push_back(100 * (row / 3 * 3 + column / 4) + 10 * (row % 3) + column % 4);
        }
    }
    return d;
}

TEST_F(DicomFrames, AVframeGridIsItsSlices) {
    for (const Syntax syntax : {Syntax::Explicit, Syntax::Implicit}) {
        Dicom d = vframe();
        d.syntax = syntax;
        const auto volume = read(d);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{4, 3, 5}));
        EXPECT_EQ(volume->geometry().spacing[2], 2);
        EXPECT_EQ(volume->geometry().origin, (std::array<double, 3>{10, -20, 0}));
        EXPECT_THAT(volume->header().warnings, IsEmpty());
        for (int slice = 0; slice < 5; ++slice) {
            EXPECT_EQ(volume->at(3, 2, slice), 100 * slice + 23);
        }
    }
}

TEST_F(DicomFrames, AVframeGridThatDoesNotSayWhereItsTilesLieIsRefused) {
    Dicom d = vframe();
    d.extra[0x00651051] = {};
    EXPECT_THAT(read(d).error().message, HasSubstr("tiles of one picture (UIH's VFRAME)"));
    d = vframe();
    d.extra[0x00651051].items[2].clear();
    EXPECT_THAT(read(d).error().message, HasSubstr("tiles of one picture (UIH's VFRAME)"));
    d = vframe();
    d.extra[0x00651051].items.resize(3);  // 2 columns, 2 rows: 6 by 3 pixels
    EXPECT_THAT(read(d)->geometry().size, ElementsAre(6, 3, 3));
    d.extra[0x00651051].items.resize(20, d.extra[0x00651051].items.front());  // 12 pixels are not 5 columns
    EXPECT_THAT(read(d).error().message, HasSubstr("tiles of one picture (UIH's VFRAME)"));
}

TEST_F(DicomFrames, AMosaicThatDoesNotSayWhereItsSlicesLieIsShownWhole) {
    Dicom d;
    d.extra[0x00080008] = text("CS", "ORIGINAL\\PRIMARY\\M\\MOSAIC");
    const auto volume = read(d);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{4, 3, 1}));
    EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("mosaic")));
}

}  // namespace
}  // namespace highwater::scan
