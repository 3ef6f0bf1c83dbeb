#include "widgets/timeline/timeline_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "tests/bench/timeline_bench/training_capture.h"
#include "tests/widgets/timeline/random_trace.h"
#include "tests/widgets/wait_until.h"
#include "widgets/timeline/flame_view.h"
#include "widgets/timeline/overview_strip.h"
#include "widgets/timeline/timeline_pair.h"
#include "widgets/timeline/timeline_view.h"

namespace highwater::widgets {
namespace {

using ::testing::HasSubstr;
using TracePtr = std::shared_ptr<const memory::Trace>;

using test::waitUntil;

class TimelinePanelTest : public ::testing::Test {
protected:
    TimelinePanel panel;
    TracePtr trace = std::make_shared<const memory::Trace>(bench::trainingCapture(3000));

    void open(TracePtr what) {
        panel.resize(1000, 700);
        panel.show();
        panel.setTrace(std::move(what));
        ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    }
    QAbstractItemModel& largest() { return *panel.largestTable().model(); }
};

TEST_F(TimelinePanelTest, PreparesOffTheWindowsThreadAndThenShows) {
    QSignalSpy prepared(&panel, &TimelinePanel::prepared);
    panel.setTrace(trace);
    EXPECT_FALSE(panel.showsTrace());
    EXPECT_THAT(panel.state().title().toStdString(), HasSubstr("Preparing 3,"));
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    EXPECT_EQ(prepared.size(), 1);
    EXPECT_TRUE(panel.showsTrace());
    EXPECT_GT(panel.flame().boxes().size(), 10U);
    EXPECT_EQ(panel.layersTable().model()->rowCount(), static_cast<int>(trace->layers.size()) + 1);
}

TEST_F(TimelinePanelTest, CancelsWhenAsked) {
    QSignalSpy cancelled(&panel, &TimelinePanel::cancelled);
    panel.show();
    panel.setTrace(std::make_shared<const memory::Trace>(bench::trainingCapture(200'000)));
    const auto buttons = panel.state().findChildren<QPushButton*>();
    ASSERT_EQ(buttons.size(), 1);
    buttons.front()->click();
    EXPECT_EQ(cancelled.size(), 1);
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    EXPECT_FALSE(panel.showsTrace());
    EXPECT_EQ(panel.state().title(), "Cancelled");
}

TEST_F(TimelinePanelTest, SaysWhyATraceCannotBeShown) {
    auto broken = *trace;
    broken.events[100].block = 1u << 30;
    QSignalSpy failed(&panel, &TimelinePanel::failed);
    open(std::make_shared<const memory::Trace>(broken));
    EXPECT_EQ(failed.size(), 1);
    EXPECT_FALSE(panel.showsTrace());
    EXPECT_THAT(panel.state().detail().toStdString(), HasSubstr("100"));
}

TEST_F(TimelinePanelTest, TheTableListsTheLargestAndAClickZoomsThere) {
    open(trace);
    ASSERT_EQ(largest().rowCount(), 1000);
    EXPECT_EQ(largest().index(0, LargestModel::Bytes).data().toString(), "54.0 MiB");
    QTest::mouseClick(panel.largestTable().viewport(), Qt::LeftButton, {},
                      panel.largestTable().visualRect(largest().index(2, 0)).center());
    const auto block = panel.view().selectedBlock();
    ASSERT_TRUE(block);
    EXPECT_EQ(panel.index()->bytes(*block), trace->blocks[*block].bytes);
    EXPECT_LT(panel.view().range().to - panel.view().range().from,
              panel.index()->axisEnd(TimelineAxis::Time) - panel.index()->axisBegin(TimelineAxis::Time));

    panel.largestTable().sortByColumn(LargestModel::Bytes, Qt::AscendingOrder);
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    EXPECT_THAT(largest().index(0, LargestModel::Bytes).data().toString().toStdString(), HasSubstr(" B"));
}

TEST_F(TimelinePanelTest, TheOverviewsMenuShowsAll) {
    open(trace);
    const TimelineRange whole = panel.view().range();
    auto* const overview = panel.view().parentWidget()->findChild<OverviewStrip*>();
    ASSERT_NE(overview, nullptr);
    EXPECT_EQ(overview->contextMenuPolicy(), Qt::ActionsContextMenu);
    ASSERT_EQ(overview->actions().size(), 1);
    TimelineRange part = whole;
    part.to = (whole.from + whole.to) / 2;
    panel.view().setRange(part);
    ASSERT_NE(panel.view().range(), whole);
    overview->actions().front()->trigger();
    EXPECT_EQ(panel.view().range(), whole);
}

TEST_F(TimelinePanelTest, ASelectedStretchNarrowsTheTables) {
    open(trace);
    const auto all = panel.flame().boxes().front().value;
    const auto& steps = trace->steps;
    const auto x = [&](std::size_t step) {
        return panel.index()->begin(TimelineAxis::Time, steps[step].event + 1);
    };
    panel.view().select(TimelineView::Stretch(x(1), x(2)));
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    EXPECT_LT(panel.flame().boxes().front().value, all / 2);
    const auto states = panel.view().selectedStates();
    for (const auto block : static_cast<LargestModel&>(largest()).blocks()) {
        EXPECT_LE(panel.index()->life(block).begin, states.last);
        EXPECT_GT(panel.index()->life(block).end, states.first);
    }
}

TEST_F(TimelinePanelTest, SearchGoesFromOneToTheNext) {
    open(trace);
    panel.search("enc2 conv > 1 MiB");
    panel.findNext();  // before the search has finished: goes there when it has
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    const auto first = panel.view().selectedBlock();
    ASSERT_TRUE(first);
    EXPECT_GT(panel.index()->bytes(*first), base::kMiB);
    EXPECT_THAT(trace->layers[static_cast<std::size_t>(panel.index()->life(*first).layer)],
                HasSubstr("enc2"));
    panel.findNext();
    const auto second = panel.view().selectedBlock();
    EXPECT_NE(second, first);
    panel.findNext(false);
    EXPECT_EQ(panel.view().selectedBlock(), first);

    auto* field = panel.findChild<QLineEdit*>();
    panel.focusSearch();
    panel.search("> lots");
    QStringList said;
    for (const QLabel* label : panel.findChildren<QLabel*>()) {
        said << label->text();
    }
    EXPECT_THAT(said.join('|').toStdString(), HasSubstr("a size such as 100 MiB"));
    EXPECT_EQ(field->text(), "> lots");
}

TEST_F(TimelinePanelTest, LayersAreShownEverywhereAndClickedAnywhere) {
    open(trace);
    QSignalSpy clicked(&panel, &TimelinePanel::layerClicked);
    panel.tabs().setCurrentWidget(&panel.flame());
    const auto& boxes = panel.flame().boxes();
    int box = 0;
    for (int b = 0; b < static_cast<int>(boxes.size()); ++b) {
        if (boxes[static_cast<std::size_t>(b)].depth == 2 && boxes[static_cast<std::size_t>(b)].layer >= 0 &&
            panel.flame().placeOf(b).width() > panel.flame().placeOf(box).width() * (box == 0 ? 0 : 1)) {
            box = b;
        }
    }
    const int layer = boxes[static_cast<std::size_t>(box)].layer;
    QTest::mouseClick(&panel.flame(), Qt::LeftButton, {}, panel.flame().placeOf(box).center().toPoint());
    ASSERT_EQ(clicked.size(), 1);
    EXPECT_EQ(clicked[0][0].toInt(), layer);
    EXPECT_EQ(panel.view().shownLayer(), layer);
    panel.showLayer(7);
    EXPECT_EQ(panel.view().shownLayer(), 7);
    EXPECT_EQ(clicked.size(), 1) << "showing is not clicking";
    EXPECT_EQ(panel.layersTable().currentIndex().row(), 7);
}

/// The other timeline is beside this one: a common scale of bytes, its own range of time, the same layer by
/// name.
static void expectSideBySide(TimelinePanel& panel) {
    TimelineView &here = panel.view(), &other = panel.pair().other();
    EXPECT_TRUE(other.isVisibleTo(&panel));
    EXPECT_EQ(here.range().high, other.range().high);
    EXPECT_LT(std::abs(here.width() - other.width()), 4) << "half each";
    const TimelineRange before = other.range();
    QTest::keyClick(&here, Qt::Key_Plus, Qt::ControlModifier);
    EXPECT_LT(here.range().high - here.range().low, before.high - before.low);
    EXPECT_EQ(here.range().low, other.range().low);
    EXPECT_EQ(here.range().high, other.range().high);
    QTest::keyClick(&other, Qt::Key_Home);
    EXPECT_EQ(here.range().high, before.high) << "either way";
    const TimelineRange whole = here.range();
    QTest::keyClick(&other, Qt::Key_Plus);
    EXPECT_NE(other.range(), before);
    EXPECT_EQ(here.range(), whole) << "each has its own range of time";
    here.setAxis(TimelineAxis::Events);
    EXPECT_EQ(other.range().axis, TimelineAxis::Events);
    panel.showLayer(3);
    EXPECT_EQ(other.index()->trace().layers[static_cast<std::size_t>(other.shownLayer())],
              here.index()->trace().layers[3]);
}

TEST_F(TimelinePanelTest, ComparesWithAnotherTrace) {
    open(trace);
    panel.compareWith(std::make_shared<const memory::Trace>(bench::trainingCapture(9000, 5)));
    ASSERT_TRUE(waitUntil([&] { return panel.settled() && panel.comparing(); }));
    const auto& model = static_cast<const LayersModel&>(*panel.layersTable().model());
    ASSERT_EQ(model.columnCount(), 10);
    bool some = false;
    for (int r = 0; r < model.rowCount(); ++r) {
        const LayerDifference& row = model.row(r);
        const QString difference = model.index(r, 9).data().toString();
        EXPECT_EQ(difference.startsWith("+"), row.here.allocated > row.other.allocated) << row.name;
        some = some || row.here.allocated < row.other.allocated;
    }
    EXPECT_TRUE(some);
    expectSideBySide(panel);
    panel.compareWith(nullptr);
    ASSERT_TRUE(waitUntil([&] { return panel.settled(); }));
    EXPECT_EQ(model.columnCount(), 4);
    EXPECT_FALSE(panel.pair().other().isVisibleTo(&panel));
    EXPECT_EQ(panel.view().range().high, wholeRange(*panel.index(), TimelineAxis::Time).high)
        << "its own scale";
}

TEST_F(TimelinePanelTest, GoesAwayWhileItWorks) {
    auto gone = std::make_unique<TimelinePanel>();
    gone->setTrace(std::make_shared<const memory::Trace>(bench::trainingCapture(300'000)));
    gone.reset();
    QCoreApplication::processEvents();
    SUCCEED() << "the destructor waits for the work and drops its answer";
}

}  // namespace
}  // namespace highwater::widgets
