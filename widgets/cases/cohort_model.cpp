#include "widgets/cases/cohort_model.h"

#include <cmath>

#include "widgets/cases/case_words.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr const char* kEmptyCell = "—";

bool isCohortFigure(int column) {
    return column >= CohortModel::Size && column <= CohortModel::Channels;
}

QVariant sortValue(const CaseRow& row, int column, const QString& text) {
    switch (column) {
        case CohortModel::Size:
            return row.size[0] * row.size[1] * row.size[2];
        case CohortModel::Spacing:
            return row.spacing[0] * row.spacing[1] * row.spacing[2];
        case CohortModel::Range:
            return std::isfinite(row.high) ? row.high : std::numeric_limits<double>::lowest();
        case CohortModel::Channels:
            return row.channels;
        case CohortModel::Note:  // problems first, then warnings
            return (row.problem.isEmpty() ? row.warnings.isEmpty() ? "2" : "1" : "0") + text;
        default:
            return text.toLower();
    }
}

}  // namespace

void CohortModel::setRows(std::vector<CaseRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    shown_ = -1;
    endResetModel();
}

void CohortModel::setRow(int place, CaseRow row) {
    if (place < 0 || place >= rowCount()) {
        return;
    }
    rows_[static_cast<std::size_t>(place)] = std::move(row);
    emit dataChanged(index(place, 0), index(place, kColumns - 1));
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

int CohortModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CohortModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QString CohortModel::text(int place, int column) const {
    const CaseRow& row = rows_[static_cast<std::size_t>(place)];
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

QVariant CohortModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const CaseRow& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return text(index.row(), column);
        case kSortRole:
            return sortValue(row, column, text(index.row(), column));
        case Qt::TextAlignmentRole:
            return static_cast<int>((isCohortFigure(column) ? Qt::AlignRight : Qt::AlignLeft) |
                                    Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (!row.problem.isEmpty()) {
                return column == Note || column == Name ? theme().bad : theme().mutedText;
            }
            if (column == Name && index.row() == shown_) {
                return theme().accent;
            }
            if (column == Note && row.read) {
                return theme().warning;
            }
            return row.read ? QVariant() : QVariant(theme().mutedText);
        case Qt::ToolTipRole:
            if (column == Note) {
                return row.problem.isEmpty() ? row.warnings.join('\n') : row.problem;
            }
            return column == Name && index.row() == shown_ ? tr("%1: in the views").arg(row.name)
                                                           : text(index.row(), column);
        default:
            return {};
    }
}

QVariant CohortModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) {
        return {};
    }
    static const char* const titles[] = {"case",     "size",   "spacing mm", "values",
                                         "channels", "labels", "notes"};
    static const char* const tips[] = {
        "The case's name, from its files",   "Voxels along i, j and k",
        "Millimetres from voxel to voxel",   "The lowest and the highest value of its channels",
        "The number of files of its input",  "Its label map",
        "Warnings, or why it cannot be used"};
    if (role == Qt::DisplayRole) {  // room for the mark of the order
        return isCohortFigure(section) ? QString(titles[section]) + "    " : QString(titles[section]);
    }
    if (role == Qt::ToolTipRole) {
        return QString(tips[section]);
    }
    if (role == Qt::TextAlignmentRole) {
        return static_cast<int>((isCohortFigure(section) ? Qt::AlignRight : Qt::AlignLeft) |
                                Qt::AlignVCenter);
    }
    return {};
}

}  // namespace highwater::widgets

#include "moc_cohort_model.cpp"
