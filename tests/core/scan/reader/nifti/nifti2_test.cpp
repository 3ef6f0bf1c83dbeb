#include <gmock/gmock.h>

#include <functional>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder2.h"

/// NIfTI-2 (nifti2.h): the same facts as NIfTI-1's, wider and in another order.
namespace highwater::test {
namespace {

using testing::HasSubstr;

TEST(Nifti2, IsReadAsTheSameNifti1) {
    const TemporaryFolder folder;
    for (const bool swapped : {false, true}) {
        for (const bool qform : {false, true}) {
            for (const bool packed : {false, true}) {
                Nifti2 n;
                n.facts.swapped = swapped;
                n.facts.slope = 0.5F;
                n.facts.intercept = -3;
                if (qform) {
                    n.facts.sform = 0;
                    n.facts.qform = 1;
                    n.facts.quaternion = {0.5F, 0.5F, 0.5F};
                    n.offset = {7, 8, 9};
                    n.facts.qoffset = {7, 8, 9};
                }
                const std::string name = packed ? "a.nii.gz" : "a.nii";
                const auto as = [&](const std::string& bytes) {
                    return readHere(folder.write(name, packed ? gzip(bytes) : bytes));
                };
                const auto one = as(niftiFile(n.facts, counting())), two = as(nifti2File(n));
                ASSERT_TRUE(one.ok() && two.ok()) << (two.ok() ? one : two).error().message;
                EXPECT_EQ(two->header().format, packed ? "NIfTI-2 (gzip)" : "NIfTI-2");
                EXPECT_EQ(two->geometry(), one->geometry());
                EXPECT_EQ(two->header().slope, one->header().slope);
                EXPECT_EQ(two->header().mean, one->header().mean);
                EXPECT_EQ(two->at(3, 2, 1), one->at(3, 2, 1));
                EXPECT_EQ(two->header().warnings, one->header().warnings);
            }
        }
    }
}

TEST(Nifti2, SizesBeyondNifti1) {
    const TemporaryFolder folder;
    Nifti2 n;
    n.dim = {3, 40000, 1, 1, 1, 1, 1, 1};
    const auto volume = readHere(folder.write("long.nii", nifti2File(n, counting(40000))));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{40000, 1, 1}));
}

TEST(Nifti2, APair) {
    const TemporaryFolder folder;
    Nifti2 n;
    n.magic = kNifti2PairMagic;
    n.voxOffset = 0;
    const std::string bytes = nifti2File(n);
    folder.write("a.img", bytes.substr(544));
    const auto volume = readHere(folder.write("a.hdr", bytes.substr(0, 540)));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().format, "NIfTI-2 pair");
    EXPECT_EQ(volume->at(3, 2, 1), 123);
}

struct Nifti2Case {
    const char* why;
    std::function<void(Nifti2&)> damage;
    const char* message;
};

const Nifti2Case kNifti2Cases[] = {
    {"line ends changed", [](Nifti2& n) { n.magic = std::string("n+2\0\n\n\032\n", 8); },
     "CR, LF, 26 and LF"},
    {"offset within the header", [](Nifti2& n) { n.voxOffset = 352; }, "vox_offset is 352"},
    {"offset before the file", [](Nifti2& n) { n.voxOffset = -1; }, "vox_offset is -1"},
    {"an offset no file has", [](Nifti2& n) { n.voxOffset = std::int64_t{1} << 60; }, "vox_offset is 1.15"},
    {"a size no file has", [](Nifti2& n) { n.dim[1] = std::int64_t{1} << 40; }, "more voxels than any file"},
    {"a negative size", [](Nifti2& n) { n.dim[2] = -1; }, "dim[2] is -1"},
    {"dim[0] too large", [](Nifti2& n) { n.dim[0] = std::int64_t{1} << 33; }, "dim[0] is 8589934592"},
    {"unknown type", [](Nifti2& n) { n.facts.datatype = 5; }, "5 is not a NIfTI-2 datatype"},
    {"too large", [](Nifti2& n) { n.dim[1] = 40; }, "truncated: the header promises 480 bytes of voxels"},
};

TEST(Nifti2, EachLineNamesTheFileAndWhatIsWrong) {
    const TemporaryFolder folder;
    for (const Nifti2Case& one : kNifti2Cases) {
        Nifti2 n;
        one.damage(n);
        const auto volume = readHere(folder.write("a.nii", nifti2File(n)));
        ASSERT_FALSE(volume.ok()) << one.why;
        EXPECT_THAT(volume.error().message, HasSubstr(one.message)) << one.why;
        EXPECT_THAT(volume.error().message, HasSubstr("a.nii: ")) << one.why;
    }
    const auto cut = readHere(folder.write("cut.nii", nifti2File({}).substr(0, 400)));
    ASSERT_FALSE(cut.ok());
    EXPECT_THAT(cut.error().message, HasSubstr("a NIfTI-2 header has 540 bytes, the file has 400"));
}

}  // namespace
}  // namespace highwater::test
