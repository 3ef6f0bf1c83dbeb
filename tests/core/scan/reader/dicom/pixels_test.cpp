#include <gmock/gmock.h>

#include <array>

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::scan {
namespace {

using test::Dicom;
using test::numbers;
using test::readDicomHere;
using test::Syntax;
using test::text;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DicomPixels : public testing::Test {
protected:
    base::Result<volume::Volume> read(const std::string& bytes) {
        return readDicomHere(folder_.write("IM1", bytes));
    }
    base::Result<volume::Volume> read(const Dicom& d) { return read(test::dicomFile(d)); }
    test::TemporaryFolder folder_;
};

/// If a slice's only warning is that it is a single slice.
const auto kAlone = HasSubstr("there is one slice");

TEST_F(DicomPixels, EveryTypeInEverySyntax) {
    for (const Syntax syntax :
         {Syntax::Explicit, Syntax::Implicit, Syntax::BigEndian, Syntax::Rle, Syntax::Deflated}) {
        for (const int bits : {8, 16, 32}) {
            for (const bool isSigned : {false, true}) {
                Dicom d;
                d.syntax = syntax;
                d.bits = d.stored = bits;
                d.isSigned = isSigned;
                const std::int64_t top = (std::int64_t{1} << (bits - (isSigned ? 1 : 0))) - 1;
                const std::int64_t low = isSigned ? -top - 1 : 0;
                d.values = {low, low + 1, 5, top - 1, top};
                std::string bytes = test::dicomFile(d);
                if (syntax == Syntax::Deflated) {
                    const std::string packed = test::gzip(test::dataSet(d));
                    bytes = test::wrapped(test::syntaxUid(syntax), packed.substr(10, packed.size() - 18));
                }
                const auto volume = read(bytes);
                ASSERT_TRUE(volume.ok())
                    << volume.error().message << " " << static_cast<int>(syntax) << " " << bits;
                EXPECT_EQ(volume->header().pixelType, fmt::format("{}int{}", isSigned ? "" : "u", bits));
                for (std::int64_t i = 0; i < 12; ++i) {
                    EXPECT_EQ(volume->at(i % 4, i / 4, 0),
                              static_cast<double>(d.values[static_cast<std::size_t>(i % 5)]));
                }
                EXPECT_EQ(volume->header().min, static_cast<double>(low));
                EXPECT_EQ(volume->header().max, static_cast<double>(top));
            }
        }
    }
}

/// Other encoders pad before the end marker: NEMA's MR1_JLSL has a zero there.
TEST_F(DicomPixels, JpegLsMayBePaddedBeforeItsEnd) {
    constexpr unsigned char kPicture[] = {0xff, 0xd8, 0xff, 0xf7, 0x00, 0x0b, 0x09, 0x00, 0x03, 0x00, 0x04,
                                          0x01, 0x01, 0x11, 0x00, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00,
                                          0x00, 0x00, 0x00, 0x03, 0x49, 0x26, 0x12, 0x00, 0x00, 0x30, 0x50,
                                          0x01, 0x42, 0x80, 0x00, 0x00, 0x0b, 0x74, 0xc4, 0x47};
    constexpr std::array<double, 12> kValues{23, 32, 51, 68, 101, 114, 155, 168, 212, 222, 257, 242};
    const std::string picture(reinterpret_cast<const char*>(kPicture), sizeof(kPicture));
    Dicom d;
    d.isSigned = false;
    const auto readWith = [&](const std::string& stream) {
        d.fragments = {stream};
        return read(test::wrapped("1.2.840.10008.1.2.4.80", test::dataSet(d)));
    };
    for (const std::string& padding :
         {std::string(), std::string(1, '\0'), std::string(2, '\0'), std::string("\xff")}) {
        for (const std::string& after : {std::string(), std::string(3, '\0')}) {
            const auto volume = readWith(picture + "\xc0" + padding + "\xff\xd9" + after);
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            for (std::int64_t i = 0; i < 12; ++i) {
                EXPECT_EQ(volume->at(i % 4, i / 4, 0), kValues[static_cast<std::size_t>(i)]);
            }
        }
    }
    EXPECT_THAT(readWith(picture + std::string(40, '\0') + "\xff\xd9").error().message,
                HasSubstr("its JPEG-LS data are damaged"));
    EXPECT_THAT(readWith(picture.substr(0, 30) + std::string("\0\xff\xd9", 3)).error().message,
                HasSubstr("its JPEG-LS data are damaged"));
}

TEST_F(DicomPixels, OnlyStoredBitsCount) {
    Dicom d;
    d.stored = 12;
    d.values = {0x0FFF, 0x7FFF, 0x0800, 0xF7FF, 5};  // 12 bits: -1, -1, -2048, 2047, 5
    const auto volume = read(d);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    const std::array<double, 5> expected{-1, -1, -2048, 2047, 5};
    for (std::int64_t i = 0; i < 12; ++i) {
        EXPECT_EQ(volume->at(i % 4, i / 4, 0), expected[static_cast<std::size_t>(i % 5)]);
    }
}

TEST_F(DicomPixels, BitsAndRealNumbers) {
    Dicom bitmap;
    bitmap.bits = bitmap.stored = 1;
    bitmap.isSigned = false;
    bitmap.pixels = std::string("\x05\x08", 2);  // the lowest bit first: voxels 0, 2 and 11
    const auto mask = read(bitmap);
    ASSERT_TRUE(mask.ok()) << mask.error().message;
    for (std::int64_t i = 0; i < 12; ++i) {
        EXPECT_EQ(mask->at(i % 4, i / 4, 0), i == 0 || i == 2 || i == 11);
    }
    for (const bool wide : {false, true}) {
        Dicom real;
        std::string pixels;
        for (int i = 0; i < 12; ++i) {
            pixels += test::encodedNumber(wide ? "FD" : "FL", i * 0.25 - 1, false);
        }
        real.extra[wide ? 0x7FE00009 : 0x7FE00008] = text(wide ? "OD" : "OF", pixels);
        const auto volume = read(real);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->at(3, 2, 0), 1.75);
        EXPECT_EQ(volume->header().pixelType, wide ? "float64" : "float32");
    }
}

TEST_F(DicomPixels, RescalingIsAppliedAndMayDiffer) {
    for (int k = 0; k < 3; ++k) {
        Dicom d;
        d.instance = k + 1;
        d.position = {0, 0, 3.0 * k};
        d.values = {100};
        d.extra[0x00281052] = text("DS", "-1024");
        d.extra[0x00281053] = text("DS", "2");
        folder_.write("IM" + std::to_string(k), test::dicomFile(d));
    }
    auto volume = readDicomHere(folder_.path().string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().type, volume::VoxelType::I16);
    EXPECT_EQ(volume->at(0, 0, 0), -824);
    Dicom other;
    other.instance = 2;
    other.position = {0, 0, 3};
    other.values = {100};
    other.extra[0x00281053] = text("DS", "0.5");
    folder_.write("IM1", test::dicomFile(other));
    volume = readDicomHere(folder_.path().string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().type, volume::VoxelType::F32);
    EXPECT_EQ(volume->at(0, 0, 0), -824);
    EXPECT_EQ(volume->at(0, 0, 1), 50);
}

TEST_F(DicomPixels, Monochrome1IsSaid) {
    Dicom d;
    d.extra[0x00280004] = text("CS", "MONOCHROME1");
    const auto volume = read(d);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_THAT(volume->header().warnings, ElementsAre(kAlone, HasSubstr("MONOCHROME1")));
    EXPECT_EQ(volume->at(1, 0, 0), 1);
}

TEST_F(DicomPixels, ColorAndVideoAreOneLine) {
    Dicom color;
    color.bits = color.stored = 8;
    color.extra[0x00280002] = numbers("US", {3});
    color.extra[0x00280004] = text("CS", "RGB");
    color.pixels = std::string(36, '\1');
    auto volume = read(color);
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, AllOf(HasSubstr("IM1: holds color pictures (RGB)")));
    const auto listed = test::listHere(folder_.path().string());
    ASSERT_TRUE(listed.ok());
    EXPECT_THAT(listed->series.at(0).problem, HasSubstr("color"));
    Dicom palette;
    palette.extra[0x00280004] = text("CS", "PALETTE COLOR");
    volume = read(palette);
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("palette"));
    for (const char* uid : {"1.2.840.10008.1.2.4.102", "1.2.840.10008.1.2.4.201", "1.2.3.4"}) {
        Dicom d;
        d.fragments = {"whatever"};
        volume = read(test::wrapped(uid, test::dataSet(d)));
        ASSERT_FALSE(volume.ok());
        EXPECT_THAT(volume.error().message, HasSubstr("which Highwater does not read"));
    }
}

TEST_F(DicomPixels, FilesAsOldWritersMakeThem) {
    Dicom d;
    d.preamble = false;
    for (const Syntax syntax : {Syntax::Explicit, Syntax::Implicit, Syntax::BigEndian}) {
        d.syntax = syntax;
        const auto volume = read(d);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->at(3, 2, 0), 11);
    }
    // One syntax said, the other written.
    d.syntax = Syntax::Implicit;
    const auto volume = read(test::wrapped(test::syntaxUid(Syntax::Explicit), test::dataSet(d)));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->at(3, 2, 0), 11);
}

}  // namespace
}  // namespace highwater::scan
