#include "app/desktop/prediction/plan/plan_view.h"

#include <QApplication>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include "app/desktop/prediction/plan/plan_curve_plot.h"
#include "app/desktop/prediction/plan/plan_layers.h"
#include "app/desktop/prediction/plan/plan_side.h"
#include "app/desktop/prediction/plan/plan_slider.h"
#include "app/desktop/prediction/plan/plan_step_plot.h"
#include "app/desktop/study/study_strip.h"
#include "tests/app/desktop/prediction/plan/samples.h"
#include "tests/widgets/qt_main.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {
namespace {

class PlanViewTest : public ::testing::Test {
protected:
    void SetUp() override {
        view.resize(1200, 800);
        view.setCurve(samples::curve(), 2);
        view.show();
    }
    PlanView view;
};

TEST_F(PlanViewTest, BeginsWithTheChosenPlan) {
    EXPECT_EQ(view.chosen(), 2);
    EXPECT_EQ(view.headline(), "Fits on an RTX 3060: recompute 2 of 4 layers");
    EXPECT_TRUE(view.applyButton().isEnabled());
    EXPECT_TRUE(view.confirmButton().isEnabled());
    const QTreeWidget& tree = view.layers().tree();
    ASSERT_EQ(tree.topLevelItemCount(), 2) << "a block, closed, and a layer";
    EXPECT_EQ(tree.topLevelItem(0)->childCount(), 2);
    EXPECT_EQ(tree.topLevelItem(0)->text(1), QStringLiteral("recompute ×2"));
    EXPECT_EQ(tree.topLevelItem(1)->text(1), "keep");
    EXPECT_EQ(tree.topLevelItem(1)->text(3), "300 MiB");
}

TEST_F(PlanViewTest, DraggingPicksThePlanUnderThePointer) {
    QSignalSpy chosen(&view, &PlanView::planChosen);
    PlanSlider& slider = view.slider();
    QTest::mousePress(&slider, Qt::LeftButton, {}, slider.placeOf(2).toPoint());
    EXPECT_EQ(chosen.count(), 0) << "it is there already";
    QTest::mouseMove(&slider, slider.placeOf(3).toPoint());
    QTest::mouseMove(&slider, slider.placeOf(4).toPoint() + QPoint(60, 0));
    EXPECT_EQ(view.chosen(), 4);
    QTest::mouseMove(&slider, slider.placeOf(1).toPoint());
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, slider.placeOf(1).toPoint());
    ASSERT_EQ(chosen.count(), 3);
    EXPECT_EQ(chosen[0][0].toInt(), 3);
    EXPECT_EQ(chosen[2][0].toInt(), 1);
    EXPECT_EQ(view.headline(), "Fits on an RTX 3060: recompute 3 of 4 layers");
    QTest::mouseMove(&slider, slider.placeOf(4).toPoint());
    EXPECT_EQ(view.chosen(), 1) << "nothing is pressed any more";
}

TEST_F(PlanViewTest, ArrowKeysGoFromPlanToPlan) {
    PlanSlider& slider = view.slider();
    QTest::keyClick(&slider, Qt::Key_Right);
    EXPECT_EQ(view.chosen(), 3);
    QTest::keyClick(&slider, Qt::Key_Left);
    QTest::keyClick(&slider, Qt::Key_Left);
    EXPECT_EQ(view.chosen(), 1);
    QTest::keyClick(&slider, Qt::Key_End);
    QTest::keyClick(&slider, Qt::Key_Right);
    EXPECT_EQ(view.chosen(), 4);
    QTest::keyClick(&view.plot(), Qt::Key_Left);
    EXPECT_EQ(view.chosen(), 3) << "on the curve as on the slider";
    QTest::keyClick(&slider, Qt::Key_Home);
    EXPECT_EQ(view.chosen(), 0);
}

TEST_F(PlanViewTest, WhatWasOpenStaysOpenFromPlanToPlan) {
    QTreeWidgetItem* block = view.layers().tree().topLevelItem(0);
    block->setExpanded(true);
    view.choose(1);
    EXPECT_EQ(view.layers().tree().topLevelItem(0), block);
    EXPECT_TRUE(block->isExpanded());
    view.choose(4);
    EXPECT_EQ(block->text(1), "keep");
}

TEST_F(PlanViewTest, ButtonsSayWhatTheyDoAndWhyTheyCannot) {
    QSignalSpy applied(&view, &PlanView::applyRequested), confirmed(&view, &PlanView::confirmRequested);
    QTest::mouseClick(&view.applyButton(), Qt::LeftButton);
    QTest::mouseClick(&view.confirmButton(), Qt::LeftButton);
    EXPECT_EQ(applied.count(), 1);
    EXPECT_EQ(confirmed.count(), 1);
    view.setApplied(2);
    EXPECT_FALSE(view.applyButton().isEnabled());
    EXPECT_EQ(view.applyButton().text(), "Applied");
    view.choose(1);
    EXPECT_TRUE(view.applyButton().isEnabled());
    view.choose(4);
    EXPECT_FALSE(view.confirmButton().isEnabled()) << "as it is against as it is";
    view.choose(1);
    view.setConfirmable("There is no RTX 3060 here.");
    EXPECT_FALSE(view.confirmButton().isEnabled());
    EXPECT_EQ(view.confirmButton().toolTip(), "There is no RTX 3060 here.");
}

TEST_F(PlanViewTest, WithoutPlansItSaysWhyAndOffersNothing) {
    view.setNoPlans("No plans: without training nothing is kept", "without training nothing is kept");
    EXPECT_EQ(view.chosen(), -1);
    EXPECT_EQ(view.headline(), "No plans: without training nothing is kept");
    EXPECT_EQ(view.plot().scene().hint, "without training nothing is kept");
    EXPECT_FALSE(view.slider().isEnabled());
    EXPECT_FALSE(view.applyButton().isEnabled());
    EXPECT_FALSE(view.confirmButton().isEnabled());
    EXPECT_EQ(view.layers().tree().topLevelItemCount(), 0);
    EXPECT_FALSE(view.taskChanges().ask().isEnabled());
}

TEST_F(PlanViewTest, ASearchShowsHowFarItIsAndCanBeCancelled) {
    auto* bar = view.findChild<QProgressBar*>();
    EXPECT_FALSE(bar->isVisible());
    view.setProgress(0.25);
    EXPECT_TRUE(bar->isVisible());
    EXPECT_EQ(bar->value(), 250);
    QSignalSpy cancelled(&view, &PlanView::cancelRequested);
    QTest::mouseClick(view.findChild<QPushButton*>("Cancel planning"), Qt::LeftButton);
    EXPECT_EQ(cancelled.count(), 1);
    view.setProgress({});
    EXPECT_FALSE(bar->isVisible());
}

TEST_F(PlanViewTest, WhatWasMeasuredStandsBesideWhatWasPredicted) {
    ConfirmedPanel& panel = view.confirmed();
    panel.setRows({}, "Press Confirm.");
    EXPECT_FALSE(panel.table().isVisible());
    EXPECT_EQ(panel.hint(), "Press Confirm.");
    panel.setState(
        {.running = true, .cancelling = false, .what = "the plan, repeat 2", .fraction = 0.5, .whyNot = {}});
    EXPECT_TRUE(panel.findChild<StudyStrip*>()->text().contains("the plan, repeat 2"));
    QSignalSpy cancelled(&panel, &ConfirmedPanel::cancelRequested);
    QTest::mouseClick(panel.findChild<QPushButton*>("Cancel study"), Qt::LeftButton);
    EXPECT_EQ(cancelled.count(), 1);
    panel.setState({});
    panel.setRows({{"peak", "1.42 GiB", "1.42 GiB", "0 B", true}, {"step", "+18 %", "+21 %", "+3 points"}},
                  {});
    ASSERT_EQ(panel.table().rowCount(), 2);
    EXPECT_EQ(panel.table().item(0, 3)->text(), "0 B");
    EXPECT_TRUE(panel.table().isVisible());
}

TEST_F(PlanViewTest, WhatChangesTheTaskIsAskedForAndAppliedByItself) {
    TaskChangesPanel& panel = view.taskChanges();
    panel.setUnasked(true);
    QSignalSpy asked(&panel, &TaskChangesPanel::asked), applied(&panel, &TaskChangesPanel::applyRequested);
    QTest::mouseClick(&panel.ask(), Qt::LeftButton);
    EXPECT_EQ(asked.count(), 1);
    panel.setChanges({{"batch 1", "6.0 GiB, 120 ms per step"}, {"patch 80 × 224²", "8.1 GiB"}});
    ASSERT_EQ(panel.applyLinks().size(), 2u);
    QTest::mouseClick(panel.applyLinks()[1], Qt::LeftButton);
    ASSERT_EQ(applied.count(), 1);
    EXPECT_EQ(applied[0][0].toInt(), 1);
    panel.setMessage("None is within it.");
    EXPECT_TRUE(panel.applyLinks().empty());
}

/// Every label has the room that it needs, in both themes, even in a small window.
TEST_F(PlanViewTest, NothingIsClipped) {
    view.setSteps(samples::steps());
    for (const widgets::ThemeMode mode : {widgets::ThemeMode::Light, widgets::ThemeMode::Dark}) {
        widgets::applyTheme(*qApp, mode);
        for (const QSize size : {QSize(1600, 1000), QSize(1000, 700)}) {
            view.resize(size);
            QTest::qWait(1);
            EXPECT_EQ(view.size(), size) << "its parts fit into it";
            for (const QWidget* button :
                 {static_cast<QWidget*>(&view.applyButton()), static_cast<QWidget*>(&view.confirmButton())}) {
                EXPECT_GE(button->width(), button->sizeHint().width());
                EXPECT_TRUE(view.rect().contains(QRect(button->mapTo(&view, QPoint()), button->size())));
            }
            for (const QWidget* part :
                 {static_cast<QWidget*>(&view.plot()), static_cast<QWidget*>(&view.steps()),
                  static_cast<QWidget*>(&view.layers()), static_cast<QWidget*>(&view.slider())}) {
                EXPECT_GE(part->height(), part->minimumSizeHint().height());
                EXPECT_TRUE(view.rect().contains(QRect(part->mapTo(&view, QPoint()), part->size())));
            }
        }
    }
}

}  // namespace
}  // namespace highwater::desktop

HIGHWATER_QT_MAIN()
