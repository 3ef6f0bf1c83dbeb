// How soon the views of a sweep of 4,096 cells follow: sweep_views [MOVES]. Prints JSON: milliseconds from an
// event until everything that shows it is painted, and the part computed by the window's thread, for
// brushing, moving a brush, sorting, filtering, grouping, hovering and setting new figures in each view.
// Asserts nothing. Needs a display (xvfb-run).
#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <iostream>

#include "app/desktop/study/sweep/sweep_heat_map.h"
#include "app/desktop/study/sweep/sweep_parallel.h"
#include "app/desktop/study/sweep/sweep_scatter.h"
#include "app/desktop/study/sweep/sweep_table.h"
#include "app/desktop/study/sweep/sweep_views.h"
#include "tests/app/desktop/study/sweep/sweep_samples.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater::desktop;
using namespace highwater::widgets;

double threadCpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void say(const char* name, std::vector<double> ms, bool last = false) {
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double part) {
        return ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))];
    };
    std::cout << "  \"" << name << "\": {\"median\": " << at(0.5) << ", \"p99\": " << at(0.99)
              << ", \"max\": " << ms.back() << (last ? "}\n" : "},\n");
}

/// Each action with all painting that it causes.
void measure(const char* name, int moves, const std::function<void(int)>& act) {
    std::vector<double> wall, cpu;
    for (int i = 0; i < moves; ++i) {
        QCoreApplication::processEvents();
        const double before = threadCpuMs();
        QElapsedTimer clock;
        clock.start();
        act(i);
        QCoreApplication::processEvents();
        wall.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        cpu.push_back(threadCpuMs() - before);
    }
    say((std::string(name) + "_ms").c_str(), wall);
    say((std::string(name) + "_thread_ms").c_str(), cpu);
}

void mouse(QWidget& widget, QEvent::Type type, const QPointF& at, Qt::MouseButtons held) {
    QMouseEvent event(type, at, widget.mapToGlobal(at),
                      type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton, held, {});
    QCoreApplication::sendEvent(&widget, &event);
}

/// A drag back and forth along the axis of a column.
void brush(SweepViews& views, const char* name, std::size_t column, int moves) {
    SweepParallel& p = views.parallel();
    const double x = p.axisX(column), from = 60;
    mouse(p, QEvent::MouseButtonPress, {x, from}, Qt::LeftButton);
    measure(name, moves, [&](int i) {
        const double part = 0.5 - 0.5 * std::cos(i * 0.11);
        mouse(p, QEvent::MouseMove, {x, from + 10 + part * (p.height() - 110.0)}, Qt::LeftButton);
    });
    mouse(p, QEvent::MouseButtonRelease, {x, from + 100}, {});
}

void hover(QWidget& chart, const char* name, int moves) {
    measure(name, moves, [&](int i) {
        const QPointF at(100 + std::fmod(i * 37.0, chart.width() - 200.0),
                         60 + std::fmod(i * 23.0, chart.height() - 110.0));
        mouse(chart, QEvent::MouseMove, at, {});
    });
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    applyTheme(app, ThemeMode::Dark);
    const int moves = argc > 1 ? std::max(20, std::atoi(argv[1])) : 300;
    SweepViews views;
    views.resize(1400, 900);
    const SweepRows rows = samples::randomSweep(1, {8, 8, 8, 8}),
                    other = samples::randomSweep(2, {8, 8, 8, 8});
    views.setRows(rows);
    views.show();
    for (int i = 0; i < 20; ++i) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    SweepLink& link = views.link();
    std::cout << "{\n  \"cells\": " << rows.cells.size() << ",\n  \"moves\": " << moves << ",\n";
    const auto column = [&](SweepFigure figure) { return rows.columnOf(figure); };
    brush(views, "brush_figure", column(SweepFigure::Memory), moves);
    link.setFilter({});
    brush(views, "brush_axis", 2, moves);
    SweepFilter half;
    const auto& widest = rows.cells;
    std::vector<double> peaks;
    for (const SweepCell& cell : widest) {
        if (cell.figures[0].known()) {
            peaks.push_back(cell.figures[0].value);
        }
    }
    std::sort(peaks.begin(), peaks.end());
    half.setRange(column(SweepFigure::Memory),
                  SweepRange{peaks[peaks.size() / 4], peaks[peaks.size() * 3 / 4]});
    link.setFilter(half);
    hover(views.parallel(), "hover_parallel", moves);
    link.setFilter({});
    SweepTable& table = views.table();
    measure("sort", moves, [&](int i) {
        table.sortByColumn(i % static_cast<int>(rows.columns()),
                           i % 2 == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
    });
    measure("filter_value", moves, [&](int i) {
        SweepFilter filter = link.filter();
        filter.setWithout(static_cast<std::size_t>(i % 4), i % 8, i % 3 != 0);
        link.setFilter(filter);
    });
    link.setFilter({});
    measure("hide_failures", moves, [&](int i) {
        SweepFilter filter;
        filter.hideFailures = i % 2 == 0;
        link.setFilter(filter);
    });
    measure("group", moves, [&](int i) { table.setGroup(i % 5 - 1); });
    table.setGroup(-1);
    measure("hover_table", moves, [&](int i) {
        mouse(*table.viewport(), QEvent::MouseMove,
              {100, 5.0 + std::fmod(i * 23.0, table.viewport()->height() - 10.0)}, {});
    });
    measure("new_figures_parallel", moves, [&](int i) { views.setRows(i % 2 == 0 ? other : rows); });
    views.setView(SweepViews::View::Scatter);
    QCoreApplication::processEvents();
    hover(views.scatter(), "hover_scatter", moves);
    measure("filter_scatter", moves, [&](int i) {
        SweepFilter filter;
        filter.setWithout(static_cast<std::size_t>(i % 4), i % 8, true);
        link.setFilter(filter);
    });
    link.setFilter({});
    views.setView(SweepViews::View::HeatMap);
    QCoreApplication::processEvents();
    hover(views.heatMap(), "hover_heat_map", moves);
    measure("filter_heat_map", moves, [&](int i) {
        SweepFilter filter;
        filter.setWithout(static_cast<std::size_t>(2 + i % 2), i % 8, true);
        link.setFilter(filter);
    });
    std::cout << "  \"of\": \"a window of 1400 x 900\"\n}\n";
    return 0;
}
