#include "app/desktop/scan/cases/series_list.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kPictureSide = 46;
constexpr int kWidestDescription = 300;
constexpr int kLeastSeriesNote = 120;

/// Draws the picture in the center of the cell, as large as it fits; an empty frame if there is none.
class PictureCell : public widgets::FlatCells {
public:
    using widgets::FlatCells::FlatCells;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        widgets::FlatCells::paint(painter, option, index);
        QRect room(0, 0, kPictureSide, kPictureSide);
        room.moveCenter(option.rect.center());
        const auto picture = index.data(Qt::DecorationRole).value<QImage>();
        if (picture.isNull()) {
            painter->setPen(widgets::theme().border);
            painter->drawRect(room.adjusted(0, 0, -1, -1));
            return;
        }
        painter->fillRect(room, Qt::black);
        QRect fit(QPoint(), picture.size().scaled(room.size(), Qt::KeepAspectRatio));
        fit.moveCenter(room.center());
        painter->save();
        painter->setRenderHint(QPainter::SmoothPixmapTransform);
        painter->drawImage(fit, picture);
        painter->restore();
    }
};

}  // namespace

SeriesList::SeriesList(QWidget* parent)
    : QWidget(parent),
      model_(new SeriesModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      view_(new QTableView(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(SeriesModel::kSortRole);
    view_->setModel(sorted_);
    widgets::makeFlat(*view_);
    view_->setItemDelegateForColumn(SeriesModel::Picture, new PictureCell(view_));
    view_->setAccessibleName(tr("Scans that can be opened"));
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->verticalHeader()->setDefaultSectionSize(kPictureSide + 8);
    view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // as given, until it is clicked
    view_->setSortingEnabled(true);
    view_->horizontalHeader()->setStretchLastSection(true);
    widgets::offerTable(*view_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(view_);
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &SeriesList::scrolled);
    connect(view_->verticalScrollBar(), &QScrollBar::valueChanged, &later_, qOverload<>(&QTimer::start));
    connect(sorted_, &QAbstractItemModel::layoutChanged, &later_, qOverload<>(&QTimer::start));
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SeriesList::selectionChanged);
    connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (sorted_->flags(index) & Qt::ItemIsSelectable) {
            emit chosen(selectedIds());
        }
    });
}

void SeriesList::setRows(std::vector<SeriesRow> rows) {
    model_->setRows(std::move(rows));
    const auto& now = model_->rows();
    const auto first =
        std::find_if(now.begin(), now.end(), [](const auto& r) { return r.problem.isEmpty(); });
    if (first != now.end()) {
        select({first->id});
    }
    fitColumns();
    later_.start();
}

void SeriesList::update(const SeriesRow& row) {
    model_->update(row);
    fitColumns();
}

/// Descriptions can be long; the notes get the rest of the width.
void SeriesList::fitColumns() {
    view_->resizeColumnsToContents();
    view_->setColumnWidth(SeriesModel::Picture, kPictureSide + 10);
    const int others = view_->horizontalHeader()->length() - view_->columnWidth(SeriesModel::Description) -
                       view_->columnWidth(SeriesModel::Note);
    const int room = std::max(120, view_->viewport()->width() - others - kLeastSeriesNote);
    const int most = std::min(kWidestDescription, room);
    view_->setColumnWidth(SeriesModel::Description,
                          std::min(view_->columnWidth(SeriesModel::Description), most));
}

QStringList SeriesList::selectedIds() const {
    QStringList ids;
    for (const SeriesRow& row : selectedRows()) {
        ids << row.id;
    }
    return ids;
}

std::vector<SeriesRow> SeriesList::selectedRows() const {
    QModelIndexList chosen = view_->selectionModel()->selectedRows();
    std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    std::vector<SeriesRow> rows;
    for (const QModelIndex& index : chosen) {
        rows.push_back(model_->rows()[static_cast<std::size_t>(sorted_->mapToSource(index).row())]);
    }
    return rows;
}

void SeriesList::select(const QStringList& ids) {
    QItemSelection selection;
    QModelIndex first;
    for (int row = 0; row < sorted_->rowCount(); ++row) {
        const QModelIndex index = sorted_->index(row, 0);
        if (!ids.contains(model_->rows()[static_cast<std::size_t>(sorted_->mapToSource(index).row())].id)) {
            continue;
        }
        first = first.isValid() ? first : index;
        selection.select(index, sorted_->index(row, SeriesModel::kColumns - 1));
    }
    view_->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    view_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
}

QStringList SeriesList::missingPictures() const {
    QStringList ids;
    const int top = std::max(0, view_->rowAt(0));
    const int last = view_->rowAt(view_->viewport()->height() - 1);
    for (int row = top; row < sorted_->rowCount() && (last < 0 || row <= last); ++row) {
        const SeriesRow& r =
            model_->rows()[static_cast<std::size_t>(sorted_->mapToSource(sorted_->index(row, 0)).row())];
        if (r.problem.isEmpty() && r.picture.isNull()) {
            ids << r.id;
        }
    }
    return ids;
}

void SeriesList::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitColumns();
    later_.start();
}

void SeriesList::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    later_.start();
}

}  // namespace highwater::desktop

#include "moc_series_list.cpp"
