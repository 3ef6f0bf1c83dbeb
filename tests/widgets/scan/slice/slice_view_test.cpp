// Mouse and key handling of the slices.
#include <QSignalSpy>
#include <QToolButton>
#include <cmath>

#include "tests/widgets/scan/panel/panel_fixture.h"
#include "widgets/scan/slice/slice_marks.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

using SliceViewTest = ScanPanelTest;

int pixelsLike(const QImage& image, const QColor& color, int near = 24) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor p = image.pixelColor(x, y);
            count += std::abs(p.red() - color.red()) < near && std::abs(p.green() - color.green()) < near &&
                     std::abs(p.blue() - color.blue()) < near;
        }
    }
    return count;
}

TEST_F(SliceViewTest, KeysRunThroughTheSlices) {
    load(ball(40));
    QTest::keyClick(axial, Qt::Key_Home);
    EXPECT_EQ(axial->index(), 0);
    QTest::keyClick(axial, Qt::Key_PageDown);
    EXPECT_EQ(axial->index(), 0) << "stops at the first";
    QTest::keyClick(axial, Qt::Key_End);
    EXPECT_EQ(axial->index(), 39);
    QTest::keyClick(coronal, Qt::Key_PageUp, Qt::ShiftModifier);
    EXPECT_EQ(cursor(), (Index3{20, 30, 39}));
}

TEST_F(SliceViewTest, ArrowsMoveTheCrosshairByOneOrTen) {
    load(ball(40));  // RAS: to the right on screen, i falls
    QTest::keyClick(axial, Qt::Key_Left);
    EXPECT_EQ(cursor(), (Index3{21, 20, 20}));
    QTest::keyClick(axial, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(cursor(), (Index3{11, 20, 20}));
    QTest::keyClick(sagittal, Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(cursor(), (Index3{11, 20, 10}));
    QTest::keyClick(coronal, Qt::Key_Up);
    EXPECT_EQ(cursor(), (Index3{11, 20, 11}));
}

TEST_F(SliceViewTest, ShiftDragRunsThroughTheSlices) {
    load(ball(40));
    drag(axial, Qt::LeftButton, {50, 80}, {50, 80 - 24}, Qt::ShiftModifier);
    const double pixels = std::clamp(axial->height() / 40.0, 1.0, 8.0);
    EXPECT_EQ(axial->index(), 20 + std::lround(24 / pixels));
    EXPECT_EQ(sagittal->index(), 20) << "the cursor keeps its place in the slice";
    drag(axial, Qt::LeftButton, {50, 80}, {50, 5000}, Qt::ShiftModifier);
    EXPECT_EQ(axial->index(), 0);
}

TEST_F(SliceViewTest, ZoomKeysKeepTheMiddle) {
    load(ball(40));
    QTest::keyClick(axial, Qt::Key_Plus);
    EXPECT_NEAR(axial->frame().zoom, 1.25, 1e-9);
    EXPECT_NEAR(axial->frame().target().center().x(), axial->width() / 2.0, 1e-6);
    QTest::keyClick(axial, Qt::Key_Minus);
    EXPECT_NEAR(axial->frame().zoom, 1, 1e-9);
    EXPECT_EQ(coronal->frame().zoom, 1);
}

TEST_F(SliceViewTest, PansByKeysAndBySpace) {
    load(ball(40));
    QTest::keyClick(axial, Qt::Key_Right, Qt::ControlModifier);
    QTest::keyClick(axial, Qt::Key_Up, Qt::ControlModifier);
    EXPECT_EQ(axial->frame().pan, QPointF(24, -24));
    EXPECT_EQ(cursor(), (Index3{20, 20, 20}));
    QTest::keyPress(axial, Qt::Key_Space);
    drag(axial, Qt::LeftButton, {50, 50}, {80, 40});
    QTest::keyRelease(axial, Qt::Key_Space);
    EXPECT_EQ(axial->frame().pan, QPointF(54, -34));
    EXPECT_EQ(cursor(), (Index3{20, 20, 20}));
    QTest::keyClick(axial, Qt::Key_R);
    EXPECT_EQ(axial->frame().pan, QPointF());
}

TEST_F(SliceViewTest, NumberKeysShowOneView) {
    load(ball(24));
    auto* const volume = panel.findChild<VolumeView*>();
    const std::array<QWidget*, 4> views{axial, coronal, sagittal, volume};
    for (std::size_t n = 0; n < 4; ++n) {
        QTest::keyClick(axial, static_cast<Qt::Key>(Qt::Key_1 + n));
        for (QWidget* view : views) {
            EXPECT_EQ(view->isVisible(), view == views[n]);
        }
        QTest::keyClick(views[n], Qt::Key_Escape);
        for (QWidget* view : views) {
            EXPECT_TRUE(view->isVisible());
        }
    }
    QTest::keyClick(axial, Qt::Key_2);
    QTest::keyClick(coronal, Qt::Key_2);
    EXPECT_TRUE(axial->isVisible());
}

TEST_F(SliceViewTest, FullScreenAndBack) {
    load(ball(24));
    QTest::keyClick(axial, Qt::Key_F);
    auto* const screen = panel.findChild<QWidget*>("fullScreen");
    ASSERT_TRUE(screen);
    EXPECT_TRUE(screen->isVisible());
    EXPECT_EQ(axial->window(), screen);
    EXPECT_TRUE(axial->isVisible());
    QTest::keyClick(axial, Qt::Key_Escape);
    EXPECT_EQ(axial->window(), &panel);
    EXPECT_TRUE(axial->isVisible());
    QTest::keyClick(axial, Qt::Key_F);
    panel.setError("gone");
    EXPECT_EQ(axial->window(), &panel);
    EXPECT_FALSE(axial->isVisible());
    panel.showScan();
    EXPECT_TRUE(axial->isVisible());
    QTest::keyClick(axial, Qt::Key_F);
    QTest::keyClick(axial, Qt::Key_F);
    EXPECT_EQ(axial->window(), &panel);
}

TEST_F(SliceViewTest, TheCrosshairHasThePlanesColorsAndGoes) {
    load(makeVolume({40, 40, 40}, [](auto, auto, auto) { return 0.0F; }));
    using volume::Plane;
    // Two colors in each view, those of the other two planes; the third is the color of the view's name.
    const auto blended = [](Plane plane) {
        const QColor c = planeColor(plane);
        return QColor(c.red() * 3 / 4, c.green() * 3 / 4, c.blue() * 3 / 4);
    };
    const auto lines = [&](SliceView* view, Plane plane) {
        return pixelsLike(view->grab().toImage(), blended(plane));
    };
    EXPECT_GT(lines(axial, Plane::Coronal), 80);
    EXPECT_GT(lines(axial, Plane::Sagittal), 80);
    EXPECT_LT(lines(axial, Plane::Axial), 40);
    EXPECT_GT(lines(coronal, Plane::Axial), 80);
    EXPECT_GT(lines(coronal, Plane::Sagittal), 80);
    EXPECT_GT(lines(sagittal, Plane::Axial), 80);
    EXPECT_GT(lines(sagittal, Plane::Coronal), 80);
    QTest::keyClick(axial, Qt::Key_X);
    EXPECT_LT(lines(axial, Plane::Coronal), 10);
    EXPECT_LT(lines(sagittal, Plane::Axial), 10);
    EXPECT_FALSE(panel.findChild<QToolButton*>("crosshair")->isChecked());
    panel.findChild<QToolButton*>("crosshair")->click();
    EXPECT_GT(lines(axial, Plane::Coronal), 80);
}

TEST_F(SliceViewTest, InvertedIsWhiteWhereItWasBlack) {
    load(ball(40));
    scene->setCrosshair(false);
    const QPoint air = at(axial, {3, 3, 20}), inside = at(axial, {24, 24, 20});
    const auto gray = [&](QPoint p) { return axial->grab().toImage().pixelColor(p).red(); };
    const int dark = gray(air), bright = gray(inside);
    EXPECT_LT(dark + 100, bright);
    QTest::keyClick(axial, Qt::Key_I);
    EXPECT_NEAR(gray(air), 255 - dark, 2);
    EXPECT_NEAR(gray(inside), 255 - bright, 2);
    EXPECT_TRUE(panel.findChild<QToolButton*>("inverted")->isChecked());
    QTest::keyClick(axial, Qt::Key_R);
    EXPECT_FALSE(scene->inverted());
}

TEST_F(SliceViewTest, WKeyGivesTheLeftButtonTheWindow) {
    load(ball(40));
    const QString before = status->windowText();
    QTest::keyClick(coronal, Qt::Key_W);
    drag(axial, Qt::LeftButton, {50, 50}, {90, 90});
    EXPECT_NE(status->windowText(), before);
    EXPECT_EQ(cursor(), (Index3{20, 20, 20}));
    QTest::keyClick(axial, Qt::Key_W);
    drag(axial, Qt::LeftButton, {50, 50}, {60, 60});
    EXPECT_NE(cursor(), (Index3{20, 20, 20}));
}

TEST_F(SliceViewTest, NotANumberIsMarkedAndSaid) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    load(makeVolume({30, 30, 30}, [=](auto i, auto, auto) { return i < 10 ? nan : static_cast<float>(i); }));
    EXPECT_GT(pixelsLike(axial->grab().toImage(), kNotANumber), 1000);
    EXPECT_TRUE(axial->notes().contains("purple: not a number")) << axial->notes().join('|').toStdString();
    hover(axial, at(axial, {4, 15, 15}));
    EXPECT_EQ(status->positionText(), "(4.0, 15.0, 15.0) mm = not a number · voxel 4, 15, 15");
}

TEST_F(SliceViewTest, SaysWhenItDrawsMeansOrBetweenVoxels) {
    load(makeVolume({1600, 1200, 2}, [](auto i, auto, auto) { return static_cast<float>(i); }));
    axial->grab();
    ASSERT_FALSE(axial->notes().isEmpty());
    const auto block = static_cast<int>(1600.0 / axial->width());
    EXPECT_EQ(axial->notes().first(), QString("mean of %1 × %1 voxels").arg(block));
    load(ball(20));
    axial->grab();
    EXPECT_EQ(axial->notes(), QStringList{"smoothed"});
    QTest::keyClick(axial, Qt::Key_S);
    axial->grab();
    EXPECT_EQ(axial->notes(), QStringList());
    QTest::keyClick(axial, Qt::Key_S);
}

TEST_F(SliceViewTest, SaysLessInASmallView) {
    volume::Volume level =
        makeVolume({1600, 1200, 2}, [](auto i, auto, auto) { return static_cast<float>(i); });
    volume::Header header = level.header();
    const double c = std::cos(0.3), s = std::sin(0.3);
    header.geometry.direction = {{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
    load({header, std::shared_ptr<const std::byte>(std::make_shared<volume::Volume>(level), level.data())});
    axial->setFixedSize(112, 148);
    axial->grab();
    ASSERT_EQ(axial->notes().size(), 1) << axial->notes().join('|').toStdString();
    const QString note = axial->notes().first();
    EXPECT_EQ(note, QString("mean of %1 × %1").arg(1600 / 112));
    EXPECT_LE(QFontMetrics(smallFont(axial->font())).horizontalAdvance(note), 112 - 14);
    load(ball(20));
    axial->grab();
    EXPECT_EQ(axial->notes(), QStringList());
}

TEST_F(SliceViewTest, SaysWhenTheSlicesAreTilted) {
    volume::Volume level = ball(20);
    volume::Header header = level.header();
    const double c = std::cos(0.3), s = std::sin(0.3);  // 17 degrees about x
    header.geometry.direction = {{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
    const volume::Volume tilted(
        header, std::shared_ptr<const std::byte>(std::make_shared<volume::Volume>(level), level.data()));
    load(tilted);
    EXPECT_TRUE(axial->notes().contains("tilted 17°"));
    EXPECT_TRUE(coronal->notes().contains("tilted 17°"));
    EXPECT_FALSE(sagittal->notes().join('|').contains("tilted"));
}

TEST_F(SliceViewTest, ZoomOfTheScanComesBackAfterAPatch) {
    load(ball(40));
    QTest::keyClick(axial, Qt::Key_Plus);
    panel.showInstead(ball(16), "patch");
    EXPECT_EQ(axial->frame().zoom, 1);
    QTest::keyClick(axial, Qt::Key_Plus);
    QTest::keyClick(axial, Qt::Key_Plus);
    panel.showInstead(ball(16), "next patch");
    EXPECT_NEAR(axial->frame().zoom, 1.5625, 1e-9);
    panel.showInstead({}, {});
    EXPECT_NEAR(axial->frame().zoom, 1.25, 1e-9);
}

TEST_F(SliceViewTest, ZoomStaysFromChannelToChannel) {
    load(ball(40));
    QTest::keyClick(axial, Qt::Key_Plus);
    load(makeVolume({40, 40, 40}, [](auto, auto, auto) { return 3.0F; }));
    EXPECT_NEAR(axial->frame().zoom, 1.25, 1e-9);
    load(ball(41));
    EXPECT_EQ(axial->frame().zoom, 1);
}

TEST_F(SliceViewTest, TabGoesThroughViewsThenButtons) {
    load(ball(20));
    panel.activateWindow();
    axial->setFocus();
    QStringList names;
    for (int n = 0; n < 10; ++n) {
        QWidget* const now = panel.focusWidget();
        ASSERT_TRUE(now);
        names += now->objectName();
        QTest::keyClick(now, Qt::Key_Tab);
    }
    EXPECT_EQ(names, (QStringList{"axialView", "coronalView", "sagittalView", "volumeView", "windowNumbers",
                                  "windowPreset", "windowMode", "inverted", "crosshair", "crop"}))
        << names.join(' ').toStdString();
}

}  // namespace
}  // namespace highwater::widgets
