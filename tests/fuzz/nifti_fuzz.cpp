#include <gmock/gmock.h>

#include "core/scan/scan_client.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/fuzz/mutator.h"

namespace highwater::test {
namespace {

/// Different seed files for the mutations: types, byte orders, sform and qform, 4D.
Nifti variant(std::uint64_t seed) {
    Nifti n;
    n.swapped = seed % 2 == 1;
    n.qform = static_cast<std::int16_t>(seed / 2 % 2);
    n.sform = static_cast<std::int16_t>(seed / 4 % 2);
    n.quaternion = {0.1F, 0.2F, 0.3F};
    if (seed % 3 == 0) {
        n.dim = {4, 4, 3, 1, 2, 1, 1, 1};
    }
    return n;
}

/// The number of bytes that a file with this header must have, computed only from the standard's offsets.
double promisedBytes(const std::string& bytes) {
    const auto field = [&](std::size_t at, auto value) {
        char raw[sizeof(value)];
        std::memcpy(raw, bytes.data() + at, sizeof(value));
        if (bytes[0] == 0) {  // 348 starts with 0x5c in little endian
            std::reverse(raw, raw + sizeof(value));
        }
        std::memcpy(&value, raw, sizeof(value));
        return static_cast<double>(value);
    };
    double voxels = 1;
    for (std::size_t axis = 1; axis <= static_cast<std::size_t>(field(40, std::int16_t{})); ++axis) {
        voxels *= field(40 + 2 * axis, std::int16_t{});
    }
    return field(108, float{}) + voxels * field(72, std::int16_t{}) / 8;
}

bool oneLine(const std::string& message) {
    return !message.empty() && message.find('\n') == std::string::npos;
}

TEST(NiftiFuzz, WhatIsAcceptedHoldsAllItsVoxels) {
    const TemporaryFolder folder;
    int accepted = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::string bytes = fuzz::mutate(niftiFile(variant(seed), counting()), seed);
        const auto volume = readHere(folder.write("a.nii", bytes));
        if (volume.ok()) {
            ++accepted;
            EXPECT_LE(promisedBytes(bytes), static_cast<double>(bytes.size())) << seed;
            for (double spacing : volume->geometry().spacing) {
                EXPECT_GT(spacing, 0) << seed;
            }
        } else {
            ++refused;
            EXPECT_TRUE(oneLine(volume.error().message)) << seed;
        }
    }
    EXPECT_GT(accepted, 20);
    EXPECT_GT(refused, 100);
}

TEST(NiftiFuzz, WhatIsAcceptedFromGzipIsWhatWasCompressed) {
    const TemporaryFolder folder;
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::string original = niftiFile(variant(seed), counting());
        const auto plain = readHere(folder.write("a.nii", original));
        ASSERT_TRUE(plain.ok()) << plain.error().message;
        const auto volume = readHere(folder.write("a.nii.gz", fuzz::mutate(gzip(original), seed)));
        if (!volume.ok()) {
            ++refused;
            EXPECT_TRUE(oneLine(volume.error().message)) << seed;
            continue;
        }
        // The checksum is correct, so neither a voxel nor a header value may differ.
        ASSERT_EQ(volume->geometry(), plain->geometry()) << seed;
        EXPECT_EQ(volume->header().mean, plain->header().mean) << seed;
    }
    EXPECT_GT(refused, 150);
}

TEST(NiftiFuzz, DamageInsideTheCompressedDataReachesTheHeaderChecks) {
    const TemporaryFolder folder;
    for (std::uint64_t seed = 1000; seed < 1300; ++seed) {
        const std::string bytes = fuzz::mutate(niftiFile(variant(seed), counting()), seed);
        const auto raw = readHere(folder.write("a.nii", bytes));
        const auto packed = readHere(folder.write("a.nii.gz", gzip(bytes)));
        EXPECT_EQ(raw.ok(), packed.ok()) << seed;
    }
}

TEST(NiftiFuzz, TheProcessNeverDies) {
    const TemporaryFolder folder;
    for (std::uint64_t seed = 2000; seed < 2040; ++seed) {
        std::string bytes = fuzz::mutate(niftiFile(variant(seed), counting()), seed);
        if (seed % 2 == 0) {
            bytes = gzip(bytes);
        }
        const auto volume = scan::readScan(folder.write("a.nii", bytes));
        if (!volume.ok()) {
            EXPECT_TRUE(oneLine(volume.error().message)) << seed;
            EXPECT_EQ(volume.error().message.find("the reader stopped"), std::string::npos)
                << volume.error().message;
        }
    }
}

}  // namespace
}  // namespace highwater::test
