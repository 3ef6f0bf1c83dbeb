#include <gmock/gmock.h>

#include "core/volume/volume_header.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/tissue_files.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::test {
namespace {

/// One of the formats with a header and voxels: the file to read, and a second file that it may refer to.
struct Seed {
    std::string name, bytes;
    std::string otherName, otherBytes;
};

std::vector<Seed> seeds() {
    const Block block = someBlock();
    const std::string voxels = stored(block.values(), "int16", true);
    const std::string nrrd = nrrdHeader(block, "int16", true), meta = metaHeader(block, "int16", true);
    Nifti pair = niftiOf(block, "int16", true, Form::Both);
    pair.magic = std::string("ni1\0", 4);
    pair.voxOffset = 0;
    Nifti analyze = pair;
    analyze.magic = std::string(4, '\0');
    const std::string list =
        "NRRD0005\ntype: float\ndimension: 4\nspace: RAS\nsizes: 2 3 5 7\n"
        "space directions: none (1,0,0) (0,2,0) (0,0,3)\nkinds: list space space space\nendian: little\n"
        "encoding: raw\nspace origin: (1,2,3)\nspace units: \"mm\" \"mm\" \"mm\"\n\n";
    return {{"a.nrrd", nrrd + "\n" + voxels, "", ""},
            {"a.nrrd", nrrdHeader(block, "int16", true, "RAS", "gzip") + "\n" + gzip(voxels), "", ""},
            {"a.nrrd", list + std::string(840, '\1'), "", ""},
            {"a.nhdr", nrrd + "byte skip: -1\ndata file: a.raw\n", "a.raw", "before" + voxels},
            {"a.mha", meta + "ElementDataFile = LOCAL\n" + voxels, "", ""},
            {"a.mha", meta + "CompressedData = True\nElementDataFile = LOCAL\n" + gzip(voxels), "", ""},
            {"a.mhd", meta + "HeaderSize = 6\nElementDataFile = a.raw\n", "a.raw", "before" + voxels},
            {"a.hdr", beginning(pair).substr(0, 348), "a.img", voxels},
            {"a.hdr", beginning(analyze).substr(0, 348), "a.img.gz", gzip(voxels)}};
}

TEST(RawFuzz, WhatIsAcceptedHoldsAllItsVoxelsAndTheRestIsOneLine) {
    const auto all = seeds();
    const auto most = static_cast<std::int64_t>(fuzz::rounds(900));
    std::int64_t accepted = 0;
    for (std::int64_t round = 0; round < most; ++round) {
        const Seed& seed = all[static_cast<std::size_t>(round) % all.size()];
        const TemporaryFolder folder;
        // Every third time, the second file is damaged instead.
        const bool other = !seed.otherName.empty() && round % 3 == 2;
        const auto random = static_cast<std::uint64_t>(round);
        const std::string otherBytes = other ? fuzz::mutate(seed.otherBytes, random) : seed.otherBytes;
        const std::string bytes = other ? seed.bytes : fuzz::mutate(seed.bytes, random);
        if (!seed.otherName.empty()) {
            folder.write(seed.otherName, otherBytes);
        }
        const auto volume = readHere(folder.write(seed.name, bytes));
        if (!volume.ok()) {
            const std::string& message = volume.error().message;
            EXPECT_LT(message.size(), 800U) << round;
            EXPECT_EQ(message.find_first_of("\n\r"), std::string::npos) << round;
            continue;
        }
        ++accepted;
        const auto voxels = volume::volumeBytes(volume->header());
        ASSERT_TRUE(voxels) << round;
        const bool packed = volume->header().format.find('(') != std::string::npos;
        const auto there = static_cast<std::int64_t>(bytes.size() + otherBytes.size());
        EXPECT_LE(*voxels * (packed ? 1 : volume->header().volumes), packed ? 1032 * there : there) << round;
    }
    EXPECT_GT(accepted, most / 10);
    EXPECT_LT(accepted, most * 9 / 10);
}

}  // namespace
}  // namespace highwater::test
