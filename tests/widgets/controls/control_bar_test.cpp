#include "widgets/controls/control_bar.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTest>

#include "tests/widgets/qt_main.h"
#include "tests/widgets/stack/stacks.h"
#include "widgets/controls/control_fields.h"
#include "widgets/stack/checked_edit.h"

HIGHWATER_QT_MAIN()

namespace highwater::widgets {
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
        auto* edit = field<CheckedEdit>(name);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    QPushButton* button(const QString& text) {
        for (QPushButton* b : bar.findChildren<QPushButton*>())
            if (b->text() == text)
                return b;
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
    EXPECT_EQ(patchOf(document.experiment()), (stack::Sizes{24, 24, 24}));
    type("Patch", "8x16x24");
    EXPECT_EQ(patchOf(document.experiment()), (stack::Sizes{8, 16, 24}));
    const int steps = document.undoStack().count();
    EXPECT_EQ(steps, 1);
    type("Patch", "8x0");
    EXPECT_FALSE(field<CheckedEdit>("Patch")->isRight());
    document.edit("", [](stack::Experiment& e) { e.input.emplace<stack::ScanInput>().scans = {"a.nii"}; });
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
    EXPECT_FALSE(field<CheckedEdit>("Budget")->isRight());
    EXPECT_TRUE(bar.problem().startsWith("Budget: ")) << bar.problem().toStdString();
    field<CheckedEdit>("Budget")->selectAll();
    QTest::keyClick(field<CheckedEdit>("Budget"), Qt::Key_Delete);
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
}

TEST_F(ControlBarTest, ADeviceThatIsGoneFallsBackToTheCpu) {
    bar.setDevices({{"cpu", "CPU"}, {"cuda", "RTX 3060 12 GB"}});
    field<QComboBox>("Device")->setCurrentIndex(1);
    EXPECT_EQ(bar.runOptions().device, QString("cuda"));
    bar.setDevices({{"cuda", "RTX 3060 12 GB"}});
    EXPECT_EQ(bar.runOptions().device, QString("cuda"));
    bar.setDevices({});
    EXPECT_EQ(bar.runOptions().device, QString("cpu"));
}

TEST_F(ControlBarTest, EverythingLiesWithinTheBarAtEveryWidth) {
    for (const int width : {1600, 1280, 1000, 700}) {
        bar.resize(width, bar.heightForWidth(width));
        QCoreApplication::processEvents();
        for (const QWidget* child : bar.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            EXPECT_TRUE(bar.rect().contains(child->geometry()))
                << width << " " << child->metaObject()->className();
    }
}

TEST_F(ControlBarTest, TheGaugeSaysWhatIsKnown) {
    auto* gauge = bar.findChild<Gauge*>();
    EXPECT_TRUE(gauge->text().contains("press Run"));
    bar.setGauge({2 * base::kGiB, 3 * base::kGiB, true, false});
    EXPECT_EQ(gauge->text(), QString("Peak 2.00 GiB of 3.00 GiB"));
    bar.setGauge({2 * base::kGiB, std::nullopt, false, false});
    EXPECT_EQ(gauge->text(), QString("Peak 2.00 GiB"));
    bar.setProgress(3, 20);
    EXPECT_FALSE(bar.grab().isNull());
}

}  // namespace
}  // namespace highwater::widgets
