// Pictures of GPU runs in the window, for visual inspection: gpu_pictures FOLDER. The engine beside this
// program replays a made-up run.
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QSurfaceFormat>
#include <filesystem>
#include <iostream>

#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/compare_dialog.h"
#include "app/desktop/shell/main_window.h"
#include "core/stack/json/json.h"
#include "tests/core/runs/gpu_store.h"
#include "tests/widgets/wait_until.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using namespace highwater::desktop;
using test::waitUntil;

void runAs(desktop::MainWindow& window, const char* how, bool toItsEnd = true) {
    qputenv("HIGHWATER_REPLAY", how);
    std::cerr << window.startRun().toStdString();
    if (toItsEnd) {
        waitUntil([&] { return !window.running(); });
    }
    waitUntil([] { return false; }, 900);
}

}  // namespace

int main(int argc, char** argv) {
    QSurfaceFormat format;
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    QSurfaceFormat::setDefaultFormat(format);
    QApplication application(argc, argv);
    const QString folder = argc > 1 ? argv[1] : ".";
    QDir().mkpath(folder);
    const auto store = std::filesystem::path((folder + "/store").toStdString());
    std::filesystem::remove_all(store);
    qputenv("XDG_CONFIG_HOME", (folder + "/config").toUtf8());
    for (const char* theme : {"dark", "light"}) {
        desktop::Options options;
        options.store = store;
        options.theme = theme;
        options.size = {1600, 1000};
        options.quit = true;  // as if driven by a script, so that nothing is stored
        const auto experiment = store.parent_path() / "gpu.json";
        if (!stack::saveExperiment(runs::test::gpuExperiment(), experiment)) {
            return 1;
        }
        options.experiment = QString::fromStdString(experiment.string());
        desktop::MainWindow window(options);
        window.show();
        window.open(options);
        const auto save = [&](const QString& name) {
            waitUntil([&] { return window.settled(); });
            waitUntil([] { return false; }, 400);
            window.grab().save(folder + '/' + name + '-' + theme + ".png");
        };
        runAs(window, "slow", false);
        save("live");
        waitUntil([&] { return !window.running(); });
        save("done");
        window.predictions().showDifferences(&window);
        waitUntil([] { return false; }, 800);
        for (auto* dialog : window.findChildren<QDialog*>()) {
            dialog->grab().save(folder + "/layers-" + theme + ".png");
            dialog->close();
        }
        runAs(window, "host_bound throttled unknown_context");
        save("slowed");
        runAs(window, "out_of_memory");
        save("out-of-memory");
        window.resize(1000, 640);
        save("out-of-memory-small");
    }
    return 0;
}
