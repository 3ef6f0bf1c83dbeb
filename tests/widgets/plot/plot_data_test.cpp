#include "widgets/plot/plot_data.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QMenu>
#include <QRegularExpression>
#include <QTemporaryDir>

#include "tests/widgets/plot/sample_run.h"
#include "widgets/plot/picture.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::widgets {
namespace {

using namespace highwater::testing;

QString svgOf(QWidget& widget) {
    const QTemporaryDir folder;
    QFile file(folder.filePath("picture.svg"));
    EXPECT_TRUE(savePicture(widget, file.fileName()));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return QString::fromUtf8(file.readAll());
}

QStringList cells(const QString& data, int line) {
    return data.split('\n').at(line).split('\t');
}

TEST(PlotData, MemoryHasARowForEachPoint) {
    MemoryTrack track;
    track.points.resize(2);
    track.points[1].ms = 1.5;
    track.points[1].ledger[Category::Activations] = 3 * kMiB;
    track.points[1].reserved = 4 * kMiB;
    const QString data = memoryData(track);
    EXPECT_EQ(data.count('\n'), 3);
    EXPECT_EQ(cells(data, 0).front(), "time (ms)");
    EXPECT_EQ(cells(data, 0)[1], "input (bytes)");
    EXPECT_EQ(cells(data, 1).size(), cells(data, 0).size());
    EXPECT_EQ(cells(data, 1).back(), "") << "not known";
    const QStringList row = cells(data, 2);
    EXPECT_EQ(row[0], "1.5");
    EXPECT_EQ(row[1 + static_cast<int>(Category::Activations)], "3145728");
    EXPECT_EQ(row[row.size() - 2], "3145728");
    EXPECT_EQ(row.back(), "4194304");
}

TEST(PlotData, StepsHaveARowEachAndSayWhichAreWarmUp) {
    const RunShape run = sampleShape();
    const std::vector<StepBar> steps = sampleBars(3, 20);
    const QString peaks = peakData(run, steps), times = timeData(run, steps);
    EXPECT_EQ(peaks.count('\n'), 21);
    EXPECT_EQ(times.count('\n'), 21);
    EXPECT_EQ(cells(times, 0), QStringList({"step", "warm-up", "data (ms)", "forward (ms)", "recompute (ms)",
                                            "backward (ms)", "optimizer (ms)", "total (ms)"}));
    EXPECT_EQ(cells(times, 1)[0], "-2");
    EXPECT_EQ(cells(times, 1)[1], "yes");
    EXPECT_EQ(cells(times, 4)[0], "1");
    EXPECT_EQ(cells(times, 4)[1], "no");
    EXPECT_EQ(cells(peaks, 4).back(), QString::number(steps[3].peak.total()));
}

TEST(PlotData, TheLivePlotsCopyTheirDataAndSaveTheirShapes) {
    LivePlots plots;
    plots.resize(800, 700);
    plots.showRun(sampleRun());
    plots.show();
    plots.flush();
    emit plots.timePanel().chart().viewRequested(3.5, 9.5);
    plots.flush();
    ASSERT_DOUBLE_EQ(plots.timePanel().chart().scene().from, 3.5);
    const auto menu = plots.timePanel().contextMenu();
    menu->actions()[1]->trigger();
    EXPECT_EQ(QApplication::clipboard()->text().count('\n'), 31) << "all steps, whatever is in sight";
    menu->actions().back()->trigger();
    plots.flush();
    EXPECT_LT(plots.timePanel().chart().scene().from, 0) << "the whole is in sight again";
    plots.memoryPanel().contextMenu()->actions()[1]->trigger();
    EXPECT_EQ(QApplication::clipboard()->text().count('\n'),
              static_cast<qsizetype>(sampleRun().timeline.size()) + 1);

    const std::string svg = svgOf(plots.memoryPanel()).toStdString();
    EXPECT_THAT(svg, ::testing::HasSubstr("budget 2.20 GiB"));
    EXPECT_THAT(svg, ::testing::HasSubstr("activations")) << "the legend";
    EXPECT_THAT(svg, ::testing::Not(::testing::HasSubstr("<image")));
}

TEST(PlotData, AZoomedStackIsCutAtItsAxes) {
    LivePlots plots;
    plots.resize(800, 700);
    plots.showRun(sampleRun());
    plots.setRunForecast(sampleForecast());
    plots.show();
    plots.flush();
    emit plots.memoryPanel().chart().viewRequested(100, 120);
    plots.flush();
    const QRectF axes = plots.memoryPanel().chart().frame().rect;
    const QString svg = svgOf(plots.memoryPanel());
    int corners = 0;
    static const QRegularExpression kCorner("[ML](-?[0-9.e+]+),(-?[0-9.e+]+)");
    for (const QRegularExpressionMatch& match : kCorner.globalMatch(svg)) {
        const double x = match.captured(1).toDouble(), y = match.captured(2).toDouble();
        ++corners;
        EXPECT_TRUE(x > -10 && x < axes.right() + 10 && y > -10 && y < axes.bottom() + 10) << x << ' ' << y;
    }
    EXPECT_GT(corners, 40);
}

}  // namespace
}  // namespace highwater::widgets
