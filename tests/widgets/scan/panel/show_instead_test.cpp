#include "tests/widgets/scan/panel/panel_fixture.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;

using ShowInstead = ScanPanelTest;

TEST_F(ShowInstead, ThePatchStandsInTheScansPlace) {
    panel.setScanName("/scans/head.nii.gz");
    load(ball(40));
    panel.setPatchExtent({16, 16, 16});
    const volume::Volume scan = panel.volume();
    const QString window = status->windowText();
    scene->setCursor({3, 4, 5});
    panel.showInstead(ball(16), "patch 1 of 4");
    settle();
    EXPECT_TRUE(panel.showsInstead());
    EXPECT_EQ(axial->frame().layout.depth, 16);
    EXPECT_EQ(panel.findChild<Panel*>()->note(), "patch 1 of 4 · 16 × 16 × 16 · 1.00 × 1.00 × 1.00 mm");
    EXPECT_EQ(panel.volume().data(), scan.data()) << "the owner still asks for the scan";
    EXPECT_EQ(panel.patch()->extent, (Index3{16, 16, 16}));
    drag(axial, Qt::RightButton, {50, 50}, {90, 90});
    const QString patchWindow = status->windowText();
    EXPECT_NE(patchWindow, window);

    panel.showInstead(ball(16), "patch 2 of 4");
    settle();
    EXPECT_EQ(status->windowText(), patchWindow) << "kept from patch to patch";
    panel.showInstead({}, {});
    if (!panel.findChild<VolumeView*>()->available()) {  // otherwise the 3D picture is redrawn
        EXPECT_TRUE(panel.settled()) << "what was prepared for the scan is kept";
    }
    settle();
    EXPECT_FALSE(panel.showsInstead());
    EXPECT_EQ(status->windowText(), window);
    EXPECT_EQ(cursor(), (Index3{3, 4, 5}));
    EXPECT_TRUE(panel.findChild<Panel*>()->note().startsWith("head.nii.gz · 40"));
    panel.showInstead(ball(16), "patch 3 of 4");
    settle();
    EXPECT_EQ(status->windowText(), patchWindow);
}

TEST_F(ShowInstead, EvenWhileTheScanIsBeingPrepared) {
    panel.setVolume(ball(120));
    panel.showInstead(ball(8), "patch");
    panel.showInstead({}, {});
    settle();
    EXPECT_EQ(axial->frame().layout.depth, 120);
    panel.showInstead(ball(8), "patch");
    load(ball(20));
    EXPECT_FALSE(panel.showsInstead());
    EXPECT_EQ(axial->frame().layout.depth, 20);
}

TEST_F(ShowInstead, NeedsAScan) {
    panel.showInstead(ball(8), "patch");
    EXPECT_FALSE(panel.showsInstead());
    EXPECT_EQ(message(), "Drop a scan here");
}

TEST_F(ShowInstead, BarsStandInOrderAndOnlyWithAScan) {
    auto* const first = new QLabel("first");
    auto* const second = new QLabel("second");
    panel.addBar(first);
    panel.addBar(second);
    EXPECT_FALSE(first->isVisible());
    load(ball(12));
    ASSERT_TRUE(QTest::qWaitFor([&] { return first->isVisible() && second->y() > first->y(); }, 2000));
    const int top = axial->mapTo(&panel, QPoint()).y();
    EXPECT_LT(second->mapTo(&panel, QPoint()).y(), top);
    panel.setError("x");
    EXPECT_FALSE(first->isVisible());
}

}  // namespace
}  // namespace highwater::widgets
