#include <QSlider>
#include <QToolButton>
#include <QTreeWidget>

#include "tests/widgets/scan/labeled.h"
#include "tests/widgets/scan/panel/panel_fixture.h"
#include "widgets/scan/panel/label_list.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::labeled;
using highwater::testing::makeVolume;

class LabelListTest : public ScanPanelTest {
protected:
    LabelListTest() {
        list = panel.findChild<LabelList*>();
        tree = panel.findChild<QTreeWidget*>("labelTree");
        toggle = panel.findChild<QToolButton*>("labels");
    }
    /// Label 1 in the left half, 2 in one corner; with names.
    static LabelMap halves() {
        LabelMap map =
            labeled(makeVolume({20, 20, 20},
                               [](auto i, auto j, auto k) {
                                   return i == 19 && j == 19 && k == 19 ? 2.0F : i < 10 ? 1.0F : 0.0F;
                               }),
                    {1, 2});
        map.labels[1].name = "Tumour";
        map.source = "seg.nii.gz";
        return map;
    }
    LabelList* list = nullptr;
    QTreeWidget* tree = nullptr;
    QToolButton* toggle = nullptr;
};

TEST_F(LabelListTest, OpensWhereThereAreLabelsAndShowsNamesAndSizes) {
    load(ball(20));
    EXPECT_FALSE(toggle->isVisibleTo(&panel)) << "there is nothing to list";
    panel.setLabels(halves());
    ASSERT_TRUE(toggle->isVisibleTo(&panel));
    EXPECT_FALSE(list->isVisibleTo(&panel));
    toggle->click();
    ASSERT_TRUE(list->isVisibleTo(&panel));
    ASSERT_EQ(tree->topLevelItemCount(), 2);
    EXPECT_EQ(tree->topLevelItem(0)->text(0), "label 1");
    EXPECT_EQ(tree->topLevelItem(0)->text(1), "4000");
    EXPECT_EQ(tree->topLevelItem(0)->text(2), "4000 mm³");
    EXPECT_EQ(tree->topLevelItem(1)->text(0), "Tumour");
    EXPECT_EQ(tree->topLevelItem(1)->text(2), "1 mm³");
    panel.setVolume(ball(24));
    EXPECT_FALSE(list->isVisibleTo(&panel)) << "another scan";
    panel.setLabels(halves());
    EXPECT_TRUE(list->isVisibleTo(&panel)) << "as the user left it";
}

TEST_F(LabelListTest, HidesALabelAllOfThemAndNamesThatUnderTheMouse) {
    load(ball(20));
    panel.setLabels(halves());
    toggle->click();
    const auto colorAt = [&](const Index3& voxel) {
        return QColor(axial->grab().toImage().pixel(at(axial, voxel) * axial->devicePixelRatioF()));
    };
    scene->setCrosshair(false);
    scene->setCursor({15, 3, 10});
    const auto red = [&](const Index3& voxel) {
        const QColor c = colorAt(voxel);
        return c.red() - c.blue();
    };
    EXPECT_GT(red({3, 3, 10}), 40) << "label 1 is red";
    EXPECT_EQ(red({15, 3, 10}), 0) << "the background is clear";
    hover(axial, at(axial, {3, 3, 10}));
    EXPECT_TRUE(status->positionText().contains(" = 10 · label 1 · voxel 3, 3, 10"))
        << status->positionText().toStdString();
    hover(axial, at(axial, {15, 3, 10}));
    EXPECT_TRUE(status->positionText().contains(" = 10 · voxel 15, 3, 10"))
        << status->positionText().toStdString();

    tree->topLevelItem(0)->setCheckState(0, Qt::Unchecked);
    EXPECT_EQ(red({3, 3, 10}), 0);
    panel.findChild<QToolButton*>("allLabels")->click();
    EXPECT_EQ(tree->topLevelItem(0)->checkState(0), Qt::Checked);
    EXPECT_GT(red({3, 3, 10}), 40);
    QTest::keyClick(axial, Qt::Key_L);
    EXPECT_EQ(red({3, 3, 10}), 0);
    QTest::keyClick(axial, Qt::Key_L);
    const int faint = red({3, 3, 10});
    panel.findChild<QSlider*>("labelOpacity")->setValue(100);
    EXPECT_GT(red({3, 3, 10}), faint + 40);
}

TEST_F(LabelListTest, LeadsIntoALabel) {
    load(ball(20));
    panel.setLabels(halves());
    toggle->click();
    emit tree->itemActivated(tree->topLevelItem(1), 0);
    EXPECT_EQ(scene->cursor(), (Index3{19, 19, 19}));
    EXPECT_TRUE(status->positionText().contains("Tumour (2)")) << status->positionText().toStdString();
}

TEST_F(LabelListTest, OffersToTakeAwayOnlyWhatWasOpenedToLookAt) {
    load(ball(20));
    auto* const close = panel.findChild<QToolButton*>("removeLabels");
    panel.setLabels(halves());
    toggle->click();
    EXPECT_FALSE(close->isVisibleTo(&panel));
    panel.setLabels(halves(), true);
    EXPECT_TRUE(close->isVisibleTo(&panel));
}

}  // namespace
}  // namespace highwater::widgets
