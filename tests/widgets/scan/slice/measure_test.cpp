#include <QToolButton>

#include "tests/widgets/scan/panel/panel_fixture.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

class MeasureTest : public ScanPanelTest {
protected:
    void begin() {
        load(makeVolume({40, 40, 20}, [](auto, auto, auto k) { return static_cast<float>(k); }, "RAS",
                        {1, 1, 3}));
        scene->setCursor({20, 20, 10});
        axial->setFocus();
        QTest::keyClick(axial, Qt::Key_M);
        ASSERT_TRUE(scene->measuring());
        ASSERT_TRUE(panel.findChild<QToolButton*>("measure")->isChecked());
    }
    QString only() const {
        return scene->distances().all().size() == 1
                   ? distanceText(scene->distances().all().front(), scene->volume().header())
                   : QString("%1 distances").arg(scene->distances().all().size());
    }
    static void click(QWidget* view, QPoint where) { QTest::mouseClick(view, Qt::LeftButton, {}, where); }
};

TEST_F(MeasureTest, ADragMeasuresAndLeavesTheCrosshair) {
    begin();
    drag(axial, Qt::LeftButton, at(axial, {5, 10, 10}), at(axial, {35, 10, 10}));
    ASSERT_EQ(scene->distances().all().size(), 1U);
    const Distance d = scene->distances().all().front();
    EXPECT_NEAR(d.from[0], 5, 0.2);
    EXPECT_NEAR(d.to[0], 35, 0.2);
    EXPECT_NEAR(d.to[1], 10, 0.2);
    EXPECT_EQ(d.to[2], 10);
    EXPECT_EQ(scene->cursor(), (Index3{20, 20, 10}));
    drag(axial, Qt::LeftButton, at(axial, {35, 10, 10}), at(axial, {35, 30, 10}));
    ASSERT_EQ(scene->distances().all().size(), 1U) << "an end is taken, no other begun";
    EXPECT_NEAR(scene->distances().all().front().to[1], 30, 0.2);

    // Through the slices, 3 mm thick.
    drag(coronal, Qt::LeftButton, at(coronal, {20, 20, 4}), at(coronal, {20, 20, 14}));
    ASSERT_EQ(scene->distances().all().size(), 2U);
    EXPECT_NEAR(volume::Geometry(scene->geometry()).spacing[2] *
                    (scene->distances().all().back().to[2] - scene->distances().all().back().from[2]),
                30, 0.6);
}

TEST_F(MeasureTest, TwoClicksMeasureTooAndEscapeTakesBack) {
    begin();
    click(axial, at(axial, {5, 10, 10}));
    EXPECT_TRUE(scene->distances().open());
    hover(axial, at(axial, {15, 10, 10}));
    EXPECT_NEAR(scene->distances().all().front().to[0], 15, 0.2) << "follows the mouse";
    click(axial, at(axial, {25, 10, 10}));
    EXPECT_FALSE(scene->distances().open());
    EXPECT_NEAR(scene->distances().all().front().to[0], 25, 0.2);
    hover(axial, at(axial, {35, 10, 10}));
    EXPECT_NEAR(scene->distances().all().front().to[0], 25, 0.2) << "it is done";
    click(axial, at(axial, {5, 20, 10}));
    QTest::keyClick(axial, Qt::Key_Escape);
    EXPECT_EQ(scene->distances().all().size(), 1U);
    EXPECT_TRUE(scene->measuring());
    QTest::keyClick(axial, Qt::Key_Escape);
    EXPECT_FALSE(scene->measuring());
    EXPECT_EQ(scene->distances().all().size(), 1U) << "what was measured stays";
}

TEST_F(MeasureTest, KeysMeasureFromCrosshairToCrosshair) {
    begin();
    scene->setCursor({10, 10, 10});
    QTest::keyClick(axial, Qt::Key_Return);
    for (int n = 0; n < 3; ++n) {
        QTest::keyClick(axial, Qt::Key_Left);  // towards the patient's right
    }
    for (int n = 0; n < 4; ++n) {
        QTest::keyClick(axial, Qt::Key_Up);
    }
    EXPECT_EQ(only(), "5.00 mm");
    QTest::keyClick(axial, Qt::Key_Return);
    EXPECT_FALSE(scene->distances().open());
    QTest::keyClick(axial, Qt::Key_Right);
    EXPECT_EQ(only(), "5.00 mm");
    QTest::keyClick(axial, Qt::Key_Return);
    QTest::keyClick(axial, Qt::Key_PageUp);
    EXPECT_EQ(only(), "5.00 mm") << "the one begun was left with its slice";
    QTest::keyClick(axial, Qt::Key_Delete);
    EXPECT_EQ(only(), "5.00 mm") << "it lies on another slice";
    QTest::keyClick(axial, Qt::Key_PageDown);
    QTest::keyClick(axial, Qt::Key_Delete);
    EXPECT_TRUE(scene->distances().all().empty());
}

TEST_F(MeasureTest, IsSeenOnItsSliceAlone) {
    begin();
    scene->setCrosshair(false);
    const QImage before = axial->grab().toImage();
    drag(axial, Qt::LeftButton, at(axial, {5, 10, 10}), at(axial, {35, 10, 10}));
    EXPECT_NE(axial->grab().toImage(), before);
    scene->setCursor({20, 20, 11});
    const QImage next = axial->grab().toImage();
    scene->setDistances({});
    EXPECT_EQ(axial->grab().toImage(), next) << "nothing of it was there";
}

TEST_F(MeasureTest, GoesWithTheScanNotWithAnotherChannel) {
    begin();
    drag(axial, Qt::LeftButton, at(axial, {5, 10, 10}), at(axial, {35, 10, 10}));
    panel.setVolume(makeVolume({40, 40, 20}, [](auto, auto, auto) { return 5.0F; }, "RAS", {1, 1, 3}));
    EXPECT_EQ(scene->distances().all().size(), 1U);
    panel.showInstead(ball(16), "patch");
    EXPECT_TRUE(scene->distances().all().empty());
    panel.showInstead({}, {});
    EXPECT_EQ(scene->distances().all().size(), 1U);
    panel.setVolume(ball(20));
    EXPECT_TRUE(scene->distances().all().empty());
    EXPECT_FALSE(scene->measuring());
}

using Enlarging = ScanPanelTest;

TEST_F(Enlarging, LeavesTheCrosshair) {
    load(ball(40));
    scene->setCursor({20, 21, 22});
    QTest::mouseClick(axial, Qt::LeftButton, {}, at(axial, {5, 6, 22}));
    EXPECT_EQ(scene->cursor(), (Index3{5, 6, 22})) << "a click moves it";
    scene->setCursor({20, 21, 22});
    QTest::mouseDClick(axial, Qt::LeftButton, {},
                       at(axial, {5, 6, 22}));  // press, release, double click, release
    EXPECT_FALSE(coronal->isVisibleTo(&panel));
    EXPECT_EQ(scene->cursor(), (Index3{20, 21, 22}));
    QTest::mouseDClick(axial, Qt::LeftButton, {}, at(axial, {30, 6, 22}));
    EXPECT_TRUE(coronal->isVisibleTo(&panel));
    EXPECT_EQ(scene->cursor(), (Index3{20, 21, 22}));
}

}  // namespace
}  // namespace highwater::widgets
