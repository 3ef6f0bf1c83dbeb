#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cmath>
#include <functional>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string refusal(const std::string& bytes, const std::string& name = "a.nii") {
    const TemporaryFolder folder;
    const auto volume = readHere(folder.write(name, bytes));
    EXPECT_FALSE(volume.ok()) << "should have been refused";
    return volume.ok() ? "" : volume.error().message;
}

struct Case {
    const char* why;
    std::function<void(Nifti&)> damage;
    const char* message;
};

const Case kCases[] = {
    {"size of header", [](Nifti& n) { n.headerSize = 347; }, "must begin with a header size of 348"},
    {"NIfTI-2's size alone", [](Nifti& n) { n.headerSize = 540; }, "a NIfTI-2 header has 540 bytes"},
    {"pair", [](Nifti& n) { n.magic = std::string("ni1\0", 4); }, "a .hdr/.img pair"},
    {"Analyze", [](Nifti& n) { n.magic = std::string(4, '\0'); }, "Analyze 7.5"},
    {"magic", [](Nifti& n) { n.magic = "nope"; }, "must be \"n+1\""},
    {"dim[0] 0", [](Nifti& n) { n.dim[0] = 0; }, "dim[0] is 0"},
    {"dim[0] 8", [](Nifti& n) { n.dim[0] = 8; }, "dim[0] is 8"},
    {"a size of 0", [](Nifti& n) { n.dim[2] = 0; }, "dim[2] is 0, it must be at least 1"},
    {"a negative size", [](Nifti& n) { n.dim[3] = -5; }, "dim[3] is -5"},
    {"five axes", [](Nifti& n) { n.dim = {5, 4, 3, 2, 1, 3, 1, 1}; }, "several components"},
    {"unknown type", [](Nifti& n) { n.datatype = 5; }, "5 is not a NIfTI-1 datatype"},
    {"complex", [](Nifti& n) { n.datatype = 32, n.bitpix = 64; }, "complex numbers are not supported"},
    {"RGB", [](Nifti& n) { n.datatype = 128, n.bitpix = 24; }, "RGB colors are not supported"},
    {"bits", [](Nifti& n) { n.bitpix = 8; }, "bitpix is 8, int16 voxels have 16 bits"},
    {"offset in the header", [](Nifti& n) { n.voxOffset = 100; }, "vox_offset is 100"},
    {"offset beyond the file", [](Nifti& n) { n.voxOffset = 100000; },
     "voxels begin at byte 100000, the file has 400"},
    {"offset NaN", [](Nifti& n) { n.voxOffset = std::nanf(""); }, "vox_offset is not a number"},
    {"offset not whole", [](Nifti& n) { n.voxOffset = 352.5F; }, "vox_offset is 352.5"},
    {"sform NaN", [](Nifti& n) { n.rows[1][0] = std::nanf(""); }, "srow_y[0] is not a number"},
    {"qform NaN", [](Nifti& n) { n.qform = 1, n.quaternion[0] = std::nanf(""); },
     "the qform has values that are not numbers"},
    {"too large", [](Nifti& n) { n.dim = {3, 40, 3, 2, 1, 1, 1, 1}; },
     "truncated: the header promises 480 bytes of voxels, the file has 48"},
};

TEST(NiftiRefusal, EachLineNamesTheFileAndWhatIsWrong) {
    for (const Case& one : kCases) {
        for (bool swapped : {false, true}) {
            Nifti n;
            n.swapped = swapped;
            one.damage(n);
            const std::string message = refusal(niftiFile(n, counting()));
            EXPECT_THAT(message, AllOf(StartsWith("a.nii: "), HasSubstr(one.message), Not(HasSubstr("\n"))))
                << one.why;
        }
    }
}

TEST(NiftiRefusal, CutAtEveryByte) {
    const std::string bytes = niftiFile({}, counting());
    for (std::size_t length = 1; length < bytes.size(); ++length) {
        EXPECT_THAT(refusal(bytes.substr(0, length)), HasSubstr("truncated")) << length;
    }
}

TEST(NiftiRefusal, CompressedAndCutAtEveryByte) {
    const std::string bytes = gzip(niftiFile({}, counting()));
    for (std::size_t length = 1; length < bytes.size(); ++length) {
        EXPECT_NE(refusal(bytes.substr(0, length), "a.nii.gz"), "") << length;
    }
}

TEST(NiftiRefusal, CutBeforeCompression) {
    const std::string bytes = niftiFile({}, counting());
    EXPECT_THAT(refusal(gzip(bytes.substr(0, 390)), "a.nii.gz"),
                HasSubstr("the header promises 48 bytes of voxels, the file has 38"));
}

TEST(NiftiRefusal, AFlippedChecksum) {
    std::string bytes = gzip(niftiFile({}, counting()));
    bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
    EXPECT_THAT(refusal(bytes, "a.nii.gz"), HasSubstr("gzip's own check"));
}

TEST(NiftiRefusal, FarMoreDataThanTheHeaderSays) {
    EXPECT_THAT(refusal(gzip(niftiFile({}, counting()) + std::string(3 << 20, 'x')), "a.nii.gz"),
                HasSubstr("continues far beyond"));
}

long peakKilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(NiftiRefusal, AHeaderThatLiesTakesNoMemory) {
    Nifti n;
    n.dim = {3, 2000, 2000, 500, 1, 1, 1, 1};
    const std::string bytes = niftiFile(n, std::vector<std::int16_t>(34000, 5));  // 68 KB
    const std::string packed = gzip(niftiFile(n, std::vector<std::int16_t>(34000, 5)));
    const long before = peakKilobytes();
    EXPECT_THAT(refusal(bytes),
                HasSubstr("the header promises 4000000000 bytes of voxels, the file has 68000"));
    EXPECT_THAT(refusal(packed, "a.nii.gz"), HasSubstr("the header promises 4000000000 bytes of voxels"));
    EXPECT_LT(peakKilobytes() - before, 32 * 1024);
}

TEST(NiftiRefusal, WhatIsNoScanAtAll) {
    for (const char* name : {"a.txt", "a.gz", "a", "a.img", "a.png"}) {
        EXPECT_THAT(refusal("nothing that anybody knows", name),
                    HasSubstr("not a scan that Highwater reads"));
        EXPECT_THAT(refusal(gzip("nothing that anybody knows"), name),
                    HasSubstr("not a scan that Highwater reads"));
    }
    const TemporaryFolder folder;
    EXPECT_THAT(readHere((folder.path() / "none.nii").string()).error().message,
                HasSubstr("there is no such file"));
    EXPECT_THAT(readHere(folder.write("empty.nii", "")).error().message, HasSubstr("is empty"));
    EXPECT_THAT(readHere("/dev/null").error().message, HasSubstr("is not a file"));
}

TEST(NiftiRead, WhatIsInAFileCountsAndNotItsName) {
    for (const char* name : {"a.dcm", "a.nrrd", "a.mha", "a.img", "a.hdr", "a", "a.nii.bz2"}) {
        const TemporaryFolder folder;
        const auto volume = readHere(folder.write(name, niftiFile({}, counting())));
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->header().format, "NIfTI-1");
        EXPECT_EQ(volume->at(3, 2, 1), 123);
    }
}

}  // namespace
}  // namespace highwater::test
