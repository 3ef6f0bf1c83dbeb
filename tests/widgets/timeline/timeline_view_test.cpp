#include "widgets/timeline/timeline_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/bench/timeline_bench/training_capture.h"
#include "tests/widgets/qt_main.h"
#include "tests/widgets/timeline/random_trace.h"
#include "widgets/theme/theme.h"

HIGHWATER_QT_MAIN()

namespace highwater::widgets {
namespace {

using highwater::testing::indexOf;

class TimelineViewTest : public ::testing::Test {
protected:
    std::shared_ptr<const TraceIndex> index = indexOf(bench::trainingCapture(3000));
    TimelineView view{nullptr};

    void SetUp() override {
        view.resize(800, 400);
        view.setIndex(index);
        view.show();
    }
    void wheel(const QPointF& at, int delta, Qt::KeyboardModifiers keys = Qt::NoModifier) {
        QWheelEvent event(at, view.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, keys, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(&view, &event);
    }
    QPoint middle() const { return view.plot().center(); }
    /// The middle of the largest visible cell.
    QPoint largestCell(std::uint32_t& block) {
        const TimelinePicture& picture = view.picture();
        const BlockCell* best = nullptr;
        double area = 0;
        for (const BlockCell& cell : picture.layout.cells) {
            const double a = static_cast<double>(cell.right - cell.left) *
                             static_cast<double>(index->bytes(index->spans()[cell.span].block));
            if (a > area) {
                area = a;
                best = &cell;
            }
        }
        block = index->spans()[best->span].block;
        const double y =
            picture.pixelY(static_cast<double>(best->bottom) + static_cast<double>(index->bytes(block)) / 2);
        return view.plot().topLeft() + QPoint((best->left + best->right) / 2, static_cast<int>(y));
    }
};

TEST_F(TimelineViewTest, TheWheelZoomsAboutThePointer) {
    const QPointF at = view.plot().topLeft() + QPointF(200, 100);
    const double x = view.xAt(at.x());
    wheel(at, 120 * 5);
    EXPECT_LT(view.range().to - view.range().from,
              0.5 * (index->axisEnd(TimelineAxis::Time) - index->axisBegin(TimelineAxis::Time)));
    EXPECT_NEAR(view.xAt(at.x()), x, 1);
    const TimelineRange before = view.range();
    wheel(at, 120 * 4, Qt::ControlModifier);
    EXPECT_EQ(view.range().from, before.from);
    EXPECT_LT(view.range().high - view.range().low, before.high - before.low) << "Ctrl zooms into bytes";
    wheel(at, -120 * 60);
    wheel(at, -120 * 60, Qt::ControlModifier);
    EXPECT_EQ(view.range(), wholeRange(*index, TimelineAxis::Time)) << "out again, and no further than all";
}

TEST_F(TimelineViewTest, DraggingMovesAndShiftSelects) {
    wheel(middle(), 120 * 6);
    const TimelineRange before = view.range();
    QTest::mousePress(&view, Qt::LeftButton, {}, middle());
    QTest::mouseMove(&view, middle() + QPoint(-30, 0));
    QTest::mouseMove(&view, middle() + QPoint(-60, 0));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, middle() + QPoint(-60, 0));
    EXPECT_NEAR(view.range().from - before.from, 60.0 / view.plot().width() * (before.to - before.from),
                0.01 * (before.to - before.from));
    EXPECT_FALSE(view.selection());

    QSignalSpy changes(&view, &TimelineView::selectionChanged);
    QTest::mousePress(&view, Qt::LeftButton, Qt::ShiftModifier, middle());
    const auto drag = [&](const QPoint& at) {
        QMouseEvent move(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                         Qt::ShiftModifier);
        QApplication::sendEvent(&view, &move);
    };
    drag(middle() + QPoint(50, 0));
    drag(middle() + QPoint(100, 0));
    QTest::mouseRelease(&view, Qt::LeftButton, Qt::ShiftModifier, middle() + QPoint(100, 0));
    ASSERT_TRUE(view.selection());
    EXPECT_NEAR(view.selection()->first, view.xAt(middle().x()), 1);
    EXPECT_NEAR(view.selection()->second, view.xAt(middle().x() + 100), 1);
    EXPECT_GT(changes.size(), 0);
    const StateRange states = view.selectedStates();
    EXPECT_EQ(states.first, index->stateAt(TimelineAxis::Time, view.selection()->first));
    EXPECT_GT(states.last, states.first);
    const auto stretch = *view.selection();
    QTest::keyClick(&view, Qt::Key_S);
    EXPECT_NEAR(view.range().from, stretch.first, 1);
    EXPECT_NEAR(view.range().to, stretch.second, 1);
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_FALSE(view.selection());
}

TEST_F(TimelineViewTest, AClickSelectsTheAllocationUnderIt) {
    view.zoomToPeak();
    QTest::keyClick(&view, Qt::Key_Escape);
    std::uint32_t block = 0;
    const QPoint at = largestCell(block);
    QSignalSpy layers(&view, &TimelineView::layerClicked);
    QTest::mouseClick(&view, Qt::LeftButton, {}, at);
    EXPECT_EQ(view.selectedBlock(), block);
    ASSERT_EQ(layers.size(), index->life(block).layer >= 0 ? 1 : 0);
    if (!layers.isEmpty()) {
        EXPECT_EQ(layers[0][0].toInt(), index->life(block).layer);
    }
    QTest::mouseDClick(&view, Qt::LeftButton, {}, at);
    EXPECT_GE(index->begin(TimelineAxis::Time, index->life(block).begin), view.range().from)
        << "zoomed to it";
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.plot().topRight() + QPoint(-3, 8));
    EXPECT_FALSE(view.selectedBlock()) << "a click beside the stack lets go";
}

TEST_F(TimelineViewTest, ZoomingToAnyAllocationShowsItAsABlock) {
    for (std::uint32_t block = 0; block < index->blocks(); block += 37) {
        view.zoomToBlock(block);
        const auto& cells = view.picture().layout.cells;
        const auto cell = std::find_if(cells.begin(), cells.end(), [&](const BlockCell& c) {
            return index->spans()[c.span].block == block;
        });
        ASSERT_NE(cell, cells.end()) << "block " << block << " of " << index->bytes(block) << " bytes";
        const double height = static_cast<double>(index->bytes(block)) /
                              (view.range().high - view.range().low) * view.plot().height();
        EXPECT_GE(height, std::min(2.0, 2.0 * static_cast<double>(index->bytes(block)))) << block;
        EXPECT_EQ(view.selectedBlock(), block);
    }
}

TEST_F(TimelineViewTest, TheKeyboardReachesEverything) {
    QTest::keyClick(&view, Qt::Key_P);
    const TimelineRange near = view.range();
    EXPECT_LT(near.to - near.from, index->axisEnd(TimelineAxis::Time) / 5);
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_GT(view.range().from, near.from);
    QTest::keyClick(&view, Qt::Key_Minus);
    QTest::keyClick(&view, Qt::Key_Home);
    EXPECT_EQ(view.range(), wholeRange(*index, TimelineAxis::Time));
    QTest::keyClick(&view, Qt::Key_PageDown);
    const TimelineRange first = view.range();
    EXPECT_LT(first.to - first.from, index->axisEnd(TimelineAxis::Time));
    QTest::keyClick(&view, Qt::Key_PageDown);
    EXPECT_NEAR(view.range().from, first.to, 2) << "the next step";

    QTest::keyClick(&view, Qt::Key_P);
    QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier);
    QTest::keyClick(&view, Qt::Key_Up, Qt::ControlModifier);
    QTest::keyClick(&view, Qt::Key_Up, Qt::ControlModifier);
    QTest::keyClick(&view, Qt::Key_Return);
    ASSERT_TRUE(view.selectedBlock());
    const TimelineRange before = view.range();
    QTest::keyClick(&view, Qt::Key_Return);
    EXPECT_NE(view.range(), before) << "Return again zooms to it";
    QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_TRUE(view.selection());
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_FALSE(view.selectedBlock());
}

TEST_F(TimelineViewTest, BlocksStandWhereTheBandsAre) {
    // In each pixel of the picture the blocks' category is the band's, so zooming never changes the meaning
    // of a color.
    view.zoomToPeak();
    const TimelinePicture& picture = view.picture();
    for (const BlockCell& cell : picture.layout.cells) {
        const Span& span = index->spans()[cell.span];
        const auto bands = picture.bands[static_cast<std::size_t>(cell.left)];
        const auto c = static_cast<std::size_t>(span.category);
        EXPECT_GE(cell.bottom, c == 0 ? 0 : bands[c - 1]);
        EXPECT_LE(cell.bottom + index->bytes(span.block), bands[c]);
    }
    EXPECT_GT(picture.layout.cells.size(), 10U);
}

TEST_F(TimelineViewTest, AHighlightedLayerKeepsItsColorAndTheOthersPale) {
    view.zoomToPeak();
    QTest::keyClick(&view, Qt::Key_Escape);
    std::uint32_t block = 0;
    const QPoint at = largestCell(block) - view.plot().topLeft();
    const QRgb full = view.picture().image.pixel(at);
    ASSERT_GE(index->life(block).layer, 0);
    view.showLayer(index->life(block).layer);
    EXPECT_EQ(view.picture().image.pixel(at), full);
    view.showLayer(index->life(block).layer == 1 ? 4 : 1);
    EXPECT_NE(view.picture().image.pixel(at), full);
    view.showLayer(99999);
    EXPECT_EQ(view.shownLayer(), -1);
    EXPECT_EQ(view.picture().image.pixel(at), full);
}

TEST_F(TimelineViewTest, KeepsItsPlaceWhenTheAxisChanges) {
    view.zoomToPeak();
    const auto from = index->stateAt(TimelineAxis::Time, view.range().from);
    view.setAxis(TimelineAxis::Events);
    EXPECT_EQ(index->stateAt(TimelineAxis::Events, view.range().from), from);
    view.setAxis(TimelineAxis::Time);
    EXPECT_EQ(index->stateAt(TimelineAxis::Time, view.range().from), from);
}

TEST_F(TimelineViewTest, DrawsInAnySizeAndWithoutATrace) {
    for (const QSize& size : {QSize(1, 1), QSize(60, 30), QSize(160, 110), QSize(2000, 90)}) {
        view.resize(size);
        EXPECT_FALSE(view.grab().isNull());
        wheel(middle(), 240);
    }
    view.setIndex(indexOf(memory::Trace{}));
    EXPECT_FALSE(view.grab().isNull());
    view.setIndex(nullptr);
    QTest::keyClick(&view, Qt::Key_P);
    QTest::mouseClick(&view, Qt::LeftButton, {}, middle());
    EXPECT_FALSE(view.grab().isNull());
}

}  // namespace
}  // namespace highwater::widgets
