#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <QTimer>
#include <filesystem>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/run/compare_dialog.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/scan/recent_scans.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/paths.h"
#include "core/runs/trace_store.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/plot/device_strip.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/scan/panel/scan_panel.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using highwater::test::waitUntil;

/// The window with its own store and the real engine.
class WindowTest : public highwater::test::WindowFixture {
protected:
    void TearDown() override {
        if (const int left = fs::exists(options.store / "runs") ? enginePid(options.store) : 0; left > 0) {
            kill(left, SIGKILL);  // a failed test must not leave an engine running
        }
        QSettings().remove("run");  // stored for the process: the next test would run as many steps
        WindowFixture::TearDown();
    }

    /// A small, saved experiment that keeps the engine busy for `batch` samples per step.
    QString experiment(std::int64_t batch = 1) {
        auto e = (*stack::loadPresets()).front().experiment;
        e.input = stack::SyntheticInput{{1, 24, 24, 24}};
        e.step.batchSize = batch;
        const fs::path path = folder / "experiment.json";
        EXPECT_TRUE(stack::saveExperiment(e, path));
        return QString::fromStdString(path.string());
    }
    static void setRun(MainWindow& window, int steps, std::optional<base::Bytes> budget = {});
    static int enginePid(const fs::path& store) {
        for (const auto& run : fs::directory_iterator(store / "runs")) {
            const auto text = base::readFile(run.path() / "state.json");
            const auto json =
                text ? base::parseJson(*text, "state") : base::Result<base::Json>(base::Error{});
            if (!json || json->value("state", "") != "running" || !json->contains("owner")) {
                continue;
            }
            if ((*json)["owner"].value("role", "") == "engine") {
                return (*json)["owner"].value("pid", 0);
            }
        }
        return 0;
    }
};

void WindowTest::setRun(MainWindow& window, int steps, std::optional<base::Bytes> budget) {
    auto* controls = window.findChild<ControlBar*>();
    ASSERT_NE(controls, nullptr);
    RunOptions run = controls->runOptions();
    run.steps = steps;
    run.warmup = 1;
    run.budget = budget;
    controls->setRunOptions(run);
}

TEST_F(WindowTest, RunsAnExperimentToItsEndAndKeepsIt) {
    options.experiment = experiment();
    MainWindow window(options);
    window.open(options);
    ASSERT_EQ(window.loadProblem(), "");
    setRun(window, 4);
    ASSERT_EQ(window.startRun(), "");
    EXPECT_NE(window.startRun(), "") << "one run at a time";
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    ASSERT_TRUE(window.lastRun());
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Done) << window.lastRun()->message;
    EXPECT_EQ(window.lastRun()->stepMs.n, 4);
    EXPECT_EQ(window.findChild<widgets::LivePlots*>()->stepCount(), 5u);
    ASSERT_TRUE(waitUntil([&] { return window.store().rows().size() == 1; }));

    QString problem = "unsaid";
    const fs::path report = folder / "a report.html";
    window.saveReport({window.lastRun()->id}, QString::fromStdString(report.string()),
                      [&](const QString& p) { problem = p; });
    ASSERT_TRUE(waitUntil([&] { return problem != "unsaid"; }));
    EXPECT_EQ(problem, "");
    EXPECT_THAT(*base::readFile(report), HasSubstr("<svg"));

    problem = "unsaid";
    const fs::path pdf = folder / "a report.pdf";
    window.saveReport({window.lastRun()->id}, QString::fromStdString(pdf.string()),
                      [&](const QString& p) { problem = p; });
    ASSERT_TRUE(waitUntil([&] { return problem != "unsaid"; }));
    EXPECT_EQ(problem, "");
    EXPECT_THAT(*base::readFile(pdf), ::testing::StartsWith("%PDF-"));
}

TEST_F(WindowTest, TheExportMenuNamesEveryFormat) {
    MainWindow window(options);
    QStringList lines;
    for (const QMenu* menu : window.findChildren<QMenu*>()) {
        if (menu->title() == "Export") {
            for (const QAction* action : menu->actions()) {
                lines << action->text();
            }
        }
    }
    const std::string all = lines.join('\n').toStdString();
    for (const char* ending : {"(.py)", "(.html)", "(.pdf)", "(.csv)", "(.json)"}) {
        EXPECT_THAT(all, HasSubstr(ending));
    }
}

TEST_F(WindowTest, LivesOnWhenTheEngineIsKilled) {
    options.experiment = experiment(4);
    MainWindow window(options);
    window.open(options);
    setRun(window, 100000);
    ASSERT_EQ(window.startRun(), "");
    auto* plots = window.findChild<widgets::LivePlots*>();
    ASSERT_TRUE(waitUntil([&] { return plots->stepCount() > 2; }));
    const int pid = enginePid(options.store);
    ASSERT_GT(pid, 0);
    ASSERT_EQ(kill(pid, SIGKILL), 0);
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    ASSERT_TRUE(window.lastRun());
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Failed);
    EXPECT_THAT(window.lastRun()->message, HasSubstr("signal 9"));
    EXPECT_GT(window.lastRun()->peakAllocated, 0) << "The measurements so far are kept";
    EXPECT_THAT(window.notices().text().toStdString(), HasSubstr("signal 9"));

    setRun(window, 2);
    ASSERT_EQ(window.startRun(), "");
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Done) << window.lastRun()->message;
    ASSERT_TRUE(waitUntil([&] { return window.store().rows().size() == 2; }));
}

TEST_F(WindowTest, StopsWhenAsked) {
    options.experiment = experiment(4);
    MainWindow window(options);
    window.open(options);
    setRun(window, 100000);
    ASSERT_EQ(window.startRun(), "");
    auto* plots = window.findChild<widgets::LivePlots*>();
    ASSERT_TRUE(waitUntil([&] { return plots->stepCount() > 1; }));
    window.stopRun();
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Cancelled);
}

TEST_F(WindowTest, StopsARunThatIsBeingStarted) {
    options.experiment = experiment(4);
    MainWindow window(options);
    window.open(options);
    setRun(window, 100000);
    ASSERT_EQ(window.startRun(), "");
    window.stopRun();  // there is no engine yet
    EXPECT_TRUE(window.findChild<ControlBar*>()->gauge().state().stopping);
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    ASSERT_TRUE(window.lastRun()) << window.notices().text().toStdString();
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Cancelled) << window.lastRun()->message;
}

TEST_F(WindowTest, WhatIsEndedAtOnceWasStoppedAndDidNotFail) {
    options.experiment = experiment(4);
    MainWindow window(options);
    window.open(options);
    setRun(window, 100000);
    ASSERT_EQ(window.startRun(), "");
    auto* plots = window.findChild<widgets::LivePlots*>();
    ASSERT_TRUE(waitUntil([&] { return plots->stepCount() > 1; }));
    ASSERT_EQ(kill(enginePid(options.store), SIGSTOP), 0);  // so that it does not stop by itself
    window.stopRun();
    window.stopRun();
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Cancelled) << window.lastRun()->message;
    EXPECT_THAT(window.notices().text().toStdString(), Not(HasSubstr("signal")));
}

TEST_F(WindowTest, WhatCannotFitThisMachineIsAskedForTwice) {
    options.experiment = experiment();
    MainWindow window(options);
    window.show();
    window.open(options);
    setRun(window, 1);
    const stack::Experiment small = window.document().experiment();
    window.document().edit("large", [](stack::Experiment& e) { e.step.batchSize = 100'000; });
    auto& gauge = window.findChild<ControlBar*>()->gauge();
    ASSERT_TRUE(waitUntil([&] { return gauge.verdict() == "does not fit"; }))
        << gauge.text().toStdString() << gauge.verdict().toStdString();
    window.findChild<LivePage*>()->press();
    ASSERT_TRUE(waitUntil([&] { return window.notices().text().endsWith("to run anyway."); }));
    EXPECT_FALSE(window.running());
    window.document().edit("small", [&](stack::Experiment& e) { e = small; });
    ASSERT_TRUE(waitUntil([&] { return gauge.verdict() == "fits"; })) << gauge.verdict().toStdString();
    window.findChild<LivePage*>()->press();
    ASSERT_TRUE(waitUntil([&] { return window.running(); }));
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
}

TEST_F(WindowTest, ClosingInTheMiddleOfARunAsks) {
    options.experiment = experiment(4);
    MainWindow window(options);
    window.open(options);
    window.show();
    setRun(window, 100000);
    ASSERT_EQ(window.startRun(), "");
    auto* plots = window.findChild<widgets::LivePlots*>();
    ASSERT_TRUE(waitUntil([&] { return plots->stepCount() > 1; }));
    const auto closeAnswering = [&](const QString& answer) {
        QTimer::singleShot(200, &window, [answer] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            ASSERT_TRUE(box) << "nothing was asked";
            for (QAbstractButton* button : box->buttons()) {
                if (button->text().remove('&') == answer) {
                    return button->click();
                }
            }
            ADD_FAILURE() << answer.toStdString();
            box->reject();
        });
        return window.close();
    };
    EXPECT_FALSE(closeAnswering("Cancel"));
    EXPECT_TRUE(window.isVisible() && window.running());
    EXPECT_TRUE(closeAnswering("Stop it"));
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Cancelled);
}

TEST(NoticeBar, AMessageThatCanWaitComesNext) {
    using About = widgets::NoticeBar::About;
    widgets::NoticeBar bar;
    bar.show(widgets::NoticeBar::Kind::Warning, "first");
    bar.showNext(widgets::NoticeBar::Kind::Info, "offer", About::Prediction, "Do it");
    EXPECT_EQ(bar.text(), "first");
    bar.dismiss();
    EXPECT_EQ(bar.text(), "offer");
    bar.withdraw({About::Prediction});
    EXPECT_EQ(bar.text(), "");
    bar.showNext(widgets::NoticeBar::Kind::Info, "at once", About::Prediction);
    EXPECT_EQ(bar.text(), "at once");
    bar.show(widgets::NoticeBar::Kind::Warning, "another");
    bar.showNext(widgets::NoticeBar::Kind::Info, "past", About::Prediction);
    bar.withdraw({About::Prediction});
    bar.dismiss();
    EXPECT_EQ(bar.text(), "") << "what it said is past";
}

TEST_F(WindowTest, APresetSaysThatItSetsTheBatch) {
    options.experiment = experiment(6);
    MainWindow window(options);
    window.open(options);
    auto* editor = window.findChild<StackEditor*>();
    emit editor->presetsMenu()->aboutToShow();
    QAction* preset = editor->presetsMenu()->actions().front();
    preset->trigger();
    const auto batch = window.document().experiment().step.batchSize;
    ASSERT_NE(batch, 6);
    EXPECT_EQ(window.notices().text(),
              QString("Preset opened: %1; batch size changed from 6 to %2. Ctrl+Z to undo.")
                  .arg(preset->text())
                  .arg(batch));
    window.document().undoStack().undo();
    EXPECT_EQ(window.notices().text(), "");
    EXPECT_EQ(window.document().experiment().step.batchSize, 6);
}

TEST_F(WindowTest, ARefusalGoesWithItsCause) {
    options.experiment = experiment();
    MainWindow window(options);
    window.show();
    window.open(options);
    ASSERT_TRUE(waitUntil([&] { return window.settled(); }));
    window.notices().dismiss();  // the notice that nothing has been measured on this machine
    auto& controls = *window.findChild<ControlBar*>();
    auto* budget = controls.findChild<QLineEdit*>("Budget");
    budget->setText({});
    QTest::keyClicks(budget, "12 potato");
    window.findChild<LivePage*>()->press();
    ASSERT_TRUE(waitUntil([&] { return window.notices().text().startsWith("Budget: "); }));
    EXPECT_FALSE(controls.runOptions().budget);
    budget->selectAll();
    QTest::keyClicks(budget, "2GiB");
    EXPECT_EQ(window.notices().text(), "");
}

TEST_F(WindowTest, WhatCannotRunIsNotStarted) {
    options.experiment = experiment();
    MainWindow window(options);
    window.show();
    window.open(options);
    window.document().edit("Unknown", [](stack::Experiment& e) {
        stack::Unknown unknown{"cumsum", stack::inferShapes(e)->output, {}};
        unknown.shape.front() = 1;
        e.stack.push_back({"", unknown});
    });
    EXPECT_TRUE(window.startRun().startsWith("no layer represents cumsum"))
        << window.startRun().toStdString();
    EXPECT_FALSE(window.running());
    auto& gauge = window.findChild<ControlBar*>()->gauge();
    ASSERT_TRUE(waitUntil([&] { return gauge.text().startsWith("At least "); }));
    EXPECT_EQ(gauge.verdict(), "some operators are unknown");
}

TEST_F(WindowTest, ABudgetThatIsTypedDuringARunIsJudgedWhenItEnds) {
    options.experiment = experiment();
    MainWindow window(options);
    window.show();
    window.open(options);
    setRun(window, 2);
    ASSERT_EQ(window.startRun(), "");
    auto& controls = *window.findChild<ControlBar*>();
    RunOptions run = controls.runOptions();
    run.budget = base::kMiB;
    controls.setRunOptions(run);
    emit controls.runOptionsChanged(run);
    ASSERT_TRUE(window.running());
    ASSERT_TRUE(waitUntil([&] { return window.lastRun() && window.settled(); }));
    EXPECT_EQ(controls.gauge().verdict(), "over the budget");
    auto* live = window.findChild<LivePage*>();
    EXPECT_FALSE(live->runOnShow());
    emit live->plots()->forecastWanted(false);
    EXPECT_TRUE(controls.gauge().text().startsWith("Run #1: peak ")) << controls.gauge().text().toStdString();
    ExperimentDocument& document = window.document();
    document.edit("a batch", [](stack::Experiment& e) { e.step.batchSize = 2; });
    document.undoStack().undo();
    EXPECT_FALSE(live->runOnShow()) << "what is edited is what ran again, but not with this budget";
    run.budget.reset();
    controls.setRunOptions(run);
    emit controls.runOptionsChanged(run);
    EXPECT_TRUE(live->runOnShow());
}

TEST_F(WindowTest, SaysWhereTheBudgetWasPassed) {
    options.experiment = experiment(2);
    MainWindow window(options);
    window.open(options);
    setRun(window, 3, 2 * base::kMiB);
    ASSERT_EQ(window.startRun(), "");
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::OutOfMemory);
    EXPECT_THAT(window.notices().text().toStdString(), HasSubstr("out of memory"));
    const auto& strip = window.findChild<widgets::LivePlots*>()->deviceStrip();
    EXPECT_THAT(strip.status().failure.toStdString(), HasSubstr("over the budget of 2.00 MiB"));
    EXPECT_FALSE(window.notices().text().contains("requested")) << "told in full once";

    // When it is viewed later, it is the same picture: the whole step until then.
    auto* plots = window.findChild<widgets::LivePlots*>();
    plots->flush();
    const auto seen = plots->memoryPanel().chart().scene();
    ASSERT_GT(seen.columns.size(), 1U);
    auto* live = window.findChild<LivePage*>();
    const std::string id = window.lastRun()->id;
    live->forget({id});
    EXPECT_FALSE(live->shown());
    const auto record = runs::RunStore::open(options.store)->load(id);
    ASSERT_TRUE(record) << record.error().message;
    live->show(*record);
    plots->flush();
    const auto& later = plots->memoryPanel().chart().scene();
    EXPECT_DOUBLE_EQ(later.to, seen.to);
    EXPECT_EQ(later.columns.size(), seen.columns.size());
    EXPECT_EQ(later.markers.size(), seen.markers.size());

    // And in its timeline.
    const auto trace = runs::readTrace(options.store / "runs" / id);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->budget, 2 * base::kMiB);
    EXPECT_EQ(trace->warmup, 1);
    ASSERT_EQ(trace->refusals.size(), 1U);
    EXPECT_EQ(trace->refusals[0].event, trace->events.size());
    EXPECT_EQ(trace->refusals[0].asked, record->result.failure->requested);
    EXPECT_GT(trace->refusals[0].asked, 0);
}

TEST_F(WindowTest, ABadFileIsALineNotACrash) {
    options.experiment = QString::fromStdString((folder / "none.json").string());
    MainWindow window(options);
    window.open(options);
    EXPECT_THAT(window.loadProblem().toStdString(), HasSubstr("none.json: no such file"));
    EXPECT_EQ(window.notices().text(), window.loadProblem());
}

TEST_F(WindowTest, AFileOfWeightsIsSaidToBeOneAndASnapshotShown) {
    MainWindow window(options);
    window.openSample();
    const stack::Experiment before = window.document().experiment();
    for (const char* name : {"net.pth", "net.pt", "last.CKPT"}) {
        const fs::path file = folder / name;
        ASSERT_TRUE(base::writeFileAtomically(file, "PK"));
        window.openExperiment(QString::fromStdString(file.string()));
        EXPECT_THAT(window.loadProblem().toStdString(), HasSubstr("contains weights only")) << name;
        EXPECT_EQ(window.notices().text(), window.loadProblem());
        EXPECT_EQ(window.document().experiment(), before);
    }
    window.openSample();
    const fs::path snapshot = folder / "no.pickle";
    ASSERT_TRUE(base::writeFileAtomically(snapshot, "no snapshot"));
    window.openExperiment(QString::fromStdString(snapshot.string()));
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_THAT(window.loadProblem().toStdString(), Not(HasSubstr("JSON")));
}

TEST_F(WindowTest, AnyFileOpensWhereItBelongs) {
    MainWindow window(options);
    window.openSample();
    const stack::Experiment before = window.document().experiment();
    window.openExperiment(QString::fromStdString((base::resourcesFolder() / "samples/sweep.json").string()));
    EXPECT_NE(window.studies().newest(), nullptr);
    EXPECT_EQ(window.loadProblem(), "");
    EXPECT_EQ(window.document().experiment(), before);
    const fs::path scan = folder / "scan";  // known by its contents, not by its name
    ASSERT_TRUE(base::writeFileAtomically(scan, std::string(128, '\0') + "DICM"));
    window.openExperiment(QString::fromStdString(scan.string()));
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_THAT(window.notices().text().toStdString(), Not(HasSubstr("JSON")));
}

TEST_F(WindowTest, AScanOnTheCommandLineIsOpenedBesideTheSample) {
    const fs::path scan = folder / "scan.dcm";
    ASSERT_TRUE(base::writeFileAtomically(scan, std::string(128, '\0') + "DICM"));
    options.experiment = QString::fromStdString(scan.string());
    MainWindow window(options);
    window.open(options);
    EXPECT_FALSE(window.document().experiment().stack.empty());
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_THAT(window.loadProblem().toStdString(), HasSubstr("scan.dcm"));
    EXPECT_THAT(window.loadProblem().toStdString(), Not(HasSubstr("JSON")));
}

TEST_F(WindowTest, ANewExperimentIsAnEmptyStackAndUndoRestoresTheOneBefore) {
    MainWindow window(options);
    window.openSample();
    const stack::Experiment before = window.document().experiment();
    QAction* found = nullptr;
    for (QAction* action : window.menuBar()->actions().front()->menu()->actions()) {
        found = action->text() == "New" ? action : found;
    }
    ASSERT_NE(found, nullptr);
    found->trigger();
    EXPECT_TRUE(window.document().experiment().stack.empty());
    window.document().undoStack().undo();
    EXPECT_EQ(window.document().experiment(), before);
}

TEST_F(WindowTest, ARunWaitsForItsScan) {
    MainWindow window(options);
    window.openSample();
    ASSERT_TRUE(window.loading());
    setRun(window, 1);
    EXPECT_EQ(window.startRun(), "");
    EXPECT_TRUE(window.running());
    window.stopRun();
    EXPECT_FALSE(window.running()) << "a run that waits is dropped at once";

    EXPECT_EQ(window.startRun(), "");
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    ASSERT_TRUE(window.lastRun());
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Done) << window.lastRun()->message;
    EXPECT_TRUE(window.loadProblem().isEmpty());
}

TEST_F(WindowTest, ABadScanLeavesTheExperimentAsItWas) {
    const auto scans = [](MainWindow& window) {
        return std::get<stack::ScanInput>(window.document().experiment().input).scans;
    };
    MainWindow window(options);
    window.openSample();
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    ASSERT_EQ(window.loadProblem(), "");
    const auto good = scans(window);

    const fs::path bad = folder / "bad.nii";
    ASSERT_TRUE(base::writeFileAtomically(bad, "no scan"));
    auto* panel = window.findChild<widgets::ScanPanel*>();
    emit panel->fileDropped(QString::fromStdString(bad.string()));
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    ASSERT_NE(window.loadProblem(), "");
    EXPECT_EQ(scans(window), good);
    EXPECT_EQ(panel->findChild<QLabel*>("scanMessageText")->text(), window.loadProblem())
        << "the scan before is there again, and the message stays";
    EXPECT_FALSE(recentScans().contains(QString::fromStdString(bad.string())));

    for (auto* button : panel->findChildren<QPushButton*>()) {
        if (button->text() == "Back to the scan") {
            button->click();
        }
    }
    EXPECT_EQ(scans(window), good);
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_EQ(window.loadProblem(), "");
}

TEST_F(WindowTest, UndoKeysReachTheExperimentFromAFieldUnlessItHoldsTextOfItsOwn) {
    options.experiment = experiment();
    MainWindow window(options);
    window.open(options);
    const auto leftToTheField = [](QWidget* field) {
        QKeyEvent key(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
        key.ignore();
        QCoreApplication::sendEvent(field, &key);
        return key.isAccepted();
    };
    auto* batch = window.findChild<QSpinBox*>("Batch");
    ASSERT_NE(batch, nullptr);
    batch->setValue(3);
    EXPECT_FALSE(leftToTheField(batch));
    auto* line = batch->findChild<QLineEdit*>();
    line->selectAll();
    line->insert("7");
    EXPECT_EQ(batch->value(), 3);
    EXPECT_TRUE(leftToTheField(batch)) << "typed, and not applied yet";
}

TEST_F(WindowTest, UndoReachesTheExperimentFromTheListOfDevices) {
    options.experiment = experiment();
    MainWindow window(options);
    window.open(options);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    window.document().edit("larger", [](stack::Experiment& e) { e.step.batchSize = 7; });
    auto* list = window.findChild<QComboBox*>("Predict for");
    ASSERT_NE(list, nullptr);
    list->setFocus();
    ASSERT_TRUE(list->hasFocus());
    QTest::keyClick(list, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NE(window.document().experiment().step.batchSize, 7);
    window.document().undoStack().redo();
    QTest::keyClicks(list, "h1");
    QTest::keyClick(list, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(window.document().experiment().step.batchSize, 7) << "the search of its own comes first";
}

TEST_F(WindowTest, ComparesAgainstTheRunThatCameFirst) {
    std::vector<runs::RunRecord> records(2);
    records[0].summary.number = 7;
    records[1].summary.number = 3;
    records[0].result.peakAllocated = 100 * base::kMiB;
    records[1].result.peakAllocated = 75 * base::kMiB;
    records[1].summary.batchSize = 2;
    const CompareDialog dialog(records);
    const auto* table = dialog.findChild<QTableWidget*>();
    ASSERT_EQ(table->columnCount(), 4);
    EXPECT_EQ(table->horizontalHeaderItem(3)->text(), "against #7");
    const auto difference = [table](const QString& line) {
        const auto found = table->findItems(line, Qt::MatchExactly);
        return found.isEmpty() ? QString("no such line") : table->item(found.front()->row(), 3)->text();
    };
    EXPECT_EQ(difference("peak"), "−25.0 %");
    EXPECT_EQ(difference("batch"), "differs");
    EXPECT_EQ(difference("status"), "") << "the same";
    EXPECT_TRUE(table->horizontalHeaderItem(1)->text().startsWith("#7"));
    EXPECT_EQ(table->item(table->rowCount() - 1, 0)->text(), "against #7");
}

TEST_F(WindowTest, ASignalEndsTheDesktopInAnOrderlyWay) {
    QProcess desktop;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    desktop.setProcessEnvironment(environment);
    desktop.start(HIGHWATER_BIN_DIR "/highwater",
                  {experiment(), "--store", QString::fromStdString(options.store.string())});
    const fs::path session = options.store / "desktop" / "session.json";
    ASSERT_TRUE(waitUntil([&] { return fs::exists(session); }));
    desktop.terminate();
    ASSERT_TRUE(desktop.waitForFinished());
    EXPECT_EQ(desktop.exitStatus(), QProcess::NormalExit);
    EXPECT_EQ(desktop.exitCode(), 0);
    const auto kept = base::parseJson(*base::readFile(session), "session");
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->value("open", true));
}

TEST_F(WindowTest, ARunOutlivesTheDesktop) {
    QProcess desktop;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    desktop.setProcessEnvironment(environment);
    const QString store = QString::fromStdString(options.store.string());
    desktop.start(HIGHWATER_BIN_DIR "/highwater",
                  {experiment(4), "--run", "--steps", "20", "--store", store});
    ASSERT_TRUE(
        waitUntil([&] { return fs::exists(options.store / "runs") && enginePid(options.store) > 0; }));
    const int engine = enginePid(options.store);
    desktop.kill();
    ASSERT_TRUE(desktop.waitForFinished());
    ASSERT_EQ(kill(engine, 0), 0) << "the engine is still there";
    ASSERT_TRUE(waitUntil([&] { return kill(engine, 0) != 0 || enginePid(options.store) == 0; }));
    MainWindow window(options);
    window.open({});
    ASSERT_TRUE(waitUntil([&] { return window.store().rows().size() == 1; }));
    EXPECT_EQ(window.store().rows()[0].status, wire::RunStatus::Done);
    EXPECT_EQ(window.store().rows()[0].stepMs.n, 20);
}

}  // namespace
}  // namespace highwater::desktop
