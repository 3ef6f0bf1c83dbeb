#include <gmock/gmock.h>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

TEST(ExtractPatch, InsideAndOverEveryEdge) {
    const auto volume = highwater::test::numbered({5, 6, 7});
    for (std::int64_t start : {-9, -2, 0, 1, 4, 20}) {
        std::vector<float> patch(4 * 3 * 2, 7);
        extractPatch(volume, {start, 1, start}, {4, 3, 2}, -1, patch.data());
        for (std::int64_t k = 0; k < 2; ++k) {
            for (std::int64_t j = 0; j < 3; ++j) {
                for (std::int64_t i = 0; i < 4; ++i) {
                    const std::int64_t x = start + i, y = 1 + j, z = start + k;
                    const bool in = x >= 0 && x < 5 && y >= 0 && y < 6 && z >= 0 && z < 7;
                    const float expected = in ? static_cast<float>(1000 * z + 100 * y + x) : -1;
                    ASSERT_EQ(patch[static_cast<std::size_t>((k * 3 + j) * 4 + i)], expected)
                        << x << " " << y << " " << z;
                }
            }
        }
    }
}

TEST(ExtractPatch, AppliesTheScale) {
    const auto volume = highwater::test::makeVolume<std::uint8_t>(
        {2, 1, 1}, VoxelType::U8, [](auto i, auto, auto) { return static_cast<std::uint8_t>(i + 1); }, 0.5,
        -3);
    float patch[2];
    extractPatch(volume, {0, 0, 0}, {2, 1, 1}, 0, patch);
    EXPECT_EQ(patch[0], -2.5F);
    EXPECT_EQ(patch[1], -2);
    EXPECT_EQ(volume.at(1, 0, 0), -2);
}

}  // namespace
}  // namespace highwater::volume
