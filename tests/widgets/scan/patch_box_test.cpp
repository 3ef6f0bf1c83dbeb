#include "widgets/scan/patch_box.h"

#include <gmock/gmock.h>

#include "tests/widgets/scan/volumes.h"

namespace highwater::widgets {
namespace {

using ::testing::ElementsAre;

TEST(PatchBox, DepthHeightWidthRunAlongKJI) {
    EXPECT_THAT(extentOfPatch({10, 20, 30}), ElementsAre(30, 20, 10));
}

TEST(PatchBox, CornersCoverWholeVoxelsInMillimeters) {
    const auto volume =
        highwater::testing::makeVolume({8, 8, 8}, [](auto, auto, auto) { return 0.0F; }, "LAS", {2, 1, 3});
    const auto corners = patchCorners({{1, 2, 3}, {2, 3, 1}}, volume.geometry());
    // i grows to the left (negative x), 2 mm a voxel: from 0.5 to 2.5 voxels.
    EXPECT_THAT(corners[0], ElementsAre(-1.0, 1.5, 7.5));
    EXPECT_THAT(corners[1], ElementsAre(-5.0, 1.5, 7.5));
    EXPECT_THAT(corners[2], ElementsAre(-1.0, 4.5, 7.5));
    EXPECT_THAT(corners[7], ElementsAre(-5.0, 4.5, 10.5));
}

}  // namespace
}  // namespace highwater::widgets
