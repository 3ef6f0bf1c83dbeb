// Pictures of the window in the states that are easily forgotten, to be looked at: desktop_pictures FOLDER.
// Built by name only; needs a display (xvfb-run).
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QSurfaceFormat>
#include <QTableView>
#include <filesystem>
#include <functional>
#include <iostream>

#include "app/desktop/main_window.h"
#include "core/stack/json.h"
#include "widgets/controls/control_bar.h"
#include "widgets/runs/runs_table.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;

void waitUntil(const std::function<bool()>& met, int ms = 60000) {
    QElapsedTimer clock;
    clock.start();
    while (!met() && clock.elapsed() < ms)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
}

void run(desktop::MainWindow& window, int steps, std::optional<base::Bytes> budget) {
    auto* controls = window.findChild<widgets::ControlBar*>();
    widgets::RunOptions options = controls->runOptions();
    options.steps = steps;
    options.budget = budget;
    controls->setRunOptions(options);
    std::cerr << window.startRun().toStdString();
    waitUntil([&] { return !window.running(); });
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName("highwater-pictures");
    const QString folder = argc > 1 ? argv[1] : ".";
    const auto save = [&](desktop::MainWindow& window, const QString& name) {
        waitUntil([&] { return window.settled(); }, 8000);
        waitUntil([] { return false; }, 300);
        window.grab().save(folder + '/' + name + ".png");
        std::cerr << name.toStdString() << '\n';
    };
    desktop::Options options;
    options.store = std::filesystem::path(QDir::tempPath().toStdString()) / "highwater-pictures";
    std::filesystem::remove_all(options.store / "runs");
    options.theme = "dark";
    options.size = {1600, 1000};
    options.quit = true;  // as if driven: nothing of the last session
    desktop::MainWindow window(options);
    window.show();
    window.open(options);
    waitUntil([&] { return !window.loading(); });

    run(window, 3, {});
    window.document().edit(
        "plain", [](stack::Experiment& e) { e.step.checkpoint.kind = stack::Checkpointing::Kind::None; });
    run(window, 3, {});
    run(window, 3, 100 * base::kMiB);
    save(window, "out-of-memory");
    auto* table = window.findChild<widgets::RunsTable*>();
    QStringList ids;
    for (const auto& row : window.store().rows())
        ids << QString::fromStdString(row.id);
    table->select(ids.mid(0, 2));
    save(window, "two-selected");
    emit table->compareRequested(ids);
    waitUntil([&] { return window.findChild<QDialog*>() != nullptr; }, 5000);
    waitUntil([] { return false; }, 300);
    if (auto* dialog = window.findChild<QDialog*>()) {
        dialog->grab().save(folder + "/compare.png");
        dialog->close();
    }
    window.notices().dismiss();
    window.document().edit("bad", [](stack::Experiment& e) {
        auto& block = std::get<stack::Block>(e.stack[1].op);
        std::get<stack::Conv>(block.layers[0].op).kernelSize = {99};
    });
    save(window, "invalid-stack");
    std::cerr << window.startRun().toStdString() << '\n';
    window.document().undoStack().undo();
    window.openExperiment("/nowhere/experiment.json");
    window.resize(900, 600);
    save(window, "small-error");
    window.notices().dismiss();
    widgets::applyTheme(app, widgets::ThemeMode::Light);
    window.resize(1280, 800);
    save(window, "light-1280");
    return 0;
}
