#include "widgets/scan/scan_scene.h"

#include <gmock/gmock.h>

#include <QSignalSpy>
#include <cmath>
#include <limits>

#include "tests/widgets/scan/volumes.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

volume::Volume empty(std::array<std::int64_t, 3> size) {
    return makeVolume(size, [](auto, auto, auto) { return 0.0F; });
}

TEST(ScanScene, InversionAndOpacityAreToldOnce) {
    ScanScene scene;
    QSignalSpy window(&scene, &ScanScene::windowChanged), opacity(&scene, &ScanScene::opacityChanged);
    scene.setInverted(true);
    scene.setInverted(true);
    EXPECT_TRUE(scene.inverted());
    EXPECT_EQ(window.count(), 1);
    scene.setOpacity(3);
    scene.setOpacity(3);
    EXPECT_EQ(opacity.count(), 1);
    scene.setOpacity(1000);
    EXPECT_EQ(scene.opacity(), 20);
    scene.setOpacity(0);
    EXPECT_EQ(scene.opacity(), 0.05);
    scene.setOpacity(std::nan(""));
    EXPECT_EQ(scene.opacity(), 0.05);
}

TEST(ScanScene, CropIsCutToTheVolume) {
    ScanScene scene;
    scene.setCrop(PatchBox{{0, 0, 0}, {1, 1, 1}});
    EXPECT_FALSE(scene.crop()) << "there is no volume";
    scene.setVolume(empty({10, 20, 30}));
    QSignalSpy changed(&scene, &ScanScene::cropChanged);
    scene.setCrop(PatchBox{{-4, 5, 25}, {8, 10, 100}});
    EXPECT_EQ(scene.crop(), (PatchBox{{0, 5, 25}, {4, 10, 5}}));
    scene.setCrop(PatchBox{{0, 5, 25}, {4, 10, 5}});
    EXPECT_EQ(changed.count(), 1);
    scene.setCrop(PatchBox{{-5, -5, -5}, {99, 99, 99}});
    EXPECT_FALSE(scene.crop()) << "the whole volume is not a crop";
    EXPECT_EQ(scene.cropOrAll(), (PatchBox{{0, 0, 0}, {10, 20, 30}}));
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    scene.setCrop(PatchBox{{kMost, -kMost, 5}, {kMost, kMost, 0}});
    EXPECT_EQ(scene.crop(), (PatchBox{{9, 0, 5}, {1, 1, 1}}));
    scene.setVolume(empty({4, 4, 4}));
    EXPECT_FALSE(scene.crop());
}

TEST(ScanScene, AnotherVolumeInsteadAndBack) {
    ScanScene scene;
    scene.setVolume(ball(40));
    scene.setCursor({1, 2, 3});
    scene.setWindow({5, 50});
    scene.setCrop(PatchBox{{0, 0, 0}, {9, 9, 9}});
    scene.setPatch(PatchBox{{3, 3, 3}, {8, 8, 8}});
    scene.setOverlay(ball(8));
    EXPECT_FALSE(scene.showInstead(ball(12))) << "no window is remembered yet";
    EXPECT_EQ(scene.geometry().size[0], 12);
    EXPECT_EQ(scene.scan().geometry().size[0], 40);
    EXPECT_EQ(scene.cursor(), (Index3{6, 6, 6}));
    EXPECT_FALSE(scene.patch());
    EXPECT_FALSE(scene.crop());
    EXPECT_TRUE(scene.overlay().empty());
    scene.setWindow({-1, 1});
    scene.setCursor({2, 2, 2});
    EXPECT_TRUE(scene.showInstead(ball(12)));
    EXPECT_EQ(scene.cursor(), (Index3{2, 2, 2})) << "stepping through patches stays at the place";
    EXPECT_EQ(scene.window(), (volume::Window{-1, 1}));

    // Calls by the owner in the meantime concern the scan.
    scene.setPatchExtent({10, 10, 10});
    scene.movePatchTo({0, 0, 0});
    EXPECT_FALSE(scene.patch());
    scene.setOverlay(ball(9), 32);
    EXPECT_EQ(scene.overlayMost(), 0);

    QSignalSpy volume(&scene, &ScanScene::volumeChanged), patch(&scene, &ScanScene::patchChanged);
    scene.showInstead({});
    EXPECT_EQ(volume.count(), 1);
    EXPECT_EQ(patch.count(), 1);
    EXPECT_EQ(scene.geometry().size[0], 40);
    EXPECT_EQ(scene.cursor(), (Index3{1, 2, 3}));
    EXPECT_EQ(scene.window(), (volume::Window{5, 50}));
    EXPECT_EQ(scene.crop(), (PatchBox{{0, 0, 0}, {9, 9, 9}}));
    EXPECT_EQ(scene.patch(), (PatchBox{{2, 2, 2}, {10, 10, 10}}));
    EXPECT_EQ(scene.overlay().geometry().size[0], 9);
    EXPECT_EQ(scene.overlayMost(), 32);
    scene.showInstead({});
    EXPECT_EQ(volume.count(), 1) << "nothing was shown instead";

    EXPECT_TRUE(scene.showInstead(ball(14)));
    EXPECT_EQ(scene.window(), (volume::Window{-1, 1})) << "windows are kept apart";
    scene.setVolume(ball(20));
    EXPECT_FALSE(scene.showsInstead());
}

TEST(ScanScene, AnotherChannelOnTheSameGridChangesNoPlace) {
    ScanScene scene;
    scene.setVolume(ball(40));
    scene.setCursor({1, 2, 3});
    scene.setCrop(PatchBox{{0, 0, 0}, {9, 9, 9}});
    scene.setPatch(PatchBox{{3, 3, 3}, {8, 8, 8}});
    scene.setChannels({ball(40)});
    scene.setVolume(empty({40, 40, 40}));
    EXPECT_EQ(scene.cursor(), (Index3{1, 2, 3}));
    EXPECT_TRUE(scene.crop());
    EXPECT_EQ(scene.patch(), (PatchBox{{3, 3, 3}, {8, 8, 8}}));
    EXPECT_TRUE(scene.channels().empty());
    scene.setVolume(ball(40, "LPS"));
    EXPECT_EQ(scene.cursor(), (Index3{20, 20, 20})) << "other millimeters";
    EXPECT_FALSE(scene.crop());
    EXPECT_EQ(scene.patch(), (PatchBox{{16, 16, 16}, {8, 8, 8}}));
}

TEST(ScanScene, OverlayOpacityIsClamped) {
    ScanScene scene;
    QSignalSpy changed(&scene, &ScanScene::overlayChanged);
    scene.setOverlayOpacity(7);
    EXPECT_EQ(scene.overlayOpacity(), 1);
    scene.setOverlayOpacity(-7);
    EXPECT_EQ(scene.overlayOpacity(), 0);
    scene.setOverlayOpacity(std::nan(""));
    EXPECT_EQ(changed.count(), 2);
}

}  // namespace
}  // namespace highwater::widgets
