#include "widgets/timeline/segments_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/widgets/timeline/stacked_trace.h"
#include "tests/widgets/wait_until.h"
#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/stack_pane.h"

namespace highwater::widgets {
namespace {

using base::kMiB;
using test::waitUntil;
using ::testing::HasSubstr;

MapBlock blockOf(base::Bytes offset, base::Bytes size, MapBlock::State state, std::int32_t stack) {
    MapBlock block;
    block.offset = offset;
    block.size = size;
    block.requested = size - 100;
    block.state = state;
    block.stack = stack;
    block.age = state == MapBlock::State::Free ? -1 : 2500;
    return block;
}

std::shared_ptr<SegmentMap> someMap(int segments = 2) {
    auto map = std::make_shared<SegmentMap>();
    map->stacks = highwater::testing::someStacks();
    for (int i = 0; i < segments; ++i) {
        MapSegment segment;
        segment.address = 0x7f0000000000 + static_cast<std::uint64_t>(i) * 64 * kMiB;
        segment.size = (i == 0 ? 20 : 4) * kMiB;
        map->add(segment, {blockOf(0, 2 * kMiB, MapBlock::State::Allocated, i % 3),
                           blockOf(2 * kMiB, kMiB, MapBlock::State::Waiting, 1),
                           blockOf(3 * kMiB, kMiB, MapBlock::State::Free, -1)});
    }
    return map;
}

class SegmentsPanelTest : public ::testing::Test {
protected:
    SegmentsPanel panel;
    void open(std::shared_ptr<const SegmentMap> map) {
        panel.resize(1000, 700);
        panel.show();
        panel.setMap(std::move(map), "at the end");
        ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    }
    void click(const QPointF& at) {
        QTest::mouseClick(panel.view().viewport(), Qt::LeftButton, {}, at.toPoint());
    }
};

TEST_F(SegmentsPanelTest, SaysWhatIsReservedInUseAndFree) {
    open(someMap());
    EXPECT_EQ(panel.summary(),
              QString::fromUtf8("24.0 MiB in 2 segments · 4.00 MiB in use · largest free piece 1.00 MiB"));
    const auto legend = mapLegend(*panel.view().map());
    ASSERT_EQ(legend.size(), 3U);
    EXPECT_EQ(legend[0].name, "in use 4.00 MiB");
    EXPECT_EQ(legend[1].name, "waiting 2.00 MiB");
    EXPECT_EQ(legend[2].name, "free 18.0 MiB");
    EXPECT_EQ(panel.groups().note(), "in use at the end");
    EXPECT_EQ(panel.groups().model().rowCount(), 2);
    EXPECT_EQ(panel.groups().model().index(0, 1).data().toString(), "2.00 MiB");
    panel.groups().setGrouping(Grouping::Module);
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    EXPECT_EQ(panel.groups().model().index(0, 0).data().toString(), "data/loader.py");
}

TEST_F(SegmentsPanelTest, AClickShowsTheBlockAndItsWholeStack) {
    open(someMap());
    QSignalSpy selected(&panel.view(), &SegmentMapView::blockSelected);
    click(panel.view().placeOf(0).center());
    EXPECT_EQ(selected.size(), 1);
    EXPECT_EQ(panel.view().selectedBlock(), 0U);
    EXPECT_EQ(panel.stack().title(), "2.00 MiB · in use");
    EXPECT_THAT(panel.stack().note().toStdString(), HasSubstr("allocated 2.50 ms before the end"));
    EXPECT_THAT(panel.stack().copyText().toStdString(),
                HasSubstr("  c10::alloc\n  forward  /net/models/unet.py:57\n  main  /net/train.py:9\n"));
    click(panel.view().placeOf(2).center());
    EXPECT_EQ(panel.stack().title(), "1.00 MiB · free");
    EXPECT_EQ(panel.stack().table().model()->rowCount(), 0);
    click({5, 300});
    EXPECT_FALSE(panel.view().selectedBlock());
}

TEST_F(SegmentsPanelTest, KeysGoFromBlockToBlockAndZoom) {
    open(someMap(3));
    panel.view().setFocus();
    QTest::keyClick(&panel.view(), Qt::Key_Right);
    EXPECT_EQ(panel.view().selectedBlock(), 0U);
    QTest::keyClick(&panel.view(), Qt::Key_Right);
    EXPECT_EQ(panel.view().selectedBlock(), 1U);
    QTest::keyClick(&panel.view(), Qt::Key_Down);
    EXPECT_EQ(panel.view().selectedBlock(), 4U);
    const double width = panel.view().placeOf(4).width();
    QTest::keyClick(&panel.view(), Qt::Key_Return);
    EXPECT_GT(panel.view().placeOf(4).width(), 2 * width);
    QTest::keyClick(&panel.view(), Qt::Key_Home);
    EXPECT_DOUBLE_EQ(panel.view().placeOf(4).width(), width);
    QTest::keyClick(&panel.view(), Qt::Key_Escape);
    EXPECT_FALSE(panel.view().selectedBlock());
}

TEST_F(SegmentsPanelTest, OneScaleShowsTheSizeAndFullWidthTheInside) {
    open(someMap());
    EXPECT_NEAR(panel.view().placeOf(0).width(), panel.view().placeOf(3).width(), 1);
    panel.view().setFullWidth(true);
    EXPECT_NEAR(5 * panel.view().placeOf(0).width(), panel.view().placeOf(3).width(), 1);
}

TEST_F(SegmentsPanelTest, AGroupShowsTheStackThatHoldsMostOfIt) {
    open(someMap());
    panel.groups().setGrouping(Grouping::Place);
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    emit panel.groups().groupChosen(panel.groups().model().row(0));
    EXPECT_EQ(panel.stack().title(), "data/loader.py:20 batch");
    EXPECT_EQ(panel.stack().table().model()->rowCount(), 3);
    EXPECT_EQ(panel.stack().table().model()->index(1, 1).data().toString(), "data/loader.py:20");
}

TEST_F(SegmentsPanelTest, ALongStackScrollsToTheUsersOwnCode) {
    open(someMap());
    memory::CallStacks deep;
    for (std::uint32_t i = 0; i < 80; ++i) {
        deep.frames.push_back({"??", "frame " + std::to_string(i), 0});
        deep.order.push_back(i);
    }
    deep.stacks = {{0, 80, 60}};
    panel.stack().showStack("a title", "", &deep, 0);
    QTableView& table = panel.stack().table();
    EXPECT_TRUE(table.viewport()->rect().intersects(table.visualRect(table.model()->index(60, 0))));
    EXPECT_EQ(panel.stack().copyText().count('\n'), 81);
}

TEST_F(SegmentsPanelTest, WithoutStacksNothingIsOfferedToGroupBy) {
    auto map = someMap();
    map->stacks.reset();
    for (MapBlock& block : map->blocks) {
        block.stack = -1;
    }
    open(map);
    EXPECT_THAT(panel.groups().note().toStdString(), HasSubstr("no call stacks"));
    EXPECT_EQ(panel.groups().model().rowCount(), 1);
    EXPECT_EQ(panel.groups().model().index(0, 0).data().toString(), "unknown code");
    click(panel.view().placeOf(0).center());
    EXPECT_EQ(panel.stack().title(), "2.00 MiB · in use");
    open(nullptr);
    EXPECT_EQ(panel.summary(), "");
}

TEST_F(SegmentsPanelTest, ThousandsOfRowsScrollAndOnlyThoseInSightAreDrawn) {
    open(someMap(20'000));
    QScrollBar* bar = panel.view().verticalScrollBar();
    EXPECT_GT(bar->maximum(), 20'000 * 20);
    bar->setValue(bar->maximum());
    panel.view().grab();
    const auto last = static_cast<std::uint32_t>(panel.view().map()->blocks.size() - 3);
    EXPECT_LT(panel.view().placeOf(last).bottom(), panel.view().viewport()->height() + 1);
    EXPECT_EQ(panel.view().blockAtPoint(panel.view().placeOf(last).center()), last);
}

}  // namespace
}  // namespace highwater::widgets
