// Pictures of the table of runs and the losses in the states that are easily forgotten, to be looked at:
// runs_pictures FOLDER. Built by name only; needs a display (xvfb-run) or QT_QPA_PLATFORM=offscreen.
#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <filesystem>
#include <iostream>

#include "app/desktop/run/runs_model.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "app/desktop/shell/main_window.h"
#include "core/stack/presets/presets.h"
#include "tests/app/desktop/run/stored_runs.h"
#include "tests/widgets/wait_until.h"
#include "widgets/plot/live_plots.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using desktop::test::StoredRun;
using test::waitUntil;

void fill(const std::filesystem::path& folder) {
    auto store = std::move(*runs::RunStore::open(folder));
    const auto add = [&](const std::string& name, StoredRun run, const runs::LabelChange& labels = {}) {
        run.experiment = (*stack::loadPresets()).front().experiment;
        run.experiment.name = name;
        const std::string id = desktop::test::record(store, run);
        (void)store.label(id, labels).ok();
    };
    const runs::Study widths = runs::newStudy("factorial of two levels");
    add("two levels, plain", {.peak = 2410 * base::kMiB, .stepMs = 177.2},
        {{}, "the one in the paper's table 2", {}, {"paper", "baseline"}});
    add("two levels, checkpoint enc2", {.peak = 2190 * base::kMiB, .stepMs = 203.4, .falling = 0.06},
        {{}, {}, {}, {"paper"}});
    for (const char* cell : {"in-place off, checkpoint off", "in-place on, checkpoint off",
                             "in-place off, checkpoint on", "in-place on, checkpoint on"}) {
        add(cell, {.peak = 1900 * base::kMiB, .stepMs = 190, .study = widths});
    }
    add("two levels, 176³",
        {.device = "cuda:0", .status = wire::RunStatus::OutOfMemory, .why = "asked for 14.8 of 11.6 GiB"});
    add("two levels, InPlace-ABN",
        {.peak = 1990 * base::kMiB, .stepMs = 204.1, .steps = 60, .firstLoss = 1.3, .falling = 0.04},
        {{},
         "a long note that does not fit into its column, so that it is cut",
         {},
         {"paper", "abn", "long-tag"}});
    add("a long one", {.stepMs = 6100, .steps = 300, .falling = 0.01, .ends = false});
}

class Pictures {
public:
    Pictures(desktop::MainWindow& window, QString folder) : window_(window), folder_(std::move(folder)) {}
    void save(const QString& name) {
        waitUntil([&] { return window_.settled(); }, 8000);
        waitUntil([] { return false; }, 500);
        window_.grab().save(folder_ + '/' + name + ".png");
        std::cerr << name.toStdString() << '\n';
    }

private:
    desktop::MainWindow& window_;
    QString folder_;
};

QStringList idsNamed(desktop::MainWindow& window, const QStringList& names) {
    QStringList ids;
    for (const QString& name : names) {
        for (const runs::RunSummary& run : window.store().rows()) {
            if (QString::fromStdString(run.name) == name) {
                ids << QString::fromStdString(run.id);
            }
        }
    }
    return ids;
}

void pictures(desktop::Options options, const QString& folder, const QString& theme, QSize size) {
    options.theme = theme;
    options.size = size;
    const QString suffix = QString("-%1-%2").arg(theme).arg(size.width());
    desktop::MainWindow window(options);
    Pictures out(window, folder);
    window.show();
    window.open(options);
    auto& table = *window.findChild<desktop::RunsTable*>();
    auto& plots = *window.findChild<widgets::LivePlots*>();
    waitUntil([&] { return !window.loading() && table.visibleRuns() > 0; });
    out.save("table" + suffix);
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(&window, Qt::Key_Up, Qt::ControlModifier | Qt::AltModifier);
    }
    plots.showLoss(true);
    table.select(idsNamed(window, {"two levels, checkpoint enc2", "two levels, plain",
                                   "two levels, InPlace-ABN", "a long one"}));
    waitUntil([] { return false; }, 1000);
    out.save("losses" + suffix);
    table.view().expandAll();
    table.select(idsNamed(window, {"two levels, InPlace-ABN"}));
    table.view().setFocus();
    table.view().editCell(desktop::RunColumn::Tags);
    out.save("editing" + suffix);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    table.setFilter("tag=paper peak<2.2GiB two");
    out.save("filter" + suffix);
    table.setFilter("peek<2GiB");
    out.save("not-understood" + suffix);
    table.setFilter("");
    for (int i = 0; i < 12; ++i) {
        QTest::keyClick(&window, Qt::Key_Up, Qt::ControlModifier | Qt::AltModifier);
    }
    out.save("highest" + suffix);
    for (int i = 0; i < 20; ++i) {
        QTest::keyClick(&window, Qt::Key_Down, Qt::ControlModifier | Qt::AltModifier);
    }
    out.save("lowest" + suffix);
}

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    QApplication app(argc, argv);
    setlocale(LC_NUMERIC, "C");
    if (argc != 2) {
        std::cerr << "runs_pictures FOLDER\n";
        return 2;
    }
    const QString folder = QString::fromLocal8Bit(argv[1]);
    QDir().mkpath(folder);
    desktop::Options options;
    options.store = std::filesystem::temp_directory_path() / "highwater-runs-pictures";
    options.quit = true;
    std::filesystem::remove_all(options.store);
    fill(options.store);
    for (const QString theme : {"dark", "light"}) {
        for (const QSize size : {QSize(1000, 700), QSize(1600, 1000)}) {
            pictures(options, folder, theme, size);
        }
    }
    std::filesystem::remove_all(options.store);
    return 0;
}
