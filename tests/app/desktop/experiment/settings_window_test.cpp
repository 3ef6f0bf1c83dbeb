// The settings in the window, with the real predictor; no run is started.
#include "app/desktop/experiment/settings_page.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QMenuBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/bar/run_refusal.h"
#include "app/desktop/experiment/settings/settings_panel.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/shell/main_window.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "tests/app/desktop/window_fixture.h"
#include "widgets/controls/checked_edit.h"

namespace highwater::desktop {
namespace {

class SettingsWindow : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
        options.size = {1400, 900};
    }

    static bool settle(MainWindow& window) {
        return QTest::qWaitFor([&] { return window.predictions().settled(); }, 20000);
    }
    static QAction* action(MainWindow& window, const QKeySequence& key) {
        for (QAction* each : window.findChildren<QAction*>()) {
            if (each->shortcut() == key) {
                return each;
            }
        }
        return nullptr;
    }
    void open(MainWindow& window) {
        window.open(options);
        window.show();
        window.activateWindow();
        ASSERT_TRUE(settle(window));
    }
};

TEST_F(SettingsWindow, KeysLeadToTheSettingsAndBackToTheLayers) {
    MainWindow window(options);
    open(window);
    EXPECT_FALSE(window.settings().showsSettings());
    ASSERT_NE(action(window, QKeySequence("Ctrl+Shift+E")), nullptr);
    action(window, QKeySequence("Ctrl+Shift+E"))->trigger();
    EXPECT_TRUE(window.settings().showsSettings());
    EXPECT_EQ(QApplication::focusWidget()->objectName(), QString("Find a setting"));
    action(window, QKeySequence("Ctrl+L"))->trigger();
    EXPECT_FALSE(window.settings().showsSettings());
    EXPECT_TRUE(window.findChild<StackEditor*>()->isVisible());
}

TEST_F(SettingsWindow, APredictionFollowsASetting) {
    MainWindow window(options);
    open(window);
    ASSERT_TRUE(window.predictions().current()->prediction);
    const auto before = window.predictions().current()->prediction->peakAllocated.expected;
    auto* train = window.findChild<QCheckBox*>("/step/train");
    ASSERT_NE(train, nullptr);
    train->click();
    ASSERT_TRUE(settle(window));
    ASSERT_TRUE(window.predictions().current()->prediction);
    EXPECT_LT(window.predictions().current()->prediction->peakAllocated.expected, before);
    window.document().undoStack().undo();
    ASSERT_TRUE(settle(window));
    EXPECT_EQ(window.predictions().current()->prediction->peakAllocated.expected, before);
    EXPECT_TRUE(train->isChecked());
}

TEST_F(SettingsWindow, WhatCannotBeRunSaysWhyAndLeadsThere) {
    MainWindow window(options);
    open(window);
    EXPECT_TRUE(window.settings().refusal()->isHidden());
    window.document().edit("p", [](stack::Experiment& e) { e.step.precision = stack::Precision::Fp16; });
    ASSERT_TRUE(settle(window));
    EXPECT_TRUE(window.settings().refusal()->isVisible());
    EXPECT_TRUE(window.settings().refusal()->text().contains("not available on the CPU"));
    auto& gauge = window.findChild<ControlBar*>()->gauge();
    EXPECT_TRUE(gauge.toolTip().startsWith("No prediction: ")) << gauge.toolTip().toStdString();
    QTest::mouseClick(window.findChild<QToolButton*>("Show the refused input"), Qt::LeftButton);
    EXPECT_TRUE(window.settings().showsSettings());
    EXPECT_EQ(QApplication::focusWidget()->objectName(), QString("/step/precision"));
    window.document().undoStack().undo();
    EXPECT_TRUE(window.settings().refusal()->isHidden());
}

TEST_F(SettingsWindow, ARunNeedsFieldsThatWereTaken) {
    MainWindow window(options);
    open(window);
    auto* rate = window.findChild<widgets::CheckedEdit*>("/optimizer/lr");
    ASSERT_NE(rate, nullptr);
    window.settings().showSettings(true);
    rate->selectAll();
    QTest::keyClicks(rate, "lots");
    ASSERT_FALSE(rate->isRight());
    EXPECT_EQ(window.startRun(), "lr: " + rate->reason());
    window.settings().showSettings(false);
    EXPECT_EQ(window.startRun(), "lr: " + rate->reason()) << "also while the other page is on show";
    EXPECT_FALSE(window.running());
}

TEST_F(SettingsWindow, WhatIsTypedIsCheckedWhileItIsTyped) {
    MainWindow window(options);
    open(window);
    auto* batch = window.findChild<QSpinBox*>("Batch");
    ASSERT_NE(batch, nullptr);
    batch->setFocus();
    batch->selectAll();
    QTest::keyClicks(batch, "0");
    EXPECT_TRUE(batch->property("invalid").toBool());
    QTest::keyClick(batch, Qt::Key_Backspace);
    QTest::keyClicks(batch, "2");
    EXPECT_FALSE(batch->property("invalid").toBool());
}

TEST_F(SettingsWindow, WhatIsPredictedForDecidesWhatCanBeSet) {
    MainWindow window(options);
    open(window);
    auto* channelsLast = window.findChild<QCheckBox*>("/step/channels_last");
    EXPECT_FALSE(channelsLast->isEnabled());
    auto* target = window.findChild<QComboBox*>("Predict for");
    target->setCurrentIndex(target->findData("t4"));
    EXPECT_TRUE(channelsLast->isEnabled());
    target->setCurrentIndex(target->findData("cpu"));
    EXPECT_FALSE(channelsLast->isEnabled());
}

TEST_F(SettingsWindow, TheTabSaysHowManyAreSet) {
    MainWindow window(options);
    open(window);
    auto* tabs = window.settings().column()->findChild<QTabBar*>();
    const int before = window.settings().panel().changedFields();
    window.document().edit("s", [](stack::Experiment& e) { e.step.seed = 9; });
    EXPECT_EQ(tabs->tabText(1), QStringLiteral("Settings · %1 changed").arg(before + 1));
    tabs->setCurrentIndex(1);
    EXPECT_TRUE(window.settings().panel().isVisible());
}

TEST_F(SettingsWindow, TheNextLaunchShowsWhatThisOneDid) {
    options.quit = false;
    {
        MainWindow window(options);
        open(window);
        window.settings().showSettings(true);
        window.settings().panel().setOpenSections({"Step"});
        window.close();
    }
    MainWindow window(options);
    EXPECT_TRUE(window.settings().showsSettings());
    EXPECT_EQ(window.settings().panel().openSections(), QStringList("Step"));
}

}  // namespace
}  // namespace highwater::desktop
