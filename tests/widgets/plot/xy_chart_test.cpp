#include "widgets/plot/xy_chart.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "widgets/plot/canvas.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

/// Three points, the second with an interval; linear axes, or logarithmic ones.
class SampleChart : public XyChart {
public:
    explicit SampleChart(bool log = false) {
        setMargins(QMargins(40, 20, 20, 30));
        setAxes({1, 1000, log}, {10, 1000, log});
        resize(460, 350);
        refresh();
    }
    using XyChart::setWheelWithControl;
    using XyChart::setZoomable;
    QPoint at(int id) const {
        const DataPoint& point = points_[static_cast<std::size_t>(id)];
        return QPointF(frame().pixelX(point.x), frame().pixelY(point.y)).toPoint();
    }

protected:
    ChartScene sceneOf(const PlotFrame& frame) const override {
        ChartScene scene;
        scene.kind = ChartScene::Kind::Bars;
        scene.x = axisTicks(frame.x, Measure::Number, 5);
        scene.data.push_back({DataSeries::Kind::Points, points_, Qt::red});
        return scene;
    }

private:
    const std::vector<DataPoint> points_ = {
        {10, 100, 100, 100, 0}, {100, 500, 200, 900, 1}, {900, 900, 900, 900, 2}};
};

class XyChartTest : public ::testing::Test {
protected:
    void SetUp() override {
        chart.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
    }
    static bool wheel(XyChart& chart, const QPointF& at, int delta,
                      Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&chart, &event);
        return event.isAccepted();
    }
    SampleChart chart;
};

TEST_F(XyChartTest, TheCanvasDrawsWhereTheFrameSays) {
    const PlotFrame drawn = chart.findChild<Canvas*>()->frame(), said = chart.frame();
    EXPECT_EQ(drawn.rect, said.rect);
    EXPECT_EQ(drawn.x, said.x);
    EXPECT_EQ(drawn.y, said.y);
}

TEST_F(XyChartTest, PointsAndWhiskersAreDrawnAtTheirPlaces) {
    const QImage image = chart.grab().toImage();
    for (int id = 0; id < 3; ++id) {
        EXPECT_EQ(image.pixelColor(chart.at(id)), QColor(Qt::red)) << id;
    }
    const QPoint above(chart.at(1).x(), static_cast<int>(chart.frame().pixelY(700)));
    EXPECT_GT(image.pixelColor(above).red(), 150) << "the interval's line";
    EXPECT_LT(image.pixelColor(above).green(), 120);
    const QPoint beyond(chart.at(1).x(), static_cast<int>(chart.frame().pixelY(980)));
    EXPECT_LT(image.pixelColor(beyond).red(), 120) << "which ends at 900";
}

TEST_F(XyChartTest, TheWheelZoomsAboutThePointer) {
    const QPoint at = chart.at(1);
    const PlotFrame before = chart.frame();
    EXPECT_TRUE(wheel(chart, at, 240));
    EXPECT_TRUE(chart.zoomed());
    EXPECT_NEAR(chart.frame().x.to - chart.frame().x.from, (before.x.to - before.x.from) / 1.5625, 1e-6);
    EXPECT_NEAR(chart.frame().y.to - chart.frame().y.from, (before.y.to - before.y.from) / 1.5625, 1e-6);
    EXPECT_LT((chart.at(1) - at).manhattanLength(), 3) << "what is under the pointer stays there";
    for (int i = 0; i < 100; ++i) {
        wheel(chart, at, 120);
    }
    EXPECT_GE(chart.frame().x.to - chart.frame().x.from, 0.99);
    for (int i = 0; i < 200; ++i) {
        wheel(chart, at, -120);
    }
    EXPECT_FALSE(chart.zoomed());
    EXPECT_EQ(chart.frame().x, before.x);
}

TEST_F(XyChartTest, DraggingMovesWithinTheWholeAndADoubleClickShowsIt) {
    const PlotFrame whole = chart.frame();
    wheel(chart, whole.rect.center(), 480);
    const PlotFrame before = chart.frame();
    QSignalSpy clicked(&chart, &XyChart::pointClicked);
    const QPoint from = before.rect.center().toPoint(), to = from + QPoint(-38, 30);
    QTest::mousePress(&chart, Qt::LeftButton, {}, from);
    QTest::mouseMove(&chart, to);
    QTest::mouseRelease(&chart, Qt::LeftButton, {}, to);
    EXPECT_NEAR(chart.frame().x.from - before.x.from,
                38 / before.rect.width() * (before.x.to - before.x.from), 1e-6);
    EXPECT_NEAR(chart.frame().y.from - before.y.from,
                30 / before.rect.height() * (before.y.to - before.y.from), 1e-6);
    EXPECT_NEAR(chart.frame().x.to - chart.frame().x.from, before.x.to - before.x.from, 1e-6);
    EXPECT_EQ(clicked.count(), 0);
    QTest::mousePress(&chart, Qt::LeftButton, {}, from);
    QTest::mouseMove(&chart, from + QPoint(5000, 0));
    QTest::mouseRelease(&chart, Qt::LeftButton, {}, from + QPoint(5000, 0));
    EXPECT_NEAR(chart.frame().x.from, whole.x.from, 1e-6) << "no farther than the whole";
    QTest::mouseDClick(&chart, Qt::LeftButton, {}, from);
    EXPECT_FALSE(chart.zoomed());
    EXPECT_EQ(chart.frame().x, whole.x);
    EXPECT_EQ(chart.frame().y, whole.y);
}

TEST_F(XyChartTest, ThePointerAndTheKeysFindPoints) {
    QSignalSpy clicked(&chart, &XyChart::pointClicked);
    QTest::mouseMove(&chart, chart.at(2));
    EXPECT_EQ(chart.hovered(), 2);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.at(2));
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked[0][0].toInt(), 2);
    QTest::mouseMove(&chart, QPoint(3, 3));
    EXPECT_EQ(chart.hovered(), -1);
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(chart.hovered(), 0);
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Return);
    ASSERT_EQ(clicked.count(), 2);
    EXPECT_EQ(clicked[1][0].toInt(), 1);
    QTest::keyClick(&chart, Qt::Key_Left);
    EXPECT_EQ(chart.hovered(), 0);
    QTest::keyClick(&chart, Qt::Key_Plus);
    EXPECT_TRUE(chart.zoomed());
    QTest::keyClick(&chart, Qt::Key_Home);
    EXPECT_FALSE(chart.zoomed());
}

TEST_F(XyChartTest, AnAxisMayStayAndTheWheelMayNeedControl) {
    chart.setZoomable(Qt::Horizontal);
    chart.setWheelWithControl(true);
    const PlotFrame before = chart.frame();
    EXPECT_FALSE(wheel(chart, before.rect.center(), 120)) << "that scrolls the page";
    EXPECT_FALSE(chart.zoomed());
    EXPECT_TRUE(wheel(chart, before.rect.center(), 120, Qt::ControlModifier));
    EXPECT_TRUE(chart.zoomed());
    EXPECT_EQ(chart.frame().y, before.y);
}

TEST(XyChartLog, LogarithmicAxesPlaceZoomAndMoveByFactors) {
    SampleChart chart(true);
    chart.show();
    const PlotFrame whole = chart.frame();
    EXPECT_NEAR(whole.pixelX(10) - whole.rect.left(), whole.rect.width() / 3, 1e-6);
    EXPECT_NEAR(whole.rect.bottom() - whole.pixelY(100), whole.rect.height() / 2, 1e-6);
    EXPECT_NEAR(whole.valueX(whole.pixelX(37)), 37, 1e-6);
    const QImage image = chart.grab().toImage();
    EXPECT_EQ(image.pixelColor(chart.at(0)), QColor(Qt::red)) << "drawn there too";
    QTest::keyClick(&chart, Qt::Key_Plus);
    const PlotFrame zoomed = chart.frame();
    EXPECT_NEAR(std::log(zoomed.x.to / zoomed.x.from), std::log(1000) / 1.25, 1e-6);
    EXPECT_NEAR(zoomed.x.from * zoomed.x.to, 1000, 1e-6) << "about the middle";
    EXPECT_GT(zoomed.x.from, 0);
    EXPECT_EQ(chart.findChild<Canvas*>()->frame().x, zoomed.x);
}

TEST(XyChartLog, OtherAxesShowAllOfThem) {
    class Other : public SampleChart {
    public:
        void widen() {
            setAxes({1, 2000}, {10, 1000});
            refresh();
        }
    } chart;
    QTest::keyClick(&chart, Qt::Key_Plus);
    ASSERT_TRUE(chart.zoomed());
    chart.widen();
    EXPECT_FALSE(chart.zoomed());
    EXPECT_EQ(chart.frame().x.to, 2000);
}

}  // namespace
}  // namespace highwater::widgets
