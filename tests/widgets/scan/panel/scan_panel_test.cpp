#include "widgets/scan/panel/scan_panel.h"

#include <QDropEvent>
#include <QMimeData>
#include <QProgressBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <ranges>

#include "tests/widgets/scan/panel/panel_fixture.h"
#include "widgets/theme/panel.h"

HIGHWATER_QT_MAIN()

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

TEST_F(ScanPanelTest, EmptyInvites) {
    EXPECT_TRUE(panel.settled());
    EXPECT_EQ(message(), "Drop a scan here");
    QSignalSpy open(&panel, &ScanPanel::openRequested), sample(&panel, &ScanPanel::sampleRequested);
    ASSERT_TRUE(button("Open a scan…"));
    button("Open a scan…")->click();
    button("Open the sample")->click();
    EXPECT_EQ(open.count(), 1);
    EXPECT_EQ(sample.count(), 1);
    EXPECT_FALSE(axial->isVisible());
}

TEST_F(ScanPanelTest, LoadingShowsProgressAndCancels) {
    QSignalSpy cancel(&panel, &ScanPanel::cancelRequested);
    panel.setLoading("Inflating head.nii.gz", 0.25);
    EXPECT_EQ(message(), "Inflating head.nii.gz");
    auto* const bar = panel.findChild<QProgressBar*>();
    EXPECT_EQ(bar->value(), bar->maximum() / 4);
    panel.setLoading("Reading", -1);
    EXPECT_EQ(bar->maximum(), 0) << "unknown";
    panel.setLoading("Reading", std::nan(""));
    EXPECT_EQ(bar->maximum(), 0);
    button("Cancel")->click();
    EXPECT_EQ(cancel.count(), 1);
    panel.showScan();
    EXPECT_EQ(message(), "Drop a scan here");
}

TEST_F(ScanPanelTest, ErrorSaysWhyAndOffersAnother) {
    QSignalSpy open(&panel, &ScanPanel::openRequested);
    panel.setError("head.nii: truncated");
    EXPECT_EQ(panel.findChild<QLabel*>("scanMessageText")->text(), "head.nii: truncated");
    button("Open another…")->click();
    EXPECT_EQ(open.count(), 1);
    EXPECT_FALSE(button("Back to the scan"));
    load(ball(16));
    panel.setError("x");
    ASSERT_TRUE(button("Back to the scan"));
    button("Back to the scan")->click();
    EXPECT_TRUE(axial->isVisible());
}

TEST_F(ScanPanelTest, AcceptsDroppedScansOnly) {
    QSignalSpy dropped(&panel, &ScanPanel::fileDropped);
    for (const QString path : {"/a/head.nii.gz", "/a/HEAD.NII", "/a/stack.json", "/tmp", "/a/IM0001"}) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
        enter.setAccepted(false);
        QCoreApplication::sendEvent(&panel, &enter);
        EXPECT_EQ(enter.isAccepted(), !path.endsWith("json"));
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&panel, &drop);
    }
    ASSERT_EQ(dropped.count(), 4);
    EXPECT_EQ(dropped[1][0].toString(), "/a/HEAD.NII");
    EXPECT_EQ(dropped[2][0].toString(), "/tmp") << "a folder";
}

TEST_F(ScanPanelTest, HeaderNamesTheScan) {
    panel.setScanName("/scans/head.nii.gz");
    load(makeVolume({20, 30, 40}, [](auto i, auto, auto) { return static_cast<float>(i); }, "RAS",
                    {0.5, 1, 2}));
    EXPECT_EQ(panel.findChild<Panel*>()->note(), "head.nii.gz · 20 × 30 × 40 · 0.50 × 1.00 × 2.00 mm");
}

TEST_F(ScanPanelTest, TheCrosshairIsLinked) {
    load(makeVolume(
        {40, 50, 60}, [](auto i, auto j, auto k) { return static_cast<float>(i + j + k); }, "LPS"));
    drag(axial, Qt::LeftButton, at(axial, {20, 25, 30}), at(axial, {7, 33, 30}));
    EXPECT_EQ(sagittal->index(), 7);
    EXPECT_EQ(coronal->index(), 33);
    EXPECT_EQ(axial->index(), 30);
    QTest::mouseClick(coronal, Qt::LeftButton, {}, at(coronal, {12, 33, 44}));
    EXPECT_EQ(sagittal->index(), 12);
    EXPECT_EQ(axial->index(), 44);
    EXPECT_EQ(axial->numberText(), "45/60");
}

TEST_F(ScanPanelTest, WheelScrollsAndZooms) {
    load(ball(40));
    wheel(axial, 120);
    EXPECT_EQ(axial->index(), 21);
    wheel(axial, -60);
    EXPECT_EQ(axial->index(), 21) << "half a notch";
    wheel(axial, -60);
    EXPECT_EQ(axial->index(), 20);
    wheel(axial, 120 * 500);
    EXPECT_EQ(axial->index(), 39) << "stops at the last";
    wheel(axial, 240, Qt::ControlModifier);
    EXPECT_NEAR(axial->frame().zoom, 1.25 * 1.25, 1e-9);
    EXPECT_EQ(coronal->frame().zoom, 1);
    QTest::keyClick(axial, Qt::Key_R);
    EXPECT_EQ(axial->frame().zoom, 1);
}

TEST_F(ScanPanelTest, KeysMoveInScreenDirections) {
    load(ball(40, "LPS"));  // i grows to the left, which is the viewer's right
    QTest::keyClick(axial, Qt::Key_Right);
    EXPECT_EQ(sagittal->index(), 21);
    QTest::keyClick(axial, Qt::Key_Up);  // to anterior: j down
    EXPECT_EQ(coronal->index(), 19);
    QTest::keyClick(axial, Qt::Key_PageUp);
    EXPECT_EQ(axial->index(), 21);
    QTest::keyClick(axial, Qt::Key_PageDown, Qt::ShiftModifier);
    EXPECT_EQ(axial->index(), 11);
    QTest::keyClick(axial, Qt::Key_Plus);
    EXPECT_GT(axial->frame().zoom, 1);
}

TEST_F(ScanPanelTest, MiddleDragPans) {
    load(ball(40));
    drag(axial, Qt::MiddleButton, {50, 50}, {80, 40});
    EXPECT_EQ(axial->frame().pan, QPointF(30, -10));
}

TEST_F(ScanPanelTest, RightDragChangesTheWindow) {
    load(ball(40));
    auto* const presets = panel.findChild<QToolButton*>("windowPreset");
    EXPECT_EQ(status->presetId(), "mr");
    EXPECT_EQ(presets->text(), "MR default ▾");
    const QString before = status->windowText();
    const QImage picture = axial->grab().toImage();
    drag(axial, Qt::RightButton, {50, 50}, {250, 50});
    EXPECT_NE(status->windowText(), before);
    EXPECT_EQ(status->presetId(), "");
    EXPECT_EQ(presets->text(), "custom ▾");
    EXPECT_NE(axial->grab().toImage(), picture);
    QTest::keyClick(axial, Qt::Key_R);
    EXPECT_EQ(status->windowText(), before);
}

TEST_F(ScanPanelTest, WindowModeMakesTheLeftButtonDoIt) {
    load(ball(40));
    const Index3 cursor{sagittal->index(), coronal->index(), axial->index()};
    const QString before = status->windowText();
    panel.findChild<QToolButton*>("windowMode")->click();
    drag(axial, Qt::LeftButton, {50, 50}, {50, 150});
    EXPECT_NE(status->windowText(), before);
    EXPECT_EQ((Index3{sagittal->index(), coronal->index(), axial->index()}), cursor);
}

TEST_F(ScanPanelTest, DoubleClickMaximisesAndBack) {
    load(ball(40));
    const QSize small = axial->size();
    QTest::mouseDClick(axial, Qt::LeftButton);
    EXPECT_FALSE(coronal->isVisible());
    ASSERT_TRUE(QTest::qWaitFor([&] { return axial->width() > small.width() * 3 / 2; }, 2000));
    EXPECT_GT(axial->height(), small.height() * 3 / 2);
    QTest::mouseDClick(axial, Qt::LeftButton);
    EXPECT_TRUE(coronal->isVisible());
}

TEST_F(ScanPanelTest, MillimetersAndValueUnderTheMouse) {
    load(makeVolume({20, 20, 20},
                    [](auto i, auto j, auto k) { return static_cast<float>(i * 400 + j * 20 + k); }, "LAS",
                    {2, 1, 1}));
    const QPoint p = at(axial, {3, 5, 10});
    QMouseEvent move(QEvent::MouseMove, p, axial->mapToGlobal(p), Qt::NoButton, {}, {});
    QCoreApplication::sendEvent(axial, &move);
    EXPECT_EQ(status->positionText(), "(−6.0, 5.0, 10.0) mm = 1310 · voxel 3, 5, 10");
}

TEST_F(ScanPanelTest, PatchIsKeptCenterdAndClamped) {
    load(ball(40));
    panel.setPatchExtent(extentOfPatch({8, 16, 24}));
    EXPECT_EQ(panel.patch(), (PatchBox{{8, 12, 16}, {24, 16, 8}}));
    panel.setPatch(PatchBox{{0, 0, 0}, {10, 10, 10}});
    panel.setPatchExtent({20, 20, 20});
    EXPECT_EQ(panel.patch()->start, (Index3{0, 0, 0})) << "clamped";
    panel.setPatchExtent({4, 4, 4});
    EXPECT_EQ(panel.patch()->start, (Index3{3, 3, 3})) << "the center is remembered";
    panel.setPatch(std::nullopt);
    EXPECT_FALSE(panel.patch());
}

TEST_F(ScanPanelTest, TheBoxIsDrawnAndDragged) {
    load(makeVolume({40, 40, 40}, [](auto, auto, auto) { return 0.0F; }));
    const QImage without = axial->grab().toImage();
    panel.setPatch(PatchBox{{10, 10, 10}, {20, 20, 20}});
    EXPECT_NE(axial->grab().toImage(), without);
    QSignalSpy moved(&panel, &ScanPanel::patchMoved);
    const QRectF box = axial->frame().outline(*panel.patch());
    const double voxel = box.width() / 20;
    const QPoint edge(static_cast<int>(box.left()), static_cast<int>(box.center().y()));
    drag(axial, Qt::LeftButton, edge, edge + QPoint(static_cast<int>(std::lround(voxel * 4)), 0));
    ASSERT_EQ(moved.count(), 1);
    // RAS: the viewer's right is the patient's left, where i is lower.
    EXPECT_EQ(panel.patch()->start, (Index3{6, 10, 10}));
    EXPECT_EQ(axial->index(), 20) << "the cursor stays";
}

TEST_F(ScanPanelTest, ReplacedWhileBeingPrepared) {
    panel.setVolume(ball(180));
    panel.setVolume(ball(12));
    EXPECT_FALSE(panel.settled());
    QSignalSpy settled(&panel, &ScanPanel::becameSettled);
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel.settled(); }, 20000));
    EXPECT_GE(settled.count(), 1);
    EXPECT_EQ(axial->numberText(), "7/12");
    panel.setVolume(ball(180));
    panel.clear();
    EXPECT_TRUE(panel.settled());
    EXPECT_EQ(message(), "Drop a scan here");
    panel.setVolume(ball(180));  // destroyed while being prepared
}

TEST_F(ScanPanelTest, OddVolumesAreShown) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& v : {makeVolume({1, 1, 1}, [](auto, auto, auto) { return 5.0F; }),
                          makeVolume({2, 2, 2}, [](auto i, auto, auto) { return static_cast<float>(i); }),
                          makeVolume({64, 64, 1}, [](auto i, auto, auto) { return static_cast<float>(i); }),
                          makeVolume({8, 8, 8}, [=](auto, auto, auto) { return nan; }),
                          makeVolume({20, 20, 4}, [=](auto i, auto, auto) { return i == 3 ? nan : 2.0F; },
                                     "SRA", {0.3, 0.3, 9})}) {
        load(v);
        panel.setPatchExtent({16, 16, 16});
        wheel(axial, -120);
        drag(coronal, Qt::LeftButton, {10, 10}, {200, 200});
        drag(coronal, Qt::RightButton, {10, 10}, {-900, 900});
        EXPECT_FALSE(panel.grab().isNull());
    }
}

TEST_F(ScanPanelTest, SaysWhereThereIsNoOpenGl) {
    auto* const view = panel.findChild<VolumeView*>();
    load(ball(24));
    if (view->available()) {
        GTEST_SKIP() << "this platform has OpenGL; the rendering test covers it";
    }
    EXPECT_EQ(view->message(), "3D view needs OpenGL 3.2");
    const QImage note = view->grab().toImage();
    EXPECT_GT(std::ranges::count_if(std::views::iota(0, note.width()),
                                    [&](int x) {
                                        for (int y = 0; y < note.height(); ++y) {
                                            if (note.pixelColor(x, y).red() > 100) {
                                                return true;
                                            }
                                        }
                                        return false;
                                    }),
              30)
        << "the words are on the screen";
    EXPECT_TRUE(panel.settled());
    wheel(axial, 120);
    EXPECT_EQ(axial->index(), 13) << "the slices work";
}

TEST_F(ScanPanelTest, TheVolumeIsDrawn) {
    auto* const view = panel.findChild<VolumeView*>();
    load(ball(48));
    if (!view->available()) {
        GTEST_SKIP() << "no OpenGL 3.2 on the platform \"" << QGuiApplication::platformName().toStdString()
                     << "\"; run under an X server (xvfb-run) to test the 3D picture";
    }
    scene->setCrosshair(false);  // its lines cross the middle
    const QImage picture = view->grab().toImage();
    const QColor middle = picture.pixelColor(picture.width() / 2, picture.height() / 2);
    const QColor corner = picture.pixelColor(picture.width() - 3, 3);
    EXPECT_GT(middle.red(), corner.red() + 60) << "a lit ball before the dark";
    EXPECT_GT(middle.red(), middle.blue()) << "the color of skin";
    EXPECT_TRUE(view->frame().final);

    // A picture of the whole window contains it too.
    const QImage whole = panel.grab().toImage();
    const QPoint center = view->mapTo(&panel, view->rect().center());
    EXPECT_EQ(whole.pixelColor(center), picture.pixelColor(view->rect().center()));

    panel.setPatchExtent({30, 30, 30});
    EXPECT_NE(view->grab().toImage(), picture) << "the box's outline";
    const OrbitCamera before = view->camera();
    drag(view, Qt::LeftButton, {60, 60}, {120, 80});
    EXPECT_NE(view->camera(), before);
    EXPECT_FALSE(panel.settled());
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel.settled(); }, 20000));
    EXPECT_EQ(view->frame().camera, view->camera());
}

}  // namespace
}  // namespace highwater::widgets
