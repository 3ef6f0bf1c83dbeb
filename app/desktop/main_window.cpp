#include "app/desktop/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/desktop/claims_window.h"
#include "app/desktop/device_page.h"
#include "app/desktop/ending.h"
#include "app/desktop/live_page.h"
#include "app/desktop/main_menu.h"
#include "app/desktop/nnunet_dialog.h"
#include "app/desktop/prediction_page.h"
#include "app/desktop/runs_page.h"
#include "app/desktop/scan_page.h"
#include "app/desktop/settings_page.h"
#include "app/desktop/study_windows.h"
#include "app/desktop/trace_window.h"
#include "app/desktop/trace_windows.h"
#include "app/desktop/undo_keys.h"
#include "core/base/paths.h"
#include "core/stack/json.h"
#include "widgets/controls/control_bar.h"
#include "widgets/controls/run_refusal.h"
#include "widgets/plot/live_plots.h"
#include "widgets/runs/runs_table.h"
#include "widgets/scan/scan_panel.h"
#include "widgets/stack/layer_options.h"
#include "widgets/stack/stack_editor.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr auto kStateVersion = 2;  // raise it when the splitters change

QSplitter* splitter(Qt::Orientation orientation, std::initializer_list<QWidget*> parts) {
    auto* s = new QSplitter(orientation);
    s->setHandleWidth(1);
    s->setChildrenCollapsible(false);
    for (QWidget* part : parts)
        s->addWidget(part);
    return s;
}

/// The path of the first layer that is no block, so that its options show from the start.
std::vector<int> firstLayer(const std::vector<stack::Layer>& layers) {
    std::vector<int> path;
    const std::vector<stack::Layer>* list = &layers;
    while (!list->empty()) {
        path.push_back(0);
        const auto* block = std::get_if<stack::Block>(&list->front().op);
        if (!block)
            break;
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
    : store_(options.store), session_(options.store / "desktop"), file_(document_, session_) {
    const QString theme =
        options.theme.isEmpty() ? QSettings().value("view/theme").toString() : options.theme;
    widgets::applyTheme(*qApp, themeNamed(theme));  // first: widgets keep the font they are made with
    scan_ = new ScanPage(document_, options.store / "samples", this);
    live_ = new LivePage(document_, store_, *scan_, this);
    runs_ = new RunsPage(store_, this);
    traces_ = new TraceWindows(store_, this);
    notices_ = new NoticeBar;
    setAcceptDrops(true);
    buildLayout();
    predictions_ = new PredictionPage(document_, *live_, *editor_, predictNow, this);
    devices_ = new DevicePage(*live_->controls(), *predictions_, std::move(gpus), this);
    settings_->follow(*live_->controls(), *predictions_);
    makeStudies();
    MainMenu(*this).build();
    connectPages();
    new UndoKeys(this);
    restoreState(options);
    updateTitle();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildLayout() {
    editor_ = new widgets::StackEditor(document_);
    layerOptions_ = new widgets::LayerOptions(document_);
    left_ = splitter(Qt::Vertical, {editor_, layerOptions_});
    upper_ = splitter(Qt::Horizontal, {live_->plots(), scan_->panel()});
    right_ = splitter(Qt::Vertical, {upper_, runs_->table()});
    settings_ = new SettingsPage(document_, *editor_, left_, this);
    columns_ = splitter(Qt::Horizontal, {settings_->column(), right_});
    columns_->setStretchFactor(1, 1);
    upper_->setStretchFactor(0, 2);
    upper_->setStretchFactor(1, 1);
    right_->setStretchFactor(0, 1);
    left_->setStretchFactor(0, 1);

    auto* centre = new QWidget;
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(live_->controls());
    layout->addWidget(settings_->refusal());
    layout->addWidget(notices_);
    layout->addWidget(columns_, 1);
    setCentralWidget(centre);
}

void MainWindow::connectPages() {
    connect(&file_, &ExperimentFile::changed, this, &MainWindow::updateTitle);
    connect(&file_, &ExperimentFile::opened, this,
            [this] { editor_->select({firstLayer(document_.experiment().stack)}); });
    connect(editor_, &widgets::StackEditor::currentChanged, layerOptions_,
            &widgets::LayerOptions::setCurrent);
    connect(live_, &LivePage::notice, this, &MainWindow::say);
    connect(predictions_, &PredictionPage::notice, this, &MainWindow::say);
    connect(devices_, &DevicePage::notice, this,
            [this](NoticeBar::Kind kind, const QString& text) { say(kind, text); });
    connect(runs_, &RunsPage::notice, this, &MainWindow::say);
    connect(&store_, &Store::failed, this, [this](const QString& text) {
        say(NoticeBar::Kind::Error, tr("The store of runs: %1").arg(text));
    });
    connect(runs_, &RunsPage::showRequested, this, [this](const runs::RunRecord& run) {
        if (!running())
            live_->show(run);
    });
    connect(runs_, &RunsPage::openAgainRequested, this, [this](const runs::RunRecord& run) {
        file_.adopt(run.experiment);
        if (!running())
            live_->show(run);
    });
    connectTraces();
    connect(live_->plots(), &widgets::LivePlots::layerClicked, this, [this](int layer) {
        const auto& info = document_.info();
        if (info && layer >= 0 && layer < static_cast<int>(info->layers.size()))
            settings_->showLayer(layer);
    });
}

/// The layer that is clicked in a timeline is selected in the stack, where it has it, and back.
void MainWindow::connectTraces() {
    connect(runs_, &RunsPage::memoryRequested, this,
            [this](const std::string& id, const std::string& other) { traces_->openRun(id, other); });
    connect(traces_, &TraceWindows::layerClicked, this, [this](int layer, const QString& name) {
        const auto& info = document_.info();
        if (info && layer < static_cast<int>(info->layers.size()) &&
            info->layers[static_cast<std::size_t>(layer)].name == name.toStdString())
            editor_->select({info->layers[static_cast<std::size_t>(layer)].path});
    });
    connect(editor_, &widgets::StackEditor::currentChanged, traces_, [this](const std::vector<int>& path) {
        if (const auto& info = document_.info())
            for (const stack::LayerInfo& layer : info->layers)
                if (layer.path == path)
                    traces_->showLayer(QString::fromStdString(layer.name));
    });
}

/// One run at a time, whoever asks for it.
void MainWindow::makeStudies() {
    FactorialWindow::Around around;
    around.device = [this] { return live_->controls()->runOptions().device; };
    around.target = [this] {
        const bool cpu = live_->controls()->runOptions().device == "cpu";
        return cpu ? widgets::TargetChoice() : live_->controls()->target().choice();
    };
    around.volumes = [this] { return scan_->volumesForRun(); };
    around.budget = [this] { return live_->controls()->runOptions().budget; };
    studies_ = new StudyWindows(document_, store_, std::move(around), this);
    connect(studies_, &StudyWindows::stateChanged, this, [this] {
        live_->setBlocked(studies_->running()
                              ? tr("A study is being measured. Wait for it, or cancel it in its window.")
                              : QString());
    });
    connect(live_, &LivePage::stateChanged, studies_,
            [this] { studies_->setBlocked(running() ? tr("A run is on. Stop it first.") : QString()); });
    connect(live_->controls(), &widgets::ControlBar::runOptionsChanged, studies_,
            &StudyWindows::optionsChanged);
}

void MainWindow::say(NoticeBar::Kind kind, const QString& text, const QString& action,
                     std::function<void()> act) {
    notices_->show(kind, text, action, std::move(act));
}

// --- opening and saving ---

void MainWindow::open(const Options& options) {
    store_.refresh();
    devices_->look();
    driven_ = options.driven();
    editor_->setFocus();  // the keys are the layers'
    if (!options.experiment.isEmpty()) {
        openExperiment(options.experiment);
    } else if (options.driven()) {
        openSample();  // what a script shows must not depend on what was open last
    } else if (const auto session = file_.restore()) {
        if (session->crashed)
            say(NoticeBar::Kind::Warning,
                tr("Highwater did not end in an orderly way. Your stack has been restored."));
    } else {
        openSample();
    }
    if (!options.scan.isEmpty() && openProblem_.isEmpty())
        scan_->openScan(options.scan);
    if (!options.trace.isEmpty())
        traces_->open(options.trace);
    if (options.claims)
        studies_->openClaims().choose(options.choose);
    if (options.factorial)
        studies_->openFactorial().choose(options.choose);
    if (studies_->newest() && options.size.isValid())
        studies_->newest()->resize(options.size);
}

void MainWindow::openExperiment(const QString& path) {
    if (isNnunetPlans(path)) {
        importPlans(path);
        return;
    }
    const auto opened = file_.open(path);
    openProblem_ = opened ? QString() : QString::fromStdString(opened.error().message);
    if (!openProblem_.isEmpty())
        say(NoticeBar::Kind::Error, openProblem_);
    else if (const auto& info = document_.info(); !info)
        say(NoticeBar::Kind::Warning, QString::fromStdString(info.error().message));
}

void MainWindow::openSample() {
    auto sample = stack::loadExperiment(base::resourcesFolder() / "samples" / "sample.json");
    if (!sample) {
        openProblem_ = QString::fromStdString(sample.error().message);
        say(NoticeBar::Kind::Error, openProblem_);
        return;
    }
    if (auto* input = std::get_if<stack::ScanInput>(&sample->input))
        input->scans = {scan_->phantomPath()};
    file_.adopt(std::move(*sample));
}

void MainWindow::chooseExperiment() {
    QSettings settings;
    const QString path = QFileDialog::getOpenFileName(this, tr("Open experiment"),
                                                      settings.value("files/experimentFolder").toString(),
                                                      tr("Experiments (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    settings.setValue("files/experimentFolder", QFileInfo(path).absolutePath());
    openExperiment(path);
}

void MainWindow::choosePlans() {
    QSettings settings;
    const QString path = QFileDialog::getOpenFileName(this, tr("Import nnU-Net plans"),
                                                      settings.value("files/plansFolder").toString(),
                                                      tr("nnU-Net plans (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    settings.setValue("files/plansFolder", QFileInfo(path).absolutePath());
    importPlans(path);
}

void MainWindow::importPlans(const QString& path) {
    if (driven_) {  // nobody is there to choose
        auto imported = stack::importNnunetFile(path.toStdString(), {.precision = stack::Precision::Fp32});
        openProblem_ = imported ? QString() : QString::fromStdString(imported.error().message);
        if (imported)
            file_.adopt(std::move(imported->experiment));
        else
            say(NoticeBar::Kind::Error, openProblem_);
        return;
    }
    NnunetDialog dialog(path, live_->controls()->target().choice().id != "cpu", this);
    if (!dialog.problem().isEmpty()) {
        say(NoticeBar::Kind::Error, dialog.problem());
        return;
    }
    if (dialog.exec() != QDialog::Accepted || !dialog.imported())
        return;
    file_.adopt(dialog.imported()->experiment);
    QStringList notes;
    for (const std::string& note : dialog.imported()->notes)
        notes << QString::fromStdString(note);
    say(NoticeBar::Kind::Info, tr("Imported %1. %2").arg(QFileInfo(path).fileName(), notes.join("; ")));
}

bool MainWindow::save() {
    if (file_.path().isEmpty())
        return saveAs();
    const auto saved = file_.save(file_.path());
    if (!saved)
        say(NoticeBar::Kind::Error, QString::fromStdString(saved.error().message));
    return saved.ok();
}

bool MainWindow::saveAs() {
    QSettings settings;
    QString name = file_.title();
    if (!name.endsWith(".json"))
        name += ".json";
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save experiment"), settings.value("files/experimentFolder").toString() + '/' + name,
        tr("Experiments (*.json)"));
    if (path.isEmpty())
        return false;
    settings.setValue("files/experimentFolder", QFileInfo(path).absolutePath());
    const auto saved = file_.save(path);
    if (!saved)
        say(NoticeBar::Kind::Error, QString::fromStdString(saved.error().message));
    return saved.ok();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile())
        return;
    event->acceptProposedAction();
    openDropped(urls.front().toLocalFile());
}

void MainWindow::openDropped(const QString& path) {
    if (isSnapshotName(path))
        traces_->openSnapshot(path);
    else
        path.endsWith(".json", Qt::CaseInsensitive) ? openExperiment(path) : scan_->openScan(path);
}

// --- what a script asks ---

bool MainWindow::loading() const {
    return scan_->loading() || traces_->loading() || studies_->loading();
}
QString MainWindow::loadProblem() const {
    const QString problem = openProblem_.isEmpty() ? scan_->problem() : openProblem_;
    if (!problem.isEmpty())
        return problem;
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
    return scan_->panel()->settled() && !devices_->looking() && predictions_->settled();
}

QWidget* MainWindow::pictured() {
    if (studies_->newest())
        return studies_->newest();
    return traces_->newest() ? static_cast<QWidget*>(traces_->newest()) : this;
}

void MainWindow::saveReport(const std::vector<std::string>& ids, const QString& file,
                            std::function<void(QString)> then) {
    runs_->saveReport(ids, file, std::move(then));
}

// --- state between launches ---

void MainWindow::restoreState(const Options& options) {
    QSettings settings;
    resize(1480, 920);
    if (settings.value("window/version").toInt() == kStateVersion && !options.driven()) {
        restoreGeometry(settings.value("window/geometry").toByteArray());
        for (const auto& [name, part] :
             {std::pair{"columns", columns_}, {"left", left_}, {"right", right_}, {"upper", upper_}})
            part->restoreState(settings.value(QString("window/") + name).toByteArray());
    } else {
        columns_->setSizes({456, 1144});
        left_->setSizes({560, 310});
        right_->setSizes({700, 180});
        upper_->setSizes({740, 404});
    }
    if (options.size.isValid())
        resize(options.size);
    if (!options.driven()) {
        predictions_->rememberTarget();
        devices_->rememberDevice();
        settings_->restoreState();
    }
    widgets::RunOptions run = live_->controls()->runOptions();
    run.steps = options.steps > 0 ? options.steps : settings.value("run/steps", run.steps).toInt();
    run.warmup = settings.value("run/warmup", run.warmup).toInt();
    if (const qint64 budget = settings.value("run/budget").toLongLong(); budget > 0 && !options.driven())
        run.budget = budget;
    live_->controls()->setRunOptions(run);
}

void MainWindow::keepState() {
    QSettings settings;
    settings.setValue("window/version", kStateVersion);
    settings.setValue("window/geometry", saveGeometry());
    settings.setValue("window/columns", columns_->saveState());
    settings.setValue("window/left", left_->saveState());
    settings.setValue("window/right", right_->saveState());
    settings.setValue("window/upper", upper_->saveState());
    settings_->keepState();
    const widgets::RunOptions run = live_->controls()->runOptions();
    settings.setValue("run/steps", run.steps);
    settings.setValue("run/warmup", run.warmup);
    settings.setValue("run/budget", static_cast<qint64>(run.budget.value_or(0)));
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

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!driven_ && !property(kUnasked).toBool() && !studies_->mayClose()) {
        event->ignore();
        return;
    }
    keepState();
    studies_->closeAll();
    traces_->closeAll();
    session_.close();  // nothing is lost: the next launch comes back to it
    event->accept();
}

void MainWindow::updateTitle() {
    setWindowTitle(QString("%1[*]").arg(file_.title()));
    setWindowModified(file_.unsaved());
}

}  // namespace highwater::desktop
