#include "core/scan/reader/bytes/gzip.h"

#include <gmock/gmock.h>

#include <random>

namespace highwater::scan::reader {
namespace {

std::vector<std::byte> noisyText(std::size_t size, int shades) {
    std::mt19937 random(7);
    std::vector<std::byte> bytes(size);
    for (auto& byte : bytes) {
        byte = static_cast<std::byte>(random() % static_cast<unsigned>(shades));
    }
    return bytes;
}

std::vector<std::byte> deflated(const std::vector<std::byte>& bytes, int level) {
    auto out = deflateGzip(bytes, level);
    EXPECT_TRUE(out.ok());
    return *out;
}

// Incompressible data is stored in blocks, uniform data becomes long matches: the beginning must be decoded
// correctly for each.
TEST(Gzip, TheBeginningComesOutOfEveryKindOfBlock) {
    for (int shades : {1, 2, 16, 256}) {
        for (int level : {1, 6, 12}) {
            const auto bytes = noisyText(3'000'000, shades);
            const auto beginning = gzipBeginning(deflated(bytes, level), 348);
            ASSERT_TRUE(beginning.ok());
            EXPECT_TRUE(std::equal(beginning->begin(), beginning->end(), bytes.begin()))
                << shades << " " << level;
            EXPECT_EQ(beginning->size(), 348U);
        }
    }
}

TEST(Gzip, TheBeginningMaySpanMembers) {
    const auto bytes = noisyText(500, 256);
    std::vector<std::byte> two = deflated({bytes.begin(), bytes.begin() + 100}, 6);
    const auto second = deflated({bytes.begin() + 100, bytes.end()}, 6);
    two.insert(two.end(), second.begin(), second.end());
    const auto beginning = gzipBeginning(two, 348);
    ASSERT_TRUE(beginning.ok());
    EXPECT_EQ(*beginning, std::vector<std::byte>(bytes.begin(), bytes.begin() + 348));
}

TEST(Gzip, EveryFlippedByteOfTheDataIsNoticed) {
    const auto bytes = noisyText(2000, 8);
    const auto compressed = deflated(bytes, 6);
    std::vector<std::byte> out(4000);
    for (std::size_t at = 10; at < compressed.size(); ++at) {  // after the fixed header
        auto bad = compressed;
        bad[at] ^= std::byte{0x10};
        EXPECT_FALSE(inflateGzip(bad, out).ok()) << at;
    }
}

TEST(Gzip, SaysWhenThereIsMoreThanFits) {
    const auto bytes = noisyText(2000, 8);
    std::vector<std::byte> out(1999);
    const auto inflated = inflateGzip(deflated(bytes, 6), out);
    ASSERT_TRUE(inflated.ok());
    EXPECT_TRUE(inflated->full);
}

TEST(Gzip, CountsRubbishAfterTheDataButNotPadding) {
    auto compressed = deflated(noisyText(100, 8), 6);
    std::vector<std::byte> out(200);
    compressed.resize(compressed.size() + 512);
    EXPECT_EQ(inflateGzip(compressed, out)->trailing, 0);
    compressed.back() = std::byte{1};
    EXPECT_EQ(inflateGzip(compressed, out)->trailing, 512);
}

TEST(Gzip, NoDataCanBecomeMoreThanItsBound) {
    const std::vector<std::byte> zeros(10'000'000);
    const auto compressed = deflated(zeros, 12);
    EXPECT_LE(static_cast<base::Bytes>(zeros.size()),
              mostInflated(static_cast<base::Bytes>(compressed.size())));
}

}  // namespace
}  // namespace highwater::scan::reader
