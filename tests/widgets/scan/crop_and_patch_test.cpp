// The crop box and the patch box under mouse and keys.
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "tests/widgets/scan/panel/panel_fixture.h"
#include "widgets/scan/slice/slice_marks.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

class BoxesTest : public ScanPanelTest {
protected:
    BoxesTest() {
        load(makeVolume({40, 40, 40}, [](auto i, auto j, auto k) { return 900.0F + i + j + k; }, "LPS"));
    }
    QToolButton* tool(const char* name) const { return panel.findChild<QToolButton*>(name); }
    QString cropText() const { return panel.findChild<ElidedLabel*>("scanCrop")->text(); }
    /// The middle of the box's left edge, and the width of a voxel there.
    QPoint leftEdge(const PatchBox& box) const {
        const QRectF o = axial->frame().outline(box);
        return QPointF(o.left(), o.center().y()).toPoint();
    }
    QPoint voxels(double columns, double rows) const {
        const double pixel = axial->frame().target().width() / 40;
        return QPointF(columns * pixel, rows * pixel).toPoint();
    }
};

TEST_F(BoxesTest, CropIsDraggedByItsEdge) {
    drag(axial, Qt::LeftButton, leftEdge(scene->cropOrAll()), leftEdge(scene->cropOrAll()) + voxels(10, 0));
    EXPECT_FALSE(scene->crop()) << "not while the handles are hidden";
    QTest::keyClick(axial, Qt::Key_C);
    EXPECT_TRUE(tool("crop")->isChecked());
    drag(axial, Qt::LeftButton, leftEdge(scene->cropOrAll()), leftEdge(scene->cropOrAll()) + voxels(10, 0));
    EXPECT_EQ(scene->crop(), (PatchBox{{10, 0, 0}, {30, 40, 40}}));
    const QRectF o = axial->frame().outline(*scene->crop());
    drag(axial, Qt::LeftButton, o.bottomRight().toPoint(), o.bottomRight().toPoint() - voxels(5, 8));
    EXPECT_EQ(scene->crop(), (PatchBox{{10, 0, 0}, {25, 32, 40}})) << "a corner";
    EXPECT_EQ(cropText(), "crop i 10–34 j 0–31 k 0–39 · 25.0 × 32.0 × 40.0 mm · 25 × 32 × 40");
    EXPECT_TRUE(tool("wholeVolume")->isVisible());
    tool("wholeVolume")->click();
    EXPECT_FALSE(scene->crop());
}

TEST_F(BoxesTest, CropKeys) {
    QTest::keyClick(axial, Qt::Key_C);
    QTest::keyClick(axial, Qt::Key_Left, Qt::ShiftModifier);                         // the right edge inwards
    QTest::keyClick(axial, Qt::Key_Right, Qt::ShiftModifier | Qt::ControlModifier);  // the left edge inwards
    QTest::keyClick(axial, Qt::Key_Up, Qt::ShiftModifier);
    QTest::keyClick(axial, Qt::Key_Down, Qt::ShiftModifier | Qt::ControlModifier);
    EXPECT_EQ(scene->crop(), (PatchBox{{1, 1, 0}, {38, 38, 40}}));
    QTest::keyClick(coronal, Qt::Key_Up, Qt::ShiftModifier);  // inferior: k is at the lower edge
    EXPECT_EQ(scene->crop(), (PatchBox{{1, 1, 1}, {38, 38, 39}}));
    EXPECT_EQ(cursor(), (Index3{20, 20, 20})) << "the crosshair stays";
    QTest::keyClick(axial, Qt::Key_Escape);
    EXPECT_FALSE(scene->cropping());
    EXPECT_TRUE(scene->crop()) << "the crop stays, its handles are hidden";
    QTest::keyClick(axial, Qt::Key_C, Qt::ShiftModifier);
    EXPECT_FALSE(scene->crop());
}

TEST_F(BoxesTest, SlicesDarkenOutsideTheCrop) {
    scene->setCrosshair(false);
    const auto gray = [&](const Index3& voxel) {
        return axial->grab().toImage().pixelColor(at(axial, voxel)).red();
    };
    const int outside = gray({5, 24, 20}), inside = gray({20, 24, 20});
    scene->setCursor({20, 20, 35});
    const int above = gray({20, 24, 35});
    ASSERT_GT(std::min({outside, inside, above}), 40);
    scene->setCrop(PatchBox{{10, 10, 10}, {20, 20, 20}});
    EXPECT_LT(gray({20, 24, 35}), above * 3 / 4) << "the whole slice lies outside";
    scene->setCursor({20, 20, 20});
    EXPECT_LT(gray({5, 24, 20}), outside * 3 / 4);
    EXPECT_EQ(gray({20, 24, 20}), inside);
}

TEST_F(BoxesTest, PatchIsDraggedInsideWithAltAndByItsTab) {
    panel.setPatch(PatchBox{{10, 10, 10}, {20, 20, 20}});
    QSignalSpy moved(&panel, &ScanPanel::patchMoved);
    const QPoint middle = axial->frame().outline(*panel.patch()).center().toPoint() + QPoint(20, 20);
    drag(axial, Qt::LeftButton, middle, middle + voxels(3, 0));
    EXPECT_EQ(moved.count(), 0) << "without Alt, the crosshair";
    drag(axial, Qt::LeftButton, middle, middle + voxels(3, -2), Qt::AltModifier);
    EXPECT_EQ(panel.patch()->start, (Index3{13, 8, 10}));
    const PatchLabel label =
        patchLabel(axial->frame(), *panel.patch(), QFontMetrics(smallFont(axial->font())), true);
    EXPECT_EQ(label.text, "20 × 20 · 20.0 × 20.0 mm");
    hover(axial, label.tab.center().toPoint());
    EXPECT_EQ(axial->cursor().shape(), Qt::OpenHandCursor);
    drag(axial, Qt::LeftButton, label.tab.center().toPoint(), label.tab.center().toPoint() + voxels(-4, 1));
    EXPECT_EQ(panel.patch()->start, (Index3{9, 9, 10}));
    EXPECT_EQ(moved.count(), 2);
}

TEST_F(BoxesTest, TheTabStaysWithAnEdgeInView) {
    panel.setPatch(PatchBox{{10, 10, 10}, {20, 20, 20}});
    const QFontMetrics metrics(smallFont(axial->font()));
    const auto tab = [&] { return patchLabel(axial->frame(), *panel.patch(), metrics, true).tab; };
    EXPECT_TRUE(QRectF(axial->rect()).contains(tab()));
    for (int n = 0; n < 9; ++n) {
        QTest::keyClick(axial, Qt::Key_Plus);
    }
    EXPECT_TRUE(tab().isNull()) << "the view lies inside the box";
    QTest::keyClick(axial, Qt::Key_R);
    axial->resize(90, 90);
    EXPECT_EQ(patchLabel(axial->frame(), *panel.patch(), metrics, true).text, "20 × 20") << "a small view";
}

TEST_F(BoxesTest, NoTextLiesOverAnother) {
    panel.setPatch(PatchBox{{10, 10, 10}, {20, 20, 20}});
    const QFont font = axial->font();
    for (const QSize size :
         {QSize(80, 80), QSize(113, 99), QSize(154, 94), QSize(200, 84), QSize(300, 300)}) {
        for (SliceView* view : {axial, coronal}) {
            view->resize(size);
            std::vector<QRect> places = {
                patchLabel(view->frame(), *panel.patch(), QFontMetrics(smallFont(font)), true)
                    .tab.toAlignedRect()};
            const auto texts = view->texts();
            EXPECT_GE(texts.size(), 3U);
            for (const ViewNote& note : texts) {
                const QRect place = placeOf(note, font);
                for (const QRect& other : places) {
                    EXPECT_FALSE(place.intersects(other.adjusted(-2, 0, 2, 0)))
                        << note.text.toStdString() << " at " << size.width();
                }
                places.push_back(place);
            }
        }
    }
    EXPECT_GE(axial->texts().size(), 7U) << "where there is room, nothing is left out";
    const auto has = [&](const QString& text) {
        const auto texts = coronal->texts();
        return std::ranges::any_of(texts, [&](const ViewNote& note) { return note.text == text; });
    };
    EXPECT_TRUE(has("coronal"));
    coronal->resize(100, 90);
    EXPECT_TRUE(has("S")) << "the letter matters more than the plane's name";
    EXPECT_FALSE(has("coronal"));
    EXPECT_TRUE(has("cor"));
}

TEST_F(BoxesTest, PatchIsNudgedByKeys) {
    panel.setPatch(PatchBox{{10, 10, 10}, {20, 20, 20}});
    QSignalSpy moved(&panel, &ScanPanel::patchMoved);
    QTest::keyClick(axial, Qt::Key_Right, Qt::AltModifier);
    QTest::keyClick(axial, Qt::Key_Up, Qt::AltModifier);
    QTest::keyClick(axial, Qt::Key_PageUp, Qt::AltModifier);
    EXPECT_EQ(panel.patch()->start, (Index3{11, 9, 11}));
    QTest::keyClick(coronal, Qt::Key_Left, Qt::AltModifier | Qt::ShiftModifier);
    EXPECT_EQ(panel.patch()->start, (Index3{1, 9, 11}));
    QTest::keyClick(sagittal, Qt::Key_PageUp, Qt::AltModifier | Qt::ShiftModifier);
    EXPECT_EQ(panel.patch()->start, (Index3{11, 9, 11}));
    QTest::keyClick(axial, Qt::Key_Left, Qt::AltModifier | Qt::ShiftModifier);
    QTest::keyClick(axial, Qt::Key_Left, Qt::AltModifier | Qt::ShiftModifier);
    EXPECT_EQ(panel.patch()->start, (Index3{0, 9, 11})) << "stops at the volume";
    EXPECT_EQ(moved.count(), 7);
    EXPECT_EQ(cursor(), (Index3{20, 20, 20}));
}

}  // namespace
}  // namespace highwater::widgets
