#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QDropEvent>
#include <QMimeData>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/experiment/nnunet_dialog.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/prediction/difference_dialog.h"
#include "app/desktop/prediction/fit_dialog.h"
#include "app/desktop/prediction/growth_dialog.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/shell/main_window.h"
#include "core/base/file.h"
#include "core/predict/tables/contexts.h"
#include "core/predict/tables/profile.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/core/stack/onnx/onnx_text.h"
#include "tests/core/stack/pytorch/program_archive.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/plot/chart.h"
#include "widgets/plot/growth_plot.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;

const fs::path kPlans = fs::path(HIGHWATER_SOURCE_DIR) / "../shared/plans/nextou-nnUNetPlans.json";

/// The window with the real predictor.
class PredictionWindow : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
    }

    static Gauge& gauge(MainWindow& window) { return window.findChild<ControlBar*>()->gauge(); }
    static bool settle(MainWindow& window) {
        return QTest::qWaitFor([&] { return window.predictions().settled(); }, 20000);
    }
};

TEST_F(PredictionWindow, FollowsEditsAndTheDevice) {
    MainWindow window(options);
    window.open(options);
    window.show();
    ASSERT_TRUE(settle(window));
    ASSERT_TRUE(window.predictions().current()->prediction)
        << window.predictions().current()->trouble.toStdString();
    EXPECT_TRUE(gauge(window).text().startsWith("Predicted ")) << gauge(window).text().toStdString();
    const base::Bytes before = gauge(window).forecast()->expected;
    window.document().edit("batch", [](stack::Experiment& e) { e.step.batchSize *= 4; });
    ASSERT_TRUE(settle(window));
    EXPECT_NE(gauge(window).forecast()->expected, before);
    auto* plots = window.findChild<widgets::LivePlots*>();
    EXPECT_TRUE(plots->forecastOnShow());

    auto* device = window.findChild<QComboBox*>("Predict for");
    ASSERT_GT(device->count(), 5);
    device->setCurrentIndex(device->findData("t4"));
    ASSERT_TRUE(settle(window));
    EXPECT_TRUE(gauge(window).toolTip().contains("Predicted for T4"))
        << gauge(window).toolTip().toStdString();

    window.document().edit("bad", [](stack::Experiment& e) { e.stack.clear(); });
    ASSERT_TRUE(settle(window));
    EXPECT_TRUE(gauge(window).text().startsWith("No prediction")) << gauge(window).text().toStdString();
    EXPECT_FALSE(plots->forecastOnShow());
}

TEST_F(PredictionWindow, ARunIsHeldAgainstItsPrediction) {
    MainWindow window(options);
    window.open(options);
    window.show();
    auto* controls = window.findChild<ControlBar*>();
    controls->setRunOptions({.device = "cpu", .steps = 2, .warmup = 1, .budget = {}});
    ASSERT_EQ(window.startRun(), "");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.running(); }, 60000));
    ASSERT_EQ(window.lastRun()->status, wire::RunStatus::Done) << window.lastRun()->message;
    ASSERT_TRUE(settle(window));
    auto* plots = window.findChild<widgets::LivePlots*>();
    plots->flush();
    EXPECT_FALSE(plots->forecastOnShow());
    EXPECT_EQ(plots->memoryPanel().chart().scene().outlines.size(), 1u);
    EXPECT_TRUE((gauge(window).text() + ", " + gauge(window).verdict())
                    .contains(QRegularExpression(", (as )?predicted")))
        << gauge(window).text().toStdString();

    window.predictions().showDifferences(&window);
    const auto* dialog = window.findChild<DifferenceDialog*>();
    ASSERT_NE(dialog, nullptr);
    const auto* table = dialog->findChild<QTableWidget*>();
    ASSERT_GT(table->rowCount(), 8);
    EXPECT_EQ(table->item(1, 0)->text(), "peak");
    EXPECT_NE(table->item(1, 2)->text(), QStringLiteral("—"));

    window.document().edit("batch", [](stack::Experiment& e) { e.step.batchSize = 2; });
    EXPECT_TRUE(plots->forecastOnShow()) << "what is edited is what is shown";
    ASSERT_TRUE(settle(window));
    EXPECT_TRUE(gauge(window).text().startsWith("Predicted "));
    EXPECT_EQ(table->item(1, 2)->text(), QStringLiteral("—"));
    window.document().edit("bad", [](stack::Experiment& e) { e.stack.clear(); });
    EXPECT_TRUE(gauge(window).text().startsWith("No prediction")) << gauge(window).text().toStdString();
    window.document().undoStack().undo();
    window.document().undoStack().undo();
    EXPECT_FALSE(plots->forecastOnShow()) << "the run is of just that again";
    EXPECT_TRUE(gauge(window).text().startsWith("Run #1: peak ")) << gauge(window).text().toStdString();
}

/// Every view of a run says which run it is, and whether it differs from the current experiment; another
/// budget is judged at once.
TEST_F(PredictionWindow, ARunOnShowIsMarked) {
    if (base::siblingProgram("highwater-engine").empty()) {
        GTEST_SKIP() << "highwater-engine was not built";
    }
    MainWindow window(options);
    window.open(options);
    window.show();
    auto* plots = window.findChild<widgets::LivePlots*>();
    plots->flush();
    EXPECT_EQ(plots->memoryPanel().mark(), "");
    ASSERT_EQ(window.startRun(), "");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.running(); }, 60000));
    ASSERT_TRUE(settle(window));
    plots->flush();
    for (widgets::PlotPanel* panel : {&plots->memoryPanel(), &plots->peakPanel(), &plots->timePanel()}) {
        EXPECT_EQ(panel->mark(), QStringLiteral("run #1: batch 1, 24³"));
    }
    EXPECT_TRUE(plots->timePanel().note().contains("predicted ")) << plots->timePanel().note().toStdString();

    auto* controls = window.findChild<ControlBar*>();
    RunOptions run = controls->runOptions();
    run.budget = 1;
    controls->setRunOptions(run);
    emit controls->runOptionsChanged(run);
    EXPECT_EQ(gauge(window).verdict(), "over the budget");
    EXPECT_TRUE(gauge(window).text().startsWith("Predicted ")) << "the run had no budget";
    emit plots->forecastWanted(false);
    EXPECT_TRUE(gauge(window).text().startsWith("Run #1: peak ")) << gauge(window).text().toStdString();
    EXPECT_FALSE(gauge(window).text().contains(" of ")) << gauge(window).text().toStdString();
    run.budget = std::int64_t{1} << 40;
    controls->setRunOptions(run);
    emit controls->runOptionsChanged(run);
    EXPECT_EQ(gauge(window).verdict(), "fits");

    window.document().edit("batch", [](stack::Experiment& e) { e.step.batchSize = 2; });
    ASSERT_TRUE(settle(window));
    plots->flush();
    EXPECT_EQ(plots->memoryPanel().mark(), "") << "the prediction of what is edited";
    EXPECT_EQ(plots->timePanel().mark(),
              QStringLiteral("run #1: batch 1, 24³, differs from the current experiment"));
    emit plots->forecastWanted(false);
    EXPECT_EQ(gauge(window).verdict(), "differs from the current experiment");
    emit plots->forecastWanted(true);
    EXPECT_TRUE(plots->timePanel().note().contains("current experiment: "))
        << plots->timePanel().note().toStdString();
    window.document().undoStack().undo();
    plots->flush();
    EXPECT_EQ(plots->timePanel().mark(), QStringLiteral("run #1: batch 1, 24³"));
}

TEST_F(PredictionWindow, WhereItFitsIsSaidOfEveryDevice) {
    MainWindow window(options);
    window.open(options);
    window.show();
    window.document().edit("large", [](stack::Experiment& e) {
        std::get<stack::SyntheticInput>(e.input).shape = {1, 160, 160, 160};
        e.step.batchSize = 2;
    });
    auto* targets = window.findChild<TargetField*>();
    targets->setChoice({"rtx2080ti", "", ""});
    emit targets->changed(targets->choice());
    window.predictions().showFit(&window);
    auto* dialog = window.findChild<FitDialog*>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !dialog->busy(); }, 120000));
    const QTableWidget& devices = dialog->devices();
    ASSERT_EQ(devices.rowCount(), static_cast<int>(targets->targets().size()));
    EXPECT_EQ(devices.item(0, 0)->text(), "this CPU");
    int fits = 0, row = -1, last = 0;
    for (int i = 1; i < devices.rowCount(); ++i) {
        SCOPED_TRACE(devices.item(i, 0)->text().toStdString());
        EXPECT_FALSE(devices.item(i, 2)->text().isEmpty());
        const QString range = devices.item(i, 3)->text(), cudnn = devices.item(i, 4)->text();
        EXPECT_NE(range, QStringLiteral("—")) << "a range, or exact";
        EXPECT_NE(range == "exact", cudnn == "not asked") << "what is guessed is not exact";
        EXPECT_TRUE(devices.item(i, 4)->toolTip().startsWith("Workspaces of "));
        fits += devices.item(i, 5)->text() == "fits";
        row = devices.item(i, 0)->text().contains("B200") ? i : row;
        const int batch = devices.item(i, 7)->text().toInt();
        EXPECT_EQ(devices.item(i, 5)->text() == "fits", batch >= 2);
        last = batch;
    }
    EXPECT_GT(fits, 5);
    EXPECT_GT(last, 8) << "the device with the most memory comes last";

    ASSERT_GT(dialog->help().rowCount(), 3);
    QString largest;
    for (int i = 1; i < devices.rowCount(); ++i) {
        largest = devices.item(i, 0)->text().contains("2080") ? devices.item(i, 7)->text() : largest;
    }
    QStringList changes;
    for (int i = 0; i < dialog->help().rowCount(); ++i) {
        changes << dialog->help().item(i, 0)->text();
    }
    EXPECT_EQ(changes.contains("Largest batch: " + largest), largest != "2" && largest != "none");
    EXPECT_EQ(changes.filter(QRegularExpression("^Largest patch: [1-9]")).size(), 1)
        << changes.join('\n').toStdString();
    const QString change = dialog->help().item(0, 0)->text();
    const stack::Experiment before = window.document().experiment();
    emit dialog->help().cellActivated(0, 0);
    EXPECT_NE(window.document().experiment(), before);
    EXPECT_EQ(window.document().undoStack().undoText(), change);

    ASSERT_GE(row, 1);
    emit dialog->devices().cellActivated(row, 0);
    EXPECT_EQ(targets->choice().id, "b200");
}

TEST_F(PredictionWindow, GrowthIsScannedAndAClickUsesASize) {
    MainWindow window(options);
    window.open(options);
    window.show();
    window.predictions().showGrowth(&window);
    auto* dialog = window.findChild<GrowthDialog*>();
    ASSERT_NE(dialog, nullptr);
    auto* plot = dialog->findChild<widgets::GrowthPlot*>();
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return !plot->curve().points.empty() && plot->curve().points.back().value >= 500; }, 60000));
    EXPECT_EQ(plot->curve().current, 24);
    EXPECT_GT(plot->curve().points.back().expected, plot->curve().points.front().expected);
    emit plot->valueChosen(48);
    EXPECT_EQ(std::get<stack::SyntheticInput>(window.document().experiment().input).shape,
              (stack::Shape{1, 24, 24, 48}));
    window.document().undoStack().undo();
    EXPECT_EQ(std::get<stack::SyntheticInput>(window.document().experiment().input).shape,
              (stack::Shape{1, 24, 24, 24}));
}

TEST_F(PredictionWindow, KeysInHowMemoryGrowsDoNotChangeTheExperiment) {
    MainWindow window(options);
    window.open(options);
    window.show();
    window.predictions().showGrowth(&window);
    auto* dialog = window.findChild<GrowthDialog*>();
    ASSERT_NE(dialog, nullptr);
    auto* plot = dialog->findChild<widgets::GrowthPlot*>();
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return !plot->curve().points.empty() && plot->curve().points.back().value >= 500; }, 60000));
    auto* chart = plot->findChild<widgets::Chart*>();
    const stack::Experiment before = window.document().experiment();
    QList<QWidget*> fields = {chart};
    for (QSpinBox* box : dialog->findChildren<QSpinBox*>()) {
        fields << box;
    }
    ASSERT_EQ(fields.size(), 4);
    for (QWidget* field : fields) {
        field->setFocus();
        QTest::keyClick(field, Qt::Key_Return);
        EXPECT_TRUE(dialog->isVisible()) << "Return presses no button";
        EXPECT_EQ(window.document().experiment(), before);
    }
    chart->setFocus();
    QTest::keyClick(chart, Qt::Key_Escape);
    EXPECT_FALSE(dialog->isVisible());
}

TEST_F(PredictionWindow, WhatOthersHoldOfAGpuIsNotThereForARun) {
    MainWindow window(options);
    window.open(options);
    window.show();
    auto* target = window.findChild<TargetField*>();
    target->setChoice({"rtx3060", "", ""});
    emit target->changed(target->choice());
    ASSERT_TRUE(settle(window));
    const base::Bytes all = gauge(window).forecast()->capacity;
    auto* others = target->findChild<widgets::CheckedEdit*>("Others hold");
    ASSERT_NE(others, nullptr);
    others->setText("1.5 GiB");
    emit others->edited("1.5 GiB");
    ASSERT_TRUE(settle(window));
    EXPECT_EQ(gauge(window).forecast()->capacity, all - 3 * base::kGiB / 2);
    EXPECT_TRUE(gauge(window).toolTip().contains("Other programs use 1.50 GiB of the device."))
        << gauge(window).toolTip().toStdString();
    auto* device = window.findChild<QComboBox*>("Predict for");
    device->setCurrentIndex(device->findData("rtx3090"));
    ASSERT_TRUE(settle(window));
    EXPECT_EQ(target->choice().others, 3 * base::kGiB / 2) << "another GPU of the same machine";
    others->setText("");
    emit others->edited("");
    EXPECT_EQ(target->choice().others, 0);
}

TEST_F(PredictionWindow, TheContextOfAGpuIsKeptForIt) {
    ::setenv("XDG_DATA_HOME", folder.c_str(), 1);
    MainWindow window(options);
    window.open(options);
    window.show();
    auto* target = window.findChild<TargetField*>();
    auto* device = window.findChild<QComboBox*>("Predict for");
    device->setCurrentIndex(device->findData("rtx3060"));
    ASSERT_TRUE(settle(window));
    const base::Bytes own = gauge(window).forecast()->capacity;
    auto* context = target->findChild<widgets::CheckedEdit*>("CUDA context");
    ASSERT_NE(context, nullptr);
    EXPECT_EQ(context->text(), QString());
    EXPECT_TRUE(context->placeholderText().contains(" MiB to ")) << context->placeholderText().toStdString();
    context->setText("1 GiB");
    emit context->edited("1 GiB");
    ASSERT_TRUE(settle(window));
    const predict::DeviceProfile kept = predict::loadProfile("rtx3060").value();
    EXPECT_EQ(kept.context, predict::givenContext(base::kGiB));
    EXPECT_EQ(gauge(window).forecast()->capacity, kept.memory - base::kGiB);
    EXPECT_TRUE(
        gauge(window).toolTip().contains("the CUDA context is 1.00 GiB, as it was given on this machine"))
        << gauge(window).toolTip().toStdString();
    device->setCurrentIndex(device->findData("rtx3090"));
    ASSERT_TRUE(settle(window));
    EXPECT_EQ(context->text(), QString()) << "another GPU has its own";
    device->setCurrentIndex(device->findData("rtx3060"));
    ASSERT_TRUE(settle(window));
    EXPECT_EQ(context->text(), QString("1.00 GiB"));
    context->setText("");
    emit context->edited("");
    ASSERT_TRUE(settle(window));
    EXPECT_EQ(gauge(window).forecast()->capacity, own);
}

TEST_F(PredictionWindow, AnExperimentThatIsEditedDuringARunIsPredicted) {
    MainWindow window(options);
    window.open(options);
    window.show();
    auto* controls = window.findChild<ControlBar*>();
    controls->setRunOptions({.device = "cpu", .steps = 2000, .warmup = 1, .budget = {}});
    ASSERT_EQ(window.startRun(), "");
    auto* plots = window.findChild<widgets::LivePlots*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return plots->stepCount() > 0; }, 60000));
    EXPECT_FALSE(plots->forecastOnShow());
    window.document().edit("batch", [](stack::Experiment& e) { e.step.batchSize = 2; });
    EXPECT_TRUE(window.running());
    EXPECT_TRUE(plots->forecastOnShow());
    ASSERT_TRUE(settle(window));
    EXPECT_TRUE(gauge(window).text().startsWith("Predicted ")) << gauge(window).text().toStdString();
    const std::size_t steps = plots->stepCount();
    ASSERT_TRUE(QTest::qWaitFor([&] { return plots->stepCount() > steps; }, 60000)) << "the run goes on";
    EXPECT_TRUE(plots->forecastOnShow());
    EXPECT_TRUE(gauge(window).text().startsWith("Predicted ")) << gauge(window).text().toStdString();
    emit plots->forecastWanted(false);
    EXPECT_FALSE(plots->forecastOnShow()) << "the user wants to see the run";
    window.document().undoStack().undo();
    EXPECT_FALSE(plots->forecastOnShow()) << "the run is of just that again";
    controls->stopRequested();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.running(); }, 60000));
}

TEST_F(PredictionWindow, PlansAreImportedAndPredicted) {
    if (!fs::exists(kPlans)) {
        GTEST_SKIP() << kPlans << " is not there";
    }
    NnunetDialog dialog(QString::fromStdString(kPlans.string()), true);
    EXPECT_EQ(dialog.problem(), "");
    ASSERT_TRUE(dialog.imported());
    EXPECT_EQ(dialog.imported()->experiment.step.precision, stack::Precision::Fp16);
    auto* configuration = dialog.findChild<QComboBox*>("Configuration");
    EXPECT_EQ(configuration->currentText(), "3d_fullres");

    options.experiment = QString::fromStdString(kPlans.string());
    MainWindow window(options);
    window.open(options);
    EXPECT_EQ(window.loadProblem(), "");
    ASSERT_TRUE(window.document().info()) << window.document().info().error().message;
    ASSERT_TRUE(settle(window));
    EXPECT_TRUE(window.predictions().current()->prediction);
}

TEST_F(PredictionWindow, AnArchiveOfTorchExportIsImportedAndPredicted) {
    const fs::path archive = folder / "net.pt2", bad = folder / "bad.pt2";
    ASSERT_TRUE(base::writeFileAtomically(
        archive, stack::testing::newerArchive(stack::testing::smallProgram().text())));
    ASSERT_TRUE(base::writeFileAtomically(bad, "no archive"));
    MainWindow window(options);
    window.open(options);
    const stack::Experiment before = window.document().experiment();
    window.openExperiment(QString::fromStdString(archive.string()));
    EXPECT_EQ(window.loadProblem(), "");
    EXPECT_TRUE(window.notices().text().startsWith("Imported net.pt2. "))
        << window.notices().text().toStdString();
    ASSERT_TRUE(window.document().info()) << window.document().info().error().message;
    EXPECT_EQ(window.document().info()->layers.size(), 4U) << "a block with two layers, and one";
    ASSERT_TRUE(settle(window));
    EXPECT_TRUE(window.predictions().current()->prediction);
    const stack::Experiment imported = window.document().experiment();
    window.openExperiment(QString::fromStdString(bad.string()));
    EXPECT_NE(window.loadProblem(), "");
    EXPECT_EQ(window.notices().text(), window.loadProblem());
    EXPECT_EQ(window.document().experiment(), imported) << "a bad file changes nothing";
    window.document().undoStack().undo();
    EXPECT_EQ(window.document().experiment(), before);
}

TEST_F(PredictionWindow, ALargeFileIsNotReadOnTheWindowsThread) {
    const fs::path large = folder / "large.onnx";
    std::ofstream(large).close();
    fs::resize_file(large, 40 * base::kMiB);
    options.quit = false;  // a script waits for what it opens
    MainWindow window(options);
    window.open(options);
    window.openExperiment(QString::fromStdString(large.string()));
    EXPECT_TRUE(window.loading());
    EXPECT_EQ(window.notices().text(), QStringLiteral("Reading large.onnx…"));
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return window.notices().text().contains("is not an ONNX file"); }, 20000));
    EXPECT_EQ(window.notices().text(), window.loadProblem());
}

TEST_F(PredictionWindow, AnOnnxFileIsImportedAsAnArchiveIs) {
    const fs::path file = folder / "net.ONNX";
    stack::testing::OnnxText text;
    text.output(text.batchNorm("norm", text.conv("conv", "x", 1, 4), 4));
    ASSERT_TRUE(base::writeFileAtomically(file, text.bytes()));
    MainWindow window(options);
    window.open(options);
    QMimeData dragged;
    dragged.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.string()))});
    QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QDropEvent drop(QPointF(9, 9), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    EXPECT_EQ(window.loadProblem(), "");
    EXPECT_TRUE(window.notices().text().startsWith("Imported net.ONNX. ONNX does not say"))
        << window.notices().text().toStdString();
    ASSERT_TRUE(window.document().info()) << window.document().info().error().message;
    EXPECT_EQ(window.document().info()->layers.size(), 2U);
}

TEST_F(PredictionWindow, ABadPlansFileIsALine) {
    const fs::path bad = folder / "nnUNetPlans.json";
    ASSERT_TRUE(base::writeFileAtomically(
        bad, R"({"configurations": {"3d_fullres": {"UNet_class_name": "PlainConvUNet"}}})"));
    ASSERT_TRUE(isNnunetPlans(QString::fromStdString(bad.string())));
    options.experiment = QString::fromStdString(bad.string());
    MainWindow window(options);
    window.open(options);
    EXPECT_NE(window.loadProblem(), "");
    EXPECT_EQ(window.notices().text(), window.loadProblem());
}

}  // namespace
}  // namespace highwater::desktop
