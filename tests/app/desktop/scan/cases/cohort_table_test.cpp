#include "app/desktop/scan/cases/cohort_table.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "app/desktop/scan/cases/cohort_model.h"
#include "tests/app/desktop/scan/cases/rows.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {
namespace {

using highwater::testing::caseRow;
using highwater::testing::unread;

class CohortTableTest : public ::testing::Test {
protected:
    CohortTable table;
    void SetUp() override {
        table.setRows({unread("case 1"), unread("case 2"), unread("case 10")});
        table.resize(700, 300);
        table.show();
    }
    QVariant shown(int row, int column, int role = Qt::DisplayRole) const {
        return table.view().model()->index(row, column).data(role);
    }
};

TEST_F(CohortTableTest, FillsAsCasesAreRead) {
    EXPECT_EQ(shown(0, CohortModel::Size).toString(), "—");
    EXPECT_EQ(shown(0, CohortModel::Note).toString(), "not read yet");
    EXPECT_EQ(table.note(), "");
    table.setRow(0, caseRow("case 1", {10, 20, 30}, 0, 100));
    EXPECT_EQ(shown(0, CohortModel::Size).toString(), "10 × 20 × 30");
    EXPECT_EQ(shown(0, CohortModel::Range).toString(), "0 to 100");
    EXPECT_EQ(table.note(), "One case: 10 × 20 × 30 voxels, 1 × 1 × 2 mm; values 0 to 100.");
}

TEST_F(CohortTableTest, ABadCaseIsMarkedAndSaysWhy) {
    CaseRow bad = caseRow("case 2", {}, 0, 0);
    bad.problem = "b.nii.gz: truncated";
    table.setRow(1, bad);
    EXPECT_EQ(shown(1, CohortModel::Note).toString(), "b.nii.gz: truncated");
    EXPECT_EQ(shown(1, CohortModel::Note, Qt::ForegroundRole).value<QColor>(), widgets::theme().bad);
    EXPECT_EQ(shown(1, CohortModel::Name, Qt::ForegroundRole).value<QColor>(), widgets::theme().bad);
}

TEST_F(CohortTableTest, AChosenRowNamesItsCaseWhateverTheOrder) {
    table.setRow(0, caseRow("case 1", {50, 50, 50}, 0, 1));
    table.setRow(1, caseRow("case 2", {10, 10, 10}, 0, 1));
    table.setRow(2, caseRow("case 10", {30, 30, 30}, 0, 1));
    table.view().horizontalHeader()->setSortIndicator(CohortModel::Size, Qt::AscendingOrder);
    EXPECT_EQ(shown(0, CohortModel::Name).toString(), "case 2");
    QSignalSpy chosen(&table, &CohortTable::caseChosen);
    table.view().setCurrentIndex(table.view().model()->index(0, 0));
    table.view().setFocus();
    QTest::keyClick(&table.view(), Qt::Key_Down);
    ASSERT_EQ(chosen.size(), 2);
    EXPECT_EQ(chosen[0][0].toInt(), 1);
    EXPECT_EQ(chosen[1][0].toInt(), 2);
}

TEST_F(CohortTableTest, NewRowsChooseNothingByThemselves) {
    QSignalSpy chosen(&table, &CohortTable::caseChosen);
    table.setRows({unread("other")});
    EXPECT_EQ(chosen.size(), 0);
    EXPECT_EQ(table.current(), -1);
}

TEST_F(CohortTableTest, SortsProblemsFirst) {
    CaseRow warned = caseRow("case 1", {10, 10, 10}, 0, 1), bad = caseRow("case 10", {}, 0, 0);
    warned.warnings = QStringList{"spacing unknown"};
    bad.problem = "truncated";
    table.setRow(0, warned);
    table.setRow(1, caseRow("case 2", {10, 10, 10}, 0, 1));
    table.setRow(2, bad);
    table.view().horizontalHeader()->setSortIndicator(CohortModel::Note, Qt::AscendingOrder);
    EXPECT_EQ(shown(0, CohortModel::Name).toString(), "case 10");
    EXPECT_EQ(shown(1, CohortModel::Name).toString(), "case 1");
}

TEST_F(CohortTableTest, TheCaseInTheViewsIsMarked) {
    table.setShown(2);
    EXPECT_NE(shown(2, CohortModel::Name, Qt::ToolTipRole).toString(), "case 10");
    table.setShown(-1);
    EXPECT_EQ(shown(2, CohortModel::Name, Qt::ToolTipRole).toString(), "case 10");
}

}  // namespace
}  // namespace highwater::desktop
