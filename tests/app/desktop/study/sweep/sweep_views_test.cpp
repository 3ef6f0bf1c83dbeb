#include "app/desktop/study/sweep/sweep_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "app/desktop/study/sweep/sweep_heat_map.h"
#include "app/desktop/study/sweep/sweep_model.h"
#include "app/desktop/study/sweep/sweep_parallel.h"
#include "app/desktop/study/sweep/sweep_scatter.h"
#include "app/desktop/study/sweep/sweep_table.h"
#include "tests/app/desktop/study/sweep/sweep_samples.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

class SweepViewsTest : public ::testing::Test {
protected:
    void SetUp() override {
        views.resize(900, 700);
        views.setRows(samples::randomSweep(3, {4, 3, 5}));
        views.show();
        QTest::qWait(1);
    }
    SweepLink& link() { return views.link(); }
    const SweepRows& rows() { return views.link().rows(); }
    /// The cells of the table, in its order.
    std::vector<int> tabled() {
        std::vector<int> cells;
        for (int row = 0; row < views.table().model().rowCount(); ++row) {
            if (const int cell = views.table().model().cellAt(row); cell >= 0) {
                cells.push_back(cell);
            }
        }
        return cells;
    }
    void drag(std::size_t column, double from, double to) {
        SweepParallel& p = views.parallel();
        const int x = static_cast<int>(p.axisX(column));
        QTest::mousePress(&p, Qt::LeftButton, {}, QPoint(x, static_cast<int>(from)));
        QTest::mouseMove(&p, QPoint(x, static_cast<int>((from + to) / 2)));
        QTest::mouseMove(&p, QPoint(x, static_cast<int>(to)));
        QTest::mouseRelease(&p, Qt::LeftButton, {}, QPoint(x, static_cast<int>(to)));
    }
    SweepViews views;
    /// Warns, which fails the test, if the table's model violates the rules for models.
    QAbstractItemModelTester rules{&views.table().model(),
                                   QAbstractItemModelTester::FailureReportingMode::Warning};
};

TEST_F(SweepViewsTest, ABrushSelectsExactlyWhatLiesInIt) {
    SweepParallel& p = views.parallel();
    std::mt19937 random(11);
    for (int i = 0; i < 40; ++i) {
        const std::size_t column = random() % rows().columns();
        const double from = 60 + random() % 240, to = 60 + random() % 240;
        link().setFilter({});
        drag(column, from, to);
        if (std::abs(from - to) < 10) {
            continue;
        }
        const double low = p.valueAt(column, std::max(std::floor(from), std::floor(to)));
        const double high = p.valueAt(column, std::min(std::floor(from), std::floor(to)));
        std::vector<int> expected;
        for (std::size_t c = 0; c < rows().cells.size(); ++c) {
            const double value = rows().coordinate(rows().cells[c], column);
            if (value >= low && value <= high) {
                expected.push_back(static_cast<int>(c));
            }
        }
        ASSERT_EQ(link().shown(), expected) << column << ": " << from << " to " << to;
        EXPECT_EQ(tabled(), expected) << "the table shows the same";
    }
}

TEST_F(SweepViewsTest, ABrushIsMovedAndAClickTakesItAway) {
    SweepParallel& p = views.parallel();
    const std::size_t memory = rows().columnOf(SweepFigure::Memory);
    drag(memory, 100, 160);
    const auto before = link().filter().range(memory);
    ASSERT_TRUE(before);
    drag(memory, 130, 170);  // within it
    const auto after = link().filter().range(memory);
    ASSERT_TRUE(after);
    EXPECT_LT(after->low, before->low) << "down is less";
    EXPECT_NEAR(p.valueY(memory, after->low) - p.valueY(memory, after->high),
                p.valueY(memory, before->low) - p.valueY(memory, before->high), 1)
        << "as wide as before";
    QTest::mouseClick(&p, Qt::LeftButton, {}, QPoint(static_cast<int>(p.axisX(memory)), 280));
    EXPECT_TRUE(link().filter().empty());
    EXPECT_EQ(link().shown().size(), rows().cells.size());
}

TEST_F(SweepViewsTest, TheKeysBrushAndGoFromCellToCell) {
    SweepParallel& p = views.parallel();
    p.setFocus();
    QTest::keyClick(&p, Qt::Key_Right);
    EXPECT_EQ(p.axis(), 1u);
    QTest::keyClick(&p, Qt::Key_Up);  // the last value
    EXPECT_EQ(link().filter().range(1), (SweepRange{2, 2}));
    QTest::keyClick(&p, Qt::Key_Down);
    EXPECT_EQ(link().filter().range(1), (SweepRange{1, 1}));
    QTest::keyClick(&p, Qt::Key_Plus);
    EXPECT_EQ(link().filter().range(1), (SweepRange{0, 2}));
    QTest::keyClick(&p, Qt::Key_Minus);
    EXPECT_EQ(link().filter().range(1), (SweepRange{1, 1}));
    QTest::keyClick(&p, Qt::Key_PageDown);
    EXPECT_EQ(link().current(), link().shown()[0]);
    QTest::keyClick(&p, Qt::Key_PageDown);
    EXPECT_EQ(link().current(), link().shown()[1]);
    QSignalSpy opened(&views, &SweepViews::openRequested);
    QTest::keyClick(&p, Qt::Key_Return);
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toInt(), link().shown()[1]);
    QTest::keyClick(&p, Qt::Key_Delete);
    EXPECT_TRUE(link().filter().empty());
    QTest::keyClick(&p, Qt::Key_Up);
    QTest::keyClick(&p, Qt::Key_Escape);
    EXPECT_TRUE(link().filter().empty());
}

TEST_F(SweepViewsTest, OneChoiceInAllViews) {
    SweepTable& table = views.table();
    const int row = 7;
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(table.model().index(row, 0)).center());
    EXPECT_EQ(link().current(), table.model().cellAt(row));
    table.sortByColumn(static_cast<int>(rows().columnOf(SweepFigure::Time)), Qt::DescendingOrder);
    EXPECT_EQ(table.model().cellAt(table.currentIndex().row()), link().current()) << "sorting keeps it";
    link().setCurrent(12);
    EXPECT_EQ(table.model().cellAt(table.currentIndex().row()), 12);
    QSignalSpy opened(&views, &SweepViews::openRequested);
    QTest::keyClick(&table, Qt::Key_Return);
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toInt(), 12);
    SweepFilter filter;
    filter.setWithout(0, rows().cells[12].levels[0], true);
    link().setFilter(filter);
    EXPECT_FALSE(table.currentIndex().isValid()) << "it is hidden";
    EXPECT_EQ(link().current(), 12) << "and still chosen";
    link().setFilter({});
    EXPECT_EQ(table.model().cellAt(table.currentIndex().row()), 12);
}

TEST_F(SweepViewsTest, TheScatterShowsTheFrontOfWhatIsShown) {
    views.setView(SweepViews::View::Scatter);
    SweepScatter& scatter = views.scatter();
    EXPECT_EQ(scatter.xColumn(), rows().columnOf(SweepFigure::Memory));
    EXPECT_EQ(scatter.yColumn(), rows().columnOf(SweepFigure::Time));
    const std::vector<int> all = scatter.front().cells;
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all, frontOf(link().shown(), rows(), scatter.xColumn(), scatter.yColumn()).cells);
    SweepFilter filter;
    filter.setWithout(0, 0, true);
    link().setFilter(filter);
    EXPECT_EQ(scatter.front().cells,
              frontOf(link().shown(), rows(), scatter.xColumn(), scatter.yColumn()).cells);
    EXPECT_NE(scatter.front().cells, all);
    const int best = scatter.front().cells.front();
    const widgets::PlotFrame f = scatter.frame();
    const SweepCell& cell = rows().cells[static_cast<std::size_t>(best)];
    const QPoint at(static_cast<int>(f.pixelX(rows().coordinate(cell, scatter.xColumn()))),
                    static_cast<int>(f.pixelY(rows().coordinate(cell, scatter.yColumn()))));
    QTest::mouseMove(&scatter, at);
    EXPECT_EQ(link().hovered(), best);
    QTest::mouseClick(&scatter, Qt::LeftButton, {}, at);
    EXPECT_EQ(link().current(), best);
}

TEST_F(SweepViewsTest, ATileStandsForTheBestOfItsCells) {
    views.setView(SweepViews::View::HeatMap);
    SweepHeatMap& map = views.heatMap();
    views.findChild<QComboBox*>("Heat y")->setCurrentIndex(2);
    ASSERT_EQ(map.yColumn(), 2u);
    for (const SweepFigure figure : {SweepFigure::Memory, SweepFigure::Throughput}) {
        views.findChild<QComboBox*>("Heat figure")->setCurrentIndex(static_cast<int>(figure));
        const std::size_t column = rows().columnOf(figure);
        for (int x = 0; x < 4; ++x) {
            for (int y = 0; y < 5; ++y) {
                const int tile = map.cellOf(x, y);
                ASSERT_GE(tile, 0);
                const SweepCell& cell = rows().cells[static_cast<std::size_t>(tile)];
                EXPECT_EQ(cell.levels[0], x);
                EXPECT_EQ(cell.levels[2], y);
                for (const SweepCell& other : rows().cells) {
                    if (other.levels[0] == x && other.levels[2] == y && other.state == CellState::Done) {
                        EXPECT_EQ(cell.state, CellState::Done) << "measured comes first";
                        const double a = rows().coordinate(cell, column),
                                     b = rows().coordinate(other, column);
                        EXPECT_TRUE(figure == SweepFigure::Memory ? a <= b : a >= b);
                    }
                }
            }
        }
    }
    map.setFocus();
    link().setCurrent(map.cellOf(1, 1));
    QTest::keyClick(&map, Qt::Key_Up);
    EXPECT_EQ(map.hovered(), map.cellOf(1, 2));
    QTest::keyClick(&map, Qt::Key_Return);
    EXPECT_EQ(link().current(), map.cellOf(1, 2));
}

TEST_F(SweepViewsTest, GroupsHaveTheirHeadingAndTheirBest) {
    SweepTable& table = views.table();
    auto* group = views.findChild<QComboBox*>("Group");
    group->setCurrentIndex(2);  // by the second axis
    ASSERT_EQ(table.group(), 1);
    table.sortByColumn(static_cast<int>(rows().columnOf(SweepFigure::Memory)), Qt::AscendingOrder);
    int groups = 0, level = -1;
    for (int row = 0; row < table.model().rowCount(); ++row) {
        const int cell = table.model().cellAt(row);
        if (cell < 0) {
            ++groups;
            ++level;
            EXPECT_EQ(table.model().index(row, 1).data().toString(), rows().axes[1].words[level]);
            EXPECT_THAT(table.model().index(row, table.model().stateColumn()).data().toString().toStdString(),
                        HasSubstr("of 20 measured"));
            continue;
        }
        EXPECT_EQ(rows().cells[static_cast<std::size_t>(cell)].levels[1], level);
    }
    EXPECT_EQ(groups, 3);
    EXPECT_EQ(tabled().size(), rows().cells.size());
}

TEST_F(SweepViewsTest, TheBoxesAndTheMenuAreTheSameFilter) {
    auto* said = views.findChild<QWidget*>("Shown cells");
    ASSERT_NE(said, nullptr);
    for (QCheckBox* box : views.findChildren<QCheckBox*>()) {
        box->click();
    }
    EXPECT_TRUE(link().filter().hideFailures && link().filter().measuredOnly);
    emit views.filterMenu().aboutToShow();
    QMenu* first = views.filterMenu().actions().front()->menu();
    first->actions().back()->trigger();  // the last value of the first axis
    EXPECT_TRUE(link().filter().lacks(0, 3));
    for (const int c : link().shown()) {
        EXPECT_NE(rows().cells[static_cast<std::size_t>(c)].levels[0], 3);
        EXPECT_EQ(rows().cells[static_cast<std::size_t>(c)].state, CellState::Done);
    }
    views.findChild<QToolButton*>("show all")->click();
    EXPECT_TRUE(link().filter().empty());
    EXPECT_FALSE(views.findChildren<QCheckBox*>().front()->isChecked());
}

TEST_F(SweepViewsTest, FillsWithoutLosingFilterAndChoice) {
    SweepFilter filter;
    filter.setWithout(1, 0, true);
    link().setFilter(filter);
    link().setCurrent(link().shown()[3]);
    const int chosen = link().current();
    SweepRows more = samples::randomSweep(4, {4, 3, 5});  // other figures for the same cells
    views.setRows(more);
    EXPECT_EQ(link().filter(), filter);
    EXPECT_EQ(link().current(), chosen);
    EXPECT_EQ(views.table().model().cellAt(views.table().currentIndex().row()), chosen);
    views.setRows(samples::randomSweep(4, {2, 2}));
    EXPECT_TRUE(link().filter().empty()) << "other axes";
    EXPECT_EQ(link().current(), -1);
    views.setRows({});
    EXPECT_EQ(views.table().model().rowCount(), 0);
}

}  // namespace
}  // namespace highwater::desktop
