#include "app/desktop/study/sweep/sweep_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <filesystem>

#include "app/desktop/study/study_windows.h"
#include "app/desktop/study/sweep/sweep_panel.h"
#include "app/desktop/study/sweep/sweep_scatter.h"
#include "core/base/file.h"
#include "core/report/sweep_csv.h"
#include "core/stack/json/json.h"
#include "tests/app/desktop/run/fake_runs.h"
#include "tests/core/temporary_folder.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/controls/search_popup.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::highwater::test::waitUntil;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SweepWindowTest : public ::testing::Test {
protected:
    fs::path folder =
        fs::path(::testing::TempDir()) /
        (std::string("hw sweep ") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    ExperimentDocument document;
    TargetChoice target;
    highwater::desktop::test::FakeRuns fake;
    std::unique_ptr<Store> store;
    std::unique_ptr<StudyWindows> studies;

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder);
        qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((folder / "config").string()));
        document.reset(highwater::desktop::test::smallExperiment());
        store = std::make_unique<Store>(folder / "store");
        studies = std::make_unique<StudyWindows>(
            document, *store,
            FactorialWindow::Around{
                [] { return QString("cpu"); }, [] { return QString(); }, [] { return TargetChoice(); },
                [this] { return target; }, [this] { return target.id; },
                [] { return std::vector<volume::Volume>(); }, [] { return std::optional<base::Bytes>(); }});
        studies->worker().setRunners(fake.make());
    }
    void TearDown() override {
        studies.reset();
        store.reset();
        fs::remove_all(folder);
    }

    SweepWindow& window() { return studies->openSweep(); }
    SweepSetup& setup() { return window().panel().setup(); }
    const SweepRows& rows() { return window().panel().views().link().rows(); }
    const SweepNumber& figure(std::size_t cell, SweepFigure f) { return rows().cells[cell].figure(f); }
    QString file(const char* name) { return QString::fromStdString((folder / name).string()); }
    /// Opens the list of fields, types, and returns what it shows.
    QStringList listed(const QString& typed) {
        window().findChild<QToolButton*>("add axis")->click();
        widgets::SearchPopup& list = setup().panel().list();
        QTest::keyClicks(&list.field(), typed);
        QStringList rows;
        for (int row = 0; row < list.list().model()->rowCount(); ++row) {
            rows << list.list().model()->index(row, 0).data().toString();
        }
        return rows;
    }
    /// Batch sizes, and a lever that the fake runs respect.
    void compose(const QString& batches = "1, 2") {
        SweepChoice choice = setup().choice();
        choice.axes = {{"batch_size", {"/step/batch_size"}, batches, {}},
                       {"In-place activations", {}, {}, "inplace"}};
        setup().setChoice(choice);
        QTest::qWait(200);  // it waits until typing has stopped
        ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    }
    void runToTheEnd() {
        ASSERT_EQ(window().run(), "");
        ASSERT_TRUE(waitUntil([&] { return !studies->running(); }));
    }
};

TEST_F(SweepWindowTest, AnAxisOfAFieldIsAddedOnceAndItsValuesReplacePlainOnes) {
    const SweepAxisEdit kernel{"kernel_size of layer 1", {"/stack/0/kernel_size"}, "3", {}};
    QApplication::setActiveWindow(&window());
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window()));
    window().vary(kernel);
    ASSERT_EQ(setup().choice().axes.size(), 1u);
    QLineEdit* const values = setup().axes().valuesOf(0);
    ASSERT_NE(values, nullptr);
    EXPECT_TRUE(values->hasFocus());
    values->clearFocus();
    window().vary(kernel);
    ASSERT_EQ(setup().choice().axes.size(), 1u);
    EXPECT_TRUE(values->hasFocus());
    QTest::keyClicks(values, "1, 3");  // the values are selected
    QTest::qWait(200);
    ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    ASSERT_EQ(rows().cells.size(), 2u);
    EXPECT_EQ(setup().choice().axes[0].values, "1, 3");
    for (const SweepCell& cell : rows().cells) {
        EXPECT_EQ(cell.problem, "");
    }
}

TEST_F(SweepWindowTest, ShowsTheCellsWithTheirEstimatesBeforeTheyRun) {
    EXPECT_THAT(window().panel().message().toStdString(), HasSubstr("Add axes"));
    EXPECT_FALSE(window().findChild<QPushButton*>("Run sweep")->isEnabled());
    compose("2, 16");
    ASSERT_EQ(rows().cells.size(), 4u);
    for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_TRUE(figure(c, SweepFigure::Memory).estimated) << c;
        EXPECT_GT(figure(c, SweepFigure::Memory).value, 0) << c;
        EXPECT_FALSE(figure(c, SweepFigure::Loss).known());
        EXPECT_EQ(stateText(rows().cells[c]), "estimated");
        EXPECT_TRUE(rows().text(rows().cells[c], 2).startsWith(QString::fromUtf8("≈ ")));
    }
    EXPECT_LT(figure(0, SweepFigure::Memory).value, figure(2, SweepFigure::Memory).value) << "batch 2 and 16";
    EXPECT_TRUE(window().findChild<QPushButton*>("Run sweep")->isEnabled());
    document.edit("Change batch",
                  [](stack::Experiment& e) { e.input = stack::SyntheticInput{{1, 16, 16, 16}}; });
    const double before = figure(0, SweepFigure::Memory).value;
    ASSERT_TRUE(waitUntil([&] {
        return !window().loading() && figure(0, SweepFigure::Memory).value > before;
    })) << "it follows the edited experiment";
}

TEST_F(SweepWindowTest, EstimatesFollowPredictForAndRunsMeasureOnTheirDevice) {
    compose("2, 16");
    const auto note = [&] { return window().panel().views().tableNote().toStdString(); };
    const double cpu = figure(0, SweepFigure::Memory).value;
    EXPECT_EQ(note(), "0 measured; ≈ is estimated for cpu");
    target.id = "rtx3060";
    studies->optionsChanged();
    ASSERT_TRUE(
        waitUntil([&] { return !window().loading() && figure(0, SweepFigure::Memory).value != cpu; }));
    EXPECT_EQ(note(), "0 measured; ≈ is estimated for rtx3060");
    EXPECT_EQ(window().findChild<QLabel*>("Estimate")->text(),
              "Estimates are for rtx3060. Run measures on this machine, CPU.");
    runToTheEnd();
    EXPECT_FALSE(figure(0, SweepFigure::Memory).estimated);
    EXPECT_EQ(note(), "4 measured; ≈ is estimated for this machine, CPU");
}

/// Otherwise every edit would predict all cells of a hidden window.
TEST_F(SweepWindowTest, FollowsEditsOnlyWhereItIsShown) {
    compose("2, 16");
    SweepWindow& sweep = window();
    const auto memory = [&] {
        return sweep.panel().views().link().rows().cells.at(0).figure(SweepFigure::Memory).value;
    };
    const double before = memory();
    sweep.closeUnasked();
    ASSERT_FALSE(sweep.isVisible());
    document.edit("Change input",
                  [](stack::Experiment& e) { e.input = stack::SyntheticInput{{1, 16, 16, 16}}; });
    QTest::qWait(600);
    EXPECT_FALSE(sweep.loading());
    EXPECT_EQ(memory(), before);
    studies->openSweep();
    ASSERT_TRUE(waitUntil([&] { return !sweep.loading() && memory() > before; })) << "it catches up";
    document.edit("Change input",
                  [](stack::Experiment& e) { e.input = stack::SyntheticInput{{1, 24, 24, 24}}; });
    sweep.closeUnasked();  // while it is running
    const double smaller = memory();
    QTest::qWait(600);
    EXPECT_FALSE(sweep.loading());
    studies->openSweep();
    ASSERT_TRUE(waitUntil([&] { return !sweep.loading() && memory() > smaller; })) << "and goes on";
}

TEST_F(SweepWindowTest, FillsWhileItRuns) {
    compose();
    fake.hold = true;
    ASSERT_EQ(window().run(), "");
    ASSERT_TRUE(waitUntil([&] { return rows().cells[0].state == CellState::Running; }));
    EXPECT_TRUE(figure(0, SweepFigure::Memory).estimated) << "not measured yet";
    EXPECT_NE(window().run(), "") << "one at a time";
    fake.hold = false;
    ASSERT_TRUE(waitUntil([&] { return rows().cells[0].state == CellState::Done; }));
    EXPECT_FALSE(figure(0, SweepFigure::Memory).estimated);
    ASSERT_TRUE(waitUntil([&] { return !studies->running(); }));
    EXPECT_EQ(figure(0, SweepFigure::Memory).value, 100.0 * base::kMiB);
    EXPECT_EQ(figure(1, SweepFigure::Memory).value, 60.0 * base::kMiB);
    EXPECT_NEAR(figure(0, SweepFigure::Time).value, 10.0, 1e-9);
    EXPECT_NEAR(figure(3, SweepFigure::Throughput).value, 2000 / 12.0, 1e-9) << "two samples in 12 ms";
    EXPECT_EQ(fake.runs, 4);
    EXPECT_NE(fake.thread.load(), std::this_thread::get_id());
    document.edit("Change", [](stack::Experiment& e) { e.step.batchSize = 7; });
    QTest::qWait(300);
    EXPECT_EQ(rows().cells[0].state, CellState::Done) << "an edit takes no measurement away";
}

TEST_F(SweepWindowTest, WhatFailsIsAStateOfItsCell) {
    fake.fails = "In-place activations on";
    compose("1, 0");
    EXPECT_EQ(rows().cells[2].state, CellState::CannotRun);
    EXPECT_THAT(rows().cells[2].problem.toStdString(), HasSubstr("batch"));
    runToTheEnd();
    EXPECT_EQ(rows().cells[0].state, CellState::Done);
    EXPECT_EQ(rows().cells[1].state, CellState::OutOfMemory);
    EXPECT_THAT(rows().cells[1].problem.toStdString(), HasSubstr("14.8"));
    SweepFilter filter;
    filter.hideFailures = true;
    window().panel().views().link().setFilter(filter);
    EXPECT_EQ(window().panel().views().link().shown(), std::vector<int>{0});
}

TEST_F(SweepWindowTest, ACancelledSweepShowsWhatItHas) {
    compose();
    fake.hold = true;
    ASSERT_EQ(window().run(), "");
    ASSERT_TRUE(waitUntil([&] { return fake.runs > 0; }));
    window().findChild<QPushButton*>("Cancel study")->click();
    ASSERT_TRUE(waitUntil([&] { return !studies->running(); }));
    for (const SweepCell& cell : rows().cells) {
        EXPECT_EQ(cell.state, CellState::NotRun);
    }
    EXPECT_THAT(window().notices().text().toStdString(), HasSubstr("Stopped"));
}

TEST_F(SweepWindowTest, WhatIsWrittenWrongIsSaidWhereItIs) {
    compose("1, 1");
    EXPECT_THAT(window().run().toStdString(), HasSubstr("is given twice"));
    EXPECT_TRUE(setup().axes().valuesOf(0)->property("invalid").toBool());
    compose("");
    EXPECT_THAT(window().run().toStdString(), HasSubstr("at least one value"));
    compose("1, 2");
    EXPECT_FALSE(setup().axes().valuesOf(0)->property("invalid").toBool());
    setup().axes().add({});  // a pointer to be written
    QTest::keyClicks(setup().axes().pathOf(2), "/stack/9/kernel_size");
    QTest::keyClicks(setup().axes().valuesOf(2), "3, 5");
    QTest::qWait(200);
    ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    EXPECT_EQ(rows().axes.size(), 3u);
    EXPECT_EQ(rows().axes[2].name, "kernel_size");
    EXPECT_THAT(window().run().toStdString(), HasSubstr("No cell can be run: "));
}

TEST_F(SweepWindowTest, OffersWhatTheExperimentHas) {
    window().show();
    const QStringList all = listed({});
    for (const char* title : {"Batch size · ", "Precision · fp32, bf16", "Checkpointing · none, blocks, sqrt",
                              "In-place activations · lever", "lr · optimizer · ", "augment · data · ",
                              "kernel_size of layer 1 · conv · 3", "Any value, by its JSON Pointer"}) {
        EXPECT_FALSE(all.filter(title).isEmpty()) << title << " in\n" << all.join('\n').toStdString();
    }
    for (int usual = 0; usual < 5; ++usual) {
        listed({});
        for (int down = 0; down < usual; ++down) {
            QTest::keyClick(&setup().panel().list().field(), Qt::Key_Down);
        }
        QTest::keyClick(&setup().panel().list().field(), Qt::Key_Return);
    }
    QTest::qWait(200);
    ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    EXPECT_GT(rows().cells.size(), 16u);
    ASSERT_EQ(setup().axes().axes().size(), 5u);
    EXPECT_EQ(setup().axes().axes()[0].paths, QStringList{"/step/batch_size"});
    EXPECT_EQ(setup().axes().axes()[4].paths, QStringList{"/step/micro_batches"});
    EXPECT_TRUE(std::any_of(rows().cells.begin(), rows().cells.end(),
                            [](const auto& cell) { return cell.state != CellState::CannotRun; }));
}

TEST_F(SweepWindowTest, AFieldIsFoundByTypingAPartOfEachWord) {
    window().show();
    const QStringList found = listed("CONV kern");
    ASSERT_EQ(found.size(), 5) << found.join('\n').toStdString();
    EXPECT_TRUE(found[0].startsWith("kernel_size of 3 conv layers · ")) << found[0].toStdString();
    EXPECT_TRUE(found[1].startsWith("kernel_size of layer ")) << found[1].toStdString();
    EXPECT_EQ(found.last(), "Any value, by its JSON Pointer");
    QTest::keyClick(&setup().panel().list().field(), Qt::Key_Return);
    EXPECT_FALSE(setup().panel().list().isVisible());
    ASSERT_EQ(setup().axes().axes().size(), 1u);
    EXPECT_EQ(setup().axes().axes()[0].name, "kernel_size of 3 conv layers");
    EXPECT_EQ(setup().axes().axes()[0].paths.size(), 3);
    EXPECT_EQ(setup().axes().axes()[0].values, "3");
    EXPECT_EQ(window().focusWidget(), setup().axes().valuesOf(0));
    EXPECT_EQ(listed("/optimizer/lr"), QStringList{"Any value, by its JSON Pointer"});
    QTest::keyClick(&setup().panel().list().field(), Qt::Key_Return);
    EXPECT_EQ(setup().axes().pathOf(1)->text(), "/optimizer/lr");
    listed("no such field");
    QTest::keyClick(&setup().panel().list().field(), Qt::Key_Escape);
    EXPECT_FALSE(setup().panel().list().isVisible());
    EXPECT_EQ(setup().axes().axes().size(), 2u);
}

/// Whatever is offered can be run with the values that the list proposes, or says why not.
TEST_F(SweepWindowTest, EveryOfferedFieldIsAPlaceOfTheExperiment) {
    study::Sweep base;
    base.base = highwater::desktop::test::smallExperiment();
    const auto offers = sweepOffers(base.base, false);
    EXPECT_GT(offers.size(), 40u);
    for (const SweepOffer& offer : offers) {
        if (!offer.axis.toggle.isEmpty()) {
            continue;
        }
        int wrong = -1;
        const auto sweep = sweepOf(base, {{offer.axis}, 0, 1, 12}, wrong);
        ASSERT_TRUE(sweep) << offer.title.toStdString() << ": " << sweep.error().message;
        const auto cells = study::expand(*sweep, false);
        ASSERT_TRUE(cells) << offer.title.toStdString();
        EXPECT_TRUE(std::ranges::any_of(*cells, [](const auto& cell) { return cell.problem.empty(); }))
            << offer.title.toStdString() << ": " << cells->front().problem;
    }
}

TEST_F(SweepWindowTest, ResultsAreSavedAndOpenedAgain) {
    EXPECT_THAT(window().saveTo("a.csv").toStdString(), HasSubstr("nothing to save"));
    compose();
    runToTheEnd();
    ASSERT_EQ(window().saveTo(file("out.csv")), "");
    ASSERT_EQ(window().saveTo(file("out.json")), "");
    ASSERT_EQ(window().saveSweep(file("sweep.json")), "");
    const auto& state = window().state();
    EXPECT_EQ(*base::readFile(folder / "out.csv"),
              report::sweepCsv(study::evaluate(state.sweep, state.cells, state.measured)));
    for (const auto& [name, begin] :
         {std::pair{"view.png", "\x89PNG"}, {"view.svg", "<?xml"}, {"view.pdf", "%PDF"}}) {
        ASSERT_EQ(window().saveTo(file(name)), "");
        EXPECT_THAT(*base::readFile(folder / name), StartsWith(begin));
    }
    EXPECT_THAT(window().saveTo("a.txt").toStdString(), HasSubstr(".csv or .json"));
    EXPECT_NE(window().saveTo(QString::fromStdString(highwater::test::nowhere() + "/a.csv")), "");
    EXPECT_NE(window().saveTo(QString::fromStdString(highwater::test::nowhere() + "/a.svg")), "");
    const SweepRows before = rows();
    window().compose();
    ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    EXPECT_TRUE(figure(0, SweepFigure::Memory).estimated);
    window().openFile(file("out.json"));
    ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    EXPECT_EQ(window().problem(), "");
    ASSERT_EQ(rows().cells.size(), before.cells.size());
    EXPECT_EQ(rows().axes, before.axes);
    for (std::size_t c = 0; c < before.cells.size(); ++c) {
        EXPECT_EQ(rows().cells[c].state, before.cells[c].state);
        EXPECT_EQ(figure(c, SweepFigure::Memory).value, before.cells[c].figure(SweepFigure::Memory).value);
        EXPECT_EQ(figure(c, SweepFigure::Time).value, before.cells[c].figure(SweepFigure::Time).value);
        EXPECT_EQ(rows().cells[c].runs, before.cells[c].runs);
    }
    window().openFile(file("sweep.json"));
    ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    EXPECT_EQ(rows().axes, before.axes);
    EXPECT_TRUE(figure(0, SweepFigure::Memory).estimated) << "the sweep itself holds no results";
}

TEST_F(SweepWindowTest, ABadFileIsOneLine) {
    ASSERT_TRUE(base::writeFileAtomically(folder / "bad.json", "{\"schema\": \"highwater.sweep/1\"}"));
    ASSERT_TRUE(base::writeFileAtomically(folder / "other.json", "[1"));
    for (const char* name : {"bad.json", "other.json", "none.json"}) {
        window().openFile(file(name));
        ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
        EXPECT_THAT(window().problem().toStdString(), HasSubstr(name));
        EXPECT_FALSE(window().problem().contains('\n'));
        EXPECT_THAT(window().panel().message().toStdString(), HasSubstr(name));
    }
    compose();
    window().openFile(file("bad.json"));
    ASSERT_TRUE(waitUntil([&] { return !window().loading(); }));
    EXPECT_EQ(rows().cells.size(), 4u) << "nothing is lost";
}

TEST_F(SweepWindowTest, ACellLeadsToItsRun) {
    compose();
    window().panel().views().link().open(0);
    EXPECT_THAT(window().notices().text().toStdString(), HasSubstr("has not been run"));
    runToTheEnd();
    QSignalSpy wanted(studies.get(), &StudyWindows::runWanted);
    window().panel().views().link().open(0);
    EXPECT_EQ(wanted.count(), 0) << "the fake runs are in no store";
    EXPECT_THAT(window().notices().text().toStdString(), HasSubstr("not in this window's run store"));
}

std::vector<runs::RunSummary> storedRuns() {
    std::vector<runs::RunSummary> rows;
    for (int repeat = 0; repeat < 3; ++repeat) {
        for (int batch = 1; batch <= 2; ++batch) {
            for (const char* precision : {"fp32", "bf16"}) {
                runs::RunSummary row;
                row.id = "r" + std::to_string(rows.size());
                row.name = "batch_size " + std::to_string(batch) + ", precision " + precision;
                row.study = {"s1", "sweep of net"};
                row.created = "2026-11-24T10:12:00Z";
                row.device = "cpu";
                row.status = wire::RunStatus::Done;
                row.batchSize = batch;
                row.peakAllocated = batch * base::kMiB;
                row.stepMs = {10.0 * batch + repeat, 10, 11, 5};
                row.loss = 0.5;
                rows.push_back(row);
            }
        }
    }
    rows.back().study = {};  // a run outside of a study
    return rows;
}

TEST(SweepSources, AStudyOfTheStoreIsReadFromTheNamesOfItsRuns) {
    const auto rows = storedRuns();
    const auto studies = studiesOf(rows);
    ASSERT_EQ(studies.size(), 1u);
    EXPECT_EQ(studies[0].title, "sweep of net, 11 runs, 2026-11-24 10:12");
    const study::SweepResult result = resultOf(rows, "s1");
    ASSERT_EQ(result.sweep.axes.size(), 2u);
    EXPECT_EQ(result.sweep.axes[0].name, "batch_size");
    EXPECT_EQ(result.sweep.axes[1].name, "precision");
    ASSERT_EQ(result.cells.size(), 4u);
    EXPECT_EQ(result.cells[3].words, (std::vector<std::string>{"2", "bf16"}));
    EXPECT_EQ(result.cells[3].levels, (std::vector<int>{1, 1}));
    EXPECT_EQ(result.measured[0].stepMs.median, 11);
    EXPECT_EQ(result.measured[0].runIds, (std::vector<std::string>{"r0", "r4", "r8"}));
    EXPECT_EQ(result.measured[3].runIds.size(), 2u);
    const SweepRows shown = sweepRows({result.sweep, result.cells, result.measured, {}, {}}, {});
    EXPECT_EQ(shown.cells[3].figure(SweepFigure::Throughput).value, 2000 / 20.5);
    EXPECT_EQ(shown.cells[3].figure(SweepFigure::Loss).value, 0.5);
}

TEST(SweepSources, NamesThatAreNotAlikeAreTheAxis) {
    auto rows = storedRuns();
    rows[0].name = "my favorite";
    const study::SweepResult result = resultOf(rows, "s1");
    ASSERT_EQ(result.sweep.axes.size(), 1u);
    EXPECT_EQ(result.sweep.axes[0].name, "run");
    EXPECT_EQ(result.cells.size(), 5u);
    EXPECT_TRUE(resultOf(rows, "none").cells.empty());
}

TEST(SweepValues, WhatIsWrittenIsWhatIsReadBack) {
    study::Sweep base;
    base.base = highwater::desktop::test::smallExperiment();
    for (const QString& values :
         {QString("1, 2, 4"), QString("[8,8,8], [16,16,16]"), QString("fp32, bf16"),
          QString("0.5, true, null"), QString("\"a, b\", \"c\""), QString("\"1\", 1")}) {
        int wrong = 5;
        const auto sweep = sweepOf(base, {{{"x", {"/a/b"}, values, {}}}, 0, 2, 12}, wrong);
        ASSERT_TRUE(sweep) << values.toStdString() << ": " << sweep.error().message;
        EXPECT_EQ(wrong, -1);
        const auto again = sweepOf(base, choiceOf(*sweep, 12), wrong);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->axes, sweep->axes) << values.toStdString();
        EXPECT_EQ(again->repeats, 2);
    }
    int wrong = -1;
    const auto twice = sweepOf(base, {{{"x", {"/a"}, "1", {}}, {"x", {"/b"}, "2", {}}}, 0, 1, 12}, wrong);
    ASSERT_FALSE(twice);
    EXPECT_EQ(wrong, 1);
}

/// Tab must not lead to the remove button, where a space for a value would press it.
TEST_F(SweepWindowTest, TabComesToAnAxissFieldsBeforeTheButtonThatRemovesIt) {
    window().show();
    SweepAxes& axes = *setup().findChild<SweepAxes*>();
    axes.add({"batch_size", {"/step/batch_size"}, "1, 2", {}});
    axes.add({});  // a JSON Pointer that is yet to be written
    const auto stops = [&] {
        QCoreApplication::processEvents();
        QStringList names;
        const QWidget* at = &axes;
        do {
            at = at->nextInFocusChain();
            if (axes.isAncestorOf(at) && (at->focusPolicy() & Qt::TabFocus) != 0 && at->isVisibleTo(&axes)) {
                names << at->objectName();
            }
        } while (at != &axes);
        names.removeAll(QString());
        return names;
    };
    EXPECT_EQ(stops(), (QStringList{"Values 0", "Remove 0", "Path 1", "Values 1", "Remove 1"}));
    QTest::mouseClick(setup().findChild<QToolButton*>("Remove 0"), Qt::LeftButton);
    EXPECT_EQ(stops(), (QStringList{"Path 0", "Values 0", "Remove 0"}));
    QWidget* before = setup().findChild<QWidget*>("add axis");
    while ((before = before->nextInFocusChain()) != &axes && before != setup().findChild<QWidget*>("Mode")) {
    }
    EXPECT_EQ(before, &axes) << "the axes come between what stands above and below them";
}

}  // namespace
}  // namespace highwater::desktop
