#include "core/scan/request.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "core/scan/scan_names.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/temporary_folder.h"

namespace highwater::scan {
namespace {

namespace fs = std::filesystem;
using base::kGiB;
using base::kMiB;
using test::TemporaryFolder;

constexpr base::Bytes kFourGB = 4'000'000'000;
constexpr base::Bytes kLargeMachine = 1024 * kGiB;

/// A sparse file of that size.
std::string sparse(const TemporaryFolder& folder, const std::string& name, std::uintmax_t bytes) {
    const std::string path = folder.write(name, "");
    fs::resize_file(path, bytes);
    return path;
}

TEST(AddressSpace, OneMegabyteNeverGetsFourGigabytes) {
    const TemporaryFolder folder;
    for (const char* name : {"a.nii.gz", "b.nrrd", "c.dcm", "d", "e.mha", "f.nii"}) {
        const auto space = addressSpaceFor(sparse(folder, name, 1 << 20), kLargeMachine);
        EXPECT_LT(space, kFourGB) << name;
        EXPECT_GT(space, kGiB) << name;
    }
    const TemporaryFolder series;  // 1 MB in 64 files
    for (int i = 0; i < 64; ++i) {
        sparse(series, "IM" + std::to_string(i), 16 << 10);
    }
    EXPECT_LT(addressSpaceFor(series.path().string(), kLargeMachine), kFourGB);
    EXPECT_GT(addressSpaceFor(series.path().string(), kLargeMachine), 2 * kGiB);
}

TEST(AddressSpace, GrowsWithTheFileUpToTheMachine) {
    const TemporaryFolder folder;
    const auto path = sparse(folder, "a.nii.gz", 100 * kMiB);
    EXPECT_EQ(addressSpaceFor(path, kLargeMachine), kGiB + 100 * kMiB + 1032 * 100 * kMiB);
    EXPECT_EQ(addressSpaceFor(path, 8 * kGiB), kGiB + 100 * kMiB + 8 * kGiB);
    EXPECT_EQ(addressSpaceFor(sparse(folder, "b.nii", 100 * kGiB), 8 * kGiB), kGiB + 108 * kGiB)
        << "to map a file takes no memory";
    EXPECT_EQ(addressSpaceFor(test::nowhere(), kLargeMachine), kGiB);
    EXPECT_EQ(addressSpaceFor("/dev/zero", kLargeMachine), kGiB);
}

TEST(AddressSpace, VoxelsInFilesOfTheirOwnCount) {
    const TemporaryFolder folder;
    sparse(folder, "a.img", 10 * kMiB);
    sparse(folder, "b.raw", 20 * kMiB);
    const auto pair = addressSpaceFor(sparse(folder, "a.hdr", 348), kLargeMachine);
    EXPECT_EQ(pair, kGiB + 1033 * (10 * kMiB + 348));
    const auto small = addressSpaceFor(sparse(folder, "b.nhdr", 500), kLargeMachine);
    EXPECT_EQ(small, kGiB + 1033 * (30 * kMiB + 348 + 500));
    EXPECT_LT(addressSpaceFor(sparse(folder, "c.nrrd", kMiB), kLargeMachine), kFourGB);
}

TEST(ScanRequest, Names) {
    EXPECT_EQ(shownName("/a/b c.nii"), "b c.nii");
    EXPECT_EQ(shownName("/a/series/"), "series");
    EXPECT_EQ(shownName("/"), "/");
    EXPECT_EQ(shownName("a.nii"), "a.nii");
    EXPECT_FALSE(checkNames("", {}).ok());
    EXPECT_FALSE(checkNames(std::string("a\0b", 3), {}).ok());
    ReadOptions options;
    options.series = std::string(100'000, '1');
    EXPECT_FALSE(checkNames("a", options).ok());
    options.series = "1.2.3#2";
    EXPECT_TRUE(checkNames("a", options).ok());
}

TEST(ScanNames, Suffixes) {
    EXPECT_EQ(scanSuffix("A.NII.GZ"), ".nii.gz");
    EXPECT_EQ(scanStem("A.b.NII.GZ"), "A.b");
    EXPECT_EQ(scanSuffix(".nii"), "") << "a name of nothing else";
    EXPECT_EQ(scanStem("a.png"), std::nullopt);
    EXPECT_TRUE(looksLikeDicomName("I.DCM"));
    EXPECT_TRUE(mayBeDicomName("IM0001"));
    EXPECT_TRUE(mayBeDicomName("1.2.840.10008"));
    EXPECT_FALSE(mayBeDicomName("notes.txt"));
}

TEST(ScanNames, DigitsCompareAsNumbers) {
    const std::vector<std::string> order{"",       "A2",      "a", "a01", "a1",  "a2",  "a02b", "a10",
                                         "a10_x1", "a10_x20", "b", "ü",   "頭1", "頭9", "頭10"};
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = 0; j < order.size(); ++j) {
            EXPECT_EQ(naturalLess(order[i], order[j]), i < j) << order[i] << " " << order[j];
        }
    }
    EXPECT_TRUE(naturalLess("99999999999999999999", "100000000000000000000"));
}

}  // namespace
}  // namespace highwater::scan
