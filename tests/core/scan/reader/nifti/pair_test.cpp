#include <gmock/gmock.h>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/tissue_files.h"

namespace highwater::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string pairHeader(const Block& block, bool swapped) {
    Nifti n = niftiOf(block, "int16", swapped, Form::Both);
    n.magic = std::string("ni1\0", 4);
    n.voxOffset = 0;
    return beginning(n).substr(0, 348);
}

std::string voxelsOf(const Block& block, bool swapped = false) {
    return stored(block.values(), "int16", swapped);
}

std::string errorOf(const base::Result<volume::Volume>& volume) {
    EXPECT_FALSE(volume.ok()) << "should have been refused";
    return volume.ok() ? "" : volume.error().message;
}

TEST(NiftiPair, EitherNameInAll48OrientationsAndBothByteOrders) {
    const TemporaryFolder folder;
    for (const Block& block : allBlocks()) {
        for (bool swapped : {false, true}) {
            const auto hdr = folder.write("a.hdr", pairHeader(block, swapped));
            const auto img = folder.write("a.img", voxelsOf(block, swapped));
            for (const auto& path : {hdr, img}) {
                const auto volume = readHere(path);
                ASSERT_TRUE(volume.ok()) << volume.error().message;
                EXPECT_EQ(volume->header().format, "NIfTI-1 pair");
                ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, block)) << block.letters;
            }
        }
    }
}

TEST(NiftiPair, PackedOnesAndCapitals) {
    const Block block = someBlock();
    for (const auto& [hdr, img] :
         {std::pair{"a.hdr.gz", "a.img.gz"}, {"a.hdr", "a.img.gz"}, {"A.HDR", "A.IMG"}}) {
        const TemporaryFolder folder;
        const auto packed = [](std::string_view name, const std::string& bytes) {
            return name.ends_with(".gz") ? gzip(bytes) : bytes;
        };
        const auto one = folder.write(hdr, packed(hdr, pairHeader(block, false)));
        const auto other = folder.write(img, packed(img, voxelsOf(block)));
        for (const auto& path : {one, other}) {
            const auto volume = readHere(path);
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, block)) << path;
        }
    }
}

TEST(NiftiPair, TheOneThatIsPackedAsTheNamedFileIs) {
    const TemporaryFolder folder;
    Block block = someBlock();
    const auto hdr = folder.write("a.hdr", pairHeader(block, false));
    const auto packedHdr = folder.write("a.hdr.gz", gzip(pairHeader(block, false)));
    const auto voxels = block.values().size();
    folder.write("a.img", stored(std::vector<int>(voxels, 1), "int16", false));
    folder.write("a.img.gz", gzip(stored(std::vector<int>(voxels, 2), "int16", false)));
    EXPECT_EQ(readHere(hdr)->header().max, 1);
    EXPECT_EQ(readHere(packedHdr)->header().max, 2);
}

TEST(NiftiPair, VoxelsThatBeginLikeGzipAreVoxels) {
    const TemporaryFolder folder;
    const Block block = someBlock();
    std::string voxels = voxelsOf(block);
    voxels.replace(0, 4, "\x1f\x8b\x08\x00", 4);
    folder.write("a.img", voxels);
    const auto volume = readHere(folder.write("a.hdr", pairHeader(block, false)));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->at(0, 0, 0), static_cast<std::int16_t>(0x8b1f));
}

TEST(NiftiPair, RefusalsNameTheFileThatIsToBlame) {
    const Block block = someBlock();
    const TemporaryFolder folder;
    const auto hdr = folder.write("a.hdr", pairHeader(block, false));
    EXPECT_THAT(errorOf(readHere(hdr)), AllOf(StartsWith("a.hdr: its voxels are in another file, "),
                                              HasSubstr("a.img: there is no such file")));
    const auto img = folder.write("a.img", voxelsOf(block).substr(0, 100));
    EXPECT_THAT(
        errorOf(readHere(hdr)),
        StartsWith("a.hdr: a.img: truncated: the header promises 420 bytes of voxels, the file has 100"));
    EXPECT_THAT(errorOf(readHere(img)), StartsWith("a.img: a.hdr: a.img: truncated"));
    folder.write("a.hdr", pairHeader(block, false).substr(0, 300));
    EXPECT_THAT(errorOf(readHere(img)),
                StartsWith("a.img: a.hdr: truncated: a NIfTI-1 header has 348 bytes"));
    EXPECT_THAT(errorOf(readHere(folder.write("b.img", voxelsOf(block)))),
                HasSubstr("not a scan that Highwater reads"));
    EXPECT_THAT(errorOf(readHere(folder.write("c.nii", pairHeader(block, false)))),
                HasSubstr("the header of a .hdr/.img pair, but not named .hdr"));
}

/// A header may come from anywhere: a data file that it claims to be beside it is not read from elsewhere.
TEST(NiftiPair, ALinkOutOfTheFolderIsNotFollowed) {
    const Block block = someBlock();
    const TemporaryFolder folder, outside;
    const auto hdr = folder.write("a.hdr", pairHeader(block, false));
    std::filesystem::create_symlink(outside.write("secret", voxelsOf(block)), folder.path() / "a.img");
    for (const auto& path : {hdr, (folder.path() / "a.img").string()}) {
        EXPECT_THAT(errorOf(readHere(path)),
                    HasSubstr("a.img: is a link to another folder; only a file in the "
                              "header's folder or below is read"));
    }
    std::filesystem::create_directory(folder.path() / "below");
    std::filesystem::remove(folder.path() / "a.img");
    std::filesystem::create_symlink(folder.write("below/voxels", voxelsOf(block)), folder.path() / "a.img");
    EXPECT_TRUE(readHere(hdr).ok());
    // A folder that is itself reached by a link still counts as the header's folder.
    std::filesystem::create_symlink(folder.path(), outside.path() / "scans");
    EXPECT_TRUE(readHere((outside.path() / "scans" / "a.hdr").string()).ok());
}

TEST(NiftiPair, PackedVoxelsAreChecked) {
    const Block block = someBlock();
    const TemporaryFolder folder;
    const auto hdr = folder.write("a.hdr", pairHeader(block, false));
    std::string packed = gzip(voxelsOf(block));
    packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
    folder.write("a.img.gz", packed);
    EXPECT_THAT(errorOf(readHere(hdr)), HasSubstr("gzip's own check"));
    folder.write("a.img.gz", gzip(voxelsOf(block).substr(2)));
    EXPECT_THAT(errorOf(readHere(hdr)), HasSubstr("promises 420 bytes of voxels, the file has 418"));
}

/// Written according to the description of ANALYZE 7.5, not NIfTI's.
std::string analyzeHeader(bool swapped, char orient = 0, std::int16_t datatype = 4, std::int16_t bits = 16) {
    std::string bytes(348, '\0');
    put(bytes, 0, std::int32_t{348}, swapped);
    put(bytes, 32, std::int32_t{16384}, swapped);
    bytes[38] = 'r';
    const std::int16_t dim[] = {4, 5, 6, 7, 1};
    const float pixdim[] = {0, 1.5F, 2, 2.5F};
    for (std::size_t i = 0; i < 5; ++i) {
        put(bytes, 40 + 2 * i, dim[i], swapped);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        put(bytes, 76 + 4 * i, pixdim[i], swapped);
    }
    put(bytes, 70, datatype, swapped);
    put(bytes, 72, bits, swapped);
    bytes[252] = orient;
    put(bytes, 340, std::int32_t{119}, swapped);  // glmax, glmin: at the position of NIfTI's magic
    put(bytes, 344, std::int32_t{7}, swapped);
    return bytes;
}

TEST(Analyze, SaysThatItDoesNotTellTheSides) {
    const Block block = allBlocks().front();
    const TemporaryFolder folder;
    for (bool swapped : {false, true}) {
        const auto hdr = folder.write("a.hdr", analyzeHeader(swapped));
        const auto img = folder.write("a.img", voxelsOf(block, swapped));
        for (const auto& path : {hdr, img}) {
            const auto volume = readHere(path);
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->header().format, "Analyze 7.5");
            EXPECT_EQ(volume->geometry().orientation(), "LAS");
            EXPECT_EQ(volume->geometry().spacing, (std::array<double, 3>{1.5, 2, 2.5}));
            EXPECT_EQ(volume->at(2, 3, 4), tissue(2, 3, 4));
            EXPECT_THAT(
                volume->header().warnings,
                ElementsAre(AllOf(HasSubstr("does not tell left from right"), HasSubstr("read as LAS"))));
        }
    }
}

TEST(Analyze, TheOrientationCodes) {
    const TemporaryFolder folder;
    folder.write("a.img", voxelsOf(allBlocks().front()));
    const char* expected[] = {"LAS", "LSA", "ASL", "LPS", "LIA", "AIL"};
    for (char code = 0; code < 6; ++code) {
        const auto volume = readHere(folder.write("a.hdr", analyzeHeader(false, code)));
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->geometry().orientation(), expected[static_cast<int>(code)]);
    }
    const auto odd = readHere(folder.write("a.hdr", analyzeHeader(false, 9)));
    ASSERT_TRUE(odd.ok());
    EXPECT_EQ(odd->geometry().orientation(), "LAS");
    EXPECT_THAT(odd->header().warnings, Contains(HasSubstr("orientation code is 9, it must be 0 to 5")));
}

TEST(Analyze, SpmsTypesAndFactor) {
    const TemporaryFolder folder;
    std::string header = analyzeHeader(true, 0, 132, 16);
    put(header, 112, 0.5F, true);
    folder.write("a.img", stored(allBlocks().front().values(), "uint16", true));
    const auto volume = readHere(folder.write("a.hdr", header));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().pixelType, "uint16");
    EXPECT_EQ(volume->at(2, 3, 4), 0.5 * tissue(2, 3, 4));
    EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("multiplied by 0.5, as SPM does")));
}

TEST(Analyze, Refusals) {
    const TemporaryFolder folder;
    folder.write("a.img", voxelsOf(allBlocks().front()));
    EXPECT_THAT(errorOf(readHere(folder.write("a.hdr", analyzeHeader(false, 0, 32, 64)))),
                HasSubstr("complex numbers are not supported"));
    EXPECT_THAT(errorOf(readHere(folder.write("a.hdr", analyzeHeader(false, 0, 999, 16)))),
                HasSubstr("999 is not an Analyze 7.5 datatype"));
    std::string header = analyzeHeader(false);
    put(header, 108, -352.0F, false);
    EXPECT_THAT(errorOf(readHere(folder.write("a.hdr", header))), HasSubstr("vox_offset is -352"));
    put(header, 108, 100.0F, false);
    EXPECT_THAT(errorOf(readHere(folder.write("a.hdr", header))), HasSubstr("truncated"));
}

}  // namespace
}  // namespace highwater::test
