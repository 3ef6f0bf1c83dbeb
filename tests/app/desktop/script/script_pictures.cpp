// Pictures of the dialog "Your script" in its states, for the manual and for visual inspection:
// script_pictures FOLDER. It replays what highwater-cli printed for a script. Built only by name; needs a
// display (xvfb-run).
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QSettings>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>

#include "app/desktop/script/script_dialog.h"
#include "app/desktop/script/script_plot.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using namespace highwater::desktop;
namespace fs = std::filesystem;

/// A state to show: what is printed, of which `lines` events before it waits (0: all, and it ends).
struct PictureState {
    const char* name;
    const char* recorded;
    int lines = 0;
    const char* arguments = "";
    int ranks = 1;
    const char* page = nullptr;  ///< the page to show; null: the one that it shows by itself
};

void waitFor(const std::function<bool()>& ready) {
    QElapsedTimer timer;
    timer.start();
    while (!ready() && timer.elapsed() < 20000) {
        QApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    }
    for (int turn = 0; turn < 5; ++turn) {
        QApplication::processEvents();
    }
}

/// The samples among the first `lines` of a file that the plot keeps: those after the setup.
std::size_t samplesIn(const std::string& file, int lines) {
    std::ifstream in(file);
    std::size_t samples = 0;
    std::string line;
    for (int at = 0; at < lines && std::getline(in, line); ++at) {
        samples +=
            line.find(R"("ledger")") != std::string::npos && line.find(R"("setup")") == std::string::npos;
    }
    return samples;
}

void picture(const PictureState& state, const QString& file, QSize size) {
    const fs::path recorded = fs::path(HIGHWATER_SOURCE_DIR) / "tests/data/script/pictures" / state.recorded;
    const std::string events = state.lines > 0 ? "head -n " + std::to_string(state.lines) : "cat";
    std::ofstream("cli") << "#!/bin/sh\ncat '" << recorded.string() << ".txt' >&2\n"
                         << events << " '" << recorded.string() << ".jsonl'\n"
                         << (state.lines > 0 ? "exec sleep 600\n" : "");
    fs::permissions("cli", fs::perms::owner_all);
    QSettings().remove("script");
    ScriptDialog dialog("store", fs::absolute("cli"));
    dialog.findChild<QLineEdit*>("script")->setText("train.py");
    dialog.findChild<QLineEdit*>("arguments")->setText(state.arguments);
    dialog.findChild<QSpinBox*>("ranks")->setValue(state.ranks);
    dialog.resize(size);
    dialog.show();
    dialog.start();
    const auto* plot = dialog.findChild<ScriptPlot*>();
    const std::size_t samples = samplesIn(recorded.string() + ".jsonl", state.lines);
    waitFor([&] { return state.lines > 0 ? plot->track().points.size() == samples : !dialog.running(); });
    auto* pages = dialog.findChild<QTabWidget*>();
    for (int page = 0; state.page && page < pages->count(); ++page) {
        if (pages->tabText(page) == state.page) {
            pages->setCurrentIndex(page);
        }
    }
    waitFor([] { return true; });
    dialog.grab().save(file);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    const QString folder = QDir(argc > 1 ? argv[1] : ".").absolutePath();
    const QTemporaryDir work;
    QDir::setCurrent(work.path());
    std::ofstream("train.py") << "pass\n";
    const PictureState states[] = {{"script-live", "live", 17},
                                   {"script", "fits", 0},
                                   {"script-modules", "fits", 0, "", 1, "By module"},
                                   {"script-out-of-memory", "out-of-memory", 0, "--batch 4"},
                                   {"script-error", "error", 0, "--size 66"},
                                   {"script-ranks", "ranks", 0, "", 2, "By rank"}};
    for (const auto& [name, mode] :
         {std::pair{"dark", widgets::ThemeMode::Dark}, {"light", widgets::ThemeMode::Light}}) {
        widgets::applyTheme(app, mode);
        for (const PictureState& state : states) {
            picture(state, QString("%1/%2-%3.png").arg(folder, state.name, name), {1120, 760});
            picture(state, QString("%1/%2-%3-small.png").arg(folder, state.name, name), {980, 660});
        }
    }
    return 0;
}
