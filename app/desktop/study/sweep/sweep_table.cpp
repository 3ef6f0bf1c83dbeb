#include "app/desktop/study/sweep/sweep_table.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QScrollBar>
#include <algorithm>

#include "app/desktop/study/sweep/sweep_model.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"

namespace highwater::desktop {

SweepTable::SweepTable(SweepLink& link, QWidget* parent)
    : QTableView(parent), link_(link), model_(new SweepModel(link, this)) {
    setModel(model_);
    widgets::makeFlat(*this);
    setAccessibleName(tr("Cells of the sweep"));
    setSelectionMode(QAbstractItemView::SingleSelection);
    widgets::offerTable(*this);
    setMouseTracking(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    setSortingEnabled(true);
    horizontalHeader()->setStretchLastSection(true);
    horizontalHeader()->setMinimumSectionSize(56);
    connect(model_, &QAbstractItemModel::modelAboutToBeReset, this, [this] { resetting_ = true; });
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        showCurrent(false);
        resetting_ = false;
        if (!fitted_) {
            fitColumns();
        }
    });
    connect(&link_, &SweepLink::axesChanged, this, [this] {
        fitted_ = false;
        horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    });
    connect(&link_, &SweepLink::rowsChanged, this, &SweepTable::fitColumns);
    connect(&link_, &SweepLink::currentChanged, this, [this] { showCurrent(true); });
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (!resetting_ && model_->cellAt(index.row()) >= 0) {
                    link_.setCurrent(model_->cellAt(index.row()));
                }
            });
    connect(this, &QTableView::activated, this,
            [this](const QModelIndex& index) { link_.open(model_->cellAt(index.row())); });
}

void SweepTable::setGroup(int axis) {
    model_->setGroup(axis);
}

int SweepTable::group() const {
    return model_->group();
}

void SweepTable::showCurrent(bool scroll) {
    const int row = model_->rowOf(link_.current());
    if (row == currentIndex().row() && row >= 0) {
        return;
    }
    const QModelIndex index = row < 0 ? QModelIndex() : model_->index(row, 0);
    selectionModel()->setCurrentIndex(
        index, row < 0 ? QItemSelectionModel::Clear
                       : QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (scroll && row >= 0) {
        const int before = horizontalScrollBar()->value();
        scrollTo(index);
        horizontalScrollBar()->setValue(before);
    }
}

/// Measures only the first rows, because all of them would take too long.
void SweepTable::fitColumns() {
    if (fitted_ || link_.rows().cells.empty()) {
        return;
    }
    fitted_ = true;
    const QFontMetrics metrics(font());
    for (int column = 0; column < model_->columnCount(); ++column) {
        int wide = metrics.horizontalAdvance(model_->headerData(column, Qt::Horizontal).toString() +
                                             QStringLiteral("mmm"));
        for (int row = 0; row < std::min(40, model_->rowCount()); ++row) {
            wide =
                std::max(wide, metrics.horizontalAdvance(model_->index(row, column).data().toString()) + 28);
        }
        const bool figure =
            column >= static_cast<int>(link_.rows().axes.size()) && column < model_->stateColumn();
        setColumnWidth(column, std::clamp(wide, figure ? 104 : 60, 190));
    }
}

bool SweepTable::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::HoverMove) {
        const auto* mouse = dynamic_cast<QMouseEvent*>(event);
        if (mouse != nullptr) {
            link_.setHovered(model_->cellAt(rowAt(static_cast<int>(mouse->position().y()))));
        }
    } else if (event->type() == QEvent::Leave) {
        link_.setHovered(-1);
    }
    return QTableView::viewportEvent(event);
}

}  // namespace highwater::desktop

#include "moc_sweep_table.cpp"
