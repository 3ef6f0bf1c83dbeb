#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "core/volume/volume_header.h"
#include "core/volume/write_volume.h"
#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

using ::testing::HasSubstr;

class Handover : public ::testing::Test {
protected:
    void SetUp() override {
        auto fd = temporaryFile();
        ASSERT_TRUE(fd.ok()) << fd.error().message;
        fd_ = *fd;
    }
    void TearDown() override { close(fd_); }
    std::string refusal() {
        const auto volume = mapVolume(fd_, "a.vol");
        EXPECT_FALSE(volume.ok());
        return volume.ok() ? "" : volume.error().message;
    }
    void overwrite(base::Bytes at, std::string_view text) {
        ASSERT_EQ(pwrite(fd_, text.data(), text.size(), at), static_cast<ssize_t>(text.size()));
    }
    off_t length() const { return lseek(fd_, 0, SEEK_END); }
    int fd_ = -1;
};

TEST_F(Handover, ComesBackWhole) {
    const auto written = highwater::test::numbered({5, 4, 3});
    ASSERT_TRUE(writeVolume(fd_, written).ok());
    const auto read = mapVolume(fd_, "a.vol");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->header(), written.header());
    EXPECT_EQ(std::memcmp(read->data(), written.data(), 5 * 4 * 3 * 2), 0);
}

TEST_F(Handover, OutlivesTheFileDescriptor) {
    ASSERT_TRUE(writeVolume(fd_, highwater::test::numbered({5, 4, 3})).ok());
    auto read = mapVolume(fd_, "a.vol");
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(ftruncate(fd_, length()), 0);
    close(fd_);
    EXPECT_EQ(read->at(4, 3, 2), 2304);
    EXPECT_NE(fcntl(read->fd(), F_GETFD), -1);
    fd_ = dup(read->fd());
}

TEST_F(Handover, RefusesEveryOtherLength) {
    ASSERT_TRUE(writeVolume(fd_, highwater::test::numbered({5, 4, 3})).ok());
    const off_t whole = length();
    for (off_t length : {off_t{0}, off_t{7}, off_t{16}, off_t{2000}, off_t{4096}, whole - 1, whole + 1}) {
        ASSERT_EQ(ftruncate(fd_, length), 0);
        EXPECT_THAT(refusal(), HasSubstr("a.vol: ")) << length;
    }
}

TEST_F(Handover, RefusesWhatItIsNot) {
    ASSERT_TRUE(writeVolume(fd_, highwater::test::numbered({5, 4, 3})).ok());
    overwrite(0, "HWVOLUM2");
    EXPECT_THAT(refusal(), HasSubstr("HWVOLUM1"));
}

TEST_F(Handover, RefusesAHeaderLengthThatLies) {
    ASSERT_TRUE(writeVolume(fd_, highwater::test::numbered({5, 4, 3})).ok());
    overwrite(8, "\xff\xff\xff\xff\xff\xff\xff\x7f");
    EXPECT_THAT(refusal(), HasSubstr("longer than the file"));
}

TEST_F(Handover, RefusesSizesThatLie) {
    const auto small = highwater::test::numbered({5, 4, 3});
    for (std::int64_t size : {std::int64_t{6}, std::int64_t{1} << 30, std::int64_t{0}, std::int64_t{-5}}) {
        Header header = small.header();
        header.geometry.size = {size, size, 3};
        ASSERT_TRUE(writeVolumeHeader(fd_, header, 16384).ok());
        ASSERT_EQ(ftruncate(fd_, 16384 + 120), 0);
        EXPECT_THAT(refusal(), HasSubstr("a.vol: ")) << size;
    }
}

TEST(VolumeHeader, JsonBothWays) {
    Header header = highwater::test::numbered({2, 3, 4}).header();
    header.warnings = {"one", "tw\"o"};
    header.geometry.direction = {{{0, -1, 0}, {0, 0, 1}, {1, 0, 0}}};
    header.spacingKnown = false;
    const auto back = headerFromJson(toJson(header));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, header);
}

TEST(VolumeHeader, WhatIsNotFiniteIsNull) {
    Header header = highwater::test::numbered({2, 3, 4}).header();
    header.min = header.max = header.mean = std::nan("");
    EXPECT_TRUE(toJson(header)["min"].is_null());
    const auto back = headerFromJson(toJson(header));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_TRUE(std::isnan(back->mean));
}

TEST(VolumeHeader, RefusesDamage) {
    const auto good = toJson(highwater::test::numbered({2, 3, 4}).header());
    for (const char* key :
         {"size", "spacing_mm", "origin_mm", "direction", "type", "warnings", "slope", "channels"}) {
        auto bad = good;
        bad[key] = "x";
        EXPECT_FALSE(headerFromJson(bad).ok()) << key;
        bad.erase(key);
        EXPECT_FALSE(headerFromJson(bad).ok()) << key;
    }
    auto huge = good;
    huge["size"] = {2000000000, 2000000000, 2000000000};
    EXPECT_FALSE(headerFromJson(huge).ok());
    auto flat = good;
    flat["spacing_mm"] = {1, 0, 1};
    EXPECT_FALSE(headerFromJson(flat).ok());
}

TEST(VolumeHeader, InfoHasTheContractsKeys) {
    const auto info = infoJson(highwater::test::numbered({2, 3, 4}).header());
    for (const char* key : {"format", "size", "spacing_mm", "orientation", "pixel_type", "channels",
                            "volumes", "min", "max", "mean", "warnings"}) {
        EXPECT_TRUE(info.contains(key)) << key;
    }
    EXPECT_EQ(info["size"].dump(), "[2,3,4]");
}

TEST(TemporaryRoom, IsRefusedWithBothSizesAndTheFolder) {
    EXPECT_TRUE(checkTemporaryRoom("the copies take", 1000, 1000));
    EXPECT_TRUE(checkTemporaryRoom("the copies take", 1));
    const auto refused = checkTemporaryRoom("the copies take", 3 * base::kMiB, base::kMiB);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, ::testing::StartsWith("the copies take about 3.00 MiB in /"));
    EXPECT_THAT(refused.error().message, HasSubstr("which has 1.00 MiB free"));
    EXPECT_FALSE(checkTemporaryRoom("they take", std::numeric_limits<base::Bytes>::max()));
}

}  // namespace
}  // namespace highwater::volume
