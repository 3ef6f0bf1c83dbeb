#include "widgets/scan/volume3d/volume_view.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QTest>

#include "tests/widgets/qt_main.h"
#include "tests/widgets/scan/labeled.h"
#include "tests/widgets/scan/volumes.h"
#include "widgets/scan/scan_scene.h"

HIGHWATER_QT_MAIN()

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

class VolumeViewTest : public ::testing::Test {
protected:
    VolumeViewTest() {
        view.resize(300, 240);
        view.show();
        (void)QTest::qWaitForWindowExposed(&view);
    }

    /// Like the panel: the scene's volume, and its first coarse picture.
    void load(const volume::Volume& v, int most = kCoarseVoxels) {
        scene.setVolume(v);
        const volume::Histogram histogram = volume::histogram(v);
        scene.setWindow(volume::defaultWindow(v.header(), histogram));
        const std::atomic<bool> go{false};
        view.setRenderVolume(makeRenderVolume(v, renderScale(v, histogram), most, go));
    }
    bool settle() {
        return QTest::qWaitFor([&] { return view.settled(); }, 30000);
    }
    QImage picture() { return view.grab().toImage(); }

    void drag(Qt::MouseButton button, const QPoint& by, Qt::KeyboardModifiers keys = {}) {
        const QPoint from = view.rect().center();
        QTest::mousePress(&view, button, keys, from);
        for (int n = 1; n <= 4; ++n) {
            const QPointF at = from + QPointF(by) * n / 4;
            QMouseEvent move(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, button, keys);
            QCoreApplication::sendEvent(&view, &move);
        }
        QTest::mouseRelease(&view, button, keys, from + by);
    }

    ScanScene scene;
    VolumeView view{scene};
};

/// These tests need the 3D picture.
class VolumePictureTest : public VolumeViewTest {
protected:
    void SetUp() override {
        load(ball(24));
        (void)QTest::qWaitFor([&] { return !view.available() || !view.frame().image.isNull(); }, 30000);
        if (!view.available()) {
            GTEST_SKIP() << "no OpenGL 3.2 on the platform \""
                         << QGuiApplication::platformName().toStdString()
                         << "\"; run under an X server (xvfb-run) to test the 3D picture";
        }
    }
    /// How many pixels of the picture without lines are lit, per mille.
    int lit() const {
        const QImage image = view.frame().image;
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                count += qRed(image.pixel(x, y)) > 70;
            }
        }
        return count * 1000 / (image.width() * image.height());
    }
};

TEST_F(VolumeViewTest, DragsTurnPanAndChangeWhatIsShared) {
    load(ball(30));
    const OrbitCamera start = view.camera();
    drag(Qt::LeftButton, {40, 20});
    EXPECT_NE(view.camera().azimuth, start.azimuth);
    EXPECT_NE(view.camera().elevation, start.elevation);
    EXPECT_EQ(view.camera().pan, QVector3D());

    const float azimuth = view.camera().azimuth;
    drag(Qt::MiddleButton, {20, 10});
    const QVector3D once = view.camera().pan;
    EXPECT_GT(once.length(), 0);
    drag(Qt::LeftButton, {20, 10}, Qt::ShiftModifier);
    EXPECT_LT((view.camera().pan - 2 * once).length(), 0.01F) << "Shift and drag do as the middle button";
    EXPECT_EQ(view.camera().azimuth, azimuth);

    const volume::Window window = scene.window();
    drag(Qt::RightButton, {200, 0});
    EXPECT_NEAR(scene.window().width(), 2 * window.width(), 1e-6);
    EXPECT_NEAR(scene.window().level(), window.level(), 1e-6);

    drag(Qt::LeftButton, {0, -60}, Qt::ControlModifier);
    EXPECT_NEAR(scene.opacity(), 2, 1e-6) << "up: more";
    drag(Qt::LeftButton, {0, 120}, Qt::ControlModifier);
    EXPECT_NEAR(scene.opacity(), 0.5, 1e-6);
    EXPECT_EQ(view.camera().azimuth, azimuth);
}

TEST_F(VolumeViewTest, KeysDoWhatTheMouseDoes) {
    load(ball(30));
    const OrbitCamera start = view.camera();
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_EQ(view.camera().azimuth, start.azimuth - 5);
    QTest::keyClick(&view, Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_GT(view.camera().pan.length(), 0);
    QTest::keyClick(&view, Qt::Key_Plus);
    EXPECT_GT(view.camera().zoom, 1);
    QTest::keyClick(&view, Qt::Key_O);
    EXPECT_EQ(scene.opacity(), 1.25);
    QTest::keyClick(&view, Qt::Key_O, Qt::ShiftModifier);
    EXPECT_EQ(scene.opacity(), 1);
    const std::array<std::array<float, 2>, 6> sides{
        {{0, 0}, {180, 0}, {90, 0}, {-90, 0}, {180, 90}, {0, -90}}};
    for (std::size_t n = 0; n < 6; ++n) {
        QTest::keyClick(&view, static_cast<Qt::Key>(Qt::Key_1 + n), Qt::ControlModifier);
        EXPECT_EQ(view.camera().azimuth, sides[n][0]);
        EXPECT_EQ(view.camera().elevation, sides[n][1]);
    }
    QTest::keyClick(&view, Qt::Key_R);
    EXPECT_EQ(view.camera(), start);
    for (const char* key : {"arrows", "Shift", "zoom", "O and Shift+O", "Enter", "Ctrl+1", "R: reset"}) {
        EXPECT_TRUE(view.toolTip().contains(key)) << key;
        EXPECT_TRUE(view.accessibleDescription().contains(key)) << key;
    }
}

TEST_F(VolumeViewTest, AClickPutsTheCursorOnTheSurface) {
    load(ball(40));
    QTest::keyClick(&view, Qt::Key_1, Qt::ControlModifier);  // from anterior, where j is highest
    scene.setCursor({1, 2, 3});
    QTest::mouseClick(&view, Qt::LeftButton, {}, {3, 3});
    EXPECT_EQ(scene.cursor(), (Index3{1, 2, 3})) << "nothing is there";
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.rect().center());
    EXPECT_NEAR(static_cast<double>(scene.cursor()[0]), 19.5, 1);
    EXPECT_NEAR(static_cast<double>(scene.cursor()[1]), 19.5 + 15.1, 2);
    EXPECT_NEAR(static_cast<double>(scene.cursor()[2]), 19.5, 1);

    scene.setCursor({1, 2, 3});
    scene.setCrop(PatchBox{{0, 0, 0}, {40, 20, 40}});
    QTest::keyClick(&view, Qt::Key_Return);
    EXPECT_NEAR(static_cast<double>(scene.cursor()[1]), 19.5, 1) << "the crop's face";
    const Index3 before = scene.cursor();
    drag(Qt::LeftButton, {30, 0});
    EXPECT_EQ(scene.cursor(), before) << "a drag is not a click";
}

TEST_F(VolumeViewTest, SaysWhyThereIsNothingToSee) {
    if (!view.available()) {
        GTEST_SKIP() << "the platform \"" << QGuiApplication::platformName().toStdString()
                     << "\" has no OpenGL, which is said instead";
    }
    load(makeVolume({8, 8, 8}, [](auto, auto, auto) { return 5.0F; }));
    EXPECT_TRUE(view.message().contains("same value")) << view.message().toStdString();
    EXPECT_TRUE(view.accessibleDescription().contains("same value"));
    EXPECT_TRUE(view.settled());
    load(makeVolume({8, 8, 8}, [](auto, auto, auto) { return std::numeric_limits<float>::quiet_NaN(); }));
    EXPECT_TRUE(view.message().contains("finite")) << view.message().toStdString();
}

TEST_F(VolumePictureTest, FirstCoarseThenAsFineAsTheLimitsAllowDrawn) {
    const auto v = makeVolume({300, 40, 40}, [](auto i, auto j, auto) {
        return i > 20 && i < 280 && j > 5 && j < 35 ? 600.0F : 5.0F;
    });
    load(v);
    EXPECT_EQ(view.renderVolume()->factor, 3) << "at first";
    EXPECT_FALSE(view.settled());
    ASSERT_TRUE(settle());
    EXPECT_EQ(view.renderVolume()->factor, 2);
    EXPECT_EQ(view.resolutionText(), "drawn at 1/2");
    EXPECT_TRUE(view.accessibleDescription().contains("drawn at 1/2"));
    EXPECT_GE(view.limits().axis, 256);
    const OrbitCamera camera = view.camera();

    view.setLimits({2048, false});
    ASSERT_TRUE(settle());
    EXPECT_EQ(view.renderVolume()->factor, 1);
    EXPECT_EQ(view.resolutionText(), "");
    EXPECT_FALSE(view.accessibleDescription().contains("drawn at"));
    EXPECT_GT(lit(), 3);

    view.setLimits({64, false});
    ASSERT_TRUE(settle());
    EXPECT_LE(std::ranges::max(view.renderVolume()->size), 64);
    EXPECT_EQ(view.resolutionText(), "drawn at 1/5");
    EXPECT_GT(lit(), 3);
    EXPECT_EQ(view.camera(), camera) << "the view does not jump";
}

TEST_F(VolumePictureTest, TheCropCutsTheDrawn) {
    ASSERT_TRUE(settle());
    const int whole = lit();
    scene.setCrop(PatchBox{{0, 0, 0}, {24, 24, 12}});
    EXPECT_FALSE(view.settled()) << "a new picture is on its way";
    ASSERT_TRUE(settle());
    EXPECT_LT(lit(), whole * 3 / 4);
    EXPECT_GT(lit(), whole / 4);
    scene.setCrop(std::nullopt);
    ASSERT_TRUE(settle());
    EXPECT_NEAR(lit(), whole, 10);
}

TEST_F(VolumePictureTest, LabelsAreDrawnAsSurfacesInTheirColors) {
    ASSERT_TRUE(settle());
    const auto green = [&] {
        int count = 0;
        const QImage& image = view.frame().image;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const QColor c = image.pixelColor(x, y);
                count += c.green() > c.red() + 30 && c.green() > c.blue() + 30;
            }
        }
        return count;
    };
    EXPECT_EQ(green(), 0);
    const Index3 size = scene.geometry().size;
    scene.setLabels(highwater::testing::labeled(
        makeVolume(size,
                   [=](auto i, auto j, auto k) {
                       const auto half = [](auto at, auto all) { return at > all / 4 && at < 3 * all / 4; };
                       return half(i, size[0]) && half(j, size[1]) && half(k, size[2]) ? 2.0F : 0.0F;
                   }),
        {2}));
    EXPECT_FALSE(view.settled()) << "surfaces are being made";
    ASSERT_TRUE(settle());
    const int seen = green();
    EXPECT_GT(seen, 100) << "inside the ball, which is a haze now";
    scene.setCrop(PatchBox{{0, 0, 0}, {size[0], size[1], size[2] * 3 / 8}});
    ASSERT_TRUE(settle());
    EXPECT_LT(green(), seen * 3 / 4) << "the crop cuts them, too";
    EXPECT_GT(green(), 10);
    scene.setCrop({});
    scene.showLabel(2, false);
    ASSERT_TRUE(settle());
    EXPECT_EQ(green(), 0);
    scene.showLabel(2, true);
    scene.setLabelSurfaces(false);
    ASSERT_TRUE(settle());
    EXPECT_EQ(green(), 0);
}

TEST_F(VolumePictureTest, OpacityAndInversionChangeTheDrawn) {
    ASSERT_TRUE(settle());
    const QRgb usual = view.frame().image.pixel(view.frame().image.rect().center());
    scene.setOpacity(0.05);
    ASSERT_TRUE(settle());
    EXPECT_LT(qRed(view.frame().image.pixel(view.frame().image.rect().center())), qRed(usual) - 20);
    scene.setOpacity(1);
    scene.setInverted(true);
    ASSERT_TRUE(settle());
    const QImage inverted = view.frame().image;
    EXPECT_LT(qRed(inverted.pixel(2, 2)), 60) << "air stays clear";
    EXPECT_NE(inverted.pixel(inverted.rect().center()), usual);
}

TEST_F(VolumePictureTest, TheCursorsLinesAreDrawn) {
    ASSERT_TRUE(settle());
    const QImage with = picture();
    scene.setCrosshair(false);
    const QImage without = picture();
    EXPECT_NE(with, without);
    scene.setCrosshair(true);
    EXPECT_EQ(picture(), with);
    scene.setCursor({3, 4, 5});
    EXPECT_NE(picture(), with);
    EXPECT_TRUE(view.settled()) << "lines need no new picture of the volume";
}

TEST_F(VolumePictureTest, OddVolumesAreDrawn) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const auto box = [](auto i, auto j, auto k) {
        return i > 5 && i < 59 && j > 5 && j < 59 && k > 1 && k < 38 ? 700.0F : 0.0F;
    };
    const auto thin = [](auto i, auto j, auto) { return i > 8 && i < 56 && j > 8 && j < 56 ? 700.0F : 0.0F; };
    struct Case {
        const char* name;
        volume::Volume volume;
    };
    const std::vector<Case> cases{
        {"0.1 x 0.1 x 10 mm", makeVolume({64, 64, 40}, box, "RAS", {0.1, 0.1, 10})},
        {"tiny voxels", makeVolume({64, 64, 40}, box, "RAS", {1e-4, 1e-4, 1e-4})},
        {"one voxel thin", makeVolume({64, 64, 1}, thin)},
        {"not all finite", makeVolume({64, 64, 40},
                                      [=](auto i, auto j, auto k) {
                                          return i == 9 ? nan : j == 9 ? inf : k == 9 ? -inf : box(i, j, k);
                                      })},
    };
    for (const Case& c : cases) {
        load(c.volume);
        const bool isThin = c.volume.geometry().size[2] == 1;  // face to face, from superior
        QTest::keyClick(&view, isThin ? Qt::Key_5 : Qt::Key_1, Qt::ControlModifier);
        ASSERT_TRUE(settle()) << c.name;
        EXPECT_FALSE(view.frame().image.isNull()) << c.name;
        EXPECT_GE(lit(), 1) << c.name;
        EXPECT_LT(lit(), 900) << c.name;
    }
}

}  // namespace
}  // namespace highwater::widgets
