#include "app/desktop/run/runs_page.h"

#include <QMessageBox>
#include <QPushButton>
#include <algorithm>

#include "app/desktop/run/compare_dialog.h"
#include "app/desktop/run/peak_lines.h"
#include "app/desktop/run/report_file.h"
#include "app/desktop/run/run_rows.h"
#include "app/desktop/run/runs_columns.h"
#include "app/desktop/run/runs_preview.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "core/base/id.h"
#include "core/runs/filter.h"
#include "core/scan/scan_client.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr std::size_t kMostCompared = 12;
constexpr qsizetype kMostPeakLines = 15;

std::vector<std::string> toIds(const QStringList& list) {
    std::vector<std::string> ids;
    for (const QString& id : list) {
        ids.push_back(id.toStdString());
    }
    return ids;
}

/// Adds the first run's scan to the report, read again because another scan may be shown.
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
    : QObject(parent), store_(store), table_(new RunsTable), preview_(new RunsPreview(store, this)) {
    table_->setFilters([this](const QString& line) { return filterOf(line); });
    connect(&store_, &Store::rowsChanged, this, &RunsPage::fill);
    const auto sayUnknown = [this] { table_->view().setUnknown(store_.unknown()); };
    connect(&store_, &Store::unknownChanged, this, sayUnknown);
    sayUnknown();
    connect(preview_, &RunsPreview::shown, this, &RunsPage::previewRequested);
    connect(preview_, &RunsPreview::losses, this, [this](const std::vector<widgets::LossCurve>& curves) {
        showColors(curves);
        emit lossesSelected(curves);
    });
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, preview_,
            &RunsPreview::follow);
    connectTable();
}

void RunsPage::connectTable() {
    connect(table_, &RunsTable::activated, this, [this](const QString& id) {
        withRecords({id.toStdString()},
                    [this](std::vector<runs::RunRecord> records) { emit openRequested(records.front()); });
    });
    connect(table_, &RunsTable::selectionChanged, this, [this](const QStringList& ids) {
        showBaseline();
        preview_->select(toIds(ids));
        emit selectionChanged();
    });
    connect(&table_->view(), &QAbstractItemView::clicked, preview_, &RunsPreview::again);
    connect(table_, &RunsTable::compareRequested, this,
            [this](const QStringList& ids) { compare(toIds(ids)); });
    connect(table_, &RunsTable::reportRequested, this,
            [this](const QStringList& ids) { chooseReport(toIds(ids)); });
    connect(table_, &RunsTable::memoryRequested, this,
            [this](const QStringList& ids) { emit memoryRequested(toIds(ids)); });
    connect(table_, &RunsTable::edited, this, &RunsPage::keepEdit);
    connect(table_, &RunsTable::tagWanted, this, [this](const QStringList& ids, const QString& tag, bool on) {
        const std::vector<std::string> tags = {tag.toStdString()};
        label(toIds(ids),
              on ? runs::LabelChange{{}, {}, {}, tags, {}} : runs::LabelChange{{}, {}, {}, {}, tags});
    });
    connect(table_, &RunsTable::giveUpRequested, this,
            [this](const QString& id) { emit giveUpRequested(id.toStdString()); });
    connect(table_, &RunsTable::deleteRequested, this,
            [this](const QStringList& ids) { confirmDelete(toIds(ids)); });
}

const runs::RunSummary* RunsPage::row(const QString& id) const {
    const auto at = places_.constFind(id);
    return at != places_.constEnd() && *at < store_.rows().size() ? &store_.rows()[*at] : nullptr;
}

void RunsPage::fill() {
    const auto& summaries = store_.rows();
    places_.clear();
    std::vector<RunRow> rows;
    rows.reserve(summaries.size());
    for (const runs::RunSummary& run : summaries) {
        places_.insert(widgets::fromUtf8(run.id), rows.size());
        rows.push_back(toRow(run));
        if (rows.back().id == followed_ && !left_.isEmpty() && !rows.back().progress.isEmpty()) {
            rows.back().progress = left_;
        }
    }
    table_->setRows(std::move(rows));
    table_->refilter();
    preview_->follow();
}

void RunsPage::setLeft(const QString& id, const QString& left) {
    followed_ = id;
    left_ = left;
    const runs::RunSummary* run = row(id);
    if (run && run->status == wire::RunStatus::Running && !left.isEmpty()) {
        table_->setProgress(id, left);
    }
}

/// The run that was selected first is the baseline.
void RunsPage::showBaseline() {
    const QStringList selected = table_->selectedIds();
    const std::string first = selected.isEmpty() ? std::string() : selected.front().toStdString();
    if (first == baseline_) {
        return;
    }
    baseline_ = first;
    const runs::RunSummary* baseline = row(widgets::fromUtf8(first));
    if (!baseline) {
        return table_->setAgainst({});
    }
    table_->setAgainst(tr("against #%1").arg(baseline->number), [this](const QString& id) {
        const runs::RunSummary* run = row(id);
        const runs::RunSummary* against = row(widgets::fromUtf8(baseline_));
        return run && against && run != against ? difference(*run, *against) : QString();
    });
}

RunsFilter RunsPage::filterOf(const QString& line) const {
    auto filter = runs::Filter::parse(line.toStdString());
    if (!filter) {
        return {{}, widgets::fromUtf8(filter.error().message)};
    }
    if (filter->empty()) {
        return {};
    }
    return {[this, shared = std::make_shared<runs::Filter>(std::move(*filter))](const QString& id) {
        const runs::RunSummary* run = row(id);
        return run && shared->matches(*run);
    }};
}

void RunsPage::keepEdit(const QString& id, RunColumn column, const QString& written) {
    runs::LabelChange change;
    if (column == RunColumn::Tags) {
        auto tags = runs::parseTags(written.toStdString());
        if (!tags) {
            emit notice(widgets::NoticeBar::Kind::Error, widgets::fromUtf8(tags.error().message));
            return;
        }
        change.tags = std::move(*tags);
    } else {
        (column == RunColumn::Note ? change.note : change.name) = written.toStdString();
    }
    label({id.toStdString()}, change);
}

void RunsPage::label(const std::vector<std::string>& ids, const runs::LabelChange& change) {
    store_.label(ids, change, [this](const std::string& problem) {
        if (!problem.empty()) {
            emit notice(widgets::NoticeBar::Kind::Error,
                        tr("The run was not changed: %1").arg(widgets::fromUtf8(problem)));
        }
    });
}

/// Shows the colors of the lines in the loss plot.
void RunsPage::showColors(const std::vector<widgets::LossCurve>& curves) {
    QHash<QString, QColor> colors;
    for (const widgets::LossCurve& curve : curves) {
        if (!curve.losses.empty()) {
            colors.insert(curve.id, widgets::curveColor(curve.color));
        }
    }
    table_->setColors(colors);
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
            emit notice(widgets::NoticeBar::Kind::Error, QString::fromStdString(records.error().message));
        }
    });
}

void RunsPage::compare(const std::vector<std::string>& ids) {
    if (ids.size() < 2 || ids.size() > kMostCompared) {
        emit notice(widgets::NoticeBar::Kind::Warning,
                    tr("Select 2 to %1 runs to compare them.").arg(kMostCompared));
        return;
    }
    withRecords(ids, [this](const std::vector<runs::RunRecord>& records) {
        const auto show = [this, records](const QList<QStringList>& lines) {
            auto* dialog = new CompareDialog(records, lines, table_->window());
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->show();
        };
        if (!std::ranges::any_of(records,
                                 [](const runs::RunRecord& run) { return run.script.has_value(); })) {
            return show({});
        }
        const auto read = [records, folder = store_.folder() / "runs"] {
            std::vector<std::vector<script::PeakOwner>> lines;
            for (const runs::RunRecord& run : records) {
                lines.push_back(run.script ? linesAtPeak(folder / run.summary.id)
                                           : std::vector<script::PeakOwner>());
            }
            return peakLineRows(lines, kMostPeakLines);
        };
        store_.worker().run(read, this, show);
    });
}

void RunsPage::chooseReport(const std::vector<std::string>& ids, const report::Format& format) {
    const QString file = ids.empty() ? QString() : askReportFile(table_->window(), format);
    if (file.isEmpty()) {
        return;
    }
    const ReportProgress progress = beginReport(
        file, [this](widgets::NoticeBar::Kind kind, const QString& text, const QString& action,
                     std::function<void()> act) { emit notice(kind, text, action, std::move(act)); });
    saveReport(ids, file, progress.end, progress.stop);
}

void RunsPage::saveReport(const std::vector<std::string>& ids, const QString& file,
                          std::function<void(QString)> then, std::shared_ptr<const std::atomic<bool>> stop) {
    store_.load(ids, [this, file, then = std::move(then),
                      stop = std::move(stop)](base::Result<std::vector<runs::RunRecord>> records) {
        if (!records) {
            then(QString::fromStdString(records.error().message));
            return;
        }
        const auto work = [records = std::move(*records), path = file.toStdString(), stop]() -> QString {
            report::ReportInput input;
            input.runs = records;
            input.created = base::isoNow();
            if (const report::Format* format = report::formatOf(path); format && format->pictures) {
                addScan(input);
            }
            const auto written = report::write(input, path, [&stop] { return stop && *stop; });
            return written ? QString() : QString::fromStdString(written.error().message);
        };
        store_.worker().run(work, this, then);
    });
}

void RunsPage::confirmDelete(const std::vector<std::string>& ids) {
    const runs::RunSummary* first = row(widgets::fromUtf8(ids.front()));
    const QString question =
        ids.size() == 1 && first
            ? tr("Delete run #%1 and everything measured in it?").arg(first->number)
            : tr("Delete these %1 runs and everything measured in them?").arg(ids.size());
    QMessageBox box(QMessageBox::Question, tr("Delete runs"), question, QMessageBox::NoButton,
                    table_->window());
    box.setInformativeText(tr("This cannot be undone."));
    auto* remove = box.addButton(tr("Delete"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    if (box.clickedButton() == remove) {
        store_.remove(ids);
        emit deleted(ids);
    }
}

}  // namespace highwater::desktop

#include "moc_runs_page.cpp"
