#include <gmock/gmock.h>

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

/// Errors for other kinds of files, and that every way to open a file follows the same rule.
namespace highwater::scan {
namespace {

using test::Dicom;
using test::gzip;
using test::readDicomHere;
using test::readHere;
using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StrEq;

const std::string kPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
constexpr const char* kOfPointer = "is a pointer of Git LFS, not the file itself; run git lfs pull";

TEST(ScanKinds, EachIsNamed) {
    const TemporaryFolder folder;
    const auto refusal = [&](const std::string& name, const std::string& bytes) {
        const auto volume = readHere(folder.write(name, bytes));
        EXPECT_FALSE(volume.ok()) << name;
        return volume ? "" : volume.error().message;
    };
    for (const char* name : {"a.nii.gz", "a.nii", "a.dcm", "a.nrrd", "a.mha", "a.mgz", "a"}) {
        EXPECT_EQ(refusal(name, kPointer), std::string(name) + ": " + kOfPointer);
    }
    EXPECT_EQ(refusal("b.dcm.gz", gzip(test::dicomFile(Dicom()))),
              "b.dcm.gz: is a DICOM file inside of gzip; unpack it first");
    EXPECT_THAT(refusal("c.nii", "\x89PNG\r\n\x1a\n...."),
                HasSubstr("c.nii: is a PNG picture, not a scan that Highwater reads: DICOM, NIfTI"));
    EXPECT_THAT(refusal("d.nii.gz", "<!DOCTYPE html><html>404"), HasSubstr("d.nii.gz: is a web page"));
    EXPECT_THAT(refusal("e.nii.gz", gzip("{\"traceEvents\": []}")),
                HasSubstr("is compressed with gzip; inside it is a trace of PyTorch's profiler"));
    EXPECT_THAT(refusal("f.nii.gz", gzip("nobody knows")), HasSubstr("a NIfTI-1 header has 348 bytes"));
}

TEST(ScanKinds, VoxelsInAnotherFileToo) {
    const TemporaryFolder folder;
    folder.write("a.raw", kPointer);
    const auto nrrd = folder.write("a.nhdr",
                                   "NRRD0004\ntype: int16\ndimension: 3\nsizes: 4 4 4\nendian: little\n"
                                   "encoding: raw\nspace: RAS\nspace directions: (1,0,0) (0,1,0) (0,0,1)\n"
                                   "data file: a.raw\n");
    EXPECT_THAT(readHere(nrrd).error().message, HasSubstr(std::string("a.raw: ") + kOfPointer));
}

TEST(ScanKinds, FoldersSayWhatTheyHoldInstead) {
    const TemporaryFolder folder;
    folder.write("a.dcm.gz", gzip(test::dicomFile(Dicom())));
    EXPECT_THAT(
        readDicomHere(folder.path().string()).error().message,
        HasSubstr("holds no DICOM pictures; a.dcm.gz is compressed with gzip; inside it is a DICOM file"));
    const TemporaryFolder pointers;
    pointers.write("1.dcm", kPointer);
    EXPECT_THAT(readDicomHere(pointers.path().string()).error().message,
                HasSubstr(std::string("holds no DICOM pictures; 1.dcm ") + kOfPointer));
}

/// DICOM's preamble may contain anything.
TEST(ScanKinds, AMarkOfDicomCountsBeforeAnyPreamble) {
    for (const std::string& preamble :
         {std::string("\x5c\x01\0\0", 4), std::string("\0\0\x01\x5c", 4), std::string("\x1c\x02\0\0", 4),
          std::string("NRRD0004"), std::string("ObjectType = Image\nNDims = 3\n"), std::string("II*\0", 4)}) {
        const TemporaryFolder folder;
        std::string bytes = test::dicomFile(Dicom());
        bytes.replace(0, preamble.size(), preamble);
        const std::string path = folder.write("a", bytes);
        for (const auto& volume : {readHere(path), readHere(folder.path().string())}) {
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->header().format, "DICOM");
            EXPECT_EQ(volume->at(3, 2, 0), 11);
        }
        EXPECT_TRUE(reader::isDicomFile(path));
        EXPECT_EQ(test::listHere(folder.path().string())->series.size(), 1U);
    }
}

TEST(ScanKinds, VoxelsOfAPairThatLookLikeDicomAreNone) {
    const TemporaryFolder folder;
    test::Nifti pair;
    pair.magic = std::string("ni1\0", 4);
    const std::string whole = test::niftiFile(pair, test::counting());
    const std::string voxels = std::string("\x08\0\x05\0\x0a\0\0\0", 8) + whole.substr(360);
    folder.write("a.hdr", whole.substr(0, 348));
    const std::string img = folder.write("a.img", voxels);
    EXPECT_FALSE(reader::isDicomFile(img));
}

}  // namespace
}  // namespace highwater::scan
