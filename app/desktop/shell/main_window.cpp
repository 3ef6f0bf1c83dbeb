#include "app/desktop/shell/main_window.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/bar/run_refusal.h"
#include "app/desktop/experiment/nnunet_dialog.h"
#include "app/desktop/experiment/settings/settings_panel.h"
#include "app/desktop/experiment/settings_page.h"
#include "app/desktop/experiment/stack/layer_options.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/prediction/device_page.h"
#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/run/modules_panel.h"
#include "app/desktop/run/runs_page.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "app/desktop/scan/cases/cohort_window.h"
#include "app/desktop/scan/patches/patch_page.h"
#include "app/desktop/scan/scan_labels.h"
#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/shell/main_menu.h"
#include "app/desktop/study/claims/claims_window.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/study/sweep/sweep_window.h"
#include "app/desktop/trace/trace_window.h"
#include "app/desktop/trace/trace_windows.h"
#include "core/stack/json/json.h"
#include "widgets/controls/undo_keys.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/loss_plot.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kLeastUpper = 220;

/// The path of the first layer that is not a block, so that its options are shown from the start.
std::vector<int> firstLayer(const std::vector<stack::Layer>& layers) {
    std::vector<int> path;
    const std::vector<stack::Layer>* list = &layers;
    while (!list->empty()) {
        path.push_back(0);
        const auto* block = std::get_if<stack::Block>(&list->front().op);
        if (!block) {
            break;
        }
        list = &block->layers;
    }
    return path;
}

widgets::ThemeMode themeNamed(const QString& name) {
    return name == "light"  ? widgets::ThemeMode::Light
           : name == "dark" ? widgets::ThemeMode::Dark
                            : widgets::ThemeMode::System;
}

}  // namespace

MainWindow::MainWindow(const Options& options, std::function<devices::GpusHere()> gpus)
    : store_(options.store),
      session_(sessionFolder(options)),
      file_(document_, session_),
      driven_(options.driven()) {
    applyTheme(options);  // first, because widgets keep the font that they are created with
    scan_ = new ScanPage(document_, this);
    live_ = new LivePage(document_, store_, *scan_, this);
    runs_ = new RunsPage(store_, this);
    traces_ = new TraceWindows(store_, this);
    notices_ = new widgets::NoticeBar;
    setAcceptDrops(true);
    buildLayout();
    predictions_ = new PredictionPage(document_, *live_, *editor_, predictNow, this);
    devices_ = new DevicePage(*live_->controls(), *predictions_, std::move(gpus), this);
    settings_->follow(*live_->controls());
    makeStudies();
    makePatches();
    makeScans();
    makeModules();
    MainMenu(*this).build();
    connectPages();
    new widgets::UndoKeys(this);
    restoreState(options);
    updateTitle();
}

MainWindow::~MainWindow() {
    hide();  // applies a number that is still being typed, while the document exists
}

void MainWindow::applyTheme(const Options& options) {
    const QString theme =
        options.theme.isEmpty() ? QSettings().value("view/theme").toString() : options.theme;
    widgets::applyTheme(*qApp, themeNamed(theme));
}

std::filesystem::path MainWindow::sessionFolder(const Options& options) {
    return options.driven() ? std::filesystem::path() : options.store / "desktop";
}

void MainWindow::buildLayout() {
    editor_ = new StackEditor(document_);
    layerOptions_ = new LayerOptions(document_);
    left_ = widgets::makeSplitter(Qt::Vertical, {editor_, layerOptions_});
    upper_ = widgets::makeSplitter(Qt::Horizontal, {live_->plots(), scan_->panel()});
    right_ = widgets::makeSplitter(Qt::Vertical, {upper_, runs_->table()});
    upper_->setMinimumHeight(kLeastUpper);  // otherwise its contents would limit the height of the table
    right_->setCollapsible(0, true);
    settings_ = new SettingsPage(document_, *editor_, left_, this);
    columns_ = widgets::makeSplitter(Qt::Horizontal, {settings_->column(), right_});
    columns_->setStretchFactor(1, 1);
    upper_->setStretchFactor(0, 2);
    upper_->setStretchFactor(1, 1);
    right_->setStretchFactor(0, 1);
    left_->setStretchFactor(0, 1);

    auto* center = new QWidget;
    auto* layout = widgets::makeLayout<QVBoxLayout>(center, 0);
    layout->addWidget(live_->controls());
    layout->addWidget(settings_->refusal());
    layout->addWidget(notices_);
    layout->addWidget(columns_, 1);
    setCentralWidget(center);
}

void MainWindow::connectPages() {
    connect(&file_, &ExperimentFile::changed, this, &MainWindow::updateTitle);
    connect(&session_, &Session::problemChanged, this, &MainWindow::sayWhetherKept);
    connect(&file_, &ExperimentFile::opened, this,
            [this] { editor_->select({firstLayer(document_.experiment().stack)}); });
    connect(editor_, &StackEditor::currentChanged, layerOptions_, &LayerOptions::setCurrent);
    connect(editor_, &StackEditor::presetTaken, this, [this](const QString& title, qint64 before) {
        const qint64 batch = document_.experiment().step.batchSize;
        const QString what =
            batch == before ? title
                            : tr("%1; batch size changed from %2 to %3").arg(title).arg(before).arg(batch);
        say(widgets::NoticeBar::Kind::Info, tr("Preset opened: %1. Ctrl+Z to undo.").arg(what));
        notices_->setAbout(widgets::NoticeBar::About::Opened);
    });
    connect(live_, &LivePage::notice, this, sayAbout(widgets::NoticeBar::About::Run));
    connect(live_, &LivePage::refused, this, [this](const QString& why) {
        say(widgets::NoticeBar::Kind::Error, why);
        notices_->setAbout(widgets::NoticeBar::About::Refusal);
    });
    connect(predictions_, &PredictionPage::notice, this,
            [this](widgets::NoticeBar::Kind kind, const QString& text, const QString& action,
                   const std::function<void()>& act) {
                if (kind == widgets::NoticeBar::Kind::Info) {  // an offer
                    notices_->showNext(kind, text, widgets::NoticeBar::About::Prediction, action, act);
                } else {
                    sayAbout(widgets::NoticeBar::About::Prediction)(kind, text, action, act);
                }
            });
    withdrawOldNotices();
    connect(predictions_, &PredictionPage::updated, this, [this] {
        const auto& current = predictions_->current();
        settings_->setTrouble(current && !current->prediction ? current->trouble : QString());
    });
    connect(predictions_, &PredictionPage::timelineWanted, this,
            [this](const QString& snapshot) { traces_->openSnapshot(snapshot); });
    connect(devices_, &DevicePage::notice, this,
            [this](widgets::NoticeBar::Kind kind, const QString& text) { say(kind, text); });
    connectRuns();
    connectTraces();
    connect(live_->plots(), &widgets::LivePlots::layerClicked, this, [this](int layer) {
        const auto& info = document_.info();
        if (info && layer >= 0 && layer < static_cast<int>(info->layers.size())) {
            settings_->showLayer(layer);
        }
    });
}

/// Selecting a run shows it; opening it also makes it the current experiment.
void MainWindow::connectRuns() {
    connect(runs_, &RunsPage::notice, this,
            [this](widgets::NoticeBar::Kind kind, const QString& text, const QString& action,
                   const std::function<void()>& act) {
                say(kind, text, action, act);
                if (kind == widgets::NoticeBar::Kind::Warning) {  // the selected run is not the requested one
                    notices_->setAbout(widgets::NoticeBar::About::Selection);
                }
            });
    connect(&store_, &Store::failed, this, [this](const QString& text) {
        say(widgets::NoticeBar::Kind::Error, tr("Run store: %1").arg(text));
    });
    connect(&store_, &Store::notListed, this, [this](const QString& text) {
        say(widgets::NoticeBar::Kind::Error, tr("Run store: %1").arg(text), tr("Try again"),
            [this] { store_.refresh(); });
        notices_->setAbout(widgets::NoticeBar::About::Store);
    });
    connect(&store_, &Store::rowsChanged, notices_,
            [this] { notices_->withdraw({widgets::NoticeBar::About::Store}); });
    connect(&store_, &Store::heldByChanged, this, [this] {
        notices_->withdraw({widgets::NoticeBar::About::Store});
        if (!store_.heldBy().isEmpty()) {
            notices_->showNext(widgets::NoticeBar::Kind::Warning,
                               tr("Waiting for %1, which has locked the run store. No run can be started or "
                                  "changed until it releases the lock; quitting that program releases it.")
                                   .arg(store_.heldBy()),
                               widgets::NoticeBar::About::Store);
        }
    });
    connect(&store_, &Store::noteChanged, this, [this] {
        if (!store_.note().isEmpty()) {
            notices_->showNext(widgets::NoticeBar::Kind::Warning, tr("Run store: %1").arg(store_.note()),
                               widgets::NoticeBar::About::Other);
        }
    });
    connect(runs_, &RunsPage::previewRequested, this, [this](const runs::RunRecord& run) {
        const bool seen = live_->shown() && live_->shown()->id == run.summary.id && live_->runOnShow();
        if (!running() && !seen) {
            live_->show(run);
        }
    });
    const auto markShown = [this] {
        const bool any = live_->shown().has_value();
        const std::string id = !any ? std::string() : running() ? live_->runId() : live_->shown()->id;
        runs_->table()->setShown(QString::fromStdString(id));
    };
    connect(live_, &LivePage::shownChanged, this, markShown);
    connect(live_, &LivePage::stateChanged, this, markShown);
    connect(runs_, &RunsPage::deleted, live_, &LivePage::forget);
    connect(live_, &LivePage::leftChanged, runs_, &RunsPage::setLeft);
    connect(runs_, &RunsPage::giveUpRequested, live_, &LivePage::giveUp);
    connect(runs_, &RunsPage::openRequested, this, [this](const runs::RunRecord& run) {
        const QString number = QString::number(run.summary.number);
        const bool other = !run.script && document_.experiment() != run.experiment;
        if (other) {
            file_.adopt(tr("Open run #%1").arg(number), run.experiment);
        }
        if (!running()) {
            live_->show(run);
        }
        if (other) {
            say(widgets::NoticeBar::Kind::Info,
                tr("Experiment of run #%1 opened. Ctrl+Z to undo.").arg(number));
            notices_->setAbout(widgets::NoticeBar::About::Opened);
        }
    });
    connect(live_, &LivePage::tookOver, this, [this](int number) {
        // Keeps the message about a closed window, if there is one.
        const QString before = notices_->text();
        say(before.isEmpty() ? widgets::NoticeBar::Kind::Info : widgets::NoticeBar::Kind::Warning,
            QStringList{
                before,
                tr("Run #%1 continued after its window closed. This window now shows it.").arg(number)}
                .join(' ')
                .trimmed());
        notices_->setAbout(widgets::NoticeBar::About::TakenRun);
    });
    connect(runs_, &RunsPage::lossesSelected, this, [this](const std::vector<widgets::LossCurve>& curves) {
        live_->plots()->loss().setSelected(curves);
    });
}

/// Shows the modules of a script's model beside the stack while a run of a script is shown.
void MainWindow::makeModules() {
    modules_ = new ModulesPanel;
    const int page =
        settings_->addPage(tr("Modules"), tr("What the modules of the run's model cost"), modules_);
    connect(live_, &LivePage::shownChanged, this, [this, page] {
        const auto& shown = live_->shown();
        if (!shown || !shown->script || !shown->measured || shown->measured->layers.empty()) {
            settings_->hidePage(page);
            return;
        }
        const bool other = modules_->runId() != shown->id;
        modules_->setRun(shown->id, shown->title, shown->measured->layers);
        settings_->showPage(page, other);
    });
    connect(modules_, &ModulesPanel::moduleChosen, this, [this](const QString& name) {
        traces_->openRun(modules_->runId());
        traces_->showLayer(name);
    });
}

/// Selects the layer that is clicked in a timeline, if the stack has it, and highlights the selected layer in
/// timelines.
void MainWindow::connectTraces() {
    connect(runs_, &RunsPage::memoryRequested, traces_, &TraceWindows::openRuns);
    connect(traces_, &TraceWindows::layerClicked, this, [this](int layer, const QString& name) {
        const auto& info = document_.info();
        if (info && layer < static_cast<int>(info->layers.size()) &&
            info->layers[static_cast<std::size_t>(layer)].name == name.toStdString()) {
            editor_->select({info->layers[static_cast<std::size_t>(layer)].path});
        }
    });
    connect(editor_, &StackEditor::currentChanged, traces_, [this](const std::vector<int>& path) {
        if (const auto& info = document_.info()) {
            for (const stack::LayerInfo& layer : info->layers) {
                if (layer.path == path) {
                    traces_->showLayer(QString::fromStdString(layer.name));
                }
            }
        }
    });
}

/// Sets up the studies so that only one run is active at a time.
void MainWindow::makeStudies() {
    FactorialWindow::Around around;
    around.device = [this] { return live_->controls()->runOptions().device; };
    around.host = [this] { return live_->controls()->runOptions().host; };
    around.runTarget = [this, device = around.device] {
        const bool cpu = device() == "cpu";
        return cpu ? TargetChoice() : live_->controls()->target().choice();
    };
    around.target = [this] { return live_->controls()->target().choice(); };
    around.targetTitle = [this] { return live_->controls()->target().name(); };
    around.volumes = [this] { return scan_->volumesForRun(); };
    around.budget = [this] { return live_->controls()->runOptions().budget; };
    studies_ = new StudyWindows(document_, store_, std::move(around), this);
    const auto vary = [this](const FieldToVary& field, FieldStudy study) {
        const SweepAxisEdit axis{field.name, field.pointers, field.values, {}};
        study == FieldStudy::Sweep ? studies_->openSweep().vary(axis) : studies_->openFactorial().vary(axis);
    };
    connect(layerOptions_, &LayerOptions::varyWanted, this, vary);
    connect(&settings_->panel(), &SettingsPanel::varyWanted, this, vary);
    makePlanning();
    connect(studies_, &StudyWindows::runWanted, this, [this](const QString& id, bool open) {
        runs_->table()->select({id});
        if (open) {
            show();
            raise();
            activateWindow();
            runs_->table()->view().setFocus();
        }
    });
    connect(studies_, &StudyWindows::stateChanged, this, [this] {
        live_->setBlocked(studies_->running()
                              ? tr("A study is in progress. Wait for it, or cancel it in its window.")
                              : QString());
    });
    connect(studies_, &StudyWindows::sweepComposed, &file_, &ExperimentFile::keepSweep);
    connect(live_, &LivePage::stateChanged, studies_, [this] {
        studies_->setBlocked(running() ? tr("A run is in progress. Stop it first.") : QString());
    });
    connect(live_->controls(), &ControlBar::runOptionsChanged, studies_, &StudyWindows::optionsChanged);
    connect(&live_->controls()->target(), &TargetField::changed, studies_, &StudyWindows::optionsChanged);
}

/// Provides what the plans of "Make it fit" need in order to be run.
void MainWindow::makePlanning() {
    PlanAround around;
    around.worker = &studies_->worker();
    around.device = [this](const TargetChoice& target) -> base::Result<std::string> {
        if (target.id == "cpu") {
            return std::string("cpu");
        }
        for (const devices::GpuHere& here : devices_->here().gpus) {
            if (here.profile == target.id.toStdString() && here.whyNot.empty()) {
                return here.id;
            }
        }
        const std::string gpu = live_->controls()->target().title().toStdString();
        return base::Error{"The plans are for " + gpu + "; this machine has no " + gpu + "."};
    };
    around.blocked = [this] { return running() ? tr("A run is in progress. Stop it first.") : QString(); };
    around.volumes = [this] { return scan_->volumesForRun(); };
    around.budget = [this] { return live_->controls()->runOptions().budget; };
    predictions_->setPlanAround(std::move(around));
}

void MainWindow::makePatches() {
    PatchPage::Parts parts{wire::makePatches, volume::coverage};
    parts.volumes = [this] { return scan_->volumesForRun(); };
    parts.shown = [this] {
        return scan_->previews() ? ShownCase()
                                 : ShownCase{scan_->shownVolumes(), scan_->shownCase(), scan_->caseCount()};
    };
    parts.prepare = [this] { scan_->prepareRun(); };
    parts.cancelPreparing = [this] { scan_->cancelPreparing(); };
    parts.reading = [this] { return scan_->ready() || !scan_->loading() ? QString() : scan_->loadingText(); };
    parts.trouble = [this] { return scan_->problem(); };
    patches_ = new PatchPage(document_, *scan_->panel(), std::move(parts), this);
    connect(scan_, &ScanPage::stateChanged, patches_, &PatchPage::follow);
    connect(scan_, &ScanPage::progressed, patches_, &PatchPage::refresh);
    connect(patches_, &PatchPage::notice, this, [this](widgets::NoticeBar::Kind kind, const QString& text) {
        say(kind, text);
        notices_->setAbout(widgets::NoticeBar::About::Scan);
    });
    connect(live_, &LivePage::stateChanged, patches_, [this] { patches_->setRunning(live_->running()); });
    connect(live_, &LivePage::patchSaved, patches_, [this](const wire::PatchSaved& patch) {
        if (live_->shown()) {
            patches_->runSent(store_.folder() / "runs" / live_->runId() / patch.file, patch,
                              live_->shown()->experiment);
        }
    });
}

/// Removes a message when its cause is gone: the file, the scan, the previous run.
void MainWindow::withdrawOldNotices() {
    using About = widgets::NoticeBar::About;
    connect(&file_, &ExperimentFile::opened, notices_, [this] {
        notices_->withdraw({About::File, About::Scan, About::Run, About::TakenRun, About::Prediction});
    });
    connect(&document_, &ExperimentDocument::changed, notices_,
            [this, before = document_.experiment().input]() mutable {
                if (std::exchange(before, document_.experiment().input) != document_.experiment().input) {
                    notices_->withdraw({About::Scan});
                }
            });
    connect(&document_, &ExperimentDocument::changed, notices_,
            [this] { notices_->withdraw({About::Opened}); });
    connect(runs_, &RunsPage::selectionChanged, notices_, [this] { notices_->withdraw({About::Selection}); });
    connect(predictions_, &PredictionPage::noticePassed, notices_,
            [this] { notices_->withdraw({About::Prediction}); });
    const auto reconsider = [this] {
        if (notices_->about() == About::Refusal && live_->whyNot() != notices_->text()) {
            notices_->dismiss();
        }
    };
    connect(&document_, &ExperimentDocument::changed, notices_, reconsider);
    connect(live_->controls(), &ControlBar::runOptionsChanged, notices_, reconsider);
    connect(live_, &LivePage::stateChanged, notices_, reconsider);
    // Queued, because the focus also leaves widgets that are being deleted.
    connect(qApp, &QApplication::focusChanged, notices_, reconsider, Qt::QueuedConnection);
    connect(live_, &LivePage::shownChanged, notices_, [this] {
        if (!live_->running() || !live_->shown()) {  // not when the engine reports that the run has started
            notices_->withdraw({About::Run, About::TakenRun});
        }
    });
    connect(live_, &LivePage::stateChanged, notices_, [this] {
        if (!live_->running()) {  // it no longer follows a run
            notices_->withdraw({About::TakenRun});
        }
    });
}

void MainWindow::say(widgets::NoticeBar::Kind kind, const QString& text, const QString& action,
                     std::function<void()> act) {
    notices_->show(kind, text, action, std::move(act));
}

bool MainWindow::loading() const {
    return reading_ > 0 || scan_->loading() || opener_->loading() || patches_->busy() || traces_->loading() ||
           studies_->loading() || scan_->labels().busy() || (cohort_ && cohort_->loading()) ||
           live_->left().catchingUp() || (predictions_->plans() && predictions_->plans()->busy());
}
QString MainWindow::loadProblem() const {
    for (const QString& problem :
         {openProblem_, scan_->refused(), scan_->problem(), scan_->labels().problem(), patches_->problem(),
          cohort_ ? cohort_->problem() : QString()}) {
        if (!problem.isEmpty()) {
            return problem;
        }
    }
    return traces_->problem().isEmpty() ? studies_->problem() : traces_->problem();
}
QString MainWindow::startRun() {
    return live_->start();
}
void MainWindow::stopRun() {
    live_->stop();
}
bool MainWindow::running() const {
    return live_->running();
}
const std::optional<runs::RunSummary>& MainWindow::lastRun() const {
    return live_->last();
}
bool MainWindow::settled() const {
    const PlanDialog* plans = predictions_->plans();
    return scan_->panel()->settled() && !devices_->looking() && predictions_->settled() &&
           !(plans && plans->busy());
}

QWidget* MainWindow::pictured() {
    if (predictions_->plans()) {
        return predictions_->plans();
    }
    if (studies_->newest()) {
        return studies_->newest();
    }
    if (cohort_ && cohort_->isVisible()) {
        return cohort_.get();
    }
    if (viewsLarge_) {
        return scan_->panel();
    }
    return traces_->newest() ? static_cast<QWidget*>(traces_->newest()) : this;
}

void MainWindow::saveReport(const std::vector<std::string>& ids, const QString& file,
                            std::function<void(QString)> then) {
    runs_->saveReport(ids, file, std::move(then));
}

bool MainWindow::event(QEvent* event) {
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::Paint && !painted_) {
        painted_ = true;
        QMetaObject::invokeMethod(this, &MainWindow::painted,
                                  Qt::QueuedConnection);  // after the children too
    }
    return handled;
}

void MainWindow::updateTitle() {
    setWindowTitle(QString("%1[*]").arg(file_.title()));
    setWindowModified(file_.unsaved());
}

}  // namespace highwater::desktop

#include "moc_main_window.cpp"
