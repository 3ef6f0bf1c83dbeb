#include <gmock/gmock.h>
#include <zlib.h>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/tissue_files.h"

namespace highwater::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

base::Result<volume::Volume> readMeta(const std::string& bytes, std::int64_t index = 0) {
    const TemporaryFolder folder;
    return readHere(folder.write("a.mha", bytes), index);
}

std::string metaRefusal(const std::string& bytes) {
    const auto volume = readMeta(bytes);
    EXPECT_FALSE(volume.ok()) << "should have been refused";
    return volume.ok() ? "" : volume.error().message;
}

/// Compressed with zlib itself, like MetaIO.
std::string deflated(const std::string& bytes) {
    uLongf size = compressBound(bytes.size());
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
             bytes.size());
    out.resize(size);
    return out;
}

std::string compressedImage(const std::string& packed, const std::string& size = "") {
    return metaHeader(someBlock(), "int16", false) + "CompressedData = True\n" +
           (size.empty() ? "" : "CompressedDataSize = " + size + "\n") + "ElementDataFile = LOCAL\n" + packed;
}

TEST(Meta, Compressed) {
    for (std::string_view type : kTypeNames) {
        for (bool swapped : {false, true}) {
            const std::string packed = deflated(stored(someBlock().values(), type, swapped));
            const auto volume =
                readMeta(metaHeader(someBlock(), type, swapped) +
                         "CompressedData = True\nCompressedDataSize = " + std::to_string(packed.size()) +
                         "\nElementDataFile = LOCAL\n" + packed);
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->header().format, "MetaImage (zlib)");
            ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, someBlock())) << type;
        }
    }
    for (const std::string& bytes :
         {compressedImage(deflated(someVoxels())), compressedImage(gzip(someVoxels()))}) {
        const auto volume = readMeta(bytes);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, someBlock()));
    }
}

TEST(Meta, CompressedVoxelsAreChecked) {
    const std::string packed = deflated(someVoxels());
    int accepted = 0;
    for (std::size_t at = 2; at < packed.size(); ++at) {  // after zlib's own header
        std::string bad = packed;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        // A few bits pad the last byte and have no meaning: changing them keeps the voxels.
        if (const auto volume = readMeta(compressedImage(bad)); volume.ok()) {
            EXPECT_EQ(std::memcmp(volume->data(), someVoxels().data(), someVoxels().size()), 0) << at;
            ++accepted;
        }
    }
    EXPECT_LE(accepted, 1);
    std::string checksum = packed;
    checksum.back() = static_cast<char>(checksum.back() ^ 1);
    EXPECT_THAT(metaRefusal(compressedImage(checksum)), HasSubstr("zlib's own check"));
    EXPECT_THAT(metaRefusal(compressedImage(packed, std::to_string(packed.size() + 9))),
                HasSubstr("bytes of compressed data, the file has"));
    EXPECT_NE(metaRefusal(compressedImage(packed, std::to_string(packed.size() - 1))), "");
    EXPECT_THAT(metaRefusal(compressedImage(deflated(someVoxels().substr(2)))),
                HasSubstr("promises 420 bytes of voxels, the file has 418"));
    EXPECT_THAT(metaRefusal(compressedImage(deflated(someVoxels() + std::string(3 << 20, 'x')))),
                HasSubstr("continues far beyond"));
}

TEST(Meta, DetachedAndSkipped) {
    const TemporaryFolder folder;
    const std::string header = metaHeader(someBlock(), "int16", false);
    folder.write("a b.raw", someVoxels());
    folder.write("skip.raw", "12345" + someVoxels());
    folder.write("a.zraw", deflated(someVoxels()));
    for (const char* data :
         {"ElementDataFile = a b.raw", "HeaderSize = 5\nElementDataFile = skip.raw",
          "HeaderSize = -1\nElementDataFile = skip.raw", "HeaderSize = -1\nElementDataFile = a b.raw",
          "CompressedData = True\nElementDataFile = a.zraw"}) {
        const auto volume = readHere(folder.write("a.mhd", header + data + "\n"));
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, someBlock())) << data;
    }
    folder.write("a b.raw", someVoxels().substr(1));
    EXPECT_THAT(
        readHere(folder.write("a.mhd", header + "ElementDataFile = a b.raw\n")).error().message,
        StartsWith("a.mhd: a b.raw: truncated: the header promises 420 bytes of voxels, the file has 419"));
}

TEST(Meta, OneOfSeveralVolumes) {
    const auto bytes = [](std::string_view encoding) {
        std::vector<int> all;
        for (int v = 0; v < 3; ++v) {
            for (int value : someBlock().values()) {
                all.push_back(value + 1000 * v);
            }
        }
        const std::string data = stored(all, "int16", true);
        return fmt::format(
                   "NDims = 4\nDimSize = 6 5 7 3\nElementSpacing = 2 1.5 2.5 1\nOffset = 1 2 3 0\n"
                   "TransformMatrix = 0 1 0 0 1 0 0 0 0 0 1 0 0 0 0 1\nBinaryDataByteOrderMSB = True\n"
                   "CompressedData = {}\nElementType = MET_SHORT\nElementDataFile = LOCAL\n",
                   encoding) +
               (encoding == "True" ? deflated(data) : data);
    };
    for (const char* compressed : {"False", "True"}) {
        const auto volume = readMeta(bytes(compressed), 2);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->header().volumes, 3);
        EXPECT_EQ(volume->geometry().orientation(), "PLS");
        EXPECT_EQ(volume->at(0, 0, 0), someBlock().values().front() + 2000);
        EXPECT_EQ(volume->at(5, 4, 6), someBlock().values().back() + 2000);
    }
}

TEST(Meta, SlopeAndOffset) {
    const auto volume =
        readMeta(metaHeader(someBlock(), "int16", false) +
                 "ElementToIntensityFunctionSlope = 0.5\nElementToIntensityFunctionOffset = -10\n"
                 "ElementDataFile = LOCAL\n" +
                 someVoxels());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->at(0, 0, 0), someBlock().values().front() * 0.5 - 10);
}

TEST(Meta, WarnsOfWhatItDoesNotKnow) {
    const std::string image = "NDims = 3\nDimSize = 1 2 3\nElementType = MET_UCHAR\n";
    for (const char* spacing :
         {"", "ElementSpacing = 1 0 1\n", "ElementSpacing = 1 nan 1\n", "ElementSpacing = 1 -1 1\n"}) {
        const auto volume = readMeta(image + spacing + "ElementDataFile = LOCAL\nabcdef");
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_FALSE(volume->header().spacingKnown);
        EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("spacing along y is unknown")));
        EXPECT_THAT(volume->header().warnings,
                    Contains(HasSubstr("no TransformMatrix: R, L, A, P, S and I are a guess")));
    }
    const auto long_ = readMeta(image + "ElementSize = 1 2 3\nElementDataFile = LOCAL\nabcdefgh");
    ASSERT_TRUE(long_.ok());
    EXPECT_EQ(long_->geometry().spacing, (std::array<double, 3>{1, 2, 3}));
    EXPECT_THAT(long_->header().warnings, Contains(HasSubstr("2 bytes after the voxels were ignored")));
}

TEST(Meta, ADataFileElsewhereIsRefusedWithTheReason) {
    const TemporaryFolder folder;
    for (const char* name : {"/etc/passwd", "../a.raw", "b/../../a.raw"}) {
        const auto volume = readHere(folder.write(
            "a.mhd", metaHeader(someBlock(), "int16", false) + "ElementDataFile = " + name + "\n"));
        ASSERT_FALSE(volume.ok());
        EXPECT_THAT(volume.error().message, HasSubstr("only a file in the header's folder or below is read"));
    }
}

struct MetaCase {
    const char* from;
    const char* to;
    const char* message;
};

const MetaCase kMetaCases[] = {
    {"ObjectType = Image", "ObjectType = Tube", "its object is a Tube, not an Image"},
    {"NDims = 3", "NDims = 0", "NDims is \"0\", it must be 1 to 10"},
    {"NDims = 3", "NDims = 3\nNDims = 3", "has the field NDims twice"},
    {"NDims = 3", "NDims = 3\nnonsense", "the header's line \"nonsense\" has no \" = \""},
    {"NDims = 3", "NDims = 2", "DimSize is \"6 5 7\", it must be 2 whole numbers"},
    {"BinaryData = True", "BinaryData = False",
     "voxels written as text (BinaryData = False) are not supported"},
    {"BinaryData = True", "BinaryData = maybe", "BinaryData is \"maybe\", it must be True or False"},
    {"DimSize = 6", "DimSize = -6", "a size of -6, it must be at least 1"},
    {"DimSize = 6", "DimSize = 60", "truncated: the header promises 4200 bytes of voxels, the file has 420"},
    {"DimSize = 6", "DimSize = 2147483648", "more voxels than any file can hold"},
    {"ElementType = MET_SHORT", "ElementType = MET_SHORT_ARRAY", "voxels of several components"},
    {"ElementType = MET_SHORT", "ElementType = short", "\"short\" is not a MetaImage ElementType"},
    {"ElementType", "ElementNumberOfChannels = 3\nElementType", "voxels of 3 channels are not supported"},
    {"ElementType", "HeaderSize = 100000\nElementType", "truncated: its voxels begin at byte 100000"},
    {"ElementType", "HeaderSize = -2\nElementType", "HeaderSize is \"-2\""},
    {"ElementType", "HeaderSize = -1\nCompressedData = True\nElementType", "HeaderSize is -1"},
    {"LOCAL", "LIST", "voxels in several data files are not supported"},
    {"LOCAL", "s%03d.raw 1 9 1", "voxels in several data files are not supported"},
    {"LOCAL", "none.raw", "none.raw: there is no such file"},
    {"LOCAL", "", "ElementDataFile is empty"},
    {"Offset = ", "Offset = 5 ", "Offset is"},
    {"Offset = ", "Offset = nan 0 0\nComment = ", "Offset has values that are not a number of millimeters"},
    {"TransformMatrix = 0 1 0", "TransformMatrix = 0 0 0", "the axes of TransformMatrix are singular"},
    {"TransformMatrix = 0 1 0", "TransformMatrix = 0.25 1 0", "sheared by 14.0 degrees"},
    {"TransformMatrix = 0 1 0", "TransformMatrix = 0 inf 0",
     "TransformMatrix has values that are not numbers"},
    {"TransformMatrix = 0 1 0", "TransformMatrix = 0 1", "TransformMatrix is"},
};

TEST(Meta, RefusalsAreOneLineThatNamesTheFileAndWhatIsWrong) {
    const std::string good = metaTissue(someBlock(), "int16", false);
    ASSERT_TRUE(readMeta(good).ok()) << good.substr(0, 300);
    for (const MetaCase& one : kMetaCases) {
        const std::string message = metaRefusal(replaced(good, one.from, one.to));
        EXPECT_THAT(message, AllOf(StartsWith("a.mha: "), HasSubstr(one.message), Not(HasSubstr("\n"))))
            << one.to;
    }
}

TEST(Meta, CutAtEveryByte) {
    for (const std::string& bytes :
         {metaTissue(someBlock(), "int16", false), compressedImage(deflated(someVoxels()))}) {
        for (std::size_t length = 1; length < bytes.size(); ++length) {
            EXPECT_NE(metaRefusal(bytes.substr(0, length)), "") << length;
        }
    }
}

}  // namespace
}  // namespace highwater::test
