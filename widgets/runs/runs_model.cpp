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

RunsModel::RunsModel(QObject* parent)
    : TableModel({{"#"},
                  {"experiment"},
                  {"device"},
                  {"batch"},
                  {"patch"},
                  {"peak", "The highest total of all tensor memory in a step"},
                  {"step ms (95 %)", "The median of the measured steps, with its 95 % interval"},
                  {"status"},
                  {"note"}},
                 parent) {}

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
            replaceRow(*place, std::move(row));
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
        replaceRow(place, row);
    }
}

void RunsModel::setAgainstTitle(const QString& title) {
    headings_[Against].title = title.isEmpty() ? QString("note") : title;
    emit headerDataChanged(Qt::Horizontal, Against, Against);
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

QVariant RunsModel::sortValue(const RunRow& row, int column) const {
    switch (column) {
        case Number:
            return row.number;
        case Batch:
            return QVariant::fromValue<qlonglong>(row.batch);
        case Peak:
            return QVariant::fromValue<qlonglong>(row.peak);
        case Step:
            return row.stepMs;
        default:
            return TableModel::sortValue(row, column);
    }
}

QVariant RunsModel::look(const RunRow& row, int column, int role) const {
    switch (role) {
        case Qt::ForegroundRole:
            return column == Status ? QVariant(stateColour(row.state)) : QVariant();
        case Qt::ToolTipRole:
            if (column == Status || column == Against) {
                return row.message;
            }
            return column == Name ? QVariant(row.name) : QVariant();
        default:
            return {};
    }
}

}  // namespace highwater::widgets

#include "moc_runs_model.cpp"
