#include "widgets/runs/runs_table.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/widgets/qt_main.h"

HIGHWATER_QT_MAIN()

namespace highwater::widgets {
namespace {

RunRow run(int number, const QString& name, base::Bytes peak, RunState state = RunState::Done) {
    RunRow row;
    row.number = number;
    row.id = QString("id%1").arg(number);
    row.name = name;
    row.device = "CPU";
    row.batch = 2;
    row.patch = "96³";
    row.peak = peak;
    row.stepMs = 204.1;
    row.stepPlusMinus = 0.7;
    row.state = state;
    return row;
}

class RunsTableTest : public ::testing::Test {
protected:
    void SetUp() override {
        table.resize(1200, 300);
        table.show();
    }
    QString cell(int row, int column) { return view->model()->index(row, column).data().toString(); }
    QToolButton* link(const QString& text) {
        for (QToolButton* button : table.findChildren<QToolButton*>()) {
            if (button->text() == text) {
                return button;
            }
        }
        return nullptr;
    }
    RunsTable table;
    QTableView* view = table.findChild<QTableView*>();
};

TEST_F(RunsTableTest, ShowsNewestFirstInPlainWords) {
    RunRow oom = run(2, "plain", 0, RunState::OutOfMemory);
    oom.stepMs = 0;
    oom.message = "asked for 14.8 of 11.6 GiB";
    table.setRows({run(1, "plain", 3 * base::kGiB), oom});
    EXPECT_EQ(cell(0, RunsModel::Number), QString("2"));
    EXPECT_EQ(cell(0, RunsModel::Peak), QString("—"));
    EXPECT_EQ(cell(0, RunsModel::Status), QString("out of memory"));
    EXPECT_EQ(cell(0, RunsModel::Against), oom.message);
    EXPECT_EQ(cell(1, RunsModel::Peak), QString("3.00 GiB"));
    EXPECT_EQ(cell(1, RunsModel::Step), QString("204.1 ± 0.7"));
}

TEST_F(RunsTableTest, SortsByValueNotByText) {
    table.setRows({run(1, "a", 900 * base::kMiB), run(2, "b", 10 * base::kGiB), run(3, "c", 2 * base::kGiB)});
    view->sortByColumn(RunsModel::Peak, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, RunsModel::Name), QString("a"));
    EXPECT_EQ(cell(1, RunsModel::Name), QString("c"));
    EXPECT_EQ(cell(2, RunsModel::Name), QString("b"));
}

TEST_F(RunsTableTest, SelectionSurvivesUpdatesAndNewRuns) {
    table.setRows({run(1, "a", 1), run(2, "b", 1)});
    table.select({"id1"});
    table.setRow(run(3, "c", 1, RunState::Running));
    RunRow changed = run(1, "a", 2 * base::kGiB);
    table.setRows({changed, run(2, "b", 1), run(3, "c", 1), run(4, "d", 1)});
    EXPECT_EQ(table.selectedIds(), QStringList{"id1"});
    table.setRows({run(2, "b", 1), run(4, "d", 1)});
    EXPECT_TRUE(table.selectedIds().isEmpty());
    EXPECT_EQ(table.visibleRows(), 2);
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
    EXPECT_EQ(compare[0][0].toStringList(), (QStringList{"id3", "id1"}));
    EXPECT_EQ(report.count(), 1);
    view->setFocus();
    QCoreApplication::processEvents();
    QTest::keyClick(view, Qt::Key_Delete);
    ASSERT_EQ(remove.count(), 1);
    EXPECT_EQ(table.visibleRows(), 3) << "the table asks, it deletes nothing";
}

TEST_F(RunsTableTest, FilterNeedsEveryWord) {
    table.setRows(
        {run(1, "unet plain", 1), run(2, "unet checkpoint", 1, RunState::Failed), run(3, "signal", 1)});
    table.findChild<QLineEdit*>()->setText("unet FAILED");
    EXPECT_EQ(table.visibleRows(), 1);
    EXPECT_EQ(cell(0, RunsModel::Name), QString("unet checkpoint"));
    table.setFilter("");
    EXPECT_EQ(table.visibleRows(), 3);
}

TEST_F(RunsTableTest, FiveThousandRunsChangeOneRowAtATime) {
    std::vector<RunRow> rows;
    for (int i = 1; i <= 5000; ++i) {
        rows.push_back(run(i, QString("run %1").arg(i), i));
    }
    table.setRows(rows);
    EXPECT_EQ(table.visibleRows(), 5000);
    QSignalSpy changed(view->model(), &QAbstractItemModel::dataChanged);
    QSignalSpy reset(view->model(), &QAbstractItemModel::modelReset);
    rows[2500].peak = base::kGiB;
    table.setRows(rows);
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(reset.count(), 0);
    EXPECT_FALSE(table.grab().isNull());
}

TEST_F(RunsTableTest, EmptyTablePaints) {
    EXPECT_FALSE(table.grab().isNull());
    EXPECT_EQ(table.visibleRows(), 0);
}

}  // namespace
}  // namespace highwater::widgets
