#include "app/desktop/scan/cases/series_model.h"

#include <algorithm>

#include "app/desktop/scan/cases/case_words.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr const char* kNone = "—";

}  // namespace

SeriesModel::SeriesModel(QObject* parent)
    : TableModel(
          {{"", tr("The middle slice")},
           {tr("description"), tr("The description in the files, or the file's name")},
           {tr("modality"), tr("CT, MR, ...")},
           widgets::figures(tr("number"), tr("The number of the series")),
           widgets::figures(tr("size"), tr("Voxels: columns, rows, slices")),
           widgets::figures(tr("spacing mm"), tr("Millimeters between voxels, from the slices' positions")),
           widgets::figures(tr("files"), tr("The number of its files")),
           {tr("notes"), tr("Warnings, or why it cannot be read")}},
          parent) {}

void SeriesModel::update(const SeriesRow& row) {
    const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const auto& r) { return r.id == row.id; });
    if (at != rows_.end() && *at != row) {
        replaceRow(static_cast<int>(at - rows_.begin()), row);
    }
}

Qt::ItemFlags SeriesModel::flags(const QModelIndex& index) const {
    if (!index.isValid() || !row(index.row()).problem.isEmpty()) {
        return Qt::ItemIsEnabled | Qt::ItemNeverHasChildren;
    }
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

QString SeriesModel::text(const SeriesRow& row, int column) const {
    switch (column) {
        case Description:
            return row.description.isEmpty() ? tr("(no description)") : row.description;
        case Modality:
            return row.modality.isEmpty() ? QString(kNone) : row.modality;
        case Number:
            return row.number > 0 ? QString::number(row.number) : QString(kNone);
        case Size:
            return row.volumes > 1 ? tr("%1, %2 volumes").arg(sizeWords(row.size)).arg(row.volumes)
                                   : sizeWords(row.size);
        case Spacing:
            return row.size == std::array<qint64, 3>{} ? QString(kNone) : spacingWords(row.spacing);
        case Files:
            return QString::number(row.files);
        case Note:
            return noteOf(row.problem, row.warnings);
        default:
            return {};
    }
}

QVariant SeriesModel::sortValue(const SeriesRow& row, int column) const {
    switch (column) {
        case Number:
            return row.number;
        case Size:
            return row.size[0] * row.size[1] * row.size[2] * row.volumes;
        case Spacing:
            return row.spacing[0] * row.spacing[1] * row.spacing[2];
        case Files:
            return row.files;
        default:
            return TableModel::sortValue(row, column);
    }
}

QVariant SeriesModel::look(const SeriesRow& row, int column, int role) const {
    switch (role) {
        case Qt::DecorationRole:
            return column == Picture && !row.picture.isNull() ? QVariant(row.picture) : QVariant();
        case Qt::ForegroundRole:
            if (column == Note) {
                return row.problem.isEmpty() ? widgets::theme().warning : widgets::theme().bad;
            }
            return row.problem.isEmpty() ? QVariant() : QVariant(widgets::theme().mutedText);
        case Qt::ToolTipRole:
            if (column == Note) {
                return row.problem.isEmpty() ? row.warnings.join('\n') : row.problem;
            }
            return column == Picture ? QString() : text(row, column);
        default:
            return {};
    }
}

}  // namespace highwater::desktop

#include "moc_series_model.cpp"
