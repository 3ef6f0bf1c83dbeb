#include "app/desktop/scan/header_window.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/table_model.h"

namespace highwater::desktop {

namespace {

constexpr auto kHeaderGeometry = "header/geometry";
enum Column { kTag, kName, kVr, kValue, kColumns };

QString asText(const std::string& text) {
    return QString::fromStdString(text);
}

}  // namespace

/// The rows in the order of the file; elements of sequences are indented.
class HeaderModel : public widgets::TableModel<scan::HeaderRow> {
public:
    explicit HeaderModel(QObject* parent)
        : TableModel(
              {{HeaderWindow::tr("Tag"), HeaderWindow::tr("Group and element, hexadecimal")},
               {HeaderWindow::tr("Name"),
                HeaderWindow::tr("From the DICOM dictionary; private elements have none")},
               {HeaderWindow::tr("VR"), HeaderWindow::tr("Value representation: the type of the value")},
               {HeaderWindow::tr("Value"),
                HeaderWindow::tr("For pixel data and other binary values, only their size")}},
              parent) {}
    using TableModel::resetRows;

private:
    QString text(const scan::HeaderRow& row, int column) const override {
        switch (column) {
            case kTag:
                return QString(static_cast<int>(2 * row.depth), ' ') + asText(row.tag);
            case kName:
                return asText(row.name);
            case kVr:
                return asText(row.vr);
            default:
                return asText(row.value);
        }
    }
    QVariant look(const scan::HeaderRow& row, int column, int role) const override {
        return role == Qt::ToolTipRole && column == kValue ? QVariant(asText(row.value)) : QVariant();
    }
};

HeaderWindow::HeaderWindow(WhatIsShown shown, QWidget* parent)
    : QDialog(parent),
      shown_(std::move(shown)),
      filter_(new QLineEdit(this)),
      again_(new QPushButton(tr("Slice at the crosshair"), this)),
      message_(new widgets::ElidedLabel(this)),
      model_(new HeaderModel(this)),
      filtered_(new QSortFilterProxyModel(this)),
      table_(new QTableView(this)) {
    setWindowTitle(tr("DICOM header"));
    setObjectName("headerWindow");
    setAttribute(Qt::WA_DeleteOnClose);
    layOut();
    filtered_->setSourceModel(model_);
    filtered_->setFilterKeyColumn(-1);
    filtered_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_->setModel(filtered_);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filtered_->setFilterFixedString(text.trimmed());
        refreshMessage();
    });
    connect(again_, &QPushButton::clicked, this, &HeaderWindow::read);
    resize(widgets::onScreen(*this, {820, 560}));
    restoreGeometry(QSettings().value(kHeaderGeometry).toByteArray());
    filter_->setFocus();
}

HeaderWindow::~HeaderWindow() {
    job_.cancel();
    pool_.waitForDone();
    QSettings().setValue(kHeaderGeometry, saveGeometry());
}

void HeaderWindow::layOut() {
    filter_->setObjectName("headerFilter");
    filter_->setPlaceholderText(tr("filter, such as: spacing, 0028, GE"));
    filter_->setAccessibleName(tr("Filter of the header"));
    filter_->setClearButtonEnabled(true);
    again_->setObjectName("headerAgain");
    again_->setAutoDefault(false);
    again_->setToolTip(tr("Reads the header of the file with the slice at the crosshair"));
    message_->setMuted(true);
    widgets::makeFlat(*table_);
    table_->setObjectName("headerTable");
    table_->setAccessibleName(tr("Elements of the header"));
    table_->horizontalHeader()->setStretchLastSection(true);
    widgets::offerTable(*table_, {tr("dicom-header")});
    auto* const row = widgets::makeLayout<QHBoxLayout>(nullptr, 8, {12, 10, 12, 6});
    row->addWidget(filter_, 1);
    row->addWidget(again_);
    auto* const line = widgets::makeLayout<QHBoxLayout>(nullptr, 0, {12, 0, 12, 6});
    line->addWidget(message_);
    auto* const column = widgets::makeLayout<QVBoxLayout>(this, 0);
    column->addLayout(row);
    column->addLayout(line);
    column->addWidget(table_, 1);
}

void HeaderWindow::read() {
    const auto shown = shown_();
    if (!shown) {
        job_.cancel();
        return take(shown.error());
    }
    said_ = tr("Reading the header…");
    refreshMessage();
    job_.run(
        [shown = *shown](const widgets::LatestJob::Cancel& cancel) {
            scan::ReadOptions options;
            options.series = shown.source.series;
            options.volume = shown.source.volume;
            options.cancel = cancel.get();
            return scan::readFileHeader(shown.source.path, shown.slice, options);
        },
        [this](const base::Result<scan::FileHeader>& header) { take(header); });
}

void HeaderWindow::take(const base::Result<scan::FileHeader>& header) {
    if (!header) {
        model_->resetRows({});
        said_ = asText(header.error().message);
        return refreshMessage();
    }
    model_->resetRows(header->rows);
    table_->resizeColumnsToContents();
    table_->setColumnWidth(kName, std::min(table_->columnWidth(kName), width() / 3));
    said_ = asText(header->file);
    if (header->cut) {
        said_ += " · " + tr("first %1 rows only").arg(header->rows.size());
    }
    if (!header->problem.empty()) {
        said_ += " · " + asText(header->problem);
    }
    refreshMessage();
}

void HeaderWindow::refreshMessage() {
    const bool some = !filter_->text().trimmed().isEmpty() && model_->rowCount() > 0;
    message_->setText(
        some ? tr("%1 · %2 of %3 rows").arg(said_).arg(filtered_->rowCount()).arg(model_->rowCount())
             : said_);
}

QString HeaderWindow::message() const {
    return message_->text();
}

}  // namespace highwater::desktop

#include "moc_header_window.cpp"
