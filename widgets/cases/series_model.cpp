#include "widgets/cases/series_model.h"

#include <algorithm>

#include "widgets/cases/case_words.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr const char* kNone = "—";

bool isFigure(int column) {
    return column == SeriesModel::Number || column == SeriesModel::Size || column == SeriesModel::Spacing ||
           column == SeriesModel::Files;
}

QString text(const SeriesRow& row, int column) {
    switch (column) {
        case SeriesModel::Description:
            return row.description.isEmpty() ? QObject::tr("(no description)") : row.description;
        case SeriesModel::Modality:
            return row.modality.isEmpty() ? QString(kNone) : row.modality;
        case SeriesModel::Number:
            return row.number > 0 ? QString::number(row.number) : QString(kNone);
        case SeriesModel::Size:
            return row.volumes > 1 ? QObject::tr("%1, %2 volumes").arg(sizeWords(row.size)).arg(row.volumes)
                                   : sizeWords(row.size);
        case SeriesModel::Spacing:
            return row.size == std::array<qint64, 3>{} ? QString(kNone) : spacingWords(row.spacing);
        case SeriesModel::Files:
            return QString::number(row.files);
        case SeriesModel::Note:
            return noteOf(row.problem, row.warnings);
        default:
            return {};
    }
}

QVariant sortValue(const SeriesRow& row, int column) {
    switch (column) {
        case SeriesModel::Number:
            return row.number;
        case SeriesModel::Size:
            return row.size[0] * row.size[1] * row.size[2] * row.volumes;
        case SeriesModel::Spacing:
            return row.spacing[0] * row.spacing[1] * row.spacing[2];
        case SeriesModel::Files:
            return row.files;
        default:
            return text(row, column).toLower();
    }
}

}  // namespace

void SeriesModel::setRows(std::vector<SeriesRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

void SeriesModel::update(const SeriesRow& row) {
    const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const auto& r) { return r.id == row.id; });
    if (at == rows_.end() || *at == row) {
        return;
    }
    *at = row;
    const int place = static_cast<int>(at - rows_.begin());
    emit dataChanged(index(place, 0), index(place, kColumns - 1));
}

int SeriesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SeriesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

Qt::ItemFlags SeriesModel::flags(const QModelIndex& index) const {
    if (!index.isValid() || !rows_[static_cast<std::size_t>(index.row())].problem.isEmpty()) {
        return Qt::ItemIsEnabled | Qt::ItemNeverHasChildren;
    }
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

QVariant SeriesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const SeriesRow& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return text(row, column);
        case Qt::DecorationRole:
            return column == Picture && !row.picture.isNull() ? QVariant(row.picture) : QVariant();
        case kSortRole:
            return sortValue(row, column);
        case Qt::TextAlignmentRole:
            return static_cast<int>((isFigure(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (column == Note) {
                return row.problem.isEmpty() ? theme().warning : theme().bad;
            }
            return row.problem.isEmpty() ? QVariant() : QVariant(theme().mutedText);
        case Qt::ToolTipRole:
            if (column == Note) {
                return row.problem.isEmpty() ? row.warnings.join('\n') : row.problem;
            }
            return column == Picture ? QString() : text(row, column);
        default:
            return {};
    }
}

QVariant SeriesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) {
        return {};
    }
    static const char* const titles[] = {"",     "description", "modality", "number",
                                         "size", "spacing mm",  "files",    "notes"};
    static const char* const tips[] = {"The middle slice",
                                       "The description in the files, or the file's name",
                                       "CT, MR, ...",
                                       "The number of the series",
                                       "Voxels: columns, rows, slices",
                                       "Millimetres from voxel to voxel, from the slices' positions",
                                       "The number of its files",
                                       "Warnings, or why it cannot be read"};
    if (role == Qt::DisplayRole) {  // room for the mark of the order
        return isFigure(section) ? QString(titles[section]) + "    " : QString(titles[section]);
    }
    if (role == Qt::ToolTipRole) {
        return QString(tips[section]);
    }
    if (role == Qt::TextAlignmentRole) {
        return static_cast<int>((isFigure(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    return {};
}

}  // namespace highwater::widgets

#include "moc_series_model.cpp"
