#include "app/desktop/run/runs_table.h"

#include <QAction>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "app/desktop/run/runs_cells.h"
#include "app/desktop/run/runs_model.h"
#include "app/desktop/run/runs_view.h"
#include "tests/widgets/qt_main.h"

HIGHWATER_QT_MAIN()

namespace highwater::desktop {
namespace {

RunRow run(int number, const QString& name, base::Bytes peak, wire::RunStatus state = wire::RunStatus::Done) {
    RunRow row;
    row.number = number;
    row.id = QString("id%1").arg(number);
    row.name = name;
    row.device = "CPU";
    row.batch = 2;
    row.patch = "96³";
    row.peak = peak;
    row.stepMs = 204.1;
    row.stepLow = 203.6;
    row.stepHigh = 205.0;
    row.steps = 20;
    row.state = state;
    return row;
}

RunRow partOf(const QString& study, RunRow row) {
    row.studyId = study;
    row.study = study;
    return row;
}

class RunsTableTest : public ::testing::Test {
protected:
    void SetUp() override {
        table.resize(1400, 300);
        table.show();
    }
    QModelIndex at(int row, RunColumn column = RunColumn::Number, const QModelIndex& parent = {}) {
        return view->model()->index(row, static_cast<int>(column), parent);
    }
    QString cell(int row, RunColumn column, const QModelIndex& parent = {}) {
        return at(row, column, parent).data().toString();
    }
    QToolButton* link(const QString& text) {
        for (QToolButton* button : table.findChildren<QToolButton*>()) {
            if (button->text() == text) {
                return button;
            }
        }
        return nullptr;
    }
    QLineEdit* filter() { return table.findChild<QLineEdit*>(); }
    /// The editor of a cell, once it exists.
    QLineEdit* editor() {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCoreApplication::processEvents();
        return view->viewport()->findChild<QLineEdit*>();
    }
    void focusView() {
        table.activateWindow();
        view->setFocus();
        QCoreApplication::processEvents();
    }
    RunsTable table;
    RunsView* view = &table.view();
};

TEST_F(RunsTableTest, ShowsNewestFirstInPlainWords) {
    RunRow oom = run(2, "plain", 0, wire::RunStatus::OutOfMemory);
    oom.stepMs = 0;
    oom.message = "asked for 14.8 of 11.6 GiB";
    RunRow first = run(1, "plain", 3 * base::kGiB);
    first.loss = 0.25;
    first.tags = {"paper", "x"};
    first.note = "a note";
    table.setRows({first, oom});
    EXPECT_EQ(cell(0, RunColumn::Number), QString("2"));
    EXPECT_EQ(cell(0, RunColumn::Peak), QString("—"));
    EXPECT_EQ(cell(0, RunColumn::Loss), QString("—"));
    EXPECT_EQ(cell(0, RunColumn::Status), QString("out of memory"));
    EXPECT_EQ(cell(0, RunColumn::Against), oom.message);
    EXPECT_EQ(cell(1, RunColumn::Peak), QString("3.00 GiB"));
    EXPECT_EQ(cell(1, RunColumn::Step), QStringLiteral("204 (204–205)"));
    RunRow stopped = run(3, "stopped", base::kGiB, wire::RunStatus::Cancelled);
    stopped.steps = 1;
    stopped.stepLow = stopped.stepHigh = 0;
    EXPECT_EQ(runText(stopped, RunColumn::Step), QStringLiteral("204 (1 step)"))
        << "no interval of one value";
    EXPECT_EQ(cell(1, RunColumn::Loss), QString("0.25"));
    EXPECT_EQ(cell(1, RunColumn::Tags), QString("paper x"));
    EXPECT_EQ(cell(1, RunColumn::Note), QString("a note"));
    EXPECT_EQ(cell(1, RunColumn::Against), QString("—"));
    RunRow running = run(3, "now", 0, wire::RunStatus::Running);
    running.progress = "2 min 5 s left";
    table.setRow(running);
    EXPECT_EQ(cell(0, RunColumn::Status), QString("running, 2 min 5 s left"));
    table.setProgress(running.id, "4.00 s left");
    EXPECT_EQ(cell(0, RunColumn::Status), QString("running, 4.00 s left"));
    table.setProgress("nobody", "4.00 s left");
    const auto color = [&](int row) {
        return view->model()->index(row, static_cast<int>(RunColumn::Number)).data(Qt::ForegroundRole);
    };
    table.setShown(running.id);
    EXPECT_TRUE(color(0).isValid()) << "the run in the plots is marked";
    EXPECT_FALSE(color(1).isValid());
    table.setShown({});
    EXPECT_FALSE(color(0).isValid());
}

TEST_F(RunsTableTest, SortsByValueNotByText) {
    table.setRows({run(1, "a", 900 * base::kMiB), run(2, "b", 10 * base::kGiB), run(3, "c", 2 * base::kGiB)});
    view->sortByColumn(static_cast<int>(RunColumn::Peak), Qt::AscendingOrder);
    EXPECT_EQ(cell(0, RunColumn::Name), QString("a"));
    EXPECT_EQ(cell(1, RunColumn::Name), QString("c"));
    EXPECT_EQ(cell(2, RunColumn::Name), QString("b"));
}

TEST_F(RunsTableTest, SelectionSurvivesUpdatesAndNewRuns) {
    table.setRows({run(1, "a", 1), run(2, "b", 1)});
    table.select({"id1"});
    table.setRow(run(3, "c", 1, wire::RunStatus::Running));
    RunRow changed = run(1, "a", 2 * base::kGiB);
    table.setRows({changed, run(2, "b", 1), run(3, "c", 1), run(4, "d", 1)});
    EXPECT_EQ(table.selectedIds(), QStringList{"id1"});
    table.setRows({run(2, "b", 1), run(4, "d", 1)});
    EXPECT_TRUE(table.selectedIds().isEmpty());
    EXPECT_EQ(table.visibleRuns(), 2);
}

TEST_F(RunsTableTest, LinksAskForWhatIsSelected) {
    QSignalSpy compare(&table, &RunsTable::compareRequested);
    QSignalSpy report(&table, &RunsTable::reportRequested);
    QSignalSpy remove(&table, &RunsTable::deleteRequested);
    table.setRows({run(1, "a", 1), run(2, "b", 1), run(3, "c", 1)});
    EXPECT_FALSE(link("compare")->isEnabled());
    table.select({"id1"});
    EXPECT_FALSE(link("compare")->isEnabled());
    EXPECT_TRUE(link("report")->isEnabled());
    table.select({"id1", "id3"});
    EXPECT_EQ(table.note(), QString("2 selected"));
    link("compare")->click();
    link("report")->click();
    ASSERT_EQ(compare.count(), 1);
    EXPECT_EQ(compare[0][0].toStringList(), (QStringList{"id1", "id3"}));
    EXPECT_EQ(report.count(), 1);
    focusView();
    QTest::keyClick(view, Qt::Key_Delete);
    ASSERT_EQ(remove.count(), 1);
    EXPECT_EQ(table.visibleRuns(), 3) << "the table asks, it deletes nothing";
}

TEST_F(RunsTableTest, TheFirstSelectedStaysFirst) {
    table.setRows({run(1, "a", 1), run(2, "b", 1), run(3, "c", 1), run(4, "d", 1)});
    const auto click = [&](int row, Qt::KeyboardModifiers keys) {
        QTest::mouseClick(view->viewport(), Qt::LeftButton, keys,
                          view->visualRect(at(row, RunColumn::Device)).center());
    };
    click(2, Qt::NoModifier);  // newest first: run 2
    click(0, Qt::ControlModifier);
    click(3, Qt::ControlModifier);
    EXPECT_EQ(table.selectedIds(), (QStringList{"id2", "id4", "id1"}));
    click(2, Qt::ControlModifier);
    EXPECT_EQ(table.selectedIds(), (QStringList{"id4", "id1"}));
    click(2, Qt::NoModifier);
    click(0, Qt::ShiftModifier);
    EXPECT_EQ(table.selectedIds(), (QStringList{"id2", "id4", "id3"}));
    view->sortByColumn(static_cast<int>(RunColumn::Name), Qt::AscendingOrder);
    EXPECT_EQ(table.selectedIds(), (QStringList{"id2", "id4", "id3"}));
    table.select({"id3", "id1"});
    EXPECT_EQ(table.selectedIds(), (QStringList{"id3", "id1"}));
}

TEST_F(RunsTableTest, FilterNeedsEveryWord) {
    table.setRows({run(1, "unet plain", 1), run(2, "unet checkpoint", 1, wire::RunStatus::Failed),
                   run(3, "signal", 1)});
    filter()->setText("unet FAILED");
    EXPECT_EQ(table.visibleRuns(), 1);
    EXPECT_EQ(cell(0, RunColumn::Name), QString("unet checkpoint"));
    EXPECT_EQ(table.note(), QString("1 of 3 runs"));
    table.setFilter("");
    EXPECT_EQ(table.visibleRuns(), 3);
}

TEST_F(RunsTableTest, AFilterThatIsNotUnderstoodIsSaidAndChangesNothing) {
    table.setRows({run(1, "a", 1), run(2, "b", 1)});
    table.setFilters([](const QString& line) {
        return line == "bad" ? RunsFilter{{}, "write something else"}
               : line.isEmpty()
                   ? RunsFilter()
                   : RunsFilter{[line](const QString& id) { return line == "good" && id == "id2"; }};
    });
    filter()->setText("none");
    EXPECT_EQ(table.visibleRuns(), 0);
    filter()->setText("bad");
    EXPECT_EQ(table.visibleRuns(), 2) << "an empty table would look like an answer";
    filter()->setText("good");
    EXPECT_EQ(table.visibleRuns(), 1);
    filter()->setText("bad");
    EXPECT_EQ(table.visibleRuns(), 1);
    const auto labels = table.findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text() == "write something else";
    }));
    QTest::keyClick(filter(), Qt::Key_Escape);
    EXPECT_EQ(filter()->text(), QString());
    EXPECT_EQ(table.visibleRuns(), 2);
}

TEST_F(RunsTableTest, AStudyIsOneRowThatUnfolds) {
    RunRow failed = partOf("widths", run(3, "width 64", 4 * base::kGiB, wire::RunStatus::Failed));
    table.setRows({run(1, "alone", 1), partOf("widths", run(2, "width 32", base::kGiB)), failed});
    ASSERT_EQ(view->model()->rowCount(), 2);
    const QModelIndex study = at(0);
    EXPECT_EQ(cell(0, RunColumn::Name), QString("widths (2 runs)"));
    EXPECT_EQ(cell(0, RunColumn::Peak), QString("1.00 – 4.00 GiB"));
    EXPECT_EQ(cell(0, RunColumn::Batch), QString("2"));
    EXPECT_EQ(cell(0, RunColumn::Status), QString("1 done, 1 failed"));
    EXPECT_FALSE(view->isExpanded(study));
    focusView();
    view->setCurrentIndex(study);
    EXPECT_EQ(table.selectedIds(), (QStringList{"id3", "id2"})) << "a study stands for its runs";
    QTest::keyClick(view, Qt::Key_Right);
    EXPECT_TRUE(view->isExpanded(study));
    EXPECT_EQ(cell(0, RunColumn::Name, study), QString("width 64"));
    QTest::keyClick(view, Qt::Key_Return);
    EXPECT_FALSE(view->isExpanded(study));
    table.select({"id2"});
    EXPECT_TRUE(view->isExpanded(study)) << "what is selected is seen";
    EXPECT_EQ(table.selectedIds(), QStringList{"id2"});

    table.setRows({run(1, "alone", 1), failed});
    EXPECT_EQ(cell(0, RunColumn::Name), QString("widths (1 run)"));
    table.setRows({run(1, "alone", 1)});
    EXPECT_EQ(view->model()->rowCount(), 1);
}

TEST_F(RunsTableTest, AFilterUnfoldsStudiesAsLongAsItIsThere) {
    table.setRows({run(1, "alone", 1), partOf("a", run(2, "wide", 1)), partOf("b", run(3, "wide", 1)),
                   partOf("b", run(4, "narrow", 1))});
    view->expand(at(0));  // b
    filter()->setText("wide");
    ASSERT_EQ(view->model()->rowCount(), 2);
    EXPECT_EQ(table.visibleRuns(), 2);
    EXPECT_TRUE(view->isExpanded(at(0)));
    EXPECT_TRUE(view->isExpanded(at(1)));
    filter()->clear();
    EXPECT_TRUE(view->isExpanded(at(0)));
    EXPECT_FALSE(view->isExpanded(at(1)));
    EXPECT_EQ(table.visibleRuns(), 4);
}

TEST_F(RunsTableTest, NamesNotesAndTagsAreEditedInPlaceByKeys) {
    QSignalSpy edited(&table, &RunsTable::edited);
    table.setRows({run(1, "a", 1), run(2, "b", 1)});
    table.select({"id1"});
    focusView();
    const auto type = [&](Qt::Key key, Qt::KeyboardModifiers keys, const char* text) {
        QTest::keyClick(view, key, keys);
        QLineEdit* const field = editor();
        ASSERT_NE(field, nullptr);
        field->setText(text);
        QTest::keyClick(field, Qt::Key_Return);
        QCoreApplication::processEvents();
    };
    type(Qt::Key_F2, Qt::NoModifier, "another name");
    type(Qt::Key_F2, Qt::ShiftModifier, "a note");
    type(Qt::Key_F2, Qt::ControlModifier, "paper x");
    ASSERT_EQ(edited.count(), 3);
    EXPECT_EQ(edited[0][0].toString(), QString("id1"));
    EXPECT_EQ(edited[0][1].value<RunColumn>(), RunColumn::Name);
    EXPECT_EQ(edited[0][2].toString(), QString("another name"));
    EXPECT_EQ(edited[1][1].value<RunColumn>(), RunColumn::Note);
    EXPECT_EQ(edited[2][1].value<RunColumn>(), RunColumn::Tags);
    EXPECT_EQ(edited[2][2].toString(), QString("paper x"));
    EXPECT_EQ(cell(1, RunColumn::Name), QString("a")) << "shown once it is kept";
    QTest::keyClick(view, Qt::Key_F2);
    QTest::keyClick(editor(), Qt::Key_Escape);
    EXPECT_EQ(edited.count(), 3);
}

TEST_F(RunsTableTest, DownFromTheFilterSelectsARunForTheKeysOfTheTable) {
    table.setRows({run(1, "a", 1), run(2, "b", 1)});
    focusView();
    table.focusFilter();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    EXPECT_EQ(table.selectedIds(), QStringList{"id2"}) << "the newest is the first";
    QTest::keyClick(view, Qt::Key_F2);
    ASSERT_NE(editor(), nullptr);
    EXPECT_EQ(editor()->text(), QString("b"));
    QTest::keyClick(editor(), Qt::Key_Escape);
    table.select({"id1"});
    table.focusFilter();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    EXPECT_EQ(table.selectedIds(), QStringList{"id1"}) << "what is selected stays";
}

TEST_F(RunsTableTest, ThePencilEditsAndADoubleClickOpens) {
    QSignalSpy opened(&table, &RunsTable::activated);
    table.setRows({run(1, "a", 1), run(2, "b", 1)});
    const QRect name = view->visualRect(at(1, RunColumn::Name));
    QTest::mouseMove(view->viewport(), name.center());
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, RunsCells::pencilIn(name).center());
    ASSERT_NE(editor(), nullptr);
    EXPECT_EQ(editor()->text(), QString("a"));
    QTest::keyClick(editor(), Qt::Key_Escape);
    QCoreApplication::processEvents();
    const QPoint at0 = view->visualRect(at(0, RunColumn::Name)).center();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at0);
    QTest::mouseDClick(view->viewport(), Qt::LeftButton, {}, at0);
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toString(), QString("id2"));
    EXPECT_FALSE(table.grab().isNull());
}

TEST_F(RunsTableTest, TagsOfSeveralRunsAreInTheMenu) {
    QSignalSpy wanted(&table, &RunsTable::tagWanted);
    RunRow first = run(1, "a", 1), second = run(2, "b", 1);
    first.tags = {"paper", "x"};
    second.tags = {"paper"};
    table.setRows({first, second});
    table.select({"id1", "id2"});
    const std::unique_ptr<QMenu> menu(table.contextMenu());
    QAction *paper = nullptr, *x = nullptr;
    for (QAction* action : menu->findChildren<QAction*>()) {
        paper = action->text() == "paper" ? action : paper;
        x = action->text() == "x" ? action : x;
    }
    ASSERT_TRUE(paper && x);
    EXPECT_TRUE(paper->isChecked());
    EXPECT_FALSE(x->isChecked()) << "not all have it";
    x->trigger();
    paper->trigger();
    ASSERT_EQ(wanted.count(), 2);
    EXPECT_EQ(wanted[0][0].toStringList(), (QStringList{"id1", "id2"}));
    EXPECT_EQ(wanted[0][1].toString(), QString("x"));
    EXPECT_TRUE(wanted[0][2].toBool());
    EXPECT_FALSE(wanted[1][2].toBool());
}

TEST_F(RunsTableTest, ColumnsFitANarrowTableUntilTheyAreChosen) {
    const int name = static_cast<int>(RunColumn::Name), note = static_cast<int>(RunColumn::Note);
    RunRow labeled = run(1, "unet", base::kGiB);
    labeled.tags = QStringList{"paper"};
    labeled.note = "first";
    table.setRows({labeled});
    view->resize(1600, 200);
    QCoreApplication::processEvents();
    EXPECT_GT(view->header()->sectionSize(name), lookOf(RunColumn::Name).width) << "there is room";
    view->resize(920, 200);
    QCoreApplication::processEvents();
    EXPECT_LE(view->header()->length(), view->viewport()->width());
    EXPECT_LT(view->header()->sectionSize(name), lookOf(RunColumn::Name).width);
    EXPECT_TRUE(view->columns().isEmpty()) << "nobody has chosen them";
    view->sortByColumn(static_cast<int>(RunColumn::Peak), Qt::AscendingOrder);
    EXPECT_FALSE(view->columns().isEmpty()) << "the order is kept";
    RunsTable other;
    other.resize(1200, 200);
    other.show();
    QCoreApplication::processEvents();
    other.view().restoreColumns(view->columns());
    for (RunsView* sorted : {view, &other.view()}) {
        sorted->resize(1010, 200);
        QCoreApplication::processEvents();
        EXPECT_LE(sorted->header()->length(), sorted->viewport()->width()) << "sorting does not fix widths";
    }
    view->resetColumns();
    view->header()->resizeSection(note, 222);
    EXPECT_FALSE(view->columns().isEmpty());
    view->resize(1000, 200);
    QCoreApplication::processEvents();
    EXPECT_EQ(view->header()->sectionSize(note), 222);
    view->resetColumns();
    EXPECT_LT(view->header()->sectionSize(note), 222);
}

TEST_F(RunsTableTest, NamesGetTheirWidthBeforeTheOutcome) {
    const auto name = [&] { return view->header()->sectionSize(static_cast<int>(RunColumn::Name)); };
    const QString text = "unet with 14 layers and checkpoints";
    RunRow labeled = run(1, "unet", base::kGiB);
    labeled.tags = QStringList{"paper"};
    labeled.note = "first";
    table.setRows({labeled});
    view->resize(1000, 200);
    QCoreApplication::processEvents();
    ASSERT_FALSE(view->isColumnHidden(static_cast<int>(RunColumn::Against)));
    const int brief = name();
    EXPECT_LT(brief, view->fontMetrics().horizontalAdvance(text));
    table.setRows({labeled, run(2, text, base::kGiB)});
    QCoreApplication::processEvents();
    EXPECT_GT(name(), brief);
    EXPECT_LE(view->header()->length(), view->viewport()->width());
}

TEST_F(RunsTableTest, WhatNoRunSaysLeavesItsRoomToWhatTheySay) {
    const int against = static_cast<int>(RunColumn::Against), tags = static_cast<int>(RunColumn::Tags);
    view->resize(1120, 200);
    RunRow labeled = run(1, "unet", base::kGiB);
    table.setRows({labeled});
    QCoreApplication::processEvents();
    const int without = view->header()->sectionSize(against);
    EXPECT_GE(without, view->fontMetrics().horizontalAdvance("±0 % memory, time within the noise") + 12);
    labeled.tags = QStringList{"paper"};
    labeled.note = "first";
    table.setRows({labeled});
    EXPECT_GT(view->header()->sectionSize(tags), lookOf(RunColumn::Tags).width / 2);
    EXPECT_LT(view->header()->sectionSize(against), without);
    EXPECT_TRUE(view->columns().isEmpty()) << "nobody has chosen them";
    const int status = static_cast<int>(RunColumn::Status);
    const int ended = view->header()->sectionSize(status);
    labeled.state = wire::RunStatus::Running;
    labeled.progress = "2 min 30 s left";
    table.setRows({labeled});
    EXPECT_GT(view->header()->sectionSize(status), ended);
}

TEST_F(RunsTableTest, ATableThatIsTooNarrowDoesWithoutSomeColumns) {
    const int note = static_cast<int>(RunColumn::Note), tags = static_cast<int>(RunColumn::Tags);
    QCoreApplication::processEvents();
    ASSERT_TRUE(view->columns().isEmpty());
    for (const int width : {900, 700, 530}) {
        view->resize(width, 200);
        QCoreApplication::processEvents();
        EXPECT_LE(view->header()->length(), view->viewport()->width()) << width;
        EXPECT_TRUE(view->isColumnHidden(note)) << width;
        EXPECT_FALSE(view->isColumnHidden(static_cast<int>(RunColumn::Peak)));
        EXPECT_FALSE(view->isColumnHidden(static_cast<int>(RunColumn::Status)));
        EXPECT_TRUE(view->columns().isEmpty()) << "nobody has chosen them";
    }
    EXPECT_TRUE(view->isColumnHidden(tags));
    view->sortByColumn(static_cast<int>(RunColumn::Peak), Qt::AscendingOrder);
    RunsTable wide;
    wide.resize(1400, 200);
    wide.show();
    wide.view().restoreColumns(view->columns());
    QCoreApplication::processEvents();
    EXPECT_FALSE(wide.view().isColumnHidden(tags)) << "that was for want of room";
    view->resize(1400, 200);
    QCoreApplication::processEvents();
    EXPECT_FALSE(view->isColumnHidden(note));
    view->resize(530, 200);
    QCoreApplication::processEvents();
    view->setCurrentIndex(view->model()->index(0, 0));
    view->editCell(RunColumn::Tags);
    EXPECT_FALSE(view->isColumnHidden(tags)) << "they are edited";
}

TEST_F(RunsTableTest, ColumnsWithoutAnyFigureMakeRoomForNames) {
    const auto hidden = [&](RunColumn column) { return view->isColumnHidden(static_cast<int>(column)); };
    const QString name = "nnUNetv2_train 1 3d_fullres 0 -p nnUNetResEncUNetMPlans (nnUNet_compile=f)";
    RunRow script = run(1, name, base::kGiB);
    script.batch = 0;
    script.patch = "—";
    script.stepMs = 0;
    script.loss.reset();
    table.resize(640, 300);
    table.setRows({script});
    QCoreApplication::processEvents();
    for (const RunColumn column : {RunColumn::Batch, RunColumn::Patch, RunColumn::Step, RunColumn::Loss}) {
        EXPECT_TRUE(hidden(column)) << static_cast<int>(column);
    }
    EXPECT_FALSE(hidden(RunColumn::Peak));
    const int narrow = view->columnWidth(static_cast<int>(RunColumn::Name));
    RunRow engine = run(2, "unet", base::kGiB);
    engine.stepMs = 10;
    table.setRows({script, engine});
    QCoreApplication::processEvents();
    EXPECT_FALSE(hidden(RunColumn::Step)) << "it has a figure";
    EXPECT_GT(narrow, view->columnWidth(static_cast<int>(RunColumn::Name)));
    table.resize(2000, 300);
    table.setRows({script});
    QCoreApplication::processEvents();
    EXPECT_FALSE(hidden(RunColumn::Batch)) << "there is room for all";
}

TEST_F(RunsTableTest, ALineThatSaysWhatIsWrongMayLeaveHardlyAnyRoom) {
    table.setFilters([](const QString& line) {
        return RunsFilter{{},
                          line.isEmpty() ? QString() : QString("what is wrong, in many words ").repeated(9)};
    });
    for (int height = 200; height > 20; height -= 3) {
        table.resize(420, height);
        table.setFilter("peak<");
        QCoreApplication::processEvents();
        table.setFilter({});
        QCoreApplication::processEvents();
        EXPECT_EQ(table.visibleRuns(), 0);
    }
}

/// Handlers of the selection change the table; during filtering this would corrupt its rows.
TEST_F(RunsTableTest, ASelectedRunMayBeFilteredOut) {
    table.setRows({run(1, "alpha", 9), run(2, "beta", 5), run(3, "gamma", 7)});
    QObject::connect(&table, &RunsTable::selectionChanged, &table, [&](const QStringList& ids) {
        table.setAgainst(ids.isEmpty() ? QString() : "against " + ids.front(),
                         [](const QString& id) { return id; });
        table.setColors(ids.isEmpty() ? QHash<QString, QColor>()
                                      : QHash<QString, QColor>{{ids.front(), Qt::red}});
    });
    for (const char* line : {"zzz", "beta", "a", "gam"}) {
        table.select({"id1", "id3"});
        table.setFilter(line);
        QCoreApplication::processEvents();
        const bool first = QString("alpha").contains(line), third = QString("gamma").contains(line);
        EXPECT_EQ(table.selectedIds().size(), int(first) + int(third)) << line;
        table.setFilter({});
        QCoreApplication::processEvents();
        EXPECT_EQ(view->model()->rowCount(), 3) << line;
        EXPECT_EQ(table.visibleRuns(), 3) << line;
        table.setRows({run(1, "alpha", 9), run(2, "beta", 5), run(3, "gamma", 7)});
    }
}

TEST_F(RunsTableTest, ColumnsAreKept) {
    const int created = static_cast<int>(RunColumn::Created), batch = static_cast<int>(RunColumn::Batch);
    EXPECT_TRUE(view->isColumnHidden(created));
    view->setColumnHidden(created, false);
    view->setColumnHidden(batch, true);
    view->header()->resizeSection(static_cast<int>(RunColumn::Note), 222);
    view->sortByColumn(static_cast<int>(RunColumn::Peak), Qt::AscendingOrder);
    RunsTable other;
    other.view().restoreColumns(view->columns());
    other.setRows({run(1, "a", 9), run(2, "b", 5)});
    EXPECT_FALSE(other.view().isColumnHidden(created));
    EXPECT_TRUE(other.view().isColumnHidden(batch));
    EXPECT_EQ(other.view().header()->sectionSize(static_cast<int>(RunColumn::Note)), 222);
    EXPECT_EQ(other.view().model()->index(0, static_cast<int>(RunColumn::Name)).data().toString(),
              QString("b"));
    other.view().restoreColumns("nonsense");
    EXPECT_FALSE(other.view().isColumnHidden(created));
    other.view().resetColumns();
    EXPECT_TRUE(other.view().isColumnHidden(created));
}

TEST_F(RunsTableTest, TheLastColumnHoldsRunsAgainstTheFirst) {
    table.setRows({run(1, "a", 1), run(2, "b", 1), partOf("s", run(3, "c", 1))});
    table.setAgainst("against #1",
                     [](const QString& id) { return id == "id1" ? QString() : "more than " + id; });
    EXPECT_EQ(view->model()->headerData(static_cast<int>(RunColumn::Against), Qt::Horizontal).toString(),
              QString("against #1"));
    EXPECT_EQ(cell(0, RunColumn::Against, at(0)), QString("more than id3"));
    EXPECT_EQ(cell(1, RunColumn::Against), QString("more than id2"));
    EXPECT_EQ(cell(2, RunColumn::Against), QString("—"));
    table.setAgainst({});
    EXPECT_EQ(cell(1, RunColumn::Against), QString("—"));
}

TEST_F(RunsTableTest, FiveThousandRunsChangeOneRowAtATime) {
    std::vector<RunRow> rows;
    for (int i = 1; i <= 5000; ++i) {
        const RunRow row = run(i, QString("run %1").arg(i), i);
        rows.push_back(i % 2 ? row : partOf(QString("study %1").arg(i % 100), row));
    }
    table.setRows(rows);
    EXPECT_EQ(table.visibleRuns(), 5000);
    QSignalSpy changed(view->model(), &QAbstractItemModel::dataChanged);
    QSignalSpy reset(view->model(), &QAbstractItemModel::modelReset);
    rows[2500].peak = base::kGiB;  // run 2501, of no study
    table.setRows(rows);
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(reset.count(), 0);
    filter()->setText("run 4999");
    EXPECT_EQ(table.visibleRuns(), 1);
    filter()->clear();
    view->selectAll();
    EXPECT_EQ(table.selectedIds().size(), 5000);
    table.select({"id7", "id4000"});
    EXPECT_EQ(table.selectedIds(), (QStringList{"id7", "id4000"}));
    changed.clear();
    table.setAgainst("against #7", [](const QString& id) { return id; });
    EXPECT_LE(changed.count(), 150) << "once for each study, not once for each run";
    rows.resize(10);
    table.setRows(rows);
    EXPECT_EQ(table.visibleRuns(), 10);
    EXPECT_FALSE(table.grab().isNull());
}

TEST_F(RunsTableTest, EmptyTablePaints) {
    EXPECT_FALSE(table.grab().isNull());
    EXPECT_EQ(table.visibleRuns(), 0);
}

/// Rows that are added, removed, or change their study and values, compared with what was set.
TEST_F(RunsTableTest, HoldsWhatWasSetWhateverCameBefore) {
    std::srand(1);
    for (int turn = 0; turn < 200; ++turn) {
        std::vector<RunRow> rows;
        for (int i = 1; i <= 30; ++i) {
            if (std::rand() % 3 == 0) {
                continue;
            }
            const RunRow row = run(i, QString("run %1").arg(std::rand() % 4), std::rand() % 3);
            rows.push_back(std::rand() % 2 ? row : partOf(QString("s%1").arg(std::rand() % 3), row));
        }
        table.setRows(rows);
        ASSERT_EQ(table.visibleRuns(), static_cast<int>(rows.size()));
        QAbstractItemModel* model = view->model();
        std::size_t found = 0;
        for (const RunRow& row : rows) {
            for (int top = 0; top < model->rowCount(); ++top) {
                const QModelIndex index = model->index(top, 0);
                if (row.studyId.isEmpty()) {
                    found += model->rowCount(index) == 0 && index.data().toInt() == row.number &&
                             cell(top, RunColumn::Name) == row.name;
                    continue;
                }
                for (int under = 0; under < model->rowCount(index); ++under) {
                    found += cell(under, RunColumn::Number, index).toInt() == row.number &&
                             cell(top, RunColumn::Name).startsWith(row.study);
                }
            }
        }
        ASSERT_EQ(found, rows.size()) << "turn " << turn;
    }
}

/// A truncated figure says nothing, and the text columns can be narrower.
TEST_F(RunsTableTest, FiguresAreSeenWhole) {
    std::vector<RunRow> rows;
    for (int i = 1; i <= 3; ++i) {
        RunRow row = run(i, "unet", base::kGiB / i);
        row.studyId = "s";
        row.study = "sweep of unet";
        row.loss = 0.54321 + 0.1 * i;
        row.stepMs = 2345.6 * i;
        row.stepLow = 2300 * i;
        row.stepHigh = 2400 * i;
        rows.push_back(row);
    }
    rows.push_back(run(4, "alone", base::kGiB));
    rows.back().loss = 0.00012345;
    view->resize(1300, 200);
    table.setRows(rows);
    QCoreApplication::processEvents();
    view->expandAll();
    int seen = 0;
    const auto look = [&](const QModelIndex& row) {
        for (const RunColumn column :
             {RunColumn::Batch, RunColumn::Patch, RunColumn::Peak, RunColumn::Step, RunColumn::Loss}) {
            const QModelIndex cell = row.siblingAtColumn(static_cast<int>(column));
            if (!view->isColumnHidden(cell.column())) {
                EXPECT_LE(view->fontMetrics().horizontalAdvance(cell.data().toString()) + 16,
                          view->columnWidth(cell.column()))
                    << cell.data().toString().toStdString();
                ++seen;
            }
        }
    };
    for (int row = 0; row < view->model()->rowCount(); ++row) {
        const QModelIndex top = view->model()->index(row, 0);
        look(top);
        for (int child = 0; child < view->model()->rowCount(top); ++child) {
            look(view->model()->index(child, 0, top));
        }
    }
    EXPECT_EQ(seen, 5 * 5);
}

}  // namespace
}  // namespace highwater::desktop
