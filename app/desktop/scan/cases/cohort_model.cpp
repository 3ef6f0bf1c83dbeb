#include "app/desktop/scan/cases/cohort_model.h"

#include <cmath>

#include "app/desktop/scan/cases/case_words.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr const char* kEmptyCell = "—";

}  // namespace

CohortModel::CohortModel(QObject* parent)
    : TableModel({{tr("case"), tr("The case's name, from its files")},
                  widgets::figures(tr("size"), tr("Voxels along i, j and k")),
                  widgets::figures(tr("spacing mm"), tr("Millimeters between voxels")),
                  widgets::figures(tr("values"), tr("The lowest and the highest value of its channels")),
                  widgets::figures(tr("channels"), tr("The number of files of its input")),
                  {tr("labels"), tr("Its label map")},
                  {tr("notes"), tr("Warnings, or why it cannot be used")}},
                 parent) {}

void CohortModel::setRows(std::vector<CaseRow> rows) {
    shown_ = -1;
    resetRows(std::move(rows));
}

void CohortModel::setRow(int place, CaseRow row) {
    if (place >= 0 && place < rowCount()) {
        replaceRow(place, std::move(row));
    }
}

void CohortModel::setShown(int place) {
    if (place == shown_) {
        return;
    }
    shown_ = place;
    if (rowCount() > 0) {
        emit dataChanged(index(0, Name), index(rowCount() - 1, Name));
    }
}

QString CohortModel::text(const CaseRow& row, int column) const {
    if (column == Name) {
        return row.name;
    }
    if (!row.read) {
        return column == Note ? tr("not read yet") : QString(kEmptyCell);
    }
    const bool known = row.size != std::array<qint64, 3>{};
    switch (column) {
        case Size:
            return sizeWords(row.size);
        case Spacing:
            return known ? spacingWords(row.spacing) : QString(kEmptyCell);
        case Range:
            return rangeWords(row.low, row.high);
        case Channels:
            return QString::number(row.channels);
        case Labels:
            return row.labels.isEmpty() ? QString(kEmptyCell) : row.labels;
        case Note:
            return noteOf(row.problem, row.warnings);
        default:
            return {};
    }
}

QVariant CohortModel::sortValue(const CaseRow& row, int column) const {
    switch (column) {
        case Size:
            return row.size[0] * row.size[1] * row.size[2];
        case Spacing:
            return row.spacing[0] * row.spacing[1] * row.spacing[2];
        case Range:
            return std::isfinite(row.high) ? row.high : std::numeric_limits<double>::lowest();
        case Channels:
            return row.channels;
        case Note:  // problems first, then warnings
            return (row.problem.isEmpty() ? row.warnings.isEmpty() ? "2" : "1" : "0") + text(row, column);
        default:
            return TableModel::sortValue(row, column);
    }
}

QVariant CohortModel::look(const CaseRow& row, int column, int role) const {
    const bool shownName = column == Name && &row - rows_.data() == shown_;
    switch (role) {
        case Qt::ForegroundRole:
            if (!row.problem.isEmpty()) {
                return column == Note || column == Name ? widgets::theme().bad : widgets::theme().mutedText;
            }
            if (shownName) {
                return widgets::theme().accent;
            }
            if (column == Note && row.read) {
                return widgets::theme().warning;
            }
            return row.read ? QVariant() : QVariant(widgets::theme().mutedText);
        case Qt::ToolTipRole:
            if (!row.problem.isEmpty() && (column == Note || column == Name)) {
                return row.problem;
            }
            if (column == Note) {
                return row.warnings.join('\n');
            }
            return shownName ? tr("%1: shown").arg(row.name) : text(row, column);
        default:
            return {};
    }
}

}  // namespace highwater::desktop

#include "moc_cohort_model.cpp"
