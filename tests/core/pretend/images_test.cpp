#include "core/pretend/images.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>

namespace highwater::pretend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A fat binary with an image for each architecture, as nvcc registers it.
struct FatBinary {
    explicit FatBinary(const std::vector<std::uint32_t>& architectures) {
        constexpr std::uint32_t kHeader = 64;
        constexpr std::uint64_t kImage = 8;
        add(std::uint32_t{0xba55ed50});
        add(std::uint16_t{1});
        add(std::uint16_t{16});
        add(std::uint64_t{architectures.size() * (kHeader + kImage)});
        for (const std::uint32_t architecture : architectures) {
            const std::size_t begin = bytes.size();
            add(std::uint16_t{2});
            add(std::uint16_t{0x101});
            add(kHeader);
            add(kImage);
            bytes.resize(begin + 28);
            add(architecture);
            bytes.resize(begin + kHeader + kImage);
        }
    }
    template <typename Value>
    void add(Value value) {
        const auto* const begin = reinterpret_cast<const unsigned char*>(&value);
        bytes.insert(bytes.end(), begin, begin + sizeof value);
    }
    std::vector<int> read() {
        registered.data = bytes.data();
        return imageArchitectures(&registered);
    }
    struct {
        std::uint32_t magic = 0x466243b1;
        std::uint32_t version = 1;
        const unsigned char* data = nullptr;
        const void* file = nullptr;
    } registered;
    std::vector<unsigned char> bytes;
};

TEST(PretendedImages, AreTheArchitecturesOfAFatBinary) {
    EXPECT_THAT(FatBinary({75, 80, 86, 120}).read(), ElementsAre(75, 80, 86, 120));
    EXPECT_THAT(FatBinary({}).read(), IsEmpty());
    EXPECT_THAT(imageArchitectures(nullptr), IsEmpty());
    FatBinary other({80});
    other.registered.magic = 5;
    EXPECT_THAT(other.read(), IsEmpty());
    FatBinary broken({80, 90});
    std::memset(broken.bytes.data() + 16 + 4, 0, 4);  // an entry without a header would never end
    EXPECT_THAT(broken.read(), IsEmpty());
}

TEST(PretendedImages, TheNewestThatIsNoNewerThanTheGpuRuns) {
    const std::vector<int> compiled = {75, 80, 86, 90, 100, 120};
    EXPECT_EQ(architectureThatRuns(compiled, 89), 86) << "an RTX 4090 runs what is compiled for sm_86";
    EXPECT_EQ(architectureThatRuns(compiled, 80), 80);
    EXPECT_EQ(architectureThatRuns(compiled, 120), 120);
    EXPECT_EQ(architectureThatRuns({50, 60}, 75), 60);
    EXPECT_EQ(architectureThatRuns({}, 75), 75);
}

}  // namespace
}  // namespace highwater::pretend
