#include "core/pretend/images.h"

#include <gmock/gmock.h>

#include <cstring>

#include "tests/core/pretend/fat_binary.h"

namespace highwater::pretend {
namespace {

using ::testing::IsEmpty;

TEST(PretendedImages, AreThoseOfAFatBinary) {
    const std::vector<Image> images = {{75}, {86}, {90, true, true}, {90, false}};
    EXPECT_EQ(FatBinary(images).read(), images);
    EXPECT_THAT(FatBinary(std::vector<Image>{}).read(), IsEmpty());
    EXPECT_THAT(imagesOf(nullptr), IsEmpty());
    FatBinary other(std::vector<Image>{{80}});
    other.registered.magic = 5;
    EXPECT_THAT(other.read(), IsEmpty());
    FatBinary broken(std::vector<Image>{{80}, {90}});
    std::memset(broken.bytes.data() + 16 + 4, 0, 4);  // an entry without a header would never end
    EXPECT_THAT(broken.read(), IsEmpty());
}

TEST(PretendedImages, TheNewestThatIsNoNewerThanTheGpuRuns) {
    const std::vector<Image> compiled = {{75}, {80}, {86}, {90}, {100}, {120}};
    EXPECT_EQ(architectureThatRuns(compiled, 89), 86) << "an RTX 4090 runs what is compiled for sm_86";
    EXPECT_EQ(architectureThatRuns(compiled, 80), 80);
    EXPECT_EQ(architectureThatRuns(compiled, 120), 120);
    EXPECT_EQ(architectureThatRuns({}, 75), 75);
}

TEST(PretendedImages, CodeForAnotherGenerationDoesNotRun) {
    const std::vector<Image> compiled = {{75}, {80}, {90}};
    EXPECT_EQ(architectureThatRuns(compiled, 70), std::nullopt) << "a V100 with PyTorch 2.11";
    EXPECT_EQ(architectureThatRuns(compiled, 60), std::nullopt);
    EXPECT_EQ(architectureThatRuns(compiled, 100), std::nullopt);
    EXPECT_EQ(architectureThatRuns({{50}, {60, false}}, 75), 60) << "PTX is compiled when it is loaded";
    EXPECT_EQ(architectureThatRuns({{50}, {80, false}}, 75), std::nullopt);
    EXPECT_EQ(architectureThatRuns({{90, true, true}}, 90), 90);
    EXPECT_EQ(architectureThatRuns({{100, true, true}}, 103), std::nullopt) << "sm_100a runs there alone";
}

}  // namespace
}  // namespace highwater::pretend
