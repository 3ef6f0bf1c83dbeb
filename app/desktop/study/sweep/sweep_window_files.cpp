#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QSettings>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "app/desktop/experiment/target/predictor.h"
#include "app/desktop/run/report_file.h"
#include "app/desktop/study/sweep/sweep_panel.h"
#include "app/desktop/study/sweep/sweep_window.h"
#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/json_reader.h"
#include "core/report/sweep_csv.h"
#include "core/report/sweep_report.h"
#include "widgets/controls/last_folder.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/plot/picture.h"
#include "widgets/theme/utf8.h"

/// SweepWindow: opening and saving, and the studies of the store.
namespace highwater::desktop {

namespace {

constexpr auto kSweepFolder = "files/sweepFolder";

QString problemOf(const base::Status& status) {
    return status ? QString() : widgets::fromUtf8(status.error().message);
}

/// Appends the suffix of the selected filter, "Table (*.csv)", to a name without one.
QString withEnding(const QString& file, const QString& filter) {
    const qsizetype from = filter.indexOf("*.");
    return QFileInfo(file).suffix().isEmpty() && from >= 0
               ? file + filter.mid(from + 1, filter.indexOf(')', from) - from - 1)
               : file;
}

}  // namespace

void SweepWindow::openFile(const QString& path) {
    if (running()) {
        return fail(tr("A sweep is in progress here. Cancel it first."));
    }
    opening_ = true;
    clearProblem();
    notices().dismiss();
    reader_.run([path] { return readSweepFile(path.toStdString()); }, this,
                [this, path](base::Result<SweepFile> read) { takeFile(path, std::move(read)); });
}

void SweepWindow::takeFile(const QString& path, base::Result<SweepFile> read) {
    opening_ = false;
    if (!read) {
        const QString problem = widgets::fromUtf8(read.error().message);
        if (state_.cells.empty()) {
            panel_->setMessage(problem, true);
        }
        return fail(problem);
    }
    if (running()) {
        return;  // one was started meanwhile
    }
    source_ = Source::File;
    sourceName_ = QFileInfo(path).fileName();
    base_ = read->sweep;
    choiceLater_.stop();
    quiet_ = true;
    panel_->setup().setChoice(choiceOf(read->sweep, panel_->setup().choice().steps));
    quiet_ = false;
    state_ = {};
    if (read->result) {
        showResult(std::move(*read->result));
    }
    offer();
}

/// Shows the measurements; the other cells are predicted for the device of the measured ones, if it is known.
void SweepWindow::showResult(study::SweepResult result) {
    forecast_.stop();
    state_ = {std::move(result.sweep), std::move(result.cells), std::move(result.measured), {}, {}};
    showRows();
    showCount({}, -1);
    const auto done =
        std::find_if(state_.measured.begin(), state_.measured.end(), [](const study::Measured& m) {
            return m.status == wire::RunStatus::Done && !m.result.environment.device.empty();
        });
    std::vector<bool> known;
    for (const study::Measured& m : state_.measured) {
        known.push_back(!m.name.empty());
    }
    if (source_ == Source::Study || done == state_.measured.end() ||
        std::find(known.begin(), known.end(), false) == known.end()) {
        return;
    }
    const wire::Environment& environment = done->result.environment;
    if (const TargetChoice choice = targetOfRun(environment); !choice.id.isEmpty()) {
        estimatedFor_ = tr("the device of the measured cells");
        forecast_.start(state_.cells, std::move(known), {choice, environment.device != "cpu"});
    }
}

void SweepWindow::openStudy(const QString& id) {
    if (running()) {
        return fail(tr("A sweep is in progress here. Cancel it first."));
    }
    study::SweepResult result = resultOf(store_.rows(), id.toStdString());
    if (result.cells.empty()) {
        return fail(tr("No run of that study has completed."));
    }
    clearProblem();
    source_ = Source::Study;
    sourceName_ = widgets::fromUtf8(result.sweep.name);
    choiceLater_.stop();
    quiet_ = true;
    panel_->setup().setChoice(choiceOf(result.sweep, panel_->setup().choice().steps));
    quiet_ = false;
    showResult(std::move(result));
    showSource();
}

void SweepWindow::vary(const SweepAxisEdit& axis) {
    if (running()) {
        return fail(tr("A sweep is in progress here. Cancel it first."));
    }
    if (source_ != Source::Composed) {
        compose();
    }
    panel_->setup().axes().addOrEdit(axis);
}

void SweepWindow::compose() {
    if (running()) {
        return fail(tr("A sweep is in progress here. Cancel it first."));
    }
    const bool mine = source_ == Source::Composed;
    source_ = Source::Composed;
    state_ = {};
    clearProblem();
    if (!mine) {
        quiet_ = true;
        panel_->setup().setChoice({{}, 0, panel_->setup().choice().repeats, panel_->setup().choice().steps});
        quiet_ = false;
    }
    offer();
}

LossOf SweepWindow::losses() const {
    const auto byId = std::make_shared<std::unordered_map<std::string, double>>();
    return [this, byId](const std::string& id) -> std::optional<double> {
        if (byId->empty()) {
            for (const runs::RunSummary& row : store_.rows()) {
                if (row.loss) {
                    (*byId)[row.id] = *row.loss;
                }
            }
        }
        const auto at = byId->find(id);
        return at == byId->end() ? std::nullopt : std::optional(at->second);
    };
}

study::SweepResult SweepWindow::resultNow() const {
    return study::evaluate(state_.sweep, state_.cells, state_.measured);
}

QString SweepWindow::saveTo(const QString& file) const {
    if (state_.cells.empty()) {
        return tr("There is nothing to save yet. Make a sweep or open one.");
    }
    const QString ending = QFileInfo(file).suffix().toLower();
    if (ending == "csv") {
        return problemOf(base::writeFileAtomically(file.toStdString(), report::sweepCsv(resultNow())));
    }
    if (ending == "json") {
        if (source_ == Source::Study) {
            return tr(
                "The run store does not contain the sweep that these runs came from; save them as .csv.");
        }
        const std::string json = base::jsonText(study::toJson(resultNow()), 2);
        return problemOf(base::writeFileAtomically(file.toStdString(), json + '\n'));
    }
    if (ending != "png" && ending != "svg" && ending != "pdf") {
        return tr("%1: its name must end in .csv or .json for the cells, .png, .svg or .pdf for the view.")
            .arg(file);
    }
    return problemOf(widgets::savePicture(panel_->views().chart(), file));
}

QString SweepWindow::saveSweep(const QString& file) const {
    return problemOf(base::writeJson(file.toStdString(), study::toJson(state_.sweep)));
}

void SweepWindow::chooseOpen() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a sweep"), widgets::lastFolder(kSweepFolder), tr("Sweeps and their results (*.json)"));
    if (!path.isEmpty()) {
        QSettings().setValue(kSweepFolder, QFileInfo(path).absolutePath());
        openFile(path);
    }
}

void SweepWindow::chooseExport() {
    if (state_.cells.empty()) {
        return;
    }
    QString chosen;
    const QStringList filters = {tr("Table of the cells (*.csv)"), tr("All measurements (*.json)"),
                                 tr("Picture of the view (*.png)"), tr("Drawing of the view (*.svg)"),
                                 tr("Page of the view (*.pdf)")};
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the sweep"),
                                                      widgets::lastFolder(kSweepFolder) + "/sweep.csv",
                                                      filters.join(";;"), &chosen);
    if (file.isEmpty()) {
        return;
    }
    const QString named = withEnding(file, chosen);
    QSettings().setValue(kSweepFolder, QFileInfo(named).absolutePath());
    if (const QString problem = saveTo(named); !problem.isEmpty()) {
        fail(problem);
    } else {
        notices().show(widgets::NoticeBar::Kind::Done, tr("Saved %1.").arg(named));
    }
}

void SweepWindow::chooseReport() {
    if (const QString file = state_.cells.empty() ? QString() : askReportFile(this); !file.isEmpty()) {
        saveReport(file);
    }
}

void SweepWindow::saveReport(const QString& file) {
    writeReport(
        file,
        [sweep = state_.sweep, cells = state_.cells, measured = state_.measured](
            const std::filesystem::path& path, const report::Stop& stop) {
            const report::SweepInput input{study::evaluate(sweep, cells, measured), base::isoNow()};
            return report::write(report::contentOf(input), path, stop);
        },
        reader_, this, sayIn(notices()));
}

void SweepWindow::chooseSweepFile() {
    const QString filter = tr("Sweep (*.json)");
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save the sweep itself"), widgets::lastFolder(kSweepFolder) + "/sweep.json", filter);
    if (file.isEmpty()) {
        return;
    }
    const QString named = withEnding(file, filter);
    QSettings().setValue(kSweepFolder, QFileInfo(named).absolutePath());
    if (const QString problem = saveSweep(named); !problem.isEmpty()) {
        fail(problem);
    } else {
        notices().show(widgets::NoticeBar::Kind::Done,
                       tr("Saved %1. highwater-cli sweep runs it without a window.").arg(named));
    }
}

void SweepWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) {
        event->acceptProposedAction();
    }
}

void SweepWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    openFile(event->mimeData()->urls().front().toLocalFile());
}

}  // namespace highwater::desktop
