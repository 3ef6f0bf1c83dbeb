#include "app/desktop/scan/cases/cohort_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/scan/cases/case_words.h"
#include "app/desktop/scan/cases/cohort_model.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {
constexpr int kLeastNote = 90;
}

CohortTable::CohortTable(QWidget* parent)
    : QWidget(parent),
      model_(new CohortModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      view_(new QTableView(this)),
      line_(new QLabel(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(CohortModel::kSortRole);
    view_->setModel(sorted_);
    widgets::makeFlat(*view_);
    view_->setAccessibleName(tr("Cases"));
    view_->setSelectionMode(QAbstractItemView::SingleSelection);
    view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // by name, until it is clicked
    view_->setSortingEnabled(true);
    view_->horizontalHeader()->setStretchLastSection(true);
    widgets::offerTable(*view_);
    line_->setObjectName("Medians");
    line_->setTextFormat(Qt::PlainText);
    line_->setWordWrap(true);
    line_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    line_->setContentsMargins(12, 8, 12, 8);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(view_, 1);
    layout->addWidget(line_);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (!filling_ && current() >= 0) {
            emit caseChosen(current());
        }
    });
}

void CohortTable::setRows(std::vector<CaseRow> rows) {
    filling_ = true;
    model_->setRows(std::move(rows));
    filling_ = false;
    fitColumns();
    refreshNote();
}

void CohortTable::setRow(int place, CaseRow row) {
    model_->setRow(place, std::move(row));
    fitColumns();
    refreshNote();
}

/// The notes get the rest of the width; the tooltip shows them in full.
void CohortTable::fitColumns() {
    view_->resizeColumnsToContents();
    const int others = view_->horizontalHeader()->length() - view_->columnWidth(CohortModel::Note);
    view_->setColumnWidth(CohortModel::Note, std::max(kLeastNote, view_->viewport()->width() - others));
}

void CohortTable::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitColumns();
}

const std::vector<CaseRow>& CohortTable::rows() const {
    return model_->rows();
}

int CohortTable::current() const {
    const QModelIndex index = sorted_->mapToSource(view_->currentIndex());
    return index.isValid() ? index.row() : -1;
}

void CohortTable::setShown(int place) {
    model_->setShown(place);
}

void CohortTable::setNote(const QString& note) {
    note_ = note;
    refreshNote();
}

QString CohortTable::note() const {
    return line_->text();
}

void CohortTable::refreshNote() {
    line_->setText(note_.isEmpty() ? mediansWords(model_->rows()) : note_);
    line_->setVisible(!line_->text().isEmpty());
}

}  // namespace highwater::desktop

#include "moc_cohort_table.cpp"
