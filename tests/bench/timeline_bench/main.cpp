#include <malloc.h>
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>

#include "tests/bench/timeline_bench/training_capture.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_view.h"

/// How long a frame of the timeline takes with 2 million events (or the number given as first argument):
/// random zooms and pans, each followed by a full repaint into a pixmap. Asserts nothing.
namespace highwater::widgets {
namespace {

double percentile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// A user's path through the trace: zoom in at a random position, move around, zoom out again; sometimes zoom
/// into bytes.
TimelineRange next(const TraceIndex& index, TimelineRange range, std::mt19937_64& random) {
    const auto unit = [&] { return static_cast<double>(random() % 10000) / 10000; };
    const TimelineRange whole = wholeRange(index, range.axis);
    const double x = range.from + unit() * (range.to - range.from);
    switch (random() % 12) {
        case 0:
            return whole;
        case 1:
        case 2:
            return zoomedTime(range, x, 1 / 0.8);
        case 3:
            return zoomedBytes(range, range.low + unit() * (range.high - range.low), 0.5);
        case 4:
            return zoomedBytes(range, range.low, 2);
        case 5:
        case 6:
            return moved(range, (unit() - 0.5) * (range.to - range.from), (unit() - 0.5) * 0.1 * range.high);
        case 7:
            range.axis = random() % 4 ? TimelineAxis::Time : TimelineAxis::Events;
            range = wholeRange(index, range.axis);
            return zoomedTime(range, range.from + unit() * (range.to - range.from),
                              std::pow(10, -7 * unit()));
        default:
            return zoomedTime(range, x, 0.6);
    }
}

/// Processor time of this thread: the cost of a frame undisturbed by other programs.
double threadMs() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

void frames(const char* name, std::shared_ptr<const TraceIndex> index, const QSize& size) {
    TimelineView view(nullptr);
    view.resize(size);
    view.setIndex(index);
    QImage target(size, QImage::Format_RGB32);  // the format of a window
    std::mt19937_64 random(7);
    std::vector<double> elapsed, own;
    std::size_t mostCells = 0;
    for (int frame = 0; frame < 1000; ++frame) {
        const TimelineRange range = next(*index, view.range(), random);
        const double before = threadMs();
        QElapsedTimer clock;
        clock.start();
        view.setRange(range);
        view.render(&target);
        elapsed.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        own.push_back(threadMs() - before);
        mostCells = std::max(mostCells, view.picture().layout.cells.size());
    }
    std::printf("%s: 1000 frames, at most %zu blocks in one\n", name, mostCells);
    for (const auto& [what, times] : {std::pair{"elapsed", &elapsed}, {"processor", &own}}) {
        std::printf("    %-10s median %6.2f ms   p99 %6.2f ms   max %6.2f ms\n", what,
                    percentile(*times, 0.5), percentile(*times, 0.99), percentile(*times, 1.0));
    }
}

}  // namespace
}  // namespace highwater::widgets

namespace {

/// The bytes allocated with malloc.
std::size_t heldBytes() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

bool measure(const char* name, highwater::memory::Trace capture) {
    using namespace highwater::widgets;
    const auto trace = std::make_shared<const highwater::memory::Trace>(std::move(capture));
    const std::size_t before = heldBytes();
    QElapsedTimer clock;
    clock.start();
    const auto index = TraceIndex::build(trace);
    const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    if (!index) {
        std::printf("%s: %s\n", name, index.error().message.c_str());
        return false;
    }
    std::printf("%s: %zu events, %zu allocations; index in %.0f ms, %.1f bytes an event\n", name,
                trace->events.size(), trace->blocks.size(), ms,
                static_cast<double>(heldBytes() - before) / static_cast<double>(trace->events.size()));
    frames("  1200 x 600", *index, QSize(1200, 600));
    frames("  2400 x 1200", *index, QSize(2400, 1200));
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace highwater;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication app(argc, argv);
    widgets::applyTheme(app, widgets::ThemeMode::Dark);
    const std::size_t events = argc > 1 ? QString(argv[1]).toULongLong() : 2'000'000;
    const bool all = measure("training", bench::trainingCapture(events)) &&
                     measure("random, 10,000 alive", bench::randomCapture(events, 10'000));
    return all ? 0 : 1;
}
