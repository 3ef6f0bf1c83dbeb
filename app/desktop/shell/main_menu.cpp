#include "app/desktop/shell/main_menu.h"

#include <QActionGroup>
#include <QApplication>
#include <QDesktopServices>
#include <QMenuBar>
#include <QSettings>
#include <QUrl>
#include <QWhatsThis>

#include "app/desktop/experiment/pytorch_export.h"
#include "app/desktop/experiment/settings_page.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/prediction/device_page.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/hosts_dialog.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/run/runs_page.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/scan/patches/patch_page.h"
#include "app/desktop/scan/recent_scans.h"
#include "app/desktop/scan/scan_labels.h"
#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/shell/about_dialog.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/shell/preferences_dialog.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/trace/trace_windows.h"
#include "core/report/report.h"
#include "widgets/controls/undo_keys.h"
#include "widgets/help/docs_window.h"
#include "widgets/help/whats_this.h"
#include "widgets/plot/live_plots.h"
#include "widgets/theme/menu_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

template <class Act>
QAction* add(QMenu* menu, const QString& text, const QKeySequence& keys, QObject* context, Act act) {
    QAction* action = menu->addAction(text);
    action->setShortcut(keys);
    QObject::connect(action, &QAction::triggered, context, act);
    return action;
}

}  // namespace

void MainMenu::exportPytorch(MainWindow& w) {
    const QString path = choosePytorchFile(&w, w.file_.title());
    if (path.isEmpty()) {
        return;
    }
    w.store_.worker().run(
        [e = w.document_.experiment(), path] { return exportPytorchTo(e, path); }, &w,
        [&w, path](const base::Status& written) {
            if (!written) {
                w.say(widgets::NoticeBar::Kind::Error, QString::fromStdString(written.error().message));
            } else {
                w.say(widgets::NoticeBar::Kind::Done,
                      QObject::tr("Exported %1, a program that trains the same network with PyTorch")
                          .arg(path));
            }
        });
}

void MainMenu::chooseReport(MainWindow& w, const report::Format& format) {
    auto ids = w.runs_->selectedIds();
    const bool shown = w.live_->runOnShow();
    if (ids.empty() && shown && w.lastRun()) {
        ids = {w.lastRun()->id};
    }
    if (ids.size() > 1 || (shown && !ids.empty())) {
        w.runs_->chooseReport(ids, format);
    } else {
        w.predictions_->chooseReport(&w, format);
    }
}

void MainMenu::build() {
    file();
    edit();
    stack();
    run();
    study();
    view();
    help();
}

QMenu* MainMenu::menu(const QString& title) {
    return window_.menuBar()->addMenu(title);
}

void MainMenu::file() {
    MainWindow* w = &window_;
    QMenu* m = menu(QObject::tr("&File"));
    add(m, QObject::tr("New"), QKeySequence::New, w, [w] { w->newExperiment(); });
    add(m, QObject::tr("Open experiment…"), QKeySequence::Open, w, [w] { w->chooseExperiment(); });
    QMenu* recent = m->addMenu(QObject::tr("Open recent"));
    QObject::connect(m, &QMenu::aboutToShow, w, [w, recent] {
        recent->clear();
        for (const QString& file : w->file_.recent()) {
            recent->addAction(widgets::menuText(file), w, [w, file] { w->openExperiment(file); });
        }
        recent->setEnabled(!recent->isEmpty());
    });
    add(m, QObject::tr("Import nnU-Net plans…"), QKeySequence("Ctrl+I"), w, [w] { w->choosePlans(); });
    add(m, QObject::tr("Import a PyTorch network…"), QKeySequence("Ctrl+Shift+I"), w,
        [w] { w->showPytorchImport(); });
    add(m, QObject::tr("Your script…"), QKeySequence("Ctrl+Shift+Y"), w, [w] { w->showScript(); });
    add(m, QObject::tr("Will these cases fit?"), {}, w, [w] { w->showCases(); });
    add(m, QObject::tr("Open the sample"), {}, w, [w] {
        const stack::Experiment before = w->document_.experiment();
        w->openSample();
        if (w->document_.experiment() != before) {
            w->say(widgets::NoticeBar::Kind::Info, QObject::tr("Sample opened. Ctrl+Z to undo."));
            w->notices_->setAbout(widgets::NoticeBar::About::Opened);
        }
    });
    m->addSeparator();
    add(m, QObject::tr("Open scan…"), QKeySequence("Ctrl+Shift+O"), w, [w] { w->opener_->chooseFiles(); });
    add(m, QObject::tr("Open folder…"), QKeySequence("Ctrl+Shift+F"), w, [w] { w->opener_->chooseFolder(); });
    add(m, QObject::tr("Overlay label map…"), QKeySequence("Ctrl+Shift+L"), w,
        [w] { w->scan_->labels().chooseMap(w); });
    add(m, QObject::tr("DICOM header…"), QKeySequence("Ctrl+Shift+H"), w, [w] { w->scan_->showHeader(w); });
    QMenu* scans = m->addMenu(QObject::tr("Recent scans"));
    QObject::connect(m, &QMenu::aboutToShow, w, [w, scans] {
        scans->clear();
        for (const QString& path : recentScans()) {
            scans->addAction(widgets::menuText(path), w, [w, path] { w->opener_->open(path); });
        }
        scans->setEnabled(!scans->isEmpty());
    });
    add(m, QObject::tr("Cohort…"), QKeySequence("Ctrl+Shift+C"), w, [w] { w->openCohort({}); });
    add(m, QObject::tr("Open memory snapshot…"), {}, w, [w] { w->traces_->chooseSnapshot(); });
    add(m, QObject::tr("Calibrate from a snapshot…"), {}, w, [w] {
        if (const QString file = w->traces_->askForSnapshot(); !file.isEmpty()) {
            w->predictions_->learnFrom(file, w);
        }
    });
    add(m, QObject::tr("Open the head phantom"), {}, w, [w] { w->scan_->openPhantom(); });
    m->addSeparator();
    add(m, QObject::tr("Save"), QKeySequence::Save, w, [w] { w->save(); });
    add(m, QObject::tr("Save as…"), QKeySequence("Ctrl+Shift+S"), w, [w] { w->saveAs(); });
    QMenu* exports = m->addMenu(QObject::tr("Export"));
    exports->setToolTipsVisible(true);
    add(exports, QObject::tr("Experiment as a PyTorch program (.py)…"), {}, w, [w] {
        exportPytorch(*w);
    })->setToolTip(QObject::tr("A Python program that trains the same network"));
    add(exports, QObject::tr("nnU-Net plans and trainer that need less memory…"), {}, w,
        [w] { w->showNnunetExport(); })
        ->setToolTip(
            QObject::tr("From nnU-Net's own plans: what to recompute so that its training fits a GPU"));
    exports->addSeparator();
    for (const report::Format& format : report::formats()) {
        add(exports,
            QObject::tr("Report as %1 (%2)…")
                .arg(widgets::fromUtf8(format.name), widgets::fromUtf8(format.ending)),
            {}, w, [w, &format] { chooseReport(*w, format); })
            ->setToolTip(widgets::fromUtf8(format.about));
    }
    m->addSeparator();
    add(m, QObject::tr("Report…"), QKeySequence("Ctrl+E"), w, [w] {
        chooseReport(*w, report::formats().front());
    })->setToolTip(QObject::tr("Of the selected runs, or of the prediction that is shown"));
    m->addSeparator();
    add(m, QObject::tr("New window"), QKeySequence("Ctrl+Shift+N"), w, [w] { w->openAnotherWindow(); });
    QAction* discard =
        add(m, QObject::tr("Discard unsaved work of other windows…"), {}, w, [w] { w->discardLeft(); });
    QObject::connect(m, &QMenu::aboutToShow, w,
                     [w, discard] { discard->setEnabled(!w->session_.leftByOthers().isEmpty()); });
    add(m, QObject::tr("Quit"), QKeySequence::Quit, w, [w] { w->close(); });
}

void MainMenu::edit() {
    MainWindow* w = &window_;
    QMenu* m = menu(QObject::tr("&Edit"));
    QAction* undo = w->document_.undoStack().createUndoAction(w, QObject::tr("Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = w->document_.undoStack().createRedoAction(w, QObject::tr("Redo"));
    redo->setShortcuts(widgets::redoKeys());
    m->addActions({undo, redo});
    m->addSeparator();
    m->addActions(w->editor_->editActions());
    m->addSeparator();
    add(m, QObject::tr("Settings of the experiment"), QKeySequence("Ctrl+Shift+E"), w,
        [w] { w->settings_->showSettings(true); });
    add(m, QObject::tr("Layers of the stack"), QKeySequence("Ctrl+L"), w,
        [w] { w->settings_->showSettings(false); });
    m->addSeparator();
    add(m, QObject::tr("Preferences…"), QKeySequence("Ctrl+,"), w, [w] {
        auto* const dialog = new PreferencesDialog(w->live_->controls()->target(), w->store_.folder(), w);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(dialog, &PreferencesDialog::contextForgotten, w,
                         [w] { w->predictions_->refreshContext(); });
        dialog->show();
    });
}

void MainMenu::stack() {
    QMenu* m = menu(QObject::tr("&Stack"));
    StackEditor* editor = window_.editor_;
    if (QMenu* layers = editor->addMenu()) {
        layers->setTitle(QObject::tr("Add layer"));
        m->addMenu(layers);
    }
    if (QMenu* presets = editor->presetsMenu()) {
        presets->setTitle(QObject::tr("Presets"));
        m->addMenu(presets);
    }
    m->addSeparator();
    m->addActions(editor->layerActions());
}

void MainMenu::run() {
    MainWindow* w = &window_;
    QMenu* m = menu(QObject::tr("&Run"));
    QAction* start = add(m, QObject::tr("Run"), QKeySequence("F5"), w, [w] { w->live_->press(); });
    QAction* stop = add(m, QObject::tr("Stop"), QKeySequence("Shift+F5"), w, [w] { w->stopRun(); });
    const auto follow = [w, start, stop] {
        start->setEnabled(!w->running() && !w->live_->blocked());
        stop->setEnabled(w->running());
    };
    QObject::connect(w->live_, &LivePage::stateChanged, w, follow);
    follow();
    m->addSeparator();
    add(m, QObject::tr("Where does it fit?…"), QKeySequence("F4"), w, [w] { w->predictions_->showFit(w); });
    add(m, QObject::tr("Make it fit…"), QKeySequence("Shift+F4"), w, [w] { w->predictions_->showPlans(w); });
    add(m, QObject::tr("How memory grows…"), QKeySequence("F6"), w, [w] { w->predictions_->showGrowth(w); });
    add(m, QObject::tr("Predicted and measured by layer…"), QKeySequence("F7"), w,
        [w] { w->predictions_->showDifferences(w); });
    add(m, QObject::tr("Calibrate this machine…"), {}, w, [w] { w->predictions_->showCalibration(w); });
    add(m, QObject::tr("Hosts…"), {}, w, [w] {
        auto* const dialog = new HostsDialog(w);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(dialog, &HostsDialog::hostsChanged, w, [w] { w->devices_->look(); });
        dialog->show();
    });
    m->addSeparator();
    add(m, QObject::tr("Find runs"), QKeySequence::Find, w, [w] { w->runs_->table()->focusFilter(); });
    add(m, QObject::tr("Compare the selected runs"), QKeySequence("Ctrl+M"), w,
        [w] { w->runs_->compare(w->runs_->selectedIds()); });
    add(m, QObject::tr("Memory timeline…"), QKeySequence("Ctrl+T"), w, [w] {
        auto ids = w->runs_->selectedIds();
        if (ids.empty() && w->lastRun()) {
            ids = {w->lastRun()->id};
        }
        if (ids.empty()) {
            w->say(widgets::NoticeBar::Kind::Warning,
                   QObject::tr("Select a run to see its memory, or press Run first."));
            w->notices_->setAbout(widgets::NoticeBar::About::Selection);
        } else {
            w->traces_->openRuns(ids);
        }
    });
    add(m, QObject::tr("Open the folder of runs"), {}, w, [w] {
        QDesktopServices::openUrl(
            QUrl::fromLocalFile(QString::fromStdString((w->store_.folder() / "runs").string())));
    });
}

void MainMenu::study() {
    MainWindow* w = &window_;
    QMenu* m = menu(QObject::tr("St&udy"));
    add(m, QObject::tr("Claims…"), QKeySequence("F8"), w, [w] { w->studies_->openClaims(); });
    add(m, QObject::tr("Factorial…"), QKeySequence("F9"), w, [w] { w->studies_->openFactorial(); });
    add(m, QObject::tr("Sweep…"), QKeySequence("Shift+F9"), w, [w] { w->studies_->openSweep(); });
}

void MainMenu::view() {
    MainWindow* w = &window_;
    QMenu* m = menu(QObject::tr("&View"));
    auto* group = new QActionGroup(w);
    for (const NamedTheme& theme : namedThemes()) {
        QAction* action = m->addAction(theme.title);
        action->setCheckable(true);
        action->setChecked(widgets::themeMode() == theme.mode);
        group->addAction(action);
        QObject::connect(action, &QAction::triggered, w, [theme] { chooseTheme(theme); });
        QObject::connect(m, &QMenu::aboutToShow, w,
                         [action, mode = theme.mode] { action->setChecked(widgets::themeMode() == mode); });
    }
    m->addSeparator();
    patchModes(m);
    m->addSeparator();
    add(m, QObject::tr("Taller runs table"), QKeySequence("Ctrl+Shift+Up"), w, [w] { w->growRuns(4); });
    add(m, QObject::tr("Shorter runs table"), QKeySequence("Ctrl+Shift+Down"), w, [w] { w->growRuns(-4); });
    QAction* loss = add(m, QObject::tr("Show loss instead of times"), QKeySequence("Ctrl+4"), w,
                        [w] { w->live_->plots()->showLoss(!w->live_->plots()->lossOnShow()); });
    loss->setCheckable(true);
    QObject::connect(m, &QMenu::aboutToShow, w,
                     [w, loss] { loss->setChecked(w->live_->plots()->lossOnShow()); });
    m->addSeparator();
    QAction* full = add(m, QObject::tr("Full screen"), QKeySequence("F11"), w,
                        [w] { w->isFullScreen() ? w->showNormal() : w->showFullScreen(); });
    full->setEnabled(true);
}

/// The menu for what the scan panel shows.
void MainMenu::patchModes(QMenu* m) {
    MainWindow* w = &window_;
    auto* group = new QActionGroup(w);
    for (const auto& [text, keys, mode] : {std::tuple{QObject::tr("Scan"), "Ctrl+1", PatchMode::Scan},
                                           {QObject::tr("Patches"), "Ctrl+2", PatchMode::Patches},
                                           {QObject::tr("Coverage"), "Ctrl+3", PatchMode::Coverage}}) {
        QAction* action =
            add(m, text, QKeySequence(keys), w, [w, chosen = mode] { w->patches_->setMode(chosen); });
        action->setCheckable(true);
        group->addAction(action);
        const auto follow = [w, action, shown = mode] { action->setChecked(w->patches_->mode() == shown); };
        QObject::connect(w->patches_, &PatchPage::modeChanged, w, follow);
        follow();
    }
}

void MainMenu::help() {
    MainWindow* w = &window_;
    QMenu* m = menu(QObject::tr("&Help"));
    if (!widgets::docsFolder().empty()) {
        add(m, QObject::tr("Manual…"), QKeySequence::HelpContents, w, [w] { widgets::showDocs(w, {}); });
        add(m, QObject::tr("Keyboard and mouse"), QKeySequence("Ctrl+F1"), w,
            [w] { widgets::showDocs(w, "keyboard.md"); });
        new widgets::WhatsThis(widgets::docsFolder() / "glossary.md", w);
        add(m, QObject::tr("What is this?"), QKeySequence::WhatsThis, w,
            [] { QWhatsThis::enterWhatsThisMode(); });
    }
    add(m, QObject::tr("About Highwater"), {}, w, [w] {
        // A GPU driver can take a moment to answer.
        w->store_.worker().run([] { return aboutMachine(); }, w,
                               [w](const std::vector<AboutPart>& machine) {
                                   auto* const dialog = new AboutDialog(aboutLibraries(), machine, w);
                                   dialog->setAttribute(Qt::WA_DeleteOnClose);
                                   dialog->show();
                               });
    });
}

}  // namespace highwater::desktop
