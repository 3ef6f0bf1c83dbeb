#include "app/desktop/shell/main_window.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QSettings>

#include "app/desktop/cases/cases_dialog.h"
#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/nnunet_dialog.h"
#include "app/desktop/experiment/nnunet_export_dialog.h"
#include "app/desktop/experiment/pytorch_dialog.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/prediction/device_page.h"
#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/scan/patches/patch_page.h"
#include "app/desktop/scan/scan_labels.h"
#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/script/script_dialog.h"
#include "app/desktop/study/claims/claims_window.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/study/sweep/sweep_window.h"
#include "app/desktop/trace/trace_windows.h"
#include "core/base/file_kind.h"
#include "core/base/paths.h"
#include "core/stack/json/json.h"
#include "core/stack/onnx/onnx.h"
#include "widgets/controls/last_folder.h"
#include "widgets/help/docs_window.h"
#include "widgets/theme/utf8.h"

/// MainWindow: opening and saving, by menu, by drop and from the command line.
namespace highwater::desktop {

namespace {

/// Whether torch.export.save or torch.onnx.export writes such a file.
bool isNetworkFile(const QString& path) {
    return path.endsWith(".pt2", Qt::CaseInsensitive) || stack::isOnnxName(path.toStdString());
}

/// Whether torch.save or torch.jit writes such a file: weights, or something that only PyTorch can read.
bool isWeightsFile(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == "pt" || suffix == "pth" || suffix == "ckpt";
}

/// What a file is, by its name or its first bytes.
enum class Kind { Snapshot, Weights, Network, Scan, Sweep, Plans, Experiment };

Kind kindOf(const QString& path) {
    if (isSnapshotName(path)) {
        return Kind::Snapshot;
    }
    if (isWeightsFile(path)) {
        return Kind::Weights;
    }
    if (isNetworkFile(path)) {
        return Kind::Network;
    }
    const std::string what = base::whatFileIs(path.toStdString());
    if (base::isScan(what) || path.endsWith(".nii.gz", Qt::CaseInsensitive)) {
        return Kind::Scan;
    }
    return base::isSweep(what) ? Kind::Sweep : isNnunetPlans(path) ? Kind::Plans : Kind::Experiment;
}

/// Whether the file is shown beside an experiment, instead of replacing it.
bool isBeside(Kind kind) {
    return kind == Kind::Snapshot || kind == Kind::Scan || kind == Kind::Sweep;
}

/// The dragged files, if all of them are on this machine.
QStringList localFiles(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls()) {
        if (!url.isLocalFile()) {
            return {};
        }
        paths << url.toLocalFile();
    }
    return paths;
}

}  // namespace

void MainWindow::open(const Options& options) {
    store_.refresh();
    live_->left().setTakesOver(!options.run);  // a window driven by a script follows only its own runs
    devices_->look();
    driven_ = options.driven();
    opener_->setUnattended(driven_);
    editor_->setFocus();  // the keyboard works on the layers
    const bool beside = !options.experiment.isEmpty() && isBeside(kindOf(options.experiment));
    bool crashed = false;
    if (!options.experiment.isEmpty() && !beside) {
        openExperiment(options.experiment);
    } else if (options.driven()) {
        openSample();  // what a script shows must not depend on the last session
    } else if (const auto session = file_.restore()) {
        crashed = session->crashed;
        if (session->sweep) {
            studies_->setSweep(*session->sweep);
        }
    } else {
        openSample();
    }
    sayWhatWasLeft(crashed);
    if (!options.scan.isEmpty() && openProblem_.isEmpty()) {
        opener_->open(options.scan);
    }
    if (!options.labels.isEmpty() && openProblem_.isEmpty()) {
        scan_->labels().open(options.labels);
    }
    if (options.patch > 0 || options.coverage) {
        openProblem_ = openProblem_.isEmpty() ? patches_->whyOnlyScan() : openProblem_;
    }
    if (options.patch > 0) {
        patches_->showPatch(options.patch);
    } else if (options.coverage) {
        patches_->setMode(PatchMode::Coverage);
    }
    if (!options.trace.isEmpty()) {
        traces_->open(options.trace);
    }
    if (beside) {
        openExperiment(options.experiment);
    }
    if (options.claims) {
        studies_->openClaims().choose(options.choose);
    }
    if (options.factorial) {
        studies_->openFactorial().choose(options.choose);
    }
    if (!options.sweep.isEmpty()) {
        SweepWindow& sweep = studies_->openSweep();
        sweep.openFile(options.sweep);
        sweep.choose(options.choose);
    }
    if (!options.plan.isEmpty()) {
        openPlans(options);
    }
    if (studies_->newest() && options.size.isValid()) {
        studies_->newest()->resize(options.size);
    }
}

void MainWindow::openPlans(const Options& options) {
    predictions_->predictFor({options.plan, {}, {}});
    if (live_->controls()->target().choice().id != options.plan) {
        openProblem_ = tr("--plan: there is no device %1 to plan for").arg(options.plan);
        return;
    }
    predictions_->showPlans(this);
    if (options.size.isValid()) {
        predictions_->plans()->resize(options.size);
    }
}

void MainWindow::sayOfFile(widgets::NoticeBar::Kind kind, const QString& text) {
    say(kind, text);
    notices_->setAbout(widgets::NoticeBar::About::File);
}

void MainWindow::openExperiment(const QString& path) {
    const Kind kind = kindOf(path);
    if (kind == Kind::Snapshot) {
        return traces_->openSnapshot(path);
    }
    if (kind == Kind::Network) {
        return importNetwork(path);
    }
    if (kind == Kind::Scan) {
        return opener_->open(path);
    }
    if (kind == Kind::Sweep) {
        return studies_->openSweep().openFile(path);
    }
    if (kind == Kind::Plans) {
        return importPlans(path);
    }
    if (kind == Kind::Weights) {
        openProblem_ = tr("%1 contains weights only, not the network. Open a file written by "
                          "torch.export.save or torch.onnx.export.")
                           .arg(QFileInfo(path).fileName());
        say(widgets::NoticeBar::Kind::Error, openProblem_, tr("How to export…"),
            [this] { showPytorchImport(); });
        notices_->setAbout(widgets::NoticeBar::About::File);
        return;
    }
    const auto opened = file_.open(path);
    openProblem_ = opened ? QString() : QString::fromStdString(opened.error().message);
    if (!openProblem_.isEmpty()) {
        sayOfFile(widgets::NoticeBar::Kind::Error, openProblem_);
    } else if (const auto& info = document_.info(); !info) {
        sayOfFile(widgets::NoticeBar::Kind::Warning, plainError(info.error()));
    }
}

void MainWindow::openSample() {
    auto sample = stack::loadExperiment(base::resourcesFolder() / "samples" / "sample.json");
    if (!sample) {
        openProblem_ = QString::fromStdString(sample.error().message);
        sayOfFile(widgets::NoticeBar::Kind::Error, openProblem_);
        return;
    }
    file_.adopt(tr("Open the sample"), std::move(*sample));
}

/// An empty stack on synthetic input, with default settings. Undo restores what was open.
void MainWindow::newExperiment() {
    stack::Experiment experiment;
    experiment.input = stack::SyntheticInput{};
    file_.adopt(tr("New experiment"), std::move(experiment));
}

void MainWindow::chooseExperiment() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open experiment"),
                                                      widgets::lastFolder("files/experimentFolder"),
                                                      tr("Experiments (*.json *.pt2 *.onnx);;All files (*)"));
    if (path.isEmpty()) {
        return;
    }
    QSettings().setValue("files/experimentFolder", QFileInfo(path).absolutePath());
    openExperiment(path);
}

/// Explains how to import a PyTorch network, and opens the file written from it.
void MainWindow::showPytorchImport() {
    auto* dialog = new PytorchDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &PytorchDialog::docsWanted, this,
            [this](const QString& page) { widgets::showDocs(this, page); });
    connect(dialog, &PytorchDialog::scriptWanted, this, &MainWindow::showScript);
    connect(dialog, &PytorchDialog::openWanted, this, &MainWindow::chooseExperiment);
    dialog->open();
}

void MainWindow::showScript() {
    if (!script_) {
        script_ = new ScriptDialog(store_.folder(), {}, this);
        connect(script_, &ScriptDialog::ended, &store_, &Store::refresh);
        connect(script_, &ScriptDialog::timelineWanted, traces_, &TraceWindows::open);
    }
    script_->show();
    script_->raise();
    script_->activateWindow();
}

void MainWindow::showCases() {
    if (!cases_) {
        cases_ = new CasesDialog(this);
    }
    cases_->show();
    cases_->raise();
    cases_->activateWindow();
}

void MainWindow::showNnunetExport() {
    if (!nnunetExport_) {
        nnunetExport_ = new NnunetExportDialog({}, this);
    }
    nnunetExport_->show();
    nnunetExport_->raise();
    nnunetExport_->activateWindow();
}

/// Imports an archive of torch.export, or an .onnx file. A file that contains weights is not read on the
/// window's thread.
void MainWindow::importNetwork(const QString& path) {
    constexpr qint64 kLarge = 32 * base::kMiB;
    const auto read = [path] { return stack::importNetworkFile(path.toStdString(), {}); };
    if (driven_ || QFileInfo(path).size() < kLarge) {
        return takeNetwork(path, read());
    }
    ++reading_;
    openProblem_.clear();
    sayOfFile(widgets::NoticeBar::Kind::Info, tr("Reading %1…").arg(QFileInfo(path).fileName()));
    store_.worker().run(read, this, [this, path](base::Result<stack::PytorchImport> imported) {
        --reading_;
        takeNetwork(path, std::move(imported));
    });
}

void MainWindow::takeNetwork(const QString& path, base::Result<stack::PytorchImport> imported) {
    openProblem_ = imported ? QString() : QString::fromStdString(imported.error().message);
    if (!imported) {
        sayOfFile(widgets::NoticeBar::Kind::Error, openProblem_);
        return;
    }
    const QString file = QFileInfo(path).fileName();
    file_.adopt(tr("Import %1").arg(file), std::move(imported->experiment));
    file_.remember(path);
    QStringList notes = widgets::fromUtf8(imported->notes);
    sayOfFile(widgets::NoticeBar::Kind::Done, tr("Imported %1. %2").arg(file, notes.join("; ")));
}

void MainWindow::choosePlans() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Import nnU-Net plans"),
                                                      widgets::lastFolder("files/plansFolder"),
                                                      tr("nnU-Net plans (*.json);;All files (*)"));
    if (path.isEmpty()) {
        return;
    }
    QSettings().setValue("files/plansFolder", QFileInfo(path).absolutePath());
    importPlans(path);
}

void MainWindow::importPlans(const QString& path) {
    if (driven_) {  // nobody is there to choose
        auto imported = stack::importNnunetFile(path.toStdString(), {.precision = stack::Precision::Fp32});
        openProblem_ = imported ? QString() : QString::fromStdString(imported.error().message);
        if (imported) {
            file_.adopt(tr("Import %1").arg(QFileInfo(path).fileName()), std::move(imported->experiment));
        } else {
            sayOfFile(widgets::NoticeBar::Kind::Error, openProblem_);
        }
        return;
    }
    NnunetDialog dialog(path, live_->controls()->target().choice().id != "cpu", this);
    if (!dialog.problem().isEmpty()) {
        sayOfFile(widgets::NoticeBar::Kind::Error, dialog.problem());
        return;
    }
    if (dialog.exec() != QDialog::Accepted || !dialog.imported()) {
        return;
    }
    file_.adopt(tr("Import %1").arg(QFileInfo(path).fileName()), dialog.imported()->experiment);
    file_.remember(path);
    QStringList notes = widgets::fromUtf8(dialog.imported()->notes);
    sayOfFile(widgets::NoticeBar::Kind::Done,
              tr("Imported %1. %2").arg(QFileInfo(path).fileName(), notes.join("; ")));
}

bool MainWindow::save() {
    if (file_.path().isEmpty()) {
        return saveAs();
    }
    return saveTo(file_.path());
}

bool MainWindow::saveTo(const QString& path) {
    const auto saved = file_.save(path);
    if (saved) {
        notices_->withdraw({widgets::NoticeBar::About::File});  // the message that it could not be saved
    } else {
        sayOfFile(widgets::NoticeBar::Kind::Error, QString::fromStdString(saved.error().message));
    }
    return saved.ok();
}

bool MainWindow::saveAs() {
    QString name = file_.title();
    if (!name.endsWith(".json")) {
        name += ".json";
    }
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save experiment"), widgets::lastFolder("files/experimentFolder") + '/' + name,
        tr("Experiments (*.json)"));
    if (path.isEmpty()) {
        return false;
    }
    QSettings().setValue("files/experimentFolder", QFileInfo(path).absolutePath());
    return saveTo(path);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QStringList paths = localFiles(event->mimeData());
    if (paths.isEmpty()) {
        return;
    }
    event->acceptProposedAction();
    openDropped(paths);
}

void MainWindow::openDropped(const QStringList& paths) {
    const QString& first = paths.front();
    if (paths.size() == 1 && (first.endsWith(".json", Qt::CaseInsensitive) || isSnapshotName(first) ||
                              isNetworkFile(first) || isWeightsFile(first))) {
        openExperiment(first);
    } else {
        opener_->openAll(paths);
    }
}

}  // namespace highwater::desktop
