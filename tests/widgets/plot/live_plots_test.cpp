#include "widgets/plot/live_plots.h"

#include <gmock/gmock.h>

#include <QElapsedTimer>
#include <QImage>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <limits>

#include "tests/widgets/plot/sample_run.h"
#include "tests/widgets/qt_main.h"
#include "widgets/plot/canvas.h"
#include "widgets/plot/plot_panel.h"

HIGHWATER_QT_MAIN()

namespace highwater::widgets {
namespace {

using namespace highwater::testing;

class LivePlotsTest : public ::testing::Test {
protected:
    void SetUp() override {
        plots.resize(800, 700);
        plots.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&plots));
    }
    Chart& memory() { return plots.memoryPanel().chart(); }
    Chart& peaks() { return plots.peakPanel().chart(); }
    Chart& times() { return plots.timePanel().chart(); }
    void wheel(Chart& chart, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        const QPointF at = chart.frame().rect.center();
        QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&chart, &event);
        plots.flush();
    }
    QPoint at(Chart& chart, double x) {
        return {static_cast<int>(std::lround(chart.frame().pixelX(x))),
                static_cast<int>(chart.frame().rect.center().y())};
    }
    LivePlots plots;
};

TEST_F(LivePlotsTest, AForecastAloneIsShownBeforeARun) {
    plots.setForecast(sampleForecast());
    plots.flush();
    EXPECT_TRUE(plots.empty());
    EXPECT_TRUE(plots.forecastOnShow());
    ASSERT_TRUE(memory().isVisible());
    EXPECT_EQ(plots.memoryPanel().title(), "Memory in a step, predicted");
    EXPECT_TRUE(plots.memoryPanel().note().startsWith("predicted (estimate) for this CPU"));
    EXPECT_EQ(memory().scene().outlines.size(), 1u);
    EXPECT_FALSE(memory().scene().columns.empty());
    EXPECT_TRUE(times().scene().hint.contains("an estimate"));
    QSignalSpy clicked(&plots, &LivePlots::layerClicked);
    QTest::mouseClick(&memory(), Qt::LeftButton, {}, at(memory(), 80));
    EXPECT_EQ(clicked.count(), 1);
    plots.setForecast({});
    plots.flush();
    EXPECT_FALSE(memory().isVisible());
}

TEST_F(LivePlotsTest, AForecastLiesOverTheRunThatItIsOf) {
    plots.showRun(sampleRun());
    plots.setRunForecast(sampleForecast());
    plots.flush();
    ASSERT_EQ(memory().scene().outlines.size(), 1u);
    EXPECT_EQ(plots.memoryPanel().legend()->entries().back().name, "predicted");
    QTest::mouseMove(&memory(), at(memory(), 90));
    plots.showRun(sampleRun());
    plots.flush();
    EXPECT_TRUE(memory().scene().outlines.empty()) << "another run's prediction is another one";
}

TEST_F(LivePlotsTest, TheUserSwitchesBetweenRunAndForecast) {
    plots.showRun(sampleRun());
    plots.setForecast(sampleForecast());
    plots.flush();
    EXPECT_FALSE(plots.forecastOnShow());
    auto* link = plots.memoryPanel().findChild<QToolButton*>();
    ASSERT_NE(link, nullptr);
    ASSERT_TRUE(link->isVisible());
    QSignalSpy wanted(&plots, &LivePlots::forecastWanted);
    QTest::mouseClick(link, Qt::LeftButton);
    ASSERT_EQ(wanted.count(), 1);
    plots.showForecast(wanted[0][0].toBool());
    plots.flush();
    EXPECT_TRUE(plots.forecastOnShow());
    EXPECT_EQ(link->text(), "show the run");
    EXPECT_EQ(plots.stepCount(), 30u) << "the run is still there";
    plots.startRun(sampleShape());
    EXPECT_FALSE(plots.forecastOnShow()) << "a run that has begun is what is watched";
    plots.flush();
    ASSERT_TRUE(link->isVisible()) << "what is edited meanwhile can be predicted";
    QTest::mouseClick(link, Qt::LeftButton);
    ASSERT_EQ(wanted.count(), 2);
    EXPECT_TRUE(wanted[1][0].toBool());
    plots.showForecast(true);
    const StepBar bar = sampleBar(0, 0, {});
    plots.addSteps({&bar, 1});
    plots.flush();
    EXPECT_TRUE(plots.forecastOnShow());
    EXPECT_EQ(plots.memoryPanel().title(), "Memory in a step, predicted");
    EXPECT_EQ(plots.stepCount(), 1u) << "the run goes on";
}

TEST_F(LivePlotsTest, AForecastWithoutTimesCountsEvents) {
    Forecast f = sampleForecast();
    f.timed = false;
    for (std::size_t i = 0; i < f.points.size(); ++i) {
        f.points[i].ms = static_cast<double>(i);
    }
    f.stepMs = 0;
    plots.setForecast(f);
    plots.flush();
    ASSERT_FALSE(memory().scene().x.ticks.empty());
    EXPECT_EQ(memory().scene().x.ticks.front().label, "0 events");
}

TEST_F(LivePlotsTest, ThePredictedTimeIsTheLatestPredictions) {
    Forecast f = sampleForecast();
    f.stepMs = f.stepLow = f.stepHigh = 806;
    plots.setForecast(f);
    plots.flush();
    EXPECT_TRUE(times().scene().hint.contains("806 ms per step")) << times().scene().hint.toStdString();
    f.stepMs = f.stepLow = f.stepHigh = 3.5;
    plots.setForecast(f);
    EXPECT_TRUE(QTest::qWaitFor([&] { return times().scene().hint.contains("3.50 ms per step"); }, 20000))
        << times().scene().hint.toStdString();
    f.stepMs = f.stepLow = f.stepHigh = 42;
    plots.setForecast(f);
    plots.flush();
    EXPECT_TRUE(times().scene().hint.contains("42.0 ms per step")) << times().scene().hint.toStdString();
}

TEST_F(LivePlotsTest, NothingYetIsAHintAndNoAxis) {
    EXPECT_TRUE(plots.empty());
    EXPECT_FALSE(memory().isVisible());
    plots.startRun(sampleShape());
    plots.flush();
    EXPECT_FALSE(plots.empty());
    EXPECT_EQ(memory().scene().hint, "The engine is starting…");
    EXPECT_FALSE(memory().canvas().isVisible());
    EXPECT_EQ(times().scene().hint, "The first step is running…");
    plots.clear();
    EXPECT_TRUE(plots.empty());
    EXPECT_FALSE(memory().isVisible());
}

TEST_F(LivePlotsTest, AStoredRunFillsAllThreePanels) {
    plots.showRun(sampleRun());
    plots.flush();
    EXPECT_THAT(plots.memoryPanel().note().toStdString(), ::testing::StartsWith("step 27 of 40 · peak 1.8"));
    EXPECT_EQ(plots.timePanel().note(), "204 ms per step (203 ms to 205 ms) · 9.8 samples/s · n = 27");
    EXPECT_THAT(plots.peakPanel().note().toStdString(), ::testing::StartsWith("highest 1.8"));
    EXPECT_EQ(plots.memoryPanel().legend()->entries().size(), 7U);
    EXPECT_EQ(plots.timePanel().legend()->entries().size(), 5U);
    EXPECT_EQ(times().scene().columns.size(), 30U);
    EXPECT_TRUE(times().scene().columns[2].faded);
    EXPECT_EQ(memory().accessibleDescription(), plots.memoryPanel().note());
    EXPECT_EQ(memory().frame().rect.left(), peaks().frame().rect.left());
    EXPECT_EQ(memory().frame().rect.left(), times().frame().rect.left());
}

TEST_F(LivePlotsTest, TheCanvasDrawsWhereTheFrameSays) {
    plots.showRun(sampleRun());
    plots.flush();
    for (Chart* chart : {&memory(), &peaks(), &times()}) {
        EXPECT_EQ(chart->canvas().frame().rect, chart->frame().rect);
    }
}

TEST_F(LivePlotsTest, TheLegendHasOnlyWhatOccurs) {
    plots.startRun(sampleShape());
    std::vector<MemoryPoint> points(3);
    points[1].ms = 5;
    points[1].ledger[Category::Gradients] = kMiB;
    points[2].ms = 9;
    plots.setStepTimeline(3, points, {}, {points[1].ledger, 5, 3, -1});
    plots.flush();
    ASSERT_EQ(plots.memoryPanel().legend()->entries().size(), 1U);
    EXPECT_EQ(plots.memoryPanel().legend()->entries()[0].name, "gradients");
    EXPECT_EQ(plots.memoryPanel().legend()->entries()[0].color, theme().of(Category::Gradients));
}

TEST_F(LivePlotsTest, AThousandCallsAreFewFrames) {
    plots.startRun(sampleShape(0, 2000));
    plots.flush();
    const int before = plots.frames();
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < 1000; ++i) {
        const StepBar bar = sampleBar(i, 0, {});
        plots.addSteps({&bar, 1});
        const MemoryPoint point{static_cast<double>(i), {}};
        plots.addLiveSamples({&point, 1}, i / 100);
        if (i % 50 == 0) {
            QApplication::processEvents();
        }
    }
    plots.flush();
    const auto elapsed = static_cast<int>(clock.elapsed());
    EXPECT_EQ(plots.stepCount(), 1000U);
    EXPECT_GE(plots.frames() - before, 1);
    EXPECT_LE(plots.frames() - before, elapsed / 16 + 3) << "in " << elapsed << " ms";
    QTest::qWait(60);
    const int settled = plots.frames();
    QTest::qWait(80);
    EXPECT_EQ(plots.frames(), settled) << "at rest nothing is drawn";
}

TEST_F(LivePlotsTest, HiddenPlotsDrawNothingUntilShown) {
    plots.showRun(sampleRun());
    plots.flush();
    plots.hide();
    const int before = plots.frames();
    const StepBar bar = sampleBar(30, 3, {});
    plots.addSteps({&bar, 1});
    QTest::qWait(50);
    EXPECT_EQ(plots.frames(), before);
    plots.show();
    QTest::qWait(50);
    EXPECT_EQ(times().scene().columns.size(), 31U);
}

TEST_F(LivePlotsTest, TheFirstStepIsShownWhileItRuns) {
    plots.startRun(sampleShape());
    SampleStep step = sampleStep();
    for (MemoryPoint& p : step.points) {
        p.ms += 5000;  // since the run's start
    }
    plots.addLiveSamples(std::span(step.points).first(100), 0);
    plots.flush();
    EXPECT_EQ(memory().scene().hint, "");
    EXPECT_EQ(memory().scene().from, 0);
    EXPECT_LT(memory().scene().to, 100);
    EXPECT_THAT(plots.memoryPanel().note().toStdString(), ::testing::HasSubstr("now, running for"));
    EXPECT_EQ(plots.memoryPanel().title(), "Memory in the running step");

    const SampleStep whole = sampleStep();
    plots.setStepTimeline(0, whole.points, whole.spans, whole.peak);
    plots.flush();
    EXPECT_EQ(plots.memoryPanel().title(), "Memory in the last step");
    EXPECT_EQ(memory().scene().to, whole.points.back().ms);
}

TEST_F(LivePlotsTest, ALongLaterStepMarksWhereItStands) {
    plots.startRun(sampleShape());
    const SampleStep whole = sampleStep();
    std::vector<MemoryPoint> slow = whole.points;
    for (MemoryPoint& p : slow) {
        p.ms *= 100;
    }
    plots.setStepTimeline(0, slow, {}, whole.peak);
    plots.addLiveSamples(std::vector<MemoryPoint>{{70000, {}}, {70100, {}}}, 1);
    plots.flush();
    EXPECT_EQ(memory().scene().markers.size(), 1U) << "too early";
    plots.addLiveSamples(std::vector<MemoryPoint>{{72000, {}}}, 1);
    plots.flush();
    ASSERT_EQ(memory().scene().markers.size(), 2U);
    EXPECT_EQ(memory().scene().markers[1].kind, MarkerKind::Now);
    EXPECT_EQ(memory().scene().markers[1].x, 2000);
    plots.finish("done");
    plots.flush();
    EXPECT_EQ(memory().scene().markers.size(), 1U);
}

TEST_F(LivePlotsTest, ManyLiveSamplesStayBoundedAndKeepTheHighest) {
    plots.startRun(sampleShape());
    std::vector<MemoryPoint> points(120000);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].ms = static_cast<double>(i) * 16;
        points[i].ledger[Category::Activations] = static_cast<base::Bytes>(i % 89) * kMiB;
    }
    points[4321].ledger[Category::Workspace] = 7 * kGiB;
    for (std::size_t i = 0; i < points.size(); i += 1000) {
        plots.addLiveSamples(std::span(points).subspan(i, 1000), 0);
    }
    plots.flush();
    EXPECT_GT(memory().scene().upper, 7.0 * kGiB);
    ASSERT_FALSE(memory().scene().markers.empty());
    EXPECT_EQ(memory().scene().markers[0].y, static_cast<double>(points[4321].ledger.total()));
}

TEST_F(LivePlotsTest, OutOfMemoryIsMarkedWhereItHappened) {
    plots.startRun(sampleShape());
    plots.addSteps(sampleBars(3, 9));
    const SampleStep whole = sampleStep();
    plots.setStepTimeline(8, whole.points, whole.spans, whole.peak);
    plots.addLiveSamples(std::span(whole.points).first(150), 9);
    plots.markRefused({kGiB + 205 * kMiB, 9, 3, 10, whole.points[149].ledger});
    plots.finish("out of memory");
    plots.flush();
    ASSERT_EQ(memory().scene().markers.size(), 1U);
    EXPECT_EQ(memory().scene().markers[0].label, "refused 1.20 GiB here");
    EXPECT_THAT(plots.memoryPanel().note().toStdString(),
                ::testing::AllOf(::testing::HasSubstr("refused 1.20 GiB in backward of layer 11 norm"),
                                 ::testing::EndsWith("out of memory")));
    ASSERT_EQ(peaks().scene().markers.size(), 1U);
    EXPECT_EQ(peaks().scene().markers[0].x, 7);
    ASSERT_EQ(peaks().scene().columns.size(), 10U) << "what was allocated when it ran out is a bar too";
    EXPECT_EQ(times().scene().columns.size(), 9U);
}

TEST_F(LivePlotsTest, ANarrowHeaderSaysLessAndDoesNotCutWords) {
    plots.startRun(sampleShape());
    const SampleStep whole = sampleStep();
    plots.setStepTimeline(8, whole.points, whole.spans, whole.peak);
    plots.finish("done");
    const auto shown = [&](int width) {
        plots.resize(width, 600);
        plots.flush();
        QCoreApplication::processEvents();
        for (const auto* label : plots.memoryPanel().findChildren<ElidedLabel*>()) {
            if (label->text() == plots.memoryPanel().note()) {
                return label->shownText();
            }
        }
        return QString();
    };
    const QString whole900 = shown(900), note = plots.memoryPanel().note();
    EXPECT_EQ(whole900.toStdString(), note.toStdString());
    QStringList seen;
    for (int width = 900; width >= 340; width -= 20) {
        seen << shown(width);
        EXPECT_FALSE(seen.back().contains(QStringLiteral("…"))) << width << seen.back().toStdString();
    }
    EXPECT_TRUE(seen.contains(note.section(" · ", 1))) << "the step's number gives way first";
    EXPECT_TRUE(seen.back().startsWith("peak 1.87 GiB")) << seen.back().toStdString();
    EXPECT_EQ(plots.memoryPanel().title(), "Memory") << "the title too";
}

TEST(ElidedLabelTest, ANoteThatIsCutToAFewLettersIsLeftOut) {
    ElidedLabel label;
    label.setMuted(true);
    label.setText("highest 144 MiB in warm-up 2 of 3", {"highest 144 MiB"});
    const auto shown = [&](const char* width) {
        label.resize(label.fontMetrics().horizontalAdvance(width), 20);
        return label.shownText();
    };
    EXPECT_EQ(shown("highest 144 MiB in"), "highest 144 MiB");
    EXPECT_TRUE(shown("highest 144…").startsWith("highest 1")) << label.shownText().toStdString();
    EXPECT_EQ(shown("hig…"), "");
}

TEST_F(LivePlotsTest, OutOfMemoryBeforeAnyStepOrSample) {
    plots.startRun(sampleShape());
    plots.markRefused({kGiB, 0, 1, -1, {}});
    plots.finish("out of memory");
    plots.flush();
    EXPECT_EQ(memory().scene().markers.size(), 1U);
    EXPECT_EQ(times().scene().hint, "No step was completed");
    plots.grab();
}

TEST_F(LivePlotsTest, ZoomingOneStepsPanelZoomsTheOther) {
    plots.showRun(sampleRun());
    plots.flush();
    const double whole = times().scene().to - times().scene().from;
    wheel(times(), 240);
    EXPECT_LT(times().scene().to - times().scene().from, whole * 0.7);
    EXPECT_EQ(peaks().scene().from, times().scene().from);
    EXPECT_EQ(peaks().scene().to, times().scene().to);
    const double from = peaks().scene().from;
    wheel(peaks(), -120, Qt::ShiftModifier);
    EXPECT_GT(times().scene().from, from);
    EXPECT_EQ(memory().scene().from, 0);
    QTest::mouseDClick(&peaks(), Qt::LeftButton, {}, at(peaks(), 10));
    plots.flush();
    EXPECT_DOUBLE_EQ(times().scene().to - times().scene().from, whole);
    for (int i = 0; i < 60; ++i) {
        wheel(times(), 120);
    }
    EXPECT_GE(times().scene().to - times().scene().from, 3 * (1 - 1e-9));
    for (int i = 0; i < 90; ++i) {
        wheel(times(), -120);
    }
    EXPECT_DOUBLE_EQ(times().scene().to - times().scene().from, whole);
}

TEST_F(LivePlotsTest, DraggingZoomsAndClickingNamesTheLayer) {
    plots.showRun(sampleRun());
    plots.flush();
    QSignalSpy clicks(&plots, &LivePlots::layerClicked);
    const SampleStep step = sampleStep();
    QTest::mouseClick(&memory(), Qt::LeftButton, {}, at(memory(), 100));
    ASSERT_EQ(clicks.size(), 1);
    EXPECT_EQ(clicks[0][0].toInt(), spanAt(step.spans, 100)->layer);
    QTest::mouseClick(&memory(), Qt::LeftButton, {}, at(memory(), 5));  // data: no layer
    EXPECT_EQ(clicks.size(), 1);

    const QPoint from = at(memory(), 50), to = at(memory(), 100);
    QTest::mousePress(&memory(), Qt::LeftButton, {}, from);
    QTest::mouseMove(&memory(), to);
    QTest::mouseRelease(&memory(), Qt::LeftButton, {}, to);
    plots.flush();
    EXPECT_NEAR(memory().scene().from, 50, 1);
    EXPECT_NEAR(memory().scene().to, 100, 1);
    EXPECT_EQ(clicks.size(), 1);
    QTest::keyClick(&memory(), Qt::Key_Home);
    plots.flush();
    EXPECT_EQ(memory().scene().from, 0);
}

TEST_F(LivePlotsTest, AZoomSurvivesAShorterStep) {
    plots.showRun(sampleRun());
    plots.flush();
    emit memory().viewRequested(100, 200);
    plots.flush();
    EXPECT_DOUBLE_EQ(memory().scene().from, 100);
    SampleStep step = sampleStep();
    for (MemoryPoint& p : step.points) {
        p.ms /= 2;
    }
    plots.setStepTimeline(30, step.points, {}, step.peak);
    plots.flush();
    EXPECT_DOUBLE_EQ(memory().scene().to, step.points.back().ms);
    EXPECT_DOUBLE_EQ(memory().scene().to - memory().scene().from, 100);
}

TEST_F(LivePlotsTest, TheKeyboardMovesTheCrosshairAndZooms) {
    plots.showRun(sampleRun());
    plots.flush();
    memory().setFocus(Qt::TabFocusReason);
    QTest::keyClick(&memory(), Qt::Key_Right);
    ASSERT_TRUE(memory().crosshair().has_value());
    const double first = *memory().crosshair();
    QTest::keyClick(&memory(), Qt::Key_Right);
    EXPECT_GT(*memory().crosshair(), first);
    QTest::keyClick(&memory(), Qt::Key_Plus);
    plots.flush();
    EXPECT_GT(memory().scene().from, 0);
    QSignalSpy clicks(&plots, &LivePlots::layerClicked);
    QTest::keyClick(&memory(), Qt::Key_Return);
    EXPECT_EQ(clicks.size(), 1);
}

TEST_F(LivePlotsTest, ThousandsOfStepsMergeAndSaySo) {
    plots.showRun(sampleRun(false, 0, 10000, 10000));
    plots.flush();
    const auto bars = times().scene().columns.size();
    EXPECT_LE(static_cast<double>(bars), times().frame().rect.width() / 3 + 2);
    EXPECT_THAT(plots.timePanel().note().toStdString(),
                ::testing::EndsWith("each bar is 64 steps (their mean)"));
    EXPECT_THAT(plots.peakPanel().note().toStdString(),
                ::testing::EndsWith("each bar is 64 steps (the highest)"));
}

TEST_F(LivePlotsTest, OddValuesDoNoHarm) {
    constexpr base::Bytes kPiB = 1024 * 1024 * kGiB;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    plots.startRun(-4, -1, {}, 0, -5);
    plots.setStepTimeline(7, {}, {}, {});
    std::vector<MemoryPoint> points = {{9, {}}, {nan, {}}, {1, {}}};
    points[0].ledger[Category::Activations] = 900 * kPiB;
    plots.setStepTimeline(7, points, {{5, 77, 900}, {-3, -9, -9}, {nan, 1, 1}},
                          {points[0].ledger, nan, 44, 99});
    StepBar bar;
    bar.index = 7;
    bar.phaseMs = {nan, -5, 1e300, std::numeric_limits<double>::infinity(), 0};
    bar.peak = points[0].ledger;
    plots.addSteps({&bar, 1});
    bar.index = 2;
    bar.phaseMs = {1, 1, 1, 1, 1};
    plots.addSteps({&bar, 1});
    plots.addSteps({&bar, 1});
    plots.setSummary({nan, nan, nan, 3}, nan);
    plots.flush();
    plots.grab();
    EXPECT_EQ(plots.stepCount(), 2U);
    for (const Chart* chart : {&memory(), &peaks(), &times()}) {
        EXPECT_TRUE(std::isfinite(chart->scene().upper));
        EXPECT_GT(chart->scene().to, chart->scene().from);
    }
}

TEST_F(LivePlotsTest, OneStepOfOneStandsUp) {
    plots.startRun(0, 1, {}, std::nullopt, 0);
    const StepBar bar = sampleBar(0, 0, {});
    plots.addSteps({&bar, 1});
    plots.setStepTimeline(0, {{0, {}}}, {}, {});
    plots.flush();
    EXPECT_EQ(times().scene().columns.size(), 1U);
    EXPECT_EQ(memory().scene().hint, "");
    plots.grab();
}

TEST_F(LivePlotsTest, TheLegendNeverCoversTheAxis) {
    plots.showRun(sampleRun());
    for (const QSize size :
         {QSize(1200, 900), QSize(420, 380), QSize(317, 330), QSize(300, 300), QSize(316, 331)}) {
        plots.clear();  // its legend has entries again only after the panel is laid out
        plots.resize(size);
        QCoreApplication::processEvents();
        plots.showRun(sampleRun());
        plots.flush();
        QTest::qWait(40);
        for (PlotPanel* panel : {&plots.memoryPanel(), &plots.timePanel()}) {
            const Legend& legend = *panel->legend();
            EXPECT_GE(panel->chart().height(), panel->chart().minimumHeight()) << size.width();
            // A panel too low for both keeps its chart and hides the legend.
            const int needed = panel->chart().minimumHeight() + legend.heightForWidth(panel->width());
            EXPECT_EQ(legend.isVisibleTo(panel), panel->height() - Panel::kHeaderHeight >= needed)
                << size.width();
            if (!legend.isVisibleTo(panel)) {
                continue;
            }
            EXPECT_GE(legend.y(), panel->chart().geometry().bottom()) << size.width();
            EXPECT_GE(legend.height(), legend.heightForWidth(legend.width())) << size.width();
        }
    }
}

TEST_F(LivePlotsTest, FollowsTheTheme) {
    plots.showRun(sampleRun());
    plots.flush();
    const QImage dark = plots.grab().toImage();
    applyTheme(*static_cast<QApplication*>(QCoreApplication::instance()), ThemeMode::Light);
    plots.flush();
    EXPECT_EQ(memory().scene().series[4].color, theme().of(Category::Activations));
    const QImage light = plots.grab().toImage();
    const QPoint corner = memory().mapTo(&plots, QPoint(memory().width() - 4, memory().height() - 4));
    EXPECT_LT(dark.pixelColor(corner).lightness(), 80);
    EXPECT_GT(light.pixelColor(corner).lightness(), 200);
    applyTheme(*static_cast<QApplication*>(QCoreApplication::instance()), ThemeMode::Dark);
}

TEST_F(LivePlotsTest, DrawsEachCategoryInItsColor) {
    plots.showRun(sampleRun());
    plots.flush();
    const QImage image = memory().grab().toImage();
    const PlotFrame frame = memory().frame();
    const SampleStep step = sampleStep();
    const double ms = 120;
    const auto tops = runningSums(pointAt(step.points, ms)->ledger);
    for (const Category c :
         {Category::Input, Category::Parameters, Category::OptimizerState, Category::Activations}) {
        const auto i = static_cast<std::size_t>(c);
        const double middle = ((i == 0 ? 0 : tops[i - 1]) + tops[i]) / 2;
        const QPoint pixel(static_cast<int>(frame.pixelX(ms)), static_cast<int>(frame.pixelY(middle)));
        EXPECT_EQ(image.pixelColor(pixel), theme().of(c)) << categoryName(c).toStdString();
    }
}

TEST_F(LivePlotsTest, PicturesAreSharpAndNeedNoWindow) {
    QTemporaryDir folder;
    LivePlots hidden;
    hidden.resize(600, 500);
    hidden.showRun(sampleRun());
    const QString path = folder.filePath("all.png");
    ASSERT_TRUE(hidden.savePng(path, 2));
    const QImage image(path);
    EXPECT_EQ(image.size(), QSize(1200, 1000));
    plots.showRun(sampleRun());
    const QPixmap one = plots.memoryPanel().picture(3);
    EXPECT_EQ(one.size(), plots.memoryPanel().size() * 3);
    EXPECT_FALSE(hidden.savePng(folder.filePath("no/such/folder.png")));
}

TEST_F(LivePlotsTest, NumbersHaveAPointInEveryLocale) {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German));
    plots.showRun(sampleRun());
    plots.flush();
    QLocale::setDefault(before);
    EXPECT_EQ(plots.timePanel().note(), "204 ms per step (203 ms to 205 ms) · 9.8 samples/s · n = 27");
    EXPECT_FALSE(plots.memoryPanel().note().contains(','));
}

TEST_F(LivePlotsTest, ALowPlotsLegendHasTheSameOrderAndSaysWhatItLeavesOut) {
    plots.showRun(sampleRun());
    plots.resize(1200, 900);
    plots.flush();
    const Legend& legend = *plots.memoryPanel().legend();
    QCoreApplication::processEvents();
    const QStringList all = legend.shown();
    ASSERT_EQ(all.size(), static_cast<qsizetype>(legend.entries().size()));
    qsizetype fewest = all.size();
    for (const int width : {420, 320, 250, 180}) {
        plots.resize(width, 380);
        QCoreApplication::processEvents();
        plots.flush();
        QStringList shown = legend.shown();
        SCOPED_TRACE(shown.join(", ").toStdString());
        EXPECT_TRUE(shown.contains("activations")) << "what there is most of";
        if (shown.back().startsWith('+')) {
            const QString more = shown.takeLast();
            EXPECT_EQ(more, QString("+%1").arg(all.size() - shown.size()));
        }
        fewest = std::min(fewest, shown.size());
        QStringList ordered = all;
        ordered.removeIf([&](const QString& name) { return !shown.contains(name); });
        EXPECT_EQ(shown, ordered) << "as in a high plot";
    }
    EXPECT_LT(fewest, all.size()) << "so narrow that some have no room";
}

TEST_F(LivePlotsTest, ReturnWithoutACrosshairAndEscapeWhereAllIsSeenAreLeftToTheWindow) {
    plots.showRun(sampleRun());
    plots.flush();
    const QSignalSpy clicks(&plots, &LivePlots::layerClicked);
    const auto accepted = [&](Qt::Key key) {
        QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
        QCoreApplication::sendEvent(&memory(), &press);
        plots.flush();
        return press.isAccepted();
    };
    EXPECT_FALSE(accepted(Qt::Key_Return));
    EXPECT_EQ(clicks.size(), 0);
    EXPECT_FALSE(accepted(Qt::Key_Escape));
    EXPECT_TRUE(accepted(Qt::Key_Plus));
    EXPECT_GT(memory().scene().from, 0);
    EXPECT_TRUE(accepted(Qt::Key_Escape));
    EXPECT_DOUBLE_EQ(memory().scene().from, 0);
    EXPECT_FALSE(accepted(Qt::Key_Escape));
}

}  // namespace
}  // namespace highwater::widgets
