#include "app/desktop/run/runs_page.h"

#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <QUrl>
#include <algorithm>

#include "app/desktop/run/compare_dialog.h"
#include "app/desktop/window/text.h"
#include "core/base/id.h"
#include "core/base/text.h"
#include "core/report/report.h"
#include "core/runs/compare.h"
#include "core/scan/scan_client.h"
#include "widgets/runs/runs_table.h"

namespace highwater::desktop {

namespace {

constexpr std::size_t kMostCompared = 12;

std::vector<std::string> toIds(const QStringList& list) {
    std::vector<std::string> ids;
    for (const QString& id : list) {
        ids.push_back(id.toStdString());
    }
    return ids;
}

widgets::RunState toState(wire::RunStatus status) {
    switch (status) {
        case wire::RunStatus::Running:
            return widgets::RunState::Running;
        case wire::RunStatus::Done:
            return widgets::RunState::Done;
        case wire::RunStatus::Cancelled:
            return widgets::RunState::Cancelled;
        case wire::RunStatus::OutOfMemory:
            return widgets::RunState::OutOfMemory;
        case wire::RunStatus::Failed:
            break;
    }
    return widgets::RunState::Failed;
}

/// "−9.1 % memory, +14.8 % time"; a difference whose intervals overlap is called noise.
QString difference(const runs::RunSummary& run, const runs::RunSummary& baseline) {
    QStringList parts;
    if (run.peakAllocated > 0 && baseline.peakAllocated > 0) {
        parts << QObject::tr("%1 memory")
                     .arg(text(runs::changeText(static_cast<double>(run.peakAllocated) /
                                                static_cast<double>(baseline.peakAllocated))));
    }
    if (run.stepMs.n > 0 && baseline.stepMs.n > 0) {
        const bool noise = run.stepMs.low <= baseline.stepMs.high && baseline.stepMs.low <= run.stepMs.high;
        parts << (noise ? QObject::tr("time within the noise")
                        : QObject::tr("%1 time").arg(
                              text(runs::changeText(run.stepMs.median / baseline.stepMs.median))));
    }
    return parts.join(", ");
}

widgets::RunRow toRow(const runs::RunSummary& run, const runs::RunSummary* baseline) {
    widgets::RunRow row;
    row.number = run.number;
    row.id = QString::fromStdString(run.id);
    row.name = QString::fromStdString(run.name);
    row.device = QString::fromStdString(run.device);
    row.batch = run.batchSize;
    row.patch = QString::fromStdString(base::formatShapeShort(run.patch));
    row.peak = run.peakAllocated;
    row.stepMs = run.stepMs.median;
    row.stepPlusMinus = (run.stepMs.high - run.stepMs.low) / 2;
    row.state = toState(run.status);
    row.message = QString::fromStdString(run.message);
    if (baseline) {
        row.against = baseline->id == run.id ? QStringLiteral("—") : difference(run, *baseline);
    }
    return row;
}

/// Puts the first run's scan into the report, read anew: it may be another than the one on show.
void addScan(report::ReportInput& report) {
    const auto* input = std::get_if<stack::ScanInput>(&report.runs.front().experiment.input);
    if (!input || input->scans.empty()) {
        return;
    }
    scan::ReadOptions options;
    options.series = input->scans.front().series;
    options.volume = input->scans.front().volume;
    if (auto volume = scan::readScan(input->scans.front().path, options)) {
        report.scan = std::move(*volume);
    } else {
        report.scanNote = volume.error().message;
    }
}

}  // namespace

RunsPage::RunsPage(Store& store, QObject* parent)
    : QObject(parent), store_(store), table_(new widgets::RunsTable) {
    using widgets::RunsTable;
    connect(&store_, &Store::rowsChanged, this, &RunsPage::fill);
    connect(table_, &RunsTable::activated, this, [this](const QString& id) {
        withRecords({id.toStdString()},
                    [this](std::vector<runs::RunRecord> records) { emit showRequested(records.front()); });
    });
    connect(table_, &RunsTable::openRequested, this, [this](const QString& id) {
        withRecords({id.toStdString()}, [this](std::vector<runs::RunRecord> records) {
            emit openAgainRequested(records.front());
        });
    });
    connect(table_, &RunsTable::selectionChanged, this, &RunsPage::chooseBaseline);
    connect(table_, &RunsTable::compareRequested, this,
            [this](const QStringList& ids) { compare(toIds(ids)); });
    connect(table_, &RunsTable::reportRequested, this,
            [this](const QStringList& ids) { chooseReport(toIds(ids)); });
    connect(table_, &RunsTable::memoryRequested, this, [this](const QStringList& ids) {
        emit memoryRequested(ids.front().toStdString(),
                             ids.size() == 2 ? ids.back().toStdString() : std::string());
    });
    connect(table_, &RunsTable::deleteRequested, this,
            [this](const QStringList& ids) { confirmDelete(toIds(ids)); });
}

void RunsPage::fill() {
    const auto& summaries = store_.rows();
    const auto found = std::find_if(summaries.begin(), summaries.end(),
                                    [&](const runs::RunSummary& run) { return run.id == baseline_; });
    const runs::RunSummary* baseline = found == summaries.end() ? nullptr : &*found;
    std::vector<widgets::RunRow> rows;
    rows.reserve(summaries.size());
    for (const runs::RunSummary& run : summaries) {
        rows.push_back(toRow(run, baseline));
    }
    table_->setAgainstTitle(baseline ? tr("against #%1").arg(baseline->number) : QString());
    table_->setRows(std::move(rows));
}

/// The oldest selected run is what the others are held against.
void RunsPage::chooseBaseline(const QStringList& selected) {
    std::string oldest;
    for (const runs::RunSummary& run : store_.rows()) {
        if (selected.contains(QString::fromStdString(run.id))) {
            oldest = run.id;
            break;
        }
    }
    if (oldest == baseline_) {
        return;
    }
    baseline_ = oldest;
    fill();
}

std::vector<std::string> RunsPage::selectedIds() const {
    return toIds(table_->selectedIds());
}

void RunsPage::withRecords(const std::vector<std::string>& ids,
                           std::function<void(std::vector<runs::RunRecord>)> then) {
    store_.load(ids, [this, then = std::move(then)](base::Result<std::vector<runs::RunRecord>> records) {
        if (records && !records->empty()) {
            then(std::move(*records));
        } else if (!records) {
            emit notice(NoticeBar::Kind::Error, QString::fromStdString(records.error().message));
        }
    });
}

void RunsPage::compare(const std::vector<std::string>& ids) {
    if (ids.size() < 2 || ids.size() > kMostCompared) {
        emit notice(NoticeBar::Kind::Warning, tr("Select 2 to %1 runs to compare them.").arg(kMostCompared));
        return;
    }
    withRecords(ids, [this](std::vector<runs::RunRecord> records) {
        auto* dialog = new CompareDialog(records, table_->window());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->show();
    });
}

void RunsPage::chooseReport(const std::vector<std::string>& ids) {
    if (ids.empty()) {
        return;
    }
    QSettings settings;
    const QString folder = settings.value("files/reportFolder").toString();
    const QString file =
        QFileDialog::getSaveFileName(table_->window(), tr("Save report"), folder + "/highwater-report.html",
                                     tr("Report (*.html);;Table (*.csv);;Data (*.json)"));
    if (file.isEmpty()) {
        return;
    }
    settings.setValue("files/reportFolder", QFileInfo(file).absolutePath());
    emit notice(NoticeBar::Kind::Info, tr("Writing the report…"));
    saveReport(ids, file, [this, file](const QString& problem) {
        if (!problem.isEmpty()) {
            emit notice(NoticeBar::Kind::Error, problem);
            return;
        }
        emit notice(NoticeBar::Kind::Info, tr("Report saved: %1").arg(file), tr("Open"),
                    [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
    });
}

void RunsPage::saveReport(const std::vector<std::string>& ids, const QString& file,
                          std::function<void(QString)> then) {
    store_.load(
        ids, [this, file, then = std::move(then)](base::Result<std::vector<runs::RunRecord>> records) {
            if (!records) {
                then(QString::fromStdString(records.error().message));
                return;
            }
            const auto work = [records = std::move(*records), path = file.toStdString()]() -> QString {
                report::ReportInput input;
                input.runs = records;
                input.created = base::isoNow();
                addScan(input);
                const auto written = report::write(input, path);
                return written ? QString() : QString::fromStdString(written.error().message);
            };
            store_.worker().run(work, this, then);
        });
}

void RunsPage::confirmDelete(const std::vector<std::string>& ids) {
    const QString question =
        ids.size() == 1 ? tr("Delete this run and everything measured in it?")
                        : tr("Delete these %1 runs and everything measured in them?").arg(ids.size());
    if (QMessageBox::question(table_->window(), tr("Delete runs"), question) == QMessageBox::Yes) {
        store_.remove(ids);
    }
}

}  // namespace highwater::desktop

#include "moc_runs_page.cpp"
