// Pictures of the settings in states that are easily forgotten, for visual inspection: settings_pictures
// FOLDER. Built only by name; needs a display (xvfb-run); for a high-density screen, set QT_SCALE_FACTOR=2.
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <filesystem>
#include <iostream>

#include "app/desktop/experiment/settings/settings_panel.h"
#include "app/desktop/experiment/settings_page.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/shell/main_window.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using namespace highwater::desktop;
using test::waitUntil;

/// Many settings changed, some of them invalid.
void fill(desktop::MainWindow& window) {
    window.document().edit("fill", [](stack::Experiment& e) {
        using Kind = stack::Augmentation::Kind;
        e.name = "head, augmented";
        e.optimizer = stack::makeOptimizer(stack::Optimizer::Kind::Sgd);
        e.optimizer.momentum = 0.9;
        e.data.workers = 4;
        e.data.augment = {{Kind::Flip, 0.5, 0}, {Kind::Rotate, 0.3, 20}, {Kind::Noise, 0.2, 0}};
        e.step.checkpoint = {stack::Checkpointing::Kind::Segments, 3};
        e.step.channelsLast = true;
        e.windows = stack::Windows{.size = {32}};
        e.backend.threads = 2;
        e.backend.workspaceLimit = 256 * base::kMiB;
    });
}

class Pictures {
public:
    Pictures(desktop::MainWindow& window, QString folder) : window_(window), folder_(std::move(folder)) {}

    void save(const QString& name) {
        waitUntil([&] { return window_.settled(); }, 8000);
        waitUntil([] { return false; }, 300);
        window_.grab().save(folder_ + '/' + name + ".png");
        std::cerr << name.toStdString() << '\n';
    }
    void scroll(double share) {
        auto* bar = window_.settings().panel().findChild<QScrollArea*>()->verticalScrollBar();
        bar->setValue(static_cast<int>(share * bar->maximum()));
    }
    void wrongText(const QString& field, const QString& text) {
        auto* edit = window_.findChild<widgets::CheckedEdit*>(field);
        edit->setText(text);
        emit edit->textEdited(text);
    }

private:
    desktop::MainWindow& window_;
    QString folder_;
};

void inTheme(const desktop::Options& options, const QString& folder) {
    desktop::MainWindow window(options);
    window.show();
    window.open(options);
    waitUntil([&] { return !window.loading(); });
    Pictures pictures(window, folder);
    const QString suffix = "-" + options.theme;
    pictures.save("stack" + suffix);
    window.settings().showSettings(true);
    pictures.save("settings" + suffix);
    window.resize(770, 560);
    pictures.save("narrow-plain" + suffix);
    window.resize(options.size);
    fill(window);
    pictures.wrongText("/optimizer/lr", "-1");
    pictures.scroll(0);
    pictures.save("filled-top" + suffix);
    pictures.scroll(0.5);
    pictures.save("filled-middle" + suffix);
    pictures.scroll(1);
    pictures.save("filled-bottom" + suffix);
    auto* search = window.findChild<QLineEdit*>("Find a setting");
    search->setText("memory");
    pictures.save("search" + suffix);
    search->clear();
    window.settings().panel().setOpenSections({"Step"});
    pictures.save("folded" + suffix);
    window.settings().panel().setOpenSections(
        {"Input and target", "Loss and optimizer", "Step", "Data", "Windows", "Libraries"});
    window.resize(770, 560);
    pictures.scroll(0);
    pictures.save("narrow" + suffix);
    pictures.scroll(0.6);
    pictures.save("narrow-data" + suffix);
    window.settings().showSettings(false);
    pictures.save("narrow-stack" + suffix);
    window.resize(options.size);
    window.findChild<StackEditor*>()->addLayer("custom_conv");
    window.findChild<StackEditor*>()->addLayer("branch");
    pictures.save("added" + suffix);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName("highwater-pictures");
    const QString folder = argc > 1 ? argv[1] : ".";
    desktop::Options options;
    options.store = std::filesystem::path(QDir::tempPath().toStdString()) / "highwater-settings-pictures";
    options.size = {1400, 900};
    options.quit = true;  // as if driven, so that the last session is not used
    for (const char* theme : {"dark", "light"}) {
        options.theme = theme;
        inTheme(options, folder);
    }
    return 0;
}
