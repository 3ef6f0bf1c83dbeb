// Pictures of the plots in every state, for visual inspection, and the time of a replot: plot_pictures FOLDER
#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <algorithm>

#include "tests/widgets/plot/sample_run.h"
#include "widgets/plot/canvas.h"
#include "widgets/plot/growth_plot.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/theme/theme.h"

using namespace highwater;
using namespace highwater::testing;

namespace {

QString folder;

void save(widgets::LivePlots& plots, const QString& name) {
    QApplication::processEvents();
    plots.flush();
    plots.grab();
    if (!plots.savePng(folder + '/' + name + ".png", 2)) {
        fmt::print(stderr, "cannot write {}\n", name.toStdString());
    }
}

void outOfMemory(widgets::LivePlots& plots) {
    plots.startRun(sampleShape());
    plots.addSteps(sampleBars(3, 9));
    SampleStep step = sampleStep();
    step.points.resize(step.points.size() / 2);
    plots.addLiveSamples(step.points, 9);
    plots.markRefused({kGiB + 205 * kMiB, 9, 3, 10, step.points.back().ledger});
    plots.finish("out of memory");
}

void growth(const QString& suffix) {
    widgets::GrowthCurve curve;
    curve.axis = "width";
    curve.device = "NVIDIA RTX 3060 12 GB";
    curve.from = 64;
    curve.to = 512;
    curve.capacity = 11 * kGiB;
    for (std::int64_t w = 64; w <= 512; w += 8) {
        const double jump = w >= 368 ? 9.0 : 0.0;
        const double gib = 0.012 * static_cast<double>(w) + jump;
        const auto bytes = [&](double f) { return static_cast<base::Bytes>(gib * f * 1024) * kMiB; };
        curve.points.push_back({w,
                                bytes(0.97),
                                bytes(1),
                                bytes(1.08),
                                jump > 0 ? predict::Fits::No : predict::Fits::Yes,
                                12,
                                {}});
    }
    curve.jumps = {368};
    curve.current = 96;
    widgets::GrowthPlot plot;
    plot.setCurve(curve);
    plot.resize(760, 420);
    plot.grab();
    plot.grab().save(folder + "/growth" + suffix + ".png");
}

void takePictures(widgets::LivePlots& plots, const QString& suffix) {
    plots.clear();
    save(plots, "empty" + suffix);
    plots.setForecast(sampleForecast());
    save(plots, "forecast" + suffix);
    plots.setForecast({});
    plots.showRun(sampleRun());
    plots.setRunForecast(sampleForecast(0.93));
    plots.setForecast(sampleForecast());
    save(plots, "overlay" + suffix);
    plots.setForecast({});
    growth(suffix);
    plots.showRun(sampleRun());
    save(plots, "run" + suffix);
    plots.showRun(sampleRun(true));
    save(plots, "checkpoint" + suffix);
    plots.showRun(sampleRun(false, 3, 10000, 10000));
    save(plots, "many" + suffix);
    outOfMemory(plots);
    save(plots, "oom" + suffix);
    widgets::StoredRun far = sampleRun(true, 3, 40, 12);
    far.shape.budget = 8 * kGiB;
    far.shape.capacity = 2 * kGiB;
    far.steps[0].phaseMs[1] = 2100;
    plots.showRun(far);
    save(plots, "far" + suffix);
    plots.startRun(sampleShape());
    SampleStep step = sampleStep();
    step.points.resize(step.points.size() / 3);
    plots.addLiveSamples(step.points, 0);
    save(plots, "live" + suffix);
}

void hover(widgets::LivePlots& plots, widgets::PlotPanel& panel, const QString& name) {
    plots.flush();
    QWidget& chart = panel.chart();
    const QPointF at = panel.chart().frame().rect.center();
    QMouseEvent move(QEvent::MouseMove, at, chart.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(&chart, &move);
    QApplication::processEvents();
    plots.grab().save(folder + '/' + name + ".png");
}

void measure(widgets::LivePlots& plots) {
    plots.showRun(sampleRun(false, 3, 10000, 10000));
    const SampleStep step = sampleStep();
    QApplication::processEvents();
    std::vector<double> whole, memory, peaks, times;
    for (int i = 0; i < 60; ++i) {
        plots.setStepTimeline(9999, step.points, step.spans, step.peak);
        plots.addSteps(std::vector<widgets::StepBar>{sampleBar(9999, 3, step.peak.ledger)});
        QElapsedTimer clock;
        clock.start();
        plots.flush();
        whole.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        memory.push_back(plots.memoryPanel().chart().canvas().lastReplotMs());
        peaks.push_back(plots.peakPanel().chart().canvas().lastReplotMs());
        times.push_back(plots.timePanel().chart().canvas().lastReplotMs());
    }
    const auto say = [](const char* what, std::vector<double> ms) {
        std::sort(ms.begin(), ms.end());
        fmt::print("{:42} median {:6.2f} ms   worst {:6.2f} ms\n", what, ms[ms.size() / 2], ms.back());
    };
    fmt::print("{} points in the step, 10000 steps\n", step.points.size());
    say("all three panels, scenes and replots", whole);
    say("replot of memory", memory);
    say("replot of peaks", peaks);
    say("replot of times", times);
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication app(argc, argv);
    folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
    widgets::applyTheme(app, widgets::ThemeMode::Dark);
    widgets::LivePlots plots;
    plots.resize(800, 700);
    plots.show();
    takePictures(plots, "-dark");
    plots.showRun(sampleRun());
    hover(plots, plots.memoryPanel(), "hover-memory");
    hover(plots, plots.timePanel(), "hover-time");
    plots.showRun(sampleRun());
    plots.setRunForecast(sampleForecast(0.93));
    hover(plots, plots.memoryPanel(), "hover-overlay");
    widgets::applyTheme(app, widgets::ThemeMode::Light);
    takePictures(plots, "-light");
    plots.resize(420, 380);
    plots.showRun(sampleRun(true));
    save(plots, "small");
    plots.resize(900, 350 * 3);
    measure(plots);
}
