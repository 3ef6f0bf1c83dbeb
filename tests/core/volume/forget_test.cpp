#include "core/volume/forget.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

#include "core/volume/downsample.h"
#include "core/volume/write_volume.h"
#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

/// The volume's bytes that are in this process's memory (its mapping's Rss).
base::Bytes resident(const Volume& volume) {
    std::ifstream maps("/proc/self/smaps");
    const auto wanted = reinterpret_cast<std::uintptr_t>(volume.data());
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t from = 0, to = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) {
            inside = wanted >= from && wanted < to;
        } else if (inside && line.starts_with("Rss:")) {
            return std::atoll(line.c_str() + 4) * base::kKiB;
        }
    }
    return -1;
}

Volume mapped(const Volume& volume) {
    const auto fd = temporaryFile();
    EXPECT_TRUE(fd.ok());
    EXPECT_TRUE(writeVolume(*fd, volume).ok());
    auto out = mapVolume(*fd, "test");
    close(*fd);
    return *out;
}

TEST(ForgetVoxels, TheyLeaveTheMemoryAndComeBack) {
    const Volume v = mapped(highwater::test::numbered({64, 64, 64}));
    const double before = v.at(63, 63, 63);
    (void)downsample(v, 8);
    const base::Bytes all = v.geometry().voxels() * voxelBytes(v.header().type);
    EXPECT_GE(resident(v), all);
    forgetVoxels(v);
    EXPECT_LE(resident(v), 4096);
    EXPECT_EQ(v.at(63, 63, 63), before);
}

TEST(ForgetVoxels, DownsamplingForgetsAsItGoesWhereAsked) {
    const Volume v = mapped(highwater::test::numbered({64, 64, 64}));
    const auto kept = downsample(v, 8),
               forgotten = downsample(v, 8, {.progress = {}, .cancel = nullptr, .forget = true});
    EXPECT_LE(resident(v), 64 * base::kKiB);
    for (std::int64_t n = 0; n < 8; ++n) {
        EXPECT_EQ(kept->at(n, 7 - n, n), forgotten->at(n, 7 - n, n));
    }
}

TEST(ForgetVoxels, VoxelsWithoutAFileStay) {
    const Volume v = highwater::test::numbered({32, 32, 32});
    const double before = v.at(31, 31, 31);
    forgetVoxels(v);
    EXPECT_EQ(v.at(31, 31, 31), before);
    forgetVoxels(Volume());
}

}  // namespace
}  // namespace highwater::volume
