#include "app/desktop/study/study_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <filesystem>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/settings/settings_panel.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/layer_options.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/claims/claims_list.h"
#include "app/desktop/study/claims/claims_panel.h"
#include "app/desktop/study/claims/claims_window.h"
#include "app/desktop/study/factorial/factorial_panel.h"
#include "app/desktop/study/factorial/factorial_results.h"
#include "app/desktop/study/factorial/toggle_list.h"
#include "app/desktop/study/sweep/sweep_window.h"
#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "tests/app/desktop/run/fake_runs.h"
#include "tests/core/temporary_folder.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/notice_bar.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::highwater::test::waitUntil;
using ::testing::HasSubstr;

constexpr auto kClaim = R"({
  "schema": "highwater.claim/1", "id": "S2.%1", "row": "S2", "statement": "Claim %1.", "about": "About it.",
  "experiments": {
    "plain": { "schema": "highwater.experiment/1", "input": { "synthetic": [1, 8, 8, 8] }, "loss": "mean",
      "stack": [ { "type": "block", "name": "b", "layers": [ { "type": "conv", "out_channels": 2, "kernel_size": 3 } ] } ] },
    "checkpointed": { "base": "plain", "set": { "/stack/0/checkpoint": true } } },
  "quantity": "peak_allocated_bytes",
  "rule": { "left": "checkpointed", "compare": "%2", "right": "plain" },
  "trial": { "repeats_least": 1, "repeats_most": 1 },
  "holds_because": "It falls to {checkpointed|peak_allocated_bytes}.",
  "fails_because": "It is {checkpointed|peak_allocated_bytes}."
})";

class StudyWindowsTest : public ::testing::Test {
protected:
    fs::path folder =
        fs::path(::testing::TempDir()) /
        (std::string("hw study ") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    ExperimentDocument document;
    highwater::desktop::test::FakeRuns fake;
    std::unique_ptr<Store> store;

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder / "claims");
        qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((folder / "config").string()));
        document.reset(highwater::desktop::test::smallExperiment());
        store = std::make_unique<Store>(folder / "store");
    }
    void TearDown() override {
        store.reset();  // it writes its index in the background
        fs::remove_all(folder);
    }

    void writeClaim(const QString& name, const QString& compare) {
        const QString text = QString(kClaim).arg(name, compare);
        ASSERT_TRUE(base::writeFileAtomically(folder / "claims" / (name.toStdString() + ".json"),
                                              text.toStdString()));
    }
    FactorialWindow::Around around() {
        return {[] { return QString("cpu"); },
                [] { return QString(); },
                [] { return TargetChoice(); },
                [] { return TargetChoice(); },
                [] { return QString("this CPU"); },
                [] { return std::vector<volume::Volume>(); },
                [] { return std::optional<base::Bytes>(); }};
    }
    std::unique_ptr<ClaimsWindow> claimsWindow(StudyWorker& worker) {
        worker.setRunners(fake.make());
        auto window = std::make_unique<ClaimsWindow>(
            *store, worker, [] { return QString("cpu"); }, [] { return QString(); }, folder / "claims");
        EXPECT_TRUE(waitUntil([&] { return !window->loading(); }));
        return window;
    }
    static const ClaimRow* row(ClaimsWindow& window, const char* id) {
        return window.panel().list().model().row(id);
    }
    static QPushButton* button(QWidget& in, const char* name) { return in.findChild<QPushButton*>(name); }
};

TEST_F(StudyWindowsTest, ClaimsGetTheirVerdictsAndKeepThem) {
    writeClaim("less", "less");
    writeClaim("more", "greater");
    StudyWorker worker(*store);
    auto window = claimsWindow(worker);
    ASSERT_NE(row(*window, "S2.less"), nullptr) << window->problem().toStdString();
    EXPECT_EQ(row(*window, "S2.less")->verdict, ClaimVerdict::NotRun);
    EXPECT_EQ(window->run(), "");
    ASSERT_TRUE(waitUntil([&] { return !worker.running(); }));
    EXPECT_EQ(row(*window, "S2.less")->verdict, ClaimVerdict::Holds) << window->problem().toStdString();
    EXPECT_EQ(row(*window, "S2.more")->verdict, ClaimVerdict::DoesNotHold);
    EXPECT_THAT(row(*window, "S2.less")->why.toStdString(), HasSubstr("60.0 MiB"));
    EXPECT_FALSE(row(*window, "S2.less")->figures.empty());
    EXPECT_NE(fake.thread.load(), std::this_thread::get_id()) << "never on the window's thread";
    window.reset();
    window = claimsWindow(worker);
    EXPECT_EQ(row(*window, "S2.less")->verdict, ClaimVerdict::Holds) << "found in the store";
}

TEST_F(StudyWindowsTest, WhileClaimsRunTheWindowLivesAndCanCancel) {
    writeClaim("a", "less");
    writeClaim("b", "less");
    fake.hold = true;
    StudyWorker worker(*store);
    auto window = claimsWindow(worker);
    window->show();
    button(*window, "Run all")->click();
    ASSERT_TRUE(waitUntil([&] { return fake.runs > 0; }));
    ASSERT_TRUE(waitUntil([&] { return row(*window, "S2.a")->activity == ClaimActivity::Running; }));
    EXPECT_EQ(row(*window, "S2.b")->activity, ClaimActivity::Waiting);
    ASSERT_TRUE(waitUntil([&] { return worker.what().contains("S2.a (1 of 2)"); }));
    EXPECT_NE(window->run(), "") << "one at a time";
    button(*window, "Cancel study")->click();
    EXPECT_TRUE(worker.cancelling());
    ASSERT_TRUE(waitUntil([&] { return !worker.running(); }));
    EXPECT_EQ(fake.runs, 1) << "nothing begins after it";
    EXPECT_EQ(row(*window, "S2.a")->verdict, ClaimVerdict::NotRun);
    EXPECT_EQ(row(*window, "S2.a")->activity, ClaimActivity::None);
    EXPECT_THAT(window->notices().text().toStdString(), HasSubstr("0 of 2"));
}

TEST_F(StudyWindowsTest, WhatIsDoneIsNotTakenBack) {
    StudyWorker worker(*store);
    std::vector<double> seen;
    QObject::connect(&worker, &StudyWorker::progressed, [&] { seen.push_back(worker.fraction()); });
    ASSERT_TRUE(worker.start(
        [](StudyWorker::Job& job) {
            job.say("size 1, repeat 7", 0.66);
            job.say("size 2, repeat 1", 0.5);  // more work was found
            job.say("size 2, repeat 5", 0.8);
        },
        [](bool) {}));
    ASSERT_TRUE(waitUntil([&] { return !worker.running() && seen.size() == 3; }));
    EXPECT_EQ(seen, (std::vector{0.66, 0.66, 0.8}));
}

TEST_F(StudyWindowsTest, WhatCannotBeMeasuredIsALine) {
    writeClaim("a", "less");
    fake.refuses = "highwater-engine is not beside this program";
    StudyWorker worker(*store);
    auto window = claimsWindow(worker);
    EXPECT_EQ(window->run(), "");
    ASSERT_TRUE(waitUntil([&] { return !worker.running(); }));
    EXPECT_THAT(window->problem().toStdString(), HasSubstr("highwater-engine is not beside"));
    EXPECT_THAT(row(*window, "S2.a")->problem.toStdString(), HasSubstr("not beside"));
    window->choose({"S2.none"});
    EXPECT_EQ(window->run(), "No claim is named S2.none.");
}

TEST_F(StudyWindowsTest, ABadClaimIsSaidNotHidden) {
    ASSERT_TRUE(base::writeFileAtomically(folder / "claims" / "x.json", "{"));
    StudyWorker worker(*store);
    auto window = claimsWindow(worker);
    EXPECT_THAT(window->problem().toStdString(), HasSubstr("x.json"));
    EXPECT_TRUE(window->panel().list().shownIds().isEmpty());
}

TEST_F(StudyWindowsTest, ClosingAsksWhatBecomesOfTheStudy) {
    writeClaim("a", "less");
    fake.hold = true;
    StudyWorker worker(*store);
    auto window = claimsWindow(worker);
    window->show();
    int asked = 0;
    auto answer = StudyWindow::Answer::Stay;
    window->setQuestion([&] { return ++asked, answer; });
    EXPECT_EQ(window->run(), "");
    window->close();
    EXPECT_TRUE(window->isVisible());
    answer = StudyWindow::Answer::GoOn;
    window->close();
    EXPECT_FALSE(window->isVisible());
    EXPECT_TRUE(worker.running() && !worker.cancelling());
    window->show();
    answer = StudyWindow::Answer::Stop;
    window->close();
    EXPECT_TRUE(worker.cancelling());
    ASSERT_TRUE(waitUntil([&] { return !worker.running(); }));
    EXPECT_EQ(asked, 3);
    window->show();
    window->close();
    EXPECT_EQ(asked, 3) << "nothing to ask";
}

TEST_F(StudyWindowsTest, LeavingWhileAStudyRunsWaitsForItsEngineAlone) {
    writeClaim("a", "less");
    fake.hold = true;
    {
        StudyWorker worker(*store);
        auto window = claimsWindow(worker);
        EXPECT_EQ(window->run(), "");
        ASSERT_TRUE(waitUntil([&] { return fake.runs > 0; }));
        window.reset();
    }  // the destructor cancels it and waits
    EXPECT_EQ(fake.runs, 1);
    QCoreApplication::processEvents();  // events that were pending have no receiver any more
}

TEST_F(StudyWindowsTest, AFactorialMeasuresEveryCombinationInTurns) {
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace", "checkpoint_blocks"});
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    button(window, "Run factorial")->click();
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    ASSERT_TRUE(window.result()) << window.problem().toStdString();
    EXPECT_EQ(window.panel().message(), "") << "the results are seen";
    const auto& rows = window.panel().results().rows();
    ASSERT_EQ(rows.combinations.size(), 4u);
    EXPECT_EQ(rows.combinations[0].peak, 100 * base::kMiB);
    EXPECT_EQ(rows.combinations[1].peak, 60 * base::kMiB);
    EXPECT_GE(rows.combinations[1].stepMs.n, 3);
    ASSERT_EQ(rows.effects.size(), 3u) << "two alone, one together";
    EXPECT_NEAR(rows.effects[1].memory.median, 0.6, 1e-9);
    EXPECT_GE(fake.runs, 12);
    EXPECT_NE(fake.thread.load(), std::this_thread::get_id());
}

TEST_F(StudyWindowsTest, AFieldOfAFactorialHasAnyNumberOfValues) {
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace"});
    FactorialSetup& setup = window.panel().setup();
    setup.fields().axes().add({"kernel_size of layer 1", {"/stack/0/kernel_size"}, "1, 3, 3", {}});
    EXPECT_THAT(window.run().toStdString(), HasSubstr("3 is given twice"));
    EXPECT_TRUE(setup.fields().axes().valuesOf(0)->property("invalid").toBool());
    FactorialChoice choice = setup.choice();
    choice.axes[0].values = "1, 3, 5";
    setup.setChoice(choice);
    EXPECT_EQ(window.run(), "");
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    const auto& rows = window.panel().results().rows();
    ASSERT_EQ(rows.combinations.size(), 6u);
    EXPECT_EQ(rows.combinations[0].name, "kernel_size of layer 1 1");
    EXPECT_EQ(rows.combinations[5].name, "In-place activations, kernel_size of layer 1 5");
    QStringList effects;
    for (const EffectRow& effect : rows.effects) {
        effects << effect.name;
    }
    EXPECT_EQ(effects, (QStringList{"In-place activations", "kernel_size of layer 1 3 against 1",
                                    "kernel_size of layer 1 5 against 1",
                                    "In-place activations × kernel_size of layer 1 3 against 1",
                                    "In-place activations × kernel_size of layer 1 5 against 1"}));
    EXPECT_NEAR(rows.effects[0].memory.median, 0.6, 1e-9);
    EXPECT_NEAR(rows.effects[1].memory.median, 1, 1e-9);
    EXPECT_EQ(std::get<stack::Conv>(window.result()->cells[5].subject.experiment.stack[0].op).kernelSize,
              stack::Sizes{5});
}

TEST_F(StudyWindowsTest, AFieldIsAddedToAFactorialOnce) {
    StudyWindows studies(document, *store, around());
    FactorialWindow& window = studies.openFactorial();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    const SweepAxisEdit kernel{"kernel_size of layer 1", {"/stack/0/kernel_size"}, "3", {}};
    window.vary(kernel);
    SweepAxes& axes = window.panel().setup().fields().axes();
    ASSERT_EQ(axes.axes().size(), 1u);
    EXPECT_TRUE(axes.valuesOf(0)->hasFocus());
    EXPECT_THAT(window.run().toStdString(), HasSubstr("2 to 16 values, not 1"));
    QTest::keyClicks(axes.valuesOf(0), "1, 3");  // the value is selected
    window.vary(kernel);
    EXPECT_EQ(axes.axes().size(), 1u);
    EXPECT_EQ(window.panel().setup().choice().combinations(), 2);
}

TEST_F(StudyWindowsTest, AFieldsMenuLeadsToTheSweepOrTheFactorial) {
    Options options;
    options.store = folder / "store";
    options.experiment = QString::fromStdString((folder / "small.json").string());
    options.quit = true;
    ASSERT_TRUE(stack::saveExperiment(highwater::desktop::test::smallExperiment(), folder / "small.json"));
    MainWindow window(options, [] { return devices::GpusHere(); });
    window.open(options);
    const FieldToVary batch{"batch_size", {"/step/batch_size"}, "2"};
    const auto axesOf = [](StudyWindow& study) { return study.findChild<SweepAxes*>()->axes(); };
    emit window.findChild<LayerOptions*>()->varyWanted(batch, FieldStudy::Factorial);
    EXPECT_TRUE(window.studies().openFactorial().isVisible());
    ASSERT_EQ(axesOf(window.studies().openFactorial()).size(), 1u);
    EXPECT_TRUE(axesOf(window.studies().openSweep()).empty());
    emit window.findChild<SettingsPanel*>()->varyWanted(batch, FieldStudy::Sweep);
    EXPECT_EQ(window.studies().newest(), &window.studies().openSweep());
    EXPECT_EQ(axesOf(window.studies().openSweep()), axesOf(window.studies().openFactorial()));
}

TEST_F(StudyWindowsTest, AFactorialFillsInWhileItIsMeasured) {
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace"});
    std::vector<int> runs;
    QObject::connect(&studies.worker(), &StudyWorker::progressed, [&] {
        const auto& rows = window.panel().results().rows();
        ASSERT_EQ(rows.combinations.size(), 2u);
        runs.push_back(rows.combinations[0].stepMs.n + rows.combinations[1].stepMs.n);
        EXPECT_TRUE(rows.effects.empty());
        EXPECT_THAT(rows.notes.join(' ').toStdString(), HasSubstr("Measuring"));
    });
    EXPECT_EQ(window.run(), "");
    EXPECT_EQ(window.panel().message(), "");
    window.panel().results().setCurrent(1);
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    ASSERT_GE(runs.size(), 6u);
    EXPECT_EQ(runs.front(), 0);
    EXPECT_GE(runs.back(), 5) << "all but the last";
    EXPECT_EQ(window.panel().results().current(), 1) << "the selection is kept";
    EXPECT_EQ(window.panel().results().rows().effects.size(), 1u);
}

TEST_F(StudyWindowsTest, AFactorialThatCannotBeMeasuredLeavesThePreviousResult) {
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace"});
    EXPECT_EQ(window.run(), "");
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    const FactorialRows before = window.panel().results().rows();
    fake.refuses = "no engine";
    window.choose({"checkpoint_blocks"});
    EXPECT_EQ(window.run(), "");
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    EXPECT_THAT(window.problem().toStdString(), HasSubstr("no engine"));
    EXPECT_EQ(window.panel().results().rows(), before);
    ASSERT_TRUE(window.result());
    EXPECT_EQ(window.result()->sweep.axes[0].toggle, "inplace");
}

TEST_F(StudyWindowsTest, UsingACombinationCanBeUndone) {
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace"});
    EXPECT_EQ(window.run(), "");
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    const stack::Experiment before = document.experiment();
    window.panel().results().setCurrent(1);
    window.findChild<QToolButton*>("use this combination")->click();
    EXPECT_NE(document.experiment(), before);
    EXPECT_TRUE(std::get<stack::Activation>(document.experiment().stack[1].op).inplace);
    EXPECT_THAT(window.notices().text().toStdString(), HasSubstr("In-place activations"));
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_FALSE(window.panel().setup().toggles().box("inplace")->isEnabled()) << "it is already on";
    document.undoStack().undo();
    EXPECT_EQ(document.experiment(), before);
}

TEST_F(StudyWindowsTest, ACombinationThatFailsDoesNotEndTheOthers) {
    fake.fails = "In-place activations on";
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace"});
    EXPECT_EQ(window.run(), "");
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    const auto& rows = window.panel().results().rows();
    EXPECT_TRUE(rows.combinations[0].measured);
    EXPECT_EQ(rows.combinations[1].status, "out of memory");
    EXPECT_THAT(rows.combinations[1].problem.toStdString(), HasSubstr("14.8"));
    const QString csv = QString::fromStdString((folder / "out.csv").string());
    EXPECT_EQ(window.saveTo(csv), "");
    EXPECT_THAT(*base::readFile(folder / "out.csv"), HasSubstr(",out_of_memory,asked for 14.8 of 11.6 GiB,"));
    EXPECT_EQ(window.saveTo(QString::fromStdString((folder / "out.json").string())), "");
    EXPECT_THAT(*base::readFile(folder / "out.json"), HasSubstr("highwater.sweep-result/1"));
    EXPECT_THAT(window.saveTo("out.txt").toStdString(), HasSubstr(".csv or .json"));
    EXPECT_NE(window.saveTo(QString::fromStdString(highwater::test::nowhere() + "/out.csv")), "");
}

TEST_F(StudyWindowsTest, ACancelledFactorialShowsWhatItHas) {
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    EXPECT_THAT(window.saveTo("a.csv").toStdString(), HasSubstr("nothing to save"));
    window.choose({"inplace", "checkpoint_blocks"});
    fake.hold = true;
    EXPECT_EQ(window.run(), "");
    ASSERT_TRUE(waitUntil([&] { return fake.runs > 0; }));
    button(window, "Cancel study")->click();
    ASSERT_TRUE(waitUntil([&] { return !studies.running(); }));
    ASSERT_TRUE(window.result());
    for (const auto& row : window.panel().results().rows().combinations) {
        EXPECT_FALSE(row.measured);
    }
    EXPECT_THAT(window.notices().text().toStdString(), HasSubstr("Stopped"));
}

TEST_F(StudyWindowsTest, AScriptsLeverThatDoesNotApplyIsSaid) {
    StudyWindows studies(document, *store, around());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace", "tf32"});
    EXPECT_THAT(window.run().toStdString(), HasSubstr("tf32: it needs a GPU"));
    window.choose({"inplac"});
    EXPECT_THAT(window.run().toStdString(), HasSubstr("no lever \"inplac\""));
}

TEST_F(StudyWindowsTest, ARunOfTheMainWindowKeepsStudiesFromStarting) {
    StudyWindows studies(document, *store, around());
    studies.worker().setRunners(fake.make());
    FactorialWindow& window = studies.openFactorial();
    window.choose({"inplace"});
    studies.setBlocked("A run is in progress. Stop it first.");
    EXPECT_FALSE(button(window, "Run factorial")->isEnabled());
    EXPECT_EQ(window.run(), "A run is in progress. Stop it first.");
    EXPECT_EQ(fake.runs, 0);
    studies.setBlocked({});
    EXPECT_TRUE(button(window, "Run factorial")->isEnabled());
}

TEST_F(StudyWindowsTest, TheMainWindowsRunWaitsForAStudyAndLeavingEndsIt) {
    Options options;
    options.store = folder / "store";
    options.experiment = QString::fromStdString((folder / "small.json").string());
    options.quit = true;  // like a script, so that no question is asked
    ASSERT_TRUE(stack::saveExperiment(highwater::desktop::test::smallExperiment(), folder / "small.json"));
    MainWindow window(options, [] { return devices::GpusHere(); });
    window.open(options);
    auto* run = window.findChild<ControlBar*>()->findChild<QPushButton*>();
    ASSERT_EQ(run->text(), "Run");
    ASSERT_TRUE(run->isEnabled()) << run->toolTip().toStdString();
    window.studies().worker().setRunners(fake.make());
    FactorialWindow& factorial = window.studies().openFactorial();
    factorial.choose({"inplace"});
    fake.hold = true;
    EXPECT_EQ(factorial.run(), "");
    EXPECT_FALSE(run->isEnabled());
    EXPECT_THAT(run->toolTip().toStdString(), HasSubstr("A study is in progress"));
    EXPECT_EQ(window.startRun(), run->toolTip());
    ASSERT_TRUE(waitUntil([&] { return fake.runs > 0; }));
    window.studies().worker().cancel();
    ASSERT_TRUE(waitUntil([&] { return !window.studies().running(); }));
    EXPECT_TRUE(run->isEnabled());

    EXPECT_EQ(factorial.run(), "");
    window.close();
    EXPECT_TRUE(window.studies().worker().cancelling());
    EXPECT_FALSE(factorial.isVisible());
    ASSERT_TRUE(waitUntil([&] { return !window.studies().running(); }));
}

TEST_F(StudyWindowsTest, AnExperimentThatIsWrongCannotBeCombined) {
    StudyWindows studies(document, *store, around());
    FactorialWindow& window = studies.openFactorial();
    document.edit("bad",
                  [](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {99}; });
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_FALSE(button(window, "Run factorial")->isEnabled());
    EXPECT_EQ(window.run(), plainError(document.info().error())) << "without a file's quotes";
    document.undoStack().undo();
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_TRUE(window.panel().setup().toggles().box("inplace")->isEnabled());
}

}  // namespace
}  // namespace highwater::desktop
