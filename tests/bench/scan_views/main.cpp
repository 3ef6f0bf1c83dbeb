// How fast the 3D view follows a drag: scan_views [FRAMES]. A real VolumeView, the generated head and a
// volume of 256 voxels per axis, at 800 x 600 and 488 x 559; a drag of 60 moves per second rotates it.
// Measures the time between two painted pictures and the processor time of all threads, then the time until
// the finest picture is shown, and how long the window's thread kept an event waiting. Prints JSON; asserts
// nothing. Needs a display (xvfb-run).
#include <sys/resource.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "core/volume/phantom.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/volume3d/volume_view.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using widgets::VolumeView;

double since(const QElapsedTimer& clock) {
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

bool waitUntil(const std::function<bool()>& met, int ms = 120000) {
    QElapsedTimer clock;
    clock.start();
    while (!met()) {
        if (clock.elapsed() > ms) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
    }
    return true;
}

double percentile(std::vector<double> values, double share) {
    if (values.empty()) {
        return std::nan("");
    }
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Processor time of all threads of this process: the cost of a frame even if other programs share the
/// processor.
double processorMs() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto ms = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
    };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

/// A wavy, noisy body of 256 voxels per axis: surfaces everywhere, the hardest case to draw.
volume::Volume wavedVolume() {
    constexpr std::int64_t kSize = 256;
    volume::Header h;
    h.format = "bench";
    h.type = volume::VoxelType::I16;
    h.geometry.size = {kSize, kSize, kSize};
    h.max = 1200;
    h.mean = 300;
    auto voxels = std::make_shared<std::vector<std::int16_t>>();
    voxels->reserve(kSize * kSize * kSize);
    std::uint32_t noise = 1;
    for (std::int64_t k = 0; k < kSize; ++k) {
        for (std::int64_t j = 0; j < kSize; ++j) {
            for (std::int64_t i = 0; i < kSize; ++i) {
                const double x = static_cast<double>(i) - 128, y = static_cast<double>(j) - 128,
                             z = static_cast<double>(k) - 128;
                const double r = std::sqrt(x * x + y * y + z * z) + 8 * std::sin(x / 9) * std::cos(z / 7);
                noise = noise * 1664525 + 1013904223;
                const double value = r < 100 ? 700 + 300 * std::sin(y / 11) : 0;
                voxels->push_back(static_cast<std::int16_t>(value + noise / (1U << 25)));
            }
        }
    }
    return {h, std::shared_ptr<const std::byte>(voxels, reinterpret_cast<const std::byte*>(voxels->data()))};
}

/// The generated head, 192 x 192 x 160.
volume::Volume headPhantom() {
    auto phantom = std::make_shared<volume::Phantom>(std::move(volume::makePhantom().value()));
    volume::Header h;
    h.format = "phantom";
    h.type = volume::VoxelType::I16;
    h.geometry = phantom->geometry;
    const auto [low, high] = std::ranges::minmax(phantom->voxels);
    h.min = low;
    h.max = high;
    return {h, std::shared_ptr<const std::byte>(phantom,
                                                reinterpret_cast<const std::byte*>(phantom->voxels.data()))};
}

/// Records when the view has painted a picture for the first time.
class PaintClock : public QObject {
public:
    explicit PaintClock(VolumeView& view) : view_(view) {
        view.installEventFilter(this);
        clock_.start();
    }
    void restart() {
        times_.clear();
        sampling_.clear();
    }
    std::vector<double> intervals() const {
        std::vector<double> out;
        for (std::size_t n = 1; n < times_.size(); ++n) {
            out.push_back(times_[n] - times_[n - 1]);
        }
        return out;
    }
    std::size_t count() const { return times_.size(); }
    double medianScale() const { return percentile(sampling_, 0.5); }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Paint && view_.frame().request != last_) {
            last_ = view_.frame().request;
            times_.push_back(since(clock_));
            sampling_.push_back(view_.frame().sampling.scale);
        }
        return false;
    }

private:
    VolumeView& view_;
    QElapsedTimer clock_;
    quint64 last_ = 0;
    std::vector<double> times_, sampling_;
};

/// The longest interval of a 5 ms timer: how long the window's thread was busy.
class StallMeter : public QTimer {
public:
    StallMeter() {
        setTimerType(Qt::PreciseTimer);
        setInterval(5);
        connect(this, &QTimer::timeout, this, [this] {
            longest_ = std::max(longest_, since(clock_) - 5);
            clock_.restart();
        });
        clock_.start();
        start();
    }
    double longest() const { return longest_; }

private:
    QElapsedTimer clock_;
    double longest_ = 0;
};

void moveMouse(VolumeView& view, QEvent::Type type, const QPointF& at) {
    const bool move = type == QEvent::MouseMove;
    QMouseEvent event(type, at, view.mapToGlobal(at), move ? Qt::NoButton : Qt::LeftButton,
                      type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, {});
    QCoreApplication::sendEvent(&view, &event);
}

void measure(const char* name, const volume::Volume& volume, QSize size, std::size_t frames) {
    widgets::ScanScene scene;
    VolumeView view(scene);
    view.resize(size);
    view.show();
    const volume::Histogram histogram = volume::histogram(volume);
    scene.setVolume(volume);
    scene.setWindow(volume::defaultWindow(volume.header(), histogram));
    const std::atomic<bool> go{false};
    view.setRenderVolume(widgets::makeRenderVolume(volume, widgets::renderScale(volume, histogram),
                                                   widgets::kCoarseVoxels, go));
    if (!waitUntil([&] { return view.settled(); }) || !view.available()) {
        std::printf("  {\"volume\": \"%s\", \"error\": \"no 3D picture here\"},\n", name);
        return;
    }
    PaintClock paints(view);
    const StallMeter stalls;
    int step = 0;
    moveMouse(view, QEvent::MouseButtonPress, {10, 10});
    QTimer hand;
    hand.setTimerType(Qt::PreciseTimer);
    hand.setInterval(16);
    QObject::connect(&hand, &QTimer::timeout, [&] {
        ++step;
        moveMouse(view, QEvent::MouseMove, {10.0 + 4 * step, 10.0 + 40 * std::sin(step / 20.0)});
    });
    hand.start();
    const double processorBefore = processorMs();
    waitUntil([&] { return paints.count() >= frames; });
    const double processor = (processorMs() - processorBefore) / static_cast<double>(paints.count());
    const std::vector<double> all = paints.intervals();
    const double scale = paints.medianScale(), first = all.empty() ? 0 : all.front();
    hand.stop();
    moveMouse(view, QEvent::MouseButtonRelease, {10.0 + 4 * step, 10});
    QElapsedTimer rest;
    rest.start();
    const bool settled = waitUntil([&] { return view.settled(); });
    std::array<double, 3> load{};
    (void)getloadavg(load.data(), 3);
    std::printf(
        "  {\"volume\": \"%s\", \"width\": %d, \"height\": %d, \"frames\": %zu, "
        "\"processor_ms\": %.1f, \"median_ms\": %.1f, \"p95_ms\": %.1f, \"max_ms\": %.1f, \"first_ms\": "
        "%.1f, "
        "\"drawn_share_of_width\": %.2f, \"finest_after_ms\": %.0f, \"finest_frame_ms\": %.0f, "
        "\"finest_share_of_width\": %.2f, \"finest_step\": %.2f, \"longest_stall_ms\": %.1f, "
        "\"load\": %.1f},\n",
        name, size.width(), size.height(), all.size(), processor, percentile(all, 0.5), percentile(all, 0.95),
        percentile(all, 1), first, scale, settled ? since(rest) : std::nan(""), view.frame().millis,
        view.frame().sampling.scale, view.frame().sampling.step, stalls.longest(), load[0]);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    widgets::applyTheme(app, widgets::ThemeMode::Dark);
    const std::size_t frames = argc > 1 ? QString(argv[1]).toULongLong() : 150;
    std::puts("[");
    for (const QSize size : {QSize(800, 600), QSize(488, 559)}) {
        measure("head phantom", headPhantom(), size, frames);
        measure("waves, 256 an axis", wavedVolume(), size, frames);
    }
    std::puts("  {}\n]");
    return 0;
}
