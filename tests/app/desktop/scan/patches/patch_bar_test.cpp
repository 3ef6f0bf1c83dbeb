#include "app/desktop/scan/patches/patch_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/desktop/scan/patches/heat_legend.h"
#include "tests/widgets/qt_main.h"
#include "widgets/theme/panel.h"

HIGHWATER_QT_MAIN()

namespace highwater::desktop {
namespace {

class PatchBarTest : public ::testing::Test {
protected:
    PatchBarTest() {
        auto* column = new QVBoxLayout(&window);
        column->setContentsMargins(0, 0, 0, 0);
        column->addWidget(bar);
        column->addStretch(1);
        window.resize(420, 400);
        window.show();
    }
    QWidget window;
    PatchBar* bar = new PatchBar;

    QToolButton* button(const char* name) const { return bar->findChild<QToolButton*>(name); }
    template <class T = QLabel>
    QString text(const char* name) const {
        return bar->findChild<T*>(name)->text();
    }
    bool seen(const char* name) const { return bar->findChild<QWidget*>(name)->isVisible(); }
    static PatchesState sixteen(int shown = 2) {
        PatchesState state;
        state.origin = "Current experiment";
        state.shown = shown;
        state.count = 16;
        state.mayAskMore = true;
        state.channels = QStringList{"Channel 1"};
        state.placeable = true;
        state.done = "flipped along i";
        state.place = "i 0-63";
        return state;
    }
    void showPatches(const PatchesState& state) {
        bar->setMode(PatchMode::Patches);
        bar->setPatches(state);
        QCoreApplication::processEvents();
    }
};

TEST_F(PatchBarTest, BeginsWithTheScanAndSaysWhatIsChosen) {
    EXPECT_EQ(bar->mode(), PatchMode::Scan);
    EXPECT_TRUE(button("modeScan")->isChecked());
    EXPECT_FALSE(seen("patchNumber"));
    EXPECT_FALSE(seen("coverageSteps"));
    const int low = bar->height();
    QSignalSpy chosen(bar, &PatchBar::modeChosen);
    QTest::mouseClick(button("modePatches"), Qt::LeftButton);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].value<PatchMode>(), PatchMode::Patches);
    bar->setPatches(sixteen());
    QTRY_VERIFY(bar->height() > low);
    QTest::mouseClick(button("modePatches"), Qt::LeftButton);
    EXPECT_EQ(chosen.count(), 1) << "the same again is not a choice";
    QTest::mouseClick(button("modeCoverage"), Qt::LeftButton);
    EXPECT_EQ(chosen.count(), 2);
    EXPECT_TRUE(seen("coverageSteps"));
    EXPECT_FALSE(seen("patchNumber"));
    bar->setMode(PatchMode::Scan);
    EXPECT_EQ(chosen.count(), 2) << "told from outside: nobody is told";
}

TEST_F(PatchBarTest, StepsWithButtonsAndKeysAndStopsAtBothEnds) {
    showPatches(sixteen(2));
    EXPECT_EQ(text("patchNumber"), "3 of 16");
    QSignalSpy chosen(bar, &PatchBar::patchChosen);
    button("patchNext")->click();
    button("patchPrevious")->click();
    bar->setFocus();
    for (const auto key : {Qt::Key_Right, Qt::Key_Left, Qt::Key_Period, Qt::Key_Comma}) {
        QTest::keyClick(bar, key);
    }
    QTest::keyClick(button("patchMore"), Qt::Key_Right);  // a focused button must not handle it
    QTest::keyClick(bar, Qt::Key_Right, Qt::ControlModifier);
    ASSERT_EQ(chosen.count(), 7);
    const int expected[] = {3, 1, 3, 1, 3, 1, 3};
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(chosen[i][0].toInt(), expected[i]) << i;
    }
    showPatches(sixteen(0));
    EXPECT_FALSE(button("patchPrevious")->isEnabled());
    QTest::keyClick(bar, Qt::Key_Left);
    showPatches(sixteen(15));
    EXPECT_FALSE(button("patchNext")->isEnabled());
    QTest::keyClick(bar, Qt::Key_Period);
    EXPECT_EQ(chosen.count(), 7);
    bar->setMode(PatchMode::Scan);
    bar->setPatches(sixteen(2));
    QTest::keyClick(bar, Qt::Key_Right);
    EXPECT_EQ(chosen.count(), 7) << "only among patches";
}

TEST_F(PatchBarTest, OffersOnlyWhatThereIs) {
    PatchesState state = sixteen();
    showPatches(state);
    EXPECT_FALSE(seen("patchChannel"));
    EXPECT_FALSE(seen("patchTarget"));
    EXPECT_FALSE(seen("patchLive"));
    EXPECT_TRUE(seen("patchInScan"));
    state.channels = QStringList{"Channel 1", "Channel 2"};
    state.channel = 1;
    state.hasTarget = true;
    state.targetName = "Labels";
    state.targetOn = false;
    state.canLive = true;
    state.placeable = false;
    state.mayAskMore = false;
    showPatches(state);
    auto* channels = bar->findChild<QComboBox*>("patchChannel");
    EXPECT_TRUE(channels->isVisible());
    EXPECT_EQ(channels->currentText(), "Channel 2");
    EXPECT_EQ(button("patchTarget")->text(), "Labels");
    EXPECT_FALSE(button("patchTarget")->isChecked());
    EXPECT_FALSE(seen("patchInScan"));
    EXPECT_FALSE(button("patchMore")->isEnabled());
    EXPECT_FALSE(seen("patchFreeze")) << "nothing is live yet";
    QSignalSpy target(bar, &PatchBar::targetToggled), channel(bar, &PatchBar::channelChosen),
        live(bar, &PatchBar::liveToggled);
    button("patchTarget")->click();
    emit channels->activated(0);
    button("patchLive")->click();
    ASSERT_EQ(target.count(), 1);
    EXPECT_TRUE(target[0][0].toBool());
    ASSERT_EQ(channel.count(), 1);
    EXPECT_EQ(channel[0][0].toInt(), 0);
    EXPECT_EQ(live.count(), 1);
}

TEST_F(PatchBarTest, LiveHasNoSteppingAndCanBeFrozen) {
    PatchesState state;
    state.live = state.canLive = true;
    state.count = 1;
    state.origin = "The run, step 12";
    showPatches(state);
    EXPECT_EQ(text<widgets::ElidedLabel>("patchOrigin"), "The run, step 12");
    EXPECT_FALSE(seen("patchNumber"));
    EXPECT_FALSE(seen("patchMore"));
    QSignalSpy chosen(bar, &PatchBar::patchChosen), frozen(bar, &PatchBar::freezeToggled);
    QTest::keyClick(bar, Qt::Key_Right);
    EXPECT_EQ(chosen.count(), 0);
    button("patchFreeze")->click();
    ASSERT_EQ(frozen.count(), 1);
    EXPECT_TRUE(frozen[0][0].toBool());
}

TEST_F(PatchBarTest, WorkHasProgressAndCancelTroubleHasTryAgain) {
    PatchesState state;
    state.work = {"The engine makes 16 patches: 4", 0.25, "an old trouble"};
    showPatches(state);
    auto* progress = bar->findChild<QProgressBar*>();
    EXPECT_TRUE(seen("patchWork"));
    EXPECT_EQ(progress->value(), progress->maximum() / 4);
    EXPECT_FALSE(seen("patchTrouble"));
    QSignalSpy cancel(bar, &PatchBar::cancelRequested), retry(bar, &PatchBar::retryRequested);
    button("patchCancel")->click();
    EXPECT_EQ(cancel.count(), 1);
    state.work.fraction = -1;
    showPatches(state);
    EXPECT_EQ(progress->maximum(), 0) << "unknown";
    state.work.what.clear();
    state.work.trouble = "input.patch: <b>larger</b> than the scan";
    showPatches(state);
    EXPECT_FALSE(seen("patchWork"));
    EXPECT_EQ(text("patchTrouble"), "input.patch: <b>larger</b> than the scan");
    EXPECT_EQ(bar->findChild<QLabel*>("patchTrouble")->textFormat(), Qt::PlainText);
    button("patchRetry")->click();
    EXPECT_EQ(retry.count(), 1);
}

TEST_F(PatchBarTest, CoverageSaysHowMuchAndOfWhat) {
    CoverageState state;
    state.steps = 10000;
    state.batch = 2;
    state.drawn = true;
    state.most = 412.3;
    state.text = "mean 12.3 samples per voxel, 4.1 % never seen";
    bar->setMode(PatchMode::Coverage);
    bar->setCoverage(state);
    auto* steps = bar->findChild<QComboBox*>("coverageSteps");
    EXPECT_EQ(steps->currentText(), "10,000 steps");
    EXPECT_TRUE(text<widgets::ElidedLabel>("coverageSamples").contains("20,000 samples"));
    EXPECT_EQ(text<widgets::ElidedLabel>("coverageText"), state.text);
    EXPECT_EQ(bar->findChild<HeatLegend*>()->mostText(), "412");
    QSignalSpy chosen(bar, &PatchBar::stepsChosen);
    emit steps->activated(0);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 100);
    state.drawn = false;
    bar->setCoverage(state);
    EXPECT_FALSE(seen("heatLegend")) << "no map, no legend";
    EXPECT_FALSE(seen("coverageText"));
}

/// Nothing is cut off in a narrow panel: the controls wrap to more lines.
TEST_F(PatchBarTest, NarrowTakesMoreLines) {
    PatchesState state = sixteen();
    state.channels = QStringList{"Channel 1", "Channel 2"};
    state.hasTarget = state.canLive = true;
    state.targetName = "Labels";
    showPatches(state);
    const int wide = bar->height();
    window.resize(210, 400);
    QTRY_VERIFY(bar->height() > wide);
    EXPECT_LE(bar->width(), 210);
    for (const char* name :
         {"patchPrevious", "patchNext", "patchMore", "patchTarget", "patchInScan", "patchLive"}) {
        const QWidget* part = button(name);
        const QRect area(part->mapTo(bar, QPoint()), part->size());
        EXPECT_TRUE(bar->rect().contains(area)) << name;
        EXPECT_GE(part->width(), part->minimumSizeHint().width()) << name;
    }
}

}  // namespace
}  // namespace highwater::desktop
