#include "app/desktop/scan/series_dialog.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/scan/cases/case_words.h"
#include "app/desktop/scan/cases/cohort_values.h"
#include "app/desktop/scan/cases/series_list.h"
#include "app/desktop/scan/scan_listing.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"

namespace highwater::desktop {

namespace {
constexpr auto kSeriesGeometry = "series/geometry";
}

std::vector<SeriesChoice> choicesOf(const FolderView& view) {
    std::vector<SeriesChoice> choices;
    const std::string folder = view.folder.toStdString();
    for (const scan::Series& series : view.contents.series) {
        choices.push_back({rowOf(series), {folder, series.id, 0}});
    }
    for (const std::string& name : view.contents.scans) {
        const std::string path = QDir(view.folder).filePath(QString::fromStdString(name)).toStdString();
        choices.push_back({rowOf(path, name), {path, {}, 0}});
    }
    for (const std::string& line : view.contents.unread) {
        choices.push_back({unreadRow(line), {}});
    }
    return choices;
}

std::vector<SeriesChoice> choicesOf(const QStringList& files) {
    std::vector<SeriesChoice> choices;
    for (const QString& file : files) {
        const QFileInfo info(file);
        const std::string path = info.absoluteFilePath().toStdString();
        choices.push_back({rowOf(path, info.fileName().toStdString()), {path, {}, 0}});
    }
    return choices;
}

SeriesDialog::SeriesDialog(const QString& title, std::vector<SeriesChoice> choices, QWidget* parent)
    : QDialog(parent),
      choices_(std::move(choices)),
      list_(new SeriesList(this)),
      note_(new QLabel(this)),
      hint_(new widgets::ElidedLabel(this)) {
    setWindowTitle(title);
    setModal(true);
    note_->setObjectName("Note");
    note_->setTextFormat(Qt::PlainText);
    note_->setProperty("muted", true);
    note_->setWordWrap(true);
    note_->setContentsMargins(12, 8, 12, 0);
    note_->hide();
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(list_, 1);
    layout->addWidget(note_);
    layout->addLayout(makeButtons());
    connect(list_, &SeriesList::selectionChanged, this, &SeriesDialog::refresh);
    connect(list_, &SeriesList::chosen, this, &SeriesDialog::openSelected);
    connect(list_, &SeriesList::scrolled, this, &SeriesDialog::wantPictures);
    const auto update = [this](const QString& id, auto change) {
        for (const SeriesRow& row : list_->rows()) {
            if (row.id == id) {
                SeriesRow changed = row;
                change(changed);
                list_->update(changed);
                refresh();
                return;
            }
        }
    };
    connect(&pictures_, &PictureLoader::header, this, [update](const QString& id, const auto& header) {
        update(id, [&](SeriesRow& row) { fill(row, header); });
    });
    connect(&pictures_, &PictureLoader::picture, this, [update](const QString& id, const QImage& picture) {
        update(id, [&](SeriesRow& row) { row.picture = picture; });
    });
    connect(&pictures_, &PictureLoader::failed, this, [update](const QString& id, const QString& message) {
        update(id, [&](SeriesRow& row) { row.problem = message; });
    });
    std::vector<SeriesRow> rows;
    for (const SeriesChoice& choice : choices_) {
        rows.push_back(choice.row);
    }
    resize(widgets::onScreen(*this, {980, 480}));
    restoreGeometry(QSettings().value(kSeriesGeometry).toByteArray());
    list_->setRows(std::move(rows));
    list_->view().setFocus();
    refresh();
}

SeriesDialog::~SeriesDialog() {
    QSettings().setValue(kSeriesGeometry, saveGeometry());
}

QLayout* SeriesDialog::makeButtons() {
    open_ = new QPushButton(tr("Open"), this);
    open_->setObjectName("Open");
    open_->setProperty("primary", true);
    open_->setDefault(true);
    channels_ = new QPushButton(tr("As channels"), this);
    channels_->setObjectName("As channels");
    cohort_ = new QPushButton(this);
    cohort_->setObjectName("As a cohort");
    cohort_->hide();
    auto* cancel = new QPushButton(tr("Cancel"), this);
    hint_->setMuted(true);
    auto* row = widgets::makeLayout<QHBoxLayout>(nullptr, 8, {12, 10, 12, 12});
    row->addWidget(hint_, 1);
    row->addWidget(cohort_);
    row->addWidget(channels_);
    row->addWidget(open_);
    row->addWidget(cancel);
    connect(open_, &QPushButton::clicked, this, &SeriesDialog::openSelected);
    connect(channels_, &QPushButton::clicked, this, &SeriesDialog::openChannels);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(cohort_, &QPushButton::clicked, this, [this] {
        accept();
        emit cohortRequested();
    });
    return row;
}

void SeriesDialog::setNote(const QString& note) {
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
}

void SeriesDialog::offerCohort(qint64 cases) {
    cohort_->setVisible(cases > 1);
    cohort_->setText(tr("As a cohort of %1 cases").arg(cases));
    cohort_->setToolTip(tr("Each scan is one case: shows all of them in a table"));
}

void SeriesDialog::selectAll() {
    list_->view().selectAll();
}

const SeriesChoice* SeriesDialog::choice(const QString& id) const {
    const auto at =
        std::find_if(choices_.begin(), choices_.end(), [&](const auto& c) { return c.row.id == id; });
    return at == choices_.end() ? nullptr : &*at;
}

void SeriesDialog::openSelected() {
    const QStringList ids = list_->selectedIds();
    if (ids.size() > 1) {
        return openChannels();
    }
    const SeriesChoice* one = choice(ids.value(0));
    if (!one) {
        return;
    }
    accept();
    emit opened({one->source});
}

void SeriesDialog::openChannels() {
    if (!channels_->isEnabled()) {
        return;
    }
    std::vector<stack::ScanSource> sources;
    for (const QString& id : list_->selectedIds()) {
        sources.push_back(choice(id)->source);
    }
    accept();
    emit opened(sources);
}

void SeriesDialog::refresh() {
    const auto rows = list_->selectedRows();
    open_->setEnabled(rows.size() == 1);
    const QString whyNot = whyNotChannels(rows);
    channels_->setEnabled(whyNot.isEmpty());
    channels_->setToolTip(whyNot.isEmpty()
                              ? tr("The selected ones are the channels of one case, in the list's order")
                              : whyNot);
    hint_->setText(rows.size() > 1
                       ? whyNot.isEmpty() ? tr("%1 selected, on one grid").arg(rows.size()) : whyNot
                   : rows.empty() ? tr("Choose one to open; several can be channels")
                                  : tr("Ctrl or Shift selects several, as channels"));
    (whyNot.isEmpty() ? channels_ : open_)->setDefault(true);
}

/// Headers first, because they are fast to read; then the visible pictures.
void SeriesDialog::wantPictures() {
    std::vector<PictureLoader::Item> items;
    for (const SeriesChoice& one : choices_) {
        if (one.row.problem.isEmpty() && one.row.size == std::array<qint64, 3>{}) {
            items.push_back({one.row.id, one.source, false});
        }
    }
    for (const QString& id : list_->missingPictures()) {
        items.push_back({id, choice(id)->source, true});
    }
    pictures_.want(std::move(items));
}

}  // namespace highwater::desktop

#include "moc_series_dialog.cpp"
