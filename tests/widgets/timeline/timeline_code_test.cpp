#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "tests/widgets/timeline/stacked_trace.h"
#include "tests/widgets/wait_until.h"
#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/stack_pane.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

/// What a trace with call stacks shows about the code that allocated, and about running out of memory.
namespace highwater::widgets {
namespace {

using base::kMiB;
using highwater::testing::stackedTrace;
using test::waitUntil;
using ::testing::HasSubstr;

class TimelineCodeTest : public ::testing::Test {
protected:
    TimelinePanel panel;
    void open(memory::Trace trace = stackedTrace()) {
        panel.resize(1000, 700);
        panel.show();
        panel.setTrace(std::make_shared<const memory::Trace>(std::move(trace)));
        settle();
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    }
    QString cell(int row, int column) { return panel.groups().model().index(row, column).data().toString(); }
};

TEST_F(TimelineCodeTest, AClickedAllocationShowsItsWholeStack) {
    open();
    EXPECT_THAT(panel.stack().title().toStdString(), HasSubstr("Click an allocation"));
    panel.view().selectBlock(1);
    EXPECT_EQ(panel.stack().title(), "4.00 MiB · activations, guessed");
    EXPECT_THAT(panel.stack().note().toStdString(), HasSubstr("event 1"));
    EXPECT_EQ(panel.stack().table().model()->rowCount(), 3);
    EXPECT_THAT(panel.stack().copyText().toStdString(), HasSubstr("forward  /net/models/unet.py:57\n"));
    panel.view().selectBlock(2);
    EXPECT_EQ(panel.stack().title(), "2.00 MiB · activations") << "the trace says it";
    panel.view().selectBlock(0);
    EXPECT_EQ(panel.stack().note(), "allocated before the recording · no call stack was recorded");
}

TEST_F(TimelineCodeTest, TheLargestAllocationsHaveWholeTitlesBesideTheStacks) {
    open();
    const QHeaderView* header = panel.largestTable().horizontalHeader();
    for (int column = 0; column < header->count(); ++column) {
        if (!header->isSectionHidden(column)) {
            EXPECT_GE(header->sectionSize(column), header->sectionSizeHint(column)) << column;
        }
    }
}

TEST_F(TimelineCodeTest, WhatIsInUseAtThePeakOrWhereYouClicked) {
    open();
    EXPECT_EQ(panel.groups().model().rowCount(), 4);
    EXPECT_EQ(cell(1, 0), "models/unet.py:57 forward");
    EXPECT_EQ(cell(1, 1), "4.00 MiB");
    EXPECT_EQ(cell(1, 2), "26.7 %");
    EXPECT_THAT(panel.groups().note().toStdString(), HasSubstr("15.0 MiB in use"));
    panel.view().chooseMoment(1);
    settle();
    EXPECT_EQ(panel.groups().moment(), 1);
    EXPECT_EQ(panel.groups().model().rowCount(), 2);
    EXPECT_THAT(panel.groups().note().toStdString(), HasSubstr("12.0 MiB in use"));
    panel.groups().setGrouping(Grouping::Module);
    settle();
    EXPECT_EQ(cell(1, 0), "models/unet.py");
    QTest::keyClick(&panel.view(), Qt::Key_Escape);
    settle();
    EXPECT_EQ(panel.groups().model().rowCount(), 4) << "the peak again";
}

TEST_F(TimelineCodeTest, WhereMemoryRanOutIsMarkedAndGoneTo) {
    open();
    EXPECT_THAT(panel.note().toStdString(), HasSubstr("out of memory"));
    QSignalSpy clicked(&panel.view(), &TimelineView::refusalClicked);
    panel.view().setFocus();
    QTest::keyClick(&panel.view(), Qt::Key_O);
    ASSERT_EQ(clicked.size(), 1);
    EXPECT_EQ(panel.stack().title(), "Out of memory: 64.0 MiB requested");
    EXPECT_THAT(panel.stack().note().toStdString(), HasSubstr("5.00 MiB were free on the device"));
    EXPECT_EQ(panel.stack().table().model()->rowCount(), 3);
    EXPECT_EQ(panel.view().moment(), 3U);
    const HoverCard card = refusalCard(*panel.index(), 0);
    EXPECT_EQ(card.title, "out of memory");
    EXPECT_EQ(card.rows.size(), 4U);
    panel.view().showAll();
    panel.view().grab();
    const TimelineView& view = panel.view();
    const double x = view.pixelAt(2500);
    QTest::mouseClick(&panel.view(), Qt::LeftButton, {}, QPoint(static_cast<int>(x), view.plot().top() + 3));
    EXPECT_EQ(clicked.size(), 2);
}

TEST_F(TimelineCodeTest, WhatIsReservedIsInSightAndSaid) {
    open();
    EXPECT_GE(panel.view().range().high, static_cast<double>(20 * kMiB));
    EXPECT_EQ(reservedAt(panel.index()->trace(), 0), 10 * kMiB);
    EXPECT_EQ(reservedAt(panel.index()->trace(), 4), 20 * kMiB);
    EXPECT_EQ(stateCard(*panel.index(), 1).rows.front().value, "20.0 MiB");
    EXPECT_EQ(reservedAt(memory::Trace{}, 0), -1);
}

TEST_F(TimelineCodeTest, TwoCapturesStandSideBySide) {
    open();
    memory::Trace other = stackedTrace(3 * kMiB);
    other.title = "other.pickle";
    panel.compareWith(std::make_shared<const memory::Trace>(std::move(other)));
    ASSERT_TRUE(waitUntil([&] { return panel.settled() && panel.comparing(); }));
    EXPECT_EQ(panel.tabs().currentWidget(), &panel.groups());
    EXPECT_EQ(panel.groups().model().headerData(2, Qt::Horizontal).toString(), "other");
    EXPECT_EQ(cell(0, 0), "models/unet.py:57 forward");
    EXPECT_EQ(cell(0, 1), "4.00 MiB");
    EXPECT_EQ(cell(0, 2), "7.00 MiB");
    EXPECT_EQ(cell(0, 3), QString::fromUtf8("−3.00 MiB"));
    panel.compareWith(nullptr);
    settle();
    EXPECT_EQ(panel.groups().model().headerData(2, Qt::Horizontal).toString(), "share");
}

TEST_F(TimelineCodeTest, ATraceWithoutStacksGroupsByItsLabels) {
    memory::Trace trace = stackedTrace();
    trace.stacks.reset();
    trace.refusals.clear();
    trace.labels = {"aten::empty"};
    for (memory::TraceBlock& block : trace.blocks) {
        block.stack = -1;
        block.label = 0;
    }
    open(std::move(trace));
    EXPECT_FALSE(panel.stack().isVisible());
    EXPECT_EQ(panel.groups().model().rowCount(), 1);
    EXPECT_EQ(cell(0, 0), "aten::empty");
    QTest::keyClick(&panel.view(), Qt::Key_O);
    EXPECT_FALSE(panel.view().moment());
}

}  // namespace
}  // namespace highwater::widgets
