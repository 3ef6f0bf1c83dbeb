// How soon everything on screen follows a drag of the patch of nnU-Net's plans: drag_bench [PLANS.json]
// [DEVICE] [EDITS]. Prints JSON: milliseconds from an edit until gauge, list and plots show it and are
// painted, and the number of updates per second during a drag of 60 edits per second; then the same for the
// slider along the planner's curve, from plan to plan. Asserts nothing. Needs a display (xvfb-run).
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>

#include "app/desktop/experiment/bar/control_fields.h"
#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/plan/plan_slider.h"
#include "app/desktop/prediction/plan/plan_view.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/shell/main_window.h"
#include "core/stack/nnunet/nnunet.h"
#include "core/stack/shapes.h"
#include "widgets/plot/live_plots.h"

namespace {

using namespace highwater;

constexpr double kFrameMs = 1000.0 / 60;

double since(const QElapsedTimer& clock) {
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

/// This thread's processor time: the cost of an edit even if other programs share the processor.
double threadCpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void waitUntil(const std::function<bool()>& met, int ms = 20000) {
    QElapsedTimer clock;
    clock.start();
    while (!met() && clock.elapsed() < ms) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
    }
}

void say(const char* name, std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double part) {
        return ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))];
    };
    std::cout << "  \"" << name << "\": {\"n\": " << ms.size() << ", \"median\": " << at(0.5)
              << ", \"p99\": " << at(0.99) << ", \"max\": " << ms.back() << "},\n";
}

/// A drag back and forth over sizes that the stack accepts.
class Dragger {
public:
    explicit Dragger(desktop::MainWindow& window) : document_(window.document()) {
        stack::Sizes patch = stack::patchOf(document_.experiment());
        for (int i = 0; i < 4; ++i) {
            sizes_.push_back(patch);
            patch = desktop::steppedPatch(document_.experiment(), patch, 1);
        }
    }
    void edit() {
        const int period = 2 * static_cast<int>(sizes_.size()) - 2;
        const int at = ++edits_ % period;
        const auto& patch = sizes_[static_cast<std::size_t>(std::min(at, period - at))];
        document_.edit("Change patch", [&](stack::Experiment& e) { stack::setPatch(e, patch); }, "patch");
    }

private:
    desktop::ExperimentDocument& document_;
    std::vector<stack::Sizes> sizes_;
    int edits_ = 0;
};

void measure(desktop::MainWindow& window, int edits) {
    auto* plots = window.findChild<widgets::LivePlots*>();
    qint64 shown = 0;
    int framesThen = 0;
    QObject::connect(&window.predictions(), &desktop::PredictionPage::updated, &window, [&](qint64 revision) {
        shown = revision;
        framesThen = plots->frames();
    });
    Dragger dragger(window);
    std::vector<double> call, all, cpu;
    for (int i = 0; i < edits; ++i) {
        const qint64 before = shown;
        const double cpuBefore = threadCpuMs();
        QElapsedTimer clock;
        clock.start();
        dragger.edit();
        call.push_back(since(clock));
        waitUntil([&] { return shown > before; });
        waitUntil([&] { return plots->frames() > framesThen; }, 100);
        QCoreApplication::processEvents();  // pending paint events
        all.push_back(since(clock));
        cpu.push_back(threadCpuMs() - cpuBefore);
    }
    std::vector<double> gaps;
    qint64 last = shown;
    QElapsedTimer drag, update;
    drag.start();
    update.start();
    for (int i = 0; i < edits; ++i) {
        dragger.edit();
        while (since(drag) < (i + 1) * kFrameMs) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
            if (shown != last) {
                gaps.push_back(since(update)), update.start(), last = shown;
            }
        }
    }
    const double seconds = since(drag) / 1000;
    say("edit_call_ms", call);
    say("edit_to_all_updated_and_painted_ms", all);
    say("window_thread_cpu_an_edit_ms", cpu);
    say("between_updates_in_a_60_hz_drag_ms", gaps);
    std::cout << "  \"updates_per_second\": " << static_cast<double>(gaps.size()) / seconds << ",\n";
}

/// A drag back and forth over all plans: from the pointer's move until everything that shows the plan is
/// painted.
void measureSlider(desktop::MainWindow& window, int moves) {
    window.predictions().showPlans(&window);
    desktop::PlanDialog& dialog = *window.predictions().plans();
    waitUntil([&] { return !dialog.busy(); }, 120000);
    desktop::PlanSlider& slider = dialog.view().slider();
    const int plans = static_cast<int>(dialog.view().curve().points.size());
    if (plans < 2) {
        return;
    }
    const auto point = [&](QEvent::Type type, int plan) {
        const QPointF place = slider.placeOf(plan);
        QMouseEvent event(type, place, slider.mapToGlobal(place), Qt::LeftButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&slider, &event);
    };
    const int period = 2 * plans - 2;
    std::vector<double> all, cpu;
    point(QEvent::MouseButtonPress, 0);
    for (int i = 1; i <= moves; ++i) {
        const int at = i % period;
        const double cpuBefore = threadCpuMs();
        QElapsedTimer clock;
        clock.start();
        point(QEvent::MouseMove, std::min(at, period - at));
        QCoreApplication::processEvents();  // pending paint events
        all.push_back(since(clock));
        cpu.push_back(threadCpuMs() - cpuBefore);
        waitUntil([] { return false; }, 2);  // until the next move, as with a real pointer
    }
    point(QEvent::MouseButtonRelease, 0);
    std::cout << "  \"plans\": " << plans << ",\n";
    say("slider_move_to_painted_ms", all);
    say("window_thread_cpu_a_move_ms", cpu);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName("highwater-drag-bench");
    const std::filesystem::path plans =
        argc > 1 ? argv[1] : HIGHWATER_SOURCE_DIR "/../shared/plans/nextou-nnUNetPlans.json";
    const QString device = argc > 2 ? argv[2] : "h100";
    auto imported = stack::importNnunetFile(
        plans, {.precision = device == "cpu" ? stack::Precision::Fp32 : stack::Precision::Fp16});
    if (!imported) {
        std::cerr << imported.error().message << '\n';
        return 2;
    }
    desktop::Options options;
    options.store = std::filesystem::path(QDir::tempPath().toStdString()) / "highwater-drag-bench";
    options.theme = "dark";
    options.size = {1600, 1000};
    options.quit = true;  // as if driven, so that the last session is not used
    desktop::MainWindow window(options);
    window.show();
    window.document().reset(std::move(imported->experiment));
    auto* target = window.findChild<QComboBox*>("Predict for");
    target->setCurrentIndex(std::max(0, target->findData(device)));
    waitUntil([&] { return window.settled() && window.predictions().current(); });
    waitUntil([] { return false; }, 500);
    const auto& prediction = window.predictions().current()->prediction;
    if (!prediction) {
        std::cerr << window.predictions().current()->trouble.toStdString() << '\n';
        return 2;
    }
    std::cout << "{\n  \"device\": \"" << device.toStdString()
              << "\",\n  \"layers\": " << prediction->layers.size() << ",\n";
    const int count = argc > 3 ? std::max(10, std::atoi(argv[3])) : 200;
    measure(window, count);
    measureSlider(window, count);
    std::cout << "  \"of\": " << count << "\n}\n";
    return 0;
}
