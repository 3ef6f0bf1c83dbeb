#include "widgets/runs/runs_model.h"

#include <QColor>
#include <QSet>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

const QString kNone = QStringLiteral("—");

QColor stateColour(RunState state) {
    switch (state) {
        case RunState::Running:
            return theme().accent;
        case RunState::Done:
            return theme().good;
        case RunState::Cancelled:
            return theme().warning;
        default:
            return theme().bad;
    }
}

/// "204.1 ± 0.7": as many decimals as the interval deserves, in milliseconds as the column says.
QString stepText(const RunRow& row) {
    if (row.stepMs <= 0) {
        return kNone;
    }
    const int decimals = row.stepMs < 10 ? 2 : row.stepMs < 1000 ? 1 : 0;
    return QString::number(row.stepMs, 'f', decimals) + QStringLiteral(" ± ") +
           QString::number(row.stepPlusMinus, 'f', decimals);
}

QVariant sortValue(const RunRow& row, int column, const QString& text) {
    switch (column) {
        case RunsModel::Number:
            return row.number;
        case RunsModel::Batch:
            return QVariant::fromValue<qlonglong>(row.batch);
        case RunsModel::Peak:
            return QVariant::fromValue<qlonglong>(row.peak);
        case RunsModel::Step:
            return row.stepMs;
        default:
            return text.toLower();
    }
}

}  // namespace

QString stateText(RunState state) {
    switch (state) {
        case RunState::Running:
            return "running";
        case RunState::Done:
            return "done";
        case RunState::Cancelled:
            return "cancelled";
        case RunState::OutOfMemory:
            return "out of memory";
        case RunState::Failed:
            return "failed";
    }
    return {};
}

void RunsModel::setRows(std::vector<RunRow> rows) {
    QSet<QString> kept;
    for (const RunRow& row : rows) {
        kept.insert(row.id);
    }
    for (int i = static_cast<int>(rows_.size()) - 1; i >= 0; --i) {
        if (kept.contains(rows_[i].id)) {
            continue;
        }
        int first = i;
        while (first > 0 && !kept.contains(rows_[first - 1].id)) {
            --first;
        }
        beginRemoveRows({}, first, i);
        rows_.erase(rows_.begin() + first, rows_.begin() + i + 1);
        endRemoveRows();
        i = first;
    }
    QHash<QString, int> places;
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
        places.insert(rows_[i].id, i);
    }
    std::vector<RunRow> fresh;
    for (RunRow& row : rows) {
        const auto place = places.constFind(row.id);
        if (place == places.constEnd()) {
            fresh.push_back(std::move(row));
        } else if (!(rows_[*place] == row)) {
            rows_[*place] = std::move(row);
            emit dataChanged(index(*place, 0), index(*place, kColumns - 1));
        }
    }
    if (fresh.empty()) {
        return;
    }
    const int size = static_cast<int>(rows_.size());
    beginInsertRows({}, size, size + static_cast<int>(fresh.size()) - 1);
    rows_.insert(rows_.end(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
    endInsertRows();
}

void RunsModel::setRow(const RunRow& row) {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const RunRow& r) { return r.id == row.id; });
    const int place = static_cast<int>(found - rows_.begin());
    if (found == rows_.end()) {
        beginInsertRows({}, place, place);
        rows_.push_back(row);
        endInsertRows();
    } else if (!(*found == row)) {
        *found = row;
        emit dataChanged(index(place, 0), index(place, kColumns - 1));
    }
}

void RunsModel::setAgainstTitle(const QString& title) {
    againstTitle_ = title;
    emit headerDataChanged(Qt::Horizontal, Against, Against);
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QString RunsModel::text(const RunRow& row, int column) const {
    switch (column) {
        case Number:
            return QString::number(row.number);
        case Name:
            return row.name;
        case Device:
            return row.device;
        case Batch:
            return row.batch > 0 ? QString::number(row.batch) : kNone;
        case Patch:
            return row.patch;
        case Peak:
            return row.peak > 0 ? QString::fromStdString(base::formatBytes(row.peak)) : kNone;
        case Step:
            return stepText(row);
        case Status:
            return stateText(row.state);
        case Against:
            return !row.message.isEmpty() ? row.message : row.against.isEmpty() ? kNone : row.against;
        default:
            return {};
    }
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const RunRow& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return text(row, index.column());
        case kSortRole:
            return sortValue(row, index.column(), text(row, index.column()));
        case Qt::ForegroundRole:
            return index.column() == Status ? QVariant(stateColour(row.state)) : QVariant();
        case Qt::ToolTipRole:
            if (index.column() == Status || index.column() == Against) {
                return row.message;
            }
            return index.column() == Name ? QVariant(row.name) : QVariant();
        default:
            return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const titles[] = {"#",     "experiment", "device",         "batch",
                                         "patch", "peak",       "step ms (95 %)", "status"};
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && section == Peak) {
        return QString("The highest total of all tensor memory in a step");
    }
    if (role == Qt::ToolTipRole && section == Step) {
        return QString("The median of the measured steps, with its 95 % interval");
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    if (section == Against) {
        return againstTitle_.isEmpty() ? QString("note") : againstTitle_;
    }
    return QString(titles[section]);
}

}  // namespace highwater::widgets

#include "moc_runs_model.cpp"
