// Pictures of the window in states that are easily forgotten, for visual inspection: desktop_pictures FOLDER.
// Built only by name; needs a display (xvfb-run).
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QSurfaceFormat>
#include <QTableView>
#include <filesystem>
#include <iostream>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/shell/main_window.h"
#include "core/base/paths.h"
#include "core/capture/capture.h"
#include "core/stack/json/json.h"
#include "core/stack/nnunet/nnunet.h"
#include "tests/widgets/wait_until.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using namespace highwater::desktop;
using test::waitUntil;

void run(desktop::MainWindow& window, int steps, std::optional<base::Bytes> budget) {
    auto* controls = window.findChild<ControlBar*>();
    RunOptions options = controls->runOptions();
    options.steps = steps;
    options.budget = budget;
    controls->setRunOptions(options);
    std::cerr << window.startRun().toStdString();
    waitUntil([&] { return !window.running(); });
}

void chooseTarget(desktop::MainWindow& window, const QString& id) {
    auto* combo = window.findChild<QComboBox*>("Predict for");
    combo->setCurrentIndex(combo->findData(id));
}

void openPlans(desktop::MainWindow& window, stack::Precision precision) {
    stack::NnunetOptions options;
    options.precision = precision;
    const auto plans =
        std::filesystem::path(HIGHWATER_SOURCE_DIR) / "../shared/plans/nextou-nnUNetPlans.json";
    auto imported = stack::importNnunetFile(plans, options);
    if (!imported) {
        std::cerr << imported.error().message << '\n';
        return;
    }
    window.document().reset(std::move(imported->experiment));
}

/// A snapshot of what is predicted for the selected GPU.
QString snapshotOf(desktop::MainWindow& window, const QString& folder) {
    const auto& document = window.document();
    const auto target = desktop::targetOf({"h100", "", ""}, document.experiment());
    memory::Trace trace;
    predict::PredictOptions options;
    options.trace = &trace;
    const QString file = folder + "/recorded.pickle";
    if (!target || !predict::predict(document.experiment(), *document.info(), *target, options) ||
        !capture::write(trace, capture::Format::Snapshot, file.toStdString())) {
        std::cerr << "no snapshot\n";
    }
    return file;
}

/// The prediction, before and after a run, on devices where it fits and where it does not.
void predictions(desktop::MainWindow& window, const QString& folder, const QString& suffix,
                 const std::function<void(const QString&)>& save) {
    const auto dialog = [&](const QString& name) {
        waitUntil([] { return false; }, 1500);
        for (auto* d : window.findChildren<QDialog*>()) {
            d->grab().save(folder + '/' + name + suffix + ".png");
            d->close();
        }
        waitUntil([] { return false; }, 100);
    };
    save("predicted" + suffix);
    run(window, 3, {});
    save("overlay" + suffix);
    window.predictions().showDifferences(&window);
    dialog("differences");
    window.document().edit("batch", [](stack::Experiment& e) { e.step.batchSize = 4; });
    save("edited" + suffix);
    openPlans(window, stack::Precision::Fp16);
    chooseTarget(window, "rtx3060");
    save("plans-3060" + suffix);
    window.predictions().showFit(&window);
    waitUntil([] { return false; }, 4000);
    dialog("where-it-fits");
    window.predictions().showGrowth(&window);
    dialog("growth");
    chooseTarget(window, "h100");
    window.predictions().learnFrom(snapshotOf(window, folder), &window);
    dialog("snapshot");
    window.predictions().learnFrom(snapshotOf(window, folder), &window);
    window.document().edit("batch", [](stack::Experiment& e) { e.step.batchSize = 3; });
    dialog("snapshot-of-another");
    window.document().edit("patch", [](stack::Experiment& e) {
        std::get<stack::SyntheticInput>(e.input).shape = {1, 512, 512, 512};
    });
    save("does-not-fit" + suffix);
    stack::Experiment wide = *stack::loadExperiment(base::resourcesFolder() / "presets" / "plain-3d.json");
    wide.input = stack::SyntheticInput{{64, 362, 370, 251}};
    wide.step.precision = stack::Precision::Fp16;
    wide.stack = {{"", *stack::makeOp("conv")}, {"", *stack::makeOp("relu")}};
    auto& conv = std::get<stack::Conv>(wide.stack[0].op);
    conv.outChannels = 32;
    conv.padding.sizes = {1};
    wide.loss = stack::Loss::Mean;
    window.document().reset(wide);
    auto* libtorch = window.findChild<QComboBox*>("LibTorch");
    libtorch->setCurrentIndex(libtorch->findText("2.0"));
    save("cliff" + suffix);
    libtorch->setCurrentIndex(0);
    chooseTarget(window, "cpu");
}

/// A machine with two GPUs, one of which cannot be used by runs.
devices::GpusHere twoGpus() {
    devices::GpusHere here;
    here.gpus.resize(2);
    here.gpus[0].gpu = {0, "NVIDIA H200", "GPU-0", "", 143771 * base::kMiB, 90, ""};
    here.gpus[0].id = "cuda:0";
    here.gpus[0].profile = "h200";
    here.gpus[1].gpu = {1, "NVIDIA GeForce RTX 4090", "GPU-1", "", 24564 * base::kMiB, 89, ""};
    here.gpus[1].whyNot = "CUDA_VISIBLE_DEVICES leaves it out";
    return here;
}

/// The choice of the device: its list, and a selected GPU.
void onGpus(desktop::Options options, const QString& folder) {
    for (const QString theme : {"dark", "light"}) {
        options.theme = theme;
        desktop::MainWindow window(options, twoGpus);
        window.show();
        window.open(options);
        waitUntil([&] { return !window.loading() && window.settled(); });
        auto* device = window.findChild<QComboBox*>("Run on");
        device->showPopup();
        waitUntil([] { return false; }, 500);
        device->view()->window()->grab().save(folder + "/run-on-list-" + theme + ".png");
        device->hidePopup();
        device->setCurrentIndex(1);
        waitUntil([&] { return window.settled(); });
        waitUntil([] { return false; }, 500);
        window.grab().save(folder + "/run-on-" + theme + ".png");
    }
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
    options.quit = true;  // as if driven, so that the last session is not used
    onGpus(options, folder);
    desktop::MainWindow window(options);
    window.show();
    window.open(options);
    waitUntil([&] { return !window.loading(); });

    predictions(window, folder, "-dark", [&](const QString& name) { save(window, name); });
    window.openSample();
    waitUntil([&] { return !window.loading(); });
    run(window, 3, {});
    window.document().edit(
        "plain", [](stack::Experiment& e) { e.step.checkpoint.kind = stack::Checkpointing::Kind::None; });
    run(window, 3, {});
    run(window, 3, 100 * base::kMiB);
    save(window, "out-of-memory");
    auto* table = window.findChild<RunsTable*>();
    QStringList ids;
    for (const auto& row : window.store().rows()) {
        ids << QString::fromStdString(row.id);
    }
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
    window.resize(1600, 1000);
    window.openSample();
    waitUntil([&] { return !window.loading(); });
    predictions(window, folder, "-light", [&](const QString& name) { save(window, name); });
    window.resize(760, 520);
    window.openSample();
    save(window, "tiny-light");
    return 0;
}
