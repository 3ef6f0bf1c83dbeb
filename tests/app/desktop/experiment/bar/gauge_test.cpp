#include "app/desktop/experiment/bar/gauge.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>

#include "widgets/theme/theme.h"

namespace highwater::desktop {
namespace {

using base::kGiB;
using Fits = predict::Fits;

GaugeForecast forecast(double low, double expected, double high, double capacity, Fits fits, double odds) {
    const auto gib = [](double n) { return static_cast<base::Bytes>(n * static_cast<double>(kGiB)); };
    GaugeForecast f;
    f.low = gib(low), f.expected = gib(expected), f.high = gib(high), f.capacity = gib(capacity);
    f.fits = fits;
    f.odds = odds;
    f.device = "NVIDIA H100 80 GB";
    return f;
}

/// How many pixels of the gauge have that color.
int pixels(Gauge& gauge, const QColor& color) {
    gauge.resize(400, gauge.sizeHint().height());
    const QImage image = gauge.grab().toImage();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            count += image.pixelColor(x, y) == color ? 1 : 0;
        }
    }
    return count;
}

TEST(Gauge, SaysWhatIsPredictedAndForWhat) {
    Gauge gauge;
    gauge.setForecast(forecast(9.1, 9.3, 9.6, 24, Fits::Yes, 0));
    EXPECT_EQ(gauge.text(), QStringLiteral("Predicted 9.30 GiB of 24.0 GiB, estimate 9.10–9.60 GiB"));
    EXPECT_EQ(gauge.verdict(), "fits");
    EXPECT_TRUE(gauge.toolTip().contains("NVIDIA H100"));
    gauge.setForecast(forecast(9.3, 9.3, 9.3, 24, Fits::Yes, 0));
    EXPECT_EQ(gauge.text(), "Predicted 9.30 GiB of 24.0 GiB") << "no band where nothing is a guess";
    gauge.setForecast(forecast(9.3, 9.3, 9.3, 0, Fits::Uncertain, 0));
    EXPECT_EQ(gauge.text(), "Predicted 9.30 GiB");
    EXPECT_EQ(gauge.verdict(), "") << "an unknown capacity is not a verdict";
}

TEST(Gauge, SaysHowLikelyItRunsOut) {
    Gauge gauge;
    gauge.setForecast(forecast(20, 25, 30, 24, Fits::Uncertain, 0.67));
    EXPECT_EQ(gauge.verdict(), "67 % likely to run out");
    gauge.setForecast(forecast(28, 30, 31, 24, Fits::No, 1));
    EXPECT_EQ(gauge.verdict(), "does not fit");
    EXPECT_GT(pixels(gauge, widgets::theme().bad), 200);
    gauge.setForecast(forecast(9, 9, 10, 24, Fits::Yes, 0));
    EXPECT_EQ(pixels(gauge, widgets::theme().bad), 0);
}

TEST(Gauge, HoldsThePredictionAgainstTheBudget) {
    Gauge gauge;
    gauge.setForecast(forecast(9, 10, 11, 24, Fits::Yes, 0));
    gauge.setBudget(12 * kGiB);
    EXPECT_TRUE(gauge.text().startsWith("Predicted 10.0 GiB of 12.0 GiB"));
    EXPECT_EQ(gauge.verdict(), "fits");
    gauge.setBudget(10 * kGiB);
    EXPECT_EQ(gauge.verdict(), "may exceed the budget");
    gauge.setBudget(8 * kGiB);
    EXPECT_EQ(gauge.verdict(), "over the budget");
    gauge.setBudget(48 * kGiB);
    EXPECT_TRUE(gauge.text().startsWith("Predicted 10.0 GiB of 24.0 GiB")) << "the device is the limit";
}

TEST(Gauge, MeasuredAndPredictedSideBySide) {
    Gauge gauge;
    gauge.setForecast(forecast(9, 10, 11, 24, Fits::Yes, 0));
    gauge.setState({.peak = 11 * kGiB, .running = true});
    gauge.setProgress(3, 12);
    EXPECT_EQ(gauge.text(), "Peak 11.0 GiB, predicted 10.0 GiB");
    EXPECT_EQ(gauge.verdict(), "step 3 of 12");
    gauge.setProgress(0, 12, 3);
    EXPECT_EQ(gauge.verdict(), "warm-up 1 of 3");
    gauge.setProgress(4, 12, 3);
    EXPECT_EQ(gauge.verdict(), "step 1 of 9");
    gauge.setState({.peak = 11 * kGiB});
    EXPECT_EQ(gauge.verdict(), "+10.0 %");
    gauge.setState({.peak = 10 * kGiB});
    EXPECT_EQ(gauge.verdict(), "as predicted, to the byte");
    gauge.setState({.peak = 11 * kGiB, .budget = 11 * kGiB, .outOfMemory = true});
    EXPECT_EQ(gauge.verdict(), "out of memory");
}

TEST(Gauge, ARunHasItsOwnBudgetOrNone) {
    Gauge gauge;
    gauge.setBudget(12 * kGiB);
    gauge.setState({.peak = 11 * kGiB, .run = "run #2"});
    EXPECT_EQ(gauge.text(), "Run #2: peak 11.0 GiB");
    EXPECT_EQ(gauge.verdict(), "") << "12 GiB are for what is edited";
    gauge.setState({.peak = 11 * kGiB, .budget = 16 * kGiB, .run = "run #2"});
    EXPECT_EQ(gauge.text(), "Run #2: peak 11.0 GiB of 16.0 GiB");
    EXPECT_EQ(gauge.verdict(), "fits");
    gauge.setState({.peak = 11 * kGiB,
                    .budget = 16 * kGiB,
                    .run = "run #2",
                    .apart = "differs from the current experiment"});
    EXPECT_EQ(gauge.verdict(), "differs from the current experiment");
}

TEST(Gauge, OnAGpuItIsWhatIsReserved) {
    Gauge gauge;
    GaugeForecast f = forecast(9.3, 9.3, 9.3, 24, Fits::Yes, 0);
    f.reserved = true;
    gauge.setForecast(f);
    EXPECT_EQ(gauge.text(), "Predicted 9.30 GiB reserved of 24.0 GiB");
}

TEST(Gauge, SaysWhyThereIsNoPrediction) {
    Gauge gauge;
    GaugeForecast none;
    none.trouble = "the stack is not valid yet";
    gauge.setForecast(none);
    EXPECT_EQ(gauge.text(), "No prediction: the stack is not valid yet");
    EXPECT_EQ(gauge.verdict(), "");
    gauge.setState({.peak = kGiB});
    EXPECT_EQ(gauge.text(), "Peak 1.00 GiB");
}

TEST(Gauge, IsAButtonToTheDifferences) {
    Gauge gauge;
    gauge.resize(300, 40);
    QSignalSpy clicked(&gauge, &Gauge::clicked);
    QTest::mouseClick(&gauge, Qt::LeftButton);
    QTest::keyClick(&gauge, Qt::Key_Return);
    EXPECT_EQ(clicked.count(), 2);
}

TEST(Gauge, ItsMenuCopiesWhatItSaysAndLeadsToTheDifferences) {
    Gauge gauge;
    gauge.setForecast(forecast(8, 9, 10, 24, Fits::Yes, 0));
    EXPECT_EQ(gauge.contextMenuPolicy(), Qt::ActionsContextMenu);
    const QList<QAction*> menu = gauge.actions();
    ASSERT_EQ(menu.size(), 3);
    QSignalSpy clicked(&gauge, &Gauge::clicked);
    menu[0]->trigger();
    EXPECT_EQ(clicked.count(), 1);
    EXPECT_EQ(menu[1]->text(), "Copy");
    menu[1]->trigger();
    const QString said = gauge.text() + ", " + gauge.verdict();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), said);
    EXPECT_EQ(menu[2]->text(), "Copy with details");
    menu[2]->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), said + '\n' + gauge.toolTip());
    EXPECT_TRUE(gauge.toolTip().contains("NVIDIA H100"));
}

}  // namespace
}  // namespace highwater::desktop
