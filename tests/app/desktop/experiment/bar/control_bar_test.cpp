#include "app/desktop/experiment/bar/control_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTest>
#include <QWheelEvent>

#include "app/desktop/experiment/bar/control_fields.h"
#include "core/stack/shapes.h"
#include "tests/app/desktop/experiment/stack/stacks.h"
#include "tests/widgets/qt_main.h"
#include "widgets/controls/checked_edit.h"

HIGHWATER_QT_MAIN()

namespace highwater::desktop {
namespace {

class ControlBarTest : public ::testing::Test {
protected:
    void SetUp() override {
        document.reset(testing::experimentFrom("conv relu"));
        bar.resize(1600, 60);
        bar.show();
        QCoreApplication::processEvents();
    }
    template <class T>
    T* field(const char* name) {
        return bar.findChild<T*>(name);
    }
    void type(const char* name, const QString& text) {
        auto* edit = field<widgets::CheckedEdit>(name);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    QPushButton* button(const QString& text) {
        for (QPushButton* b : bar.findChildren<QPushButton*>()) {
            if (b->text() == text) {
                return b;
            }
        }
        return nullptr;
    }

    ExperimentDocument document;
    ControlBar bar{document};
};

TEST_F(ControlBarTest, RunAndStopFollowStateAndValidity) {
    QSignalSpy run(&bar, &ControlBar::runRequested);
    QSignalSpy stop(&bar, &ControlBar::stopRequested);
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QTest::mouseClick(button("Stop"), Qt::LeftButton);
    EXPECT_EQ(run.count(), 1);
    EXPECT_EQ(stop.count(), 0);
    bar.setRunning(true);
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QTest::mouseClick(button("Stop"), Qt::LeftButton);
    EXPECT_EQ(run.count(), 1);
    EXPECT_EQ(stop.count(), 1);
    bar.setRunning(false);
    document.edit("", [](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {99}; });
    EXPECT_FALSE(button("Run")->isEnabled());
    EXPECT_TRUE(button("Run")->toolTip().contains("kernel"));
}

TEST_F(ControlBarTest, PatchTakesOneNumberOrAllAxes) {
    type("Patch", "24");
    EXPECT_EQ(stack::patchOf(document.experiment()), (stack::Sizes{24, 24, 24}));
    type("Patch", "8x16x24");
    EXPECT_EQ(stack::patchOf(document.experiment()), (stack::Sizes{8, 16, 24}));
    const int steps = document.undoStack().count();
    EXPECT_EQ(steps, 1);
    type("Patch", "8x0");
    EXPECT_FALSE(field<widgets::CheckedEdit>("Patch")->isRight());
    document.edit(
        "", [](stack::Experiment& e) { e.input.emplace<stack::ScanInput>().scans = {{"a.nii", {}, 0}}; });
    type("Patch", "32");
    EXPECT_EQ(std::get<stack::ScanInput>(document.experiment().input).patch, (stack::Sizes{32, 32, 32}));
}

TEST_F(ControlBarTest, BatchIsAnUndoableEdit) {
    field<QSpinBox>("Batch")->setValue(4);
    EXPECT_EQ(document.experiment().step.batchSize, 4);
    document.undoStack().undo();
    EXPECT_EQ(field<QSpinBox>("Batch")->value(), 1);
}

TEST_F(ControlBarTest, OnlySupportedPrecisionsCanBeChosen) {
    auto* model = qobject_cast<QStandardItemModel*>(field<QComboBox>("Precision")->model());
    ASSERT_NE(model, nullptr);
    EXPECT_TRUE(model->item(0)->isEnabled());
    for (int i = 1; i < model->rowCount(); ++i) {
        EXPECT_FALSE(model->item(i)->isEnabled());
        EXPECT_FALSE(model->item(i)->toolTip().isEmpty());
    }
}

TEST_F(ControlBarTest, AGpuCanBePredictedWithEveryPrecisionButTheCpuRunsOnlyFp32) {
    bar.target().setTargets({{"h100", "NVIDIA H100 80 GB"}});
    auto* device = field<QComboBox>("Predict for");
    ASSERT_EQ(device->count(), 2);
    QSignalSpy changed(&bar.target(), &TargetField::changed);
    device->setCurrentIndex(1);
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(bar.target().choice().id, QString("h100"));
    auto* model = qobject_cast<QStandardItemModel*>(field<QComboBox>("Precision")->model());
    EXPECT_TRUE(model->item(2)->isEnabled());
    field<QComboBox>("Precision")->setCurrentIndex(2);
    EXPECT_EQ(document.experiment().step.precision, stack::Precision::Bf16);
    EXPECT_FALSE(button("Run")->isEnabled());
    EXPECT_TRUE(button("Run")->toolTip().contains("fp32"));
}

TEST_F(ControlBarTest, AGpuRunsEveryPrecision) {
    bar.setDevices({{"cuda:0", "NVIDIA T4"}});
    auto* model = qobject_cast<QStandardItemModel*>(field<QComboBox>("Precision")->model());
    auto* device = field<QComboBox>("Run on");
    device->setCurrentIndex(device->findData("cuda:0"));
    EXPECT_TRUE(model->item(2)->isEnabled());
    field<QComboBox>("Precision")->setCurrentIndex(2);
    EXPECT_TRUE(button("Run")->isEnabled());
    device->setCurrentIndex(device->findData("cpu"));
    EXPECT_FALSE(model->item(2)->isEnabled());
    EXPECT_FALSE(button("Run")->isEnabled());
}

TEST_F(ControlBarTest, TargetsThatAreGoneFallBack) {
    bar.target().setVersions({"2.11", "2.4", "1.13"}, "2.11", {"9.15", "8.9"});
    bar.target().setTargets({{"h100", "H100"}, {"t4", "T4"}});
    bar.target().setChoice({"t4", "2.4", "8.9"});
    EXPECT_EQ(bar.target().choice(), (TargetChoice{"t4", "2.4", "8.9"}));
    EXPECT_TRUE(field<QComboBox>("LibTorch")->isEnabled() || !bar.target().isVisible());
    bar.target().setChoice({"t4", "9.9", "1.1"});
    EXPECT_EQ(bar.target().choice(), (TargetChoice{"t4", "", ""}));
    bar.target().setTargets({{"h100", "H100"}});
    EXPECT_EQ(bar.target().choice().id, QString("cpu"));
}

TEST_F(ControlBarTest, DraggingALabelStepsItsField) {
    document.reset(testing::experimentFrom("conv:a max_pool conv upsample concat=a conv"));
    QLabel* patch = nullptr;
    for (QLabel* label : bar.findChildren<QLabel*>()) {
        patch = label->text() == "Patch" ? label : patch;
    }
    ASSERT_NE(patch, nullptr);
    const auto move = [&](QEvent::Type type, double x) {
        QMouseEvent event(type, {x, 3}, {x, 3}, Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(patch, &event);
    };
    move(QEvent::MouseButtonPress, 10);
    for (int x = 11; x <= 22; ++x) {
        move(QEvent::MouseMove, x);
    }
    move(QEvent::MouseButtonRelease, 22);
    EXPECT_EQ(stack::patchOf(document.experiment()), (stack::Sizes{32, 32, 32}))
        << "12 points are two steps of 8";
    EXPECT_EQ(document.undoStack().count(), 1) << "gathered";
    move(QEvent::MouseMove, 80);
    EXPECT_EQ(stack::patchOf(document.experiment()), (stack::Sizes{32, 32, 32}))
        << "not while the button is up";
}

TEST_F(ControlBarTest, PatchesStepToSizesThatTheStackAccepts) {
    auto e = testing::experimentFrom("conv:a max_pool max_pool max_pool max_pool max_pool upsample concat=a");
    for (std::size_t i = 1; i <= 5; ++i) {
        std::get<stack::Pool>(e.stack[i].op).kernelSize = {2};
    }
    std::get<stack::Upsample>(e.stack[6].op).scaleFactor = {32};
    e.input = stack::SyntheticInput{{1, 64, 64, 64}};
    ASSERT_TRUE(stack::inferShapes(e));
    EXPECT_EQ(steppedPatch(e, {64, 64, 64}, 1), (stack::Sizes{96, 96, 96}));
    EXPECT_EQ(steppedPatch(e, {64, 64, 64}, -1), (stack::Sizes{32, 32, 32}));
    EXPECT_EQ(steppedPatch(e, {64, 32, 96}, 2), (stack::Sizes{128, 96, 160}));
    EXPECT_EQ(steppedPatch(e, {32, 32, 32}, -1), (stack::Sizes{24, 24, 24})) << "nothing smaller fits";
}

TEST_F(ControlBarTest, TheWheelStepsAFieldThatHasTheFocus) {
    auto* patch = field<widgets::CheckedEdit>("Patch");
    const auto turn = [&](int by) {
        QWheelEvent event({5, 5}, {5, 5}, {}, {0, by}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(patch, &event);
    };
    bar.activateWindow();
    field<QSpinBox>("Batch")->setFocus();
    turn(120);
    EXPECT_EQ(stack::patchOf(document.experiment()), (stack::Sizes{16, 16, 16}));
    patch->setFocus();
    turn(60);
    EXPECT_EQ(stack::patchOf(document.experiment()), (stack::Sizes{16, 16, 16})) << "half a notch";
    turn(60);
    EXPECT_EQ(stack::patchOf(document.experiment()), (stack::Sizes{24, 24, 24}));
}

TEST_F(ControlBarTest, RunOptionsAreKeptExactlyAndAreNotPartOfTheExperiment) {
    QSignalSpy changed(&bar, &ControlBar::runOptionsChanged);
    RunOptions options{"cuda:1", 33, 0, base::Bytes{2'362'232'013}};
    bar.setRunOptions(options);
    EXPECT_EQ(bar.runOptions(), options);
    field<QSpinBox>("Steps")->setValue(34);
    EXPECT_EQ(bar.runOptions().budget, base::Bytes{2'362'232'013}) << "shown rounded, kept exactly";
    EXPECT_EQ(bar.runOptions().steps, 34);
    type("Budget", "1.5 GiB");
    EXPECT_EQ(bar.runOptions().budget, base::kGiB * 3 / 2);
    type("Budget", "12 parsecs");
    EXPECT_FALSE(field<widgets::CheckedEdit>("Budget")->isRight());
    EXPECT_EQ(field<widgets::CheckedEdit>("Budget")->text(), "12 parsecs");
    EXPECT_EQ(bar.runOptions().budget, std::nullopt) << "not the 12 PiB that were read on the way";
    EXPECT_TRUE(bar.problem().startsWith("Budget: ")) << bar.problem().toStdString();
    field<widgets::CheckedEdit>("Budget")->selectAll();
    QTest::keyClick(field<widgets::CheckedEdit>("Budget"), Qt::Key_Delete);
    EXPECT_EQ(bar.runOptions().budget, std::nullopt);
    EXPECT_EQ(bar.problem(), "");
    EXPECT_GT(changed.count(), 2);
    EXPECT_EQ(document.undoStack().count(), 0);
}

TEST_F(ControlBarTest, ATypedBudgetStaysInItsField) {
    auto* budget = bar.findChild<QLineEdit*>("Budget");
    ASSERT_NE(budget, nullptr);
    bar.show();
    bar.activateWindow();
    budget->setFocus();
    QTest::keyClicks(budget, "1.5GiB");
    EXPECT_EQ(budget->text(), "1.5GiB") << "as typed, while it is typed";
    bar.findChild<QSpinBox*>("Steps")->setFocus();
    EXPECT_EQ(bar.runOptions().budget, base::kGiB * 3 / 2);
    EXPECT_EQ(budget->text(), "1.50 GiB");
    budget->setFocus();
    budget->selectAll();
    QTest::keyClick(budget, Qt::Key_Delete);
    bar.findChild<QSpinBox*>("Steps")->setFocus();
    EXPECT_FALSE(bar.runOptions().budget);
    EXPECT_EQ(budget->text(), "");
    budget->setFocus();
    QTest::keyClicks(budget, "12 potato");
    EXPECT_FALSE(bar.runOptions().budget);
    budget->selectAll();
    QTest::keyClick(budget, Qt::Key_Delete);
    bar.findChild<QSpinBox*>("Steps")->setFocus();
    EXPECT_EQ(budget->text(), "") << "12 p, which was typed on the way, is 12 PiB";
    bar.findChild<QSpinBox*>("Steps")->setValue(7);
    EXPECT_FALSE(bar.runOptions().budget);
}

TEST_F(ControlBarTest, ADeviceThatIsGoneFallsBackToTheCpu) {
    bar.setDevices({{"cpu", "CPU"}, {"cuda", "RTX 3060 12 GB"}});
    field<QComboBox>("Run on")->setCurrentIndex(1);
    EXPECT_EQ(bar.runOptions().device, QString("cuda"));
    bar.setDevices({{"cuda", "RTX 3060 12 GB"}});
    EXPECT_EQ(bar.runOptions().device, QString("cuda"));
    bar.setDevices({});
    EXPECT_EQ(bar.runOptions().device, QString("cpu"));
}

TEST_F(ControlBarTest, ADeviceThatCannotRunIsShownAndSaysWhy) {
    bar.setDevices({{"cuda:0", "H200", "NVIDIA H200, 140 GiB"},
                    {"cuda:1", "T4", "NVIDIA T4", "the driver is too old"},
                    {"", "K80", {}, "it has fallen off the bus"},
                    {"", "K80", {}, "it has fallen off the bus"}});
    auto* combo = field<QComboBox>("Run on");
    ASSERT_EQ(combo->count(), 5);
    auto* model = qobject_cast<QStandardItemModel*>(combo->model());
    EXPECT_TRUE(model->item(0)->isEnabled());
    EXPECT_TRUE(model->item(1)->isEnabled());
    EXPECT_EQ(model->item(1)->toolTip(), QString("NVIDIA H200, 140 GiB"));
    for (const int i : {2, 3, 4}) {
        EXPECT_FALSE(model->item(i)->isEnabled());
    }
    EXPECT_EQ(model->item(2)->toolTip(), QString("the driver is too old"));
    combo->setCurrentIndex(1);
    EXPECT_EQ(bar.runOptions().device, QString("cuda:0"));
    bar.setDevices({{"cuda:0", "H200", {}, "its driver was unloaded"}});
    EXPECT_EQ(bar.runOptions().device, QString("cpu"));
}

TEST_F(ControlBarTest, EverythingLiesWithinTheBarAtEveryWidth) {
    for (const int width : {1600, 1280, 1000, 700}) {
        bar.resize(width, bar.heightForWidth(width));
        QCoreApplication::processEvents();
        for (const QWidget* child : bar.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            EXPECT_TRUE(bar.rect().contains(child->geometry()))
                << width << " " << child->metaObject()->className();
        }
    }
}

TEST_F(ControlBarTest, TheGaugeSaysWhatIsKnown) {
    auto* gauge = bar.findChild<Gauge*>();
    EXPECT_TRUE(gauge->text().contains("Predicting"));
    bar.setGauge({2 * base::kGiB, 3 * base::kGiB, true, false});
    EXPECT_EQ(gauge->text(), QString("Peak 2.00 GiB of 3.00 GiB"));
    bar.setGauge({2 * base::kGiB, std::nullopt, false, false});
    EXPECT_EQ(gauge->text(), QString("Peak 2.00 GiB"));
    bar.setProgress(3, 20);
    EXPECT_FALSE(bar.grab().isNull());
}

}  // namespace
}  // namespace highwater::desktop
