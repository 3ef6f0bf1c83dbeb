#include "app/desktop/study/sweep/sweep_model.h"

#include <algorithm>

#include "widgets/theme/table_model.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

QString figureTip(SweepFigure figure) {
    switch (figure) {
        case SweepFigure::Memory:
            return QObject::tr("The highest total of all tensor memory in a step");
        case SweepFigure::Time:
            return QObject::tr("The median step after the warm-up");
        case SweepFigure::Throughput:
            return QObject::tr("The batch size divided by the time of a step");
        case SweepFigure::Loss:
            break;
    }
    return QObject::tr("The loss of the last step");
}

}  // namespace

SweepModel::SweepModel(SweepLink& link, QObject* parent) : QAbstractTableModel(parent), link_(link) {
    connect(&link_, &SweepLink::axesChanged, this, [this] {
        group_ = sorted_ = -1;
        arrange();
    });
    connect(&link_, &SweepLink::shownChanged, this, &SweepModel::arrange);
}

int SweepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SweepModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || link_.rows().axes.empty() ? 0 : stateColumn() + 1;
}

int SweepModel::cellAt(int row) const {
    return row >= 0 && row < rowCount() ? std::max(-1, rows_[static_cast<std::size_t>(row)]) : -1;
}

int SweepModel::rowOf(int cell) const {
    return cell >= 0 && cell < static_cast<int>(places_.size()) ? places_[static_cast<std::size_t>(cell)]
                                                                : -1;
}

void SweepModel::setGroup(int axis) {
    group_ = axis;
    arrange();
}

void SweepModel::sort(int column, Qt::SortOrder order) {
    sorted_ = column;
    order_ = order;
    arrange();
}

void SweepModel::arrange() {
    beginResetModel();
    const SweepRows& all = link_.rows();
    std::vector<int> cells = link_.shown();
    if (sorted_ >= 0 && sorted_ <= stateColumn()) {
        sortCells(cells, all, static_cast<std::size_t>(sorted_), order_);
    }
    groups_.clear();
    if (group_ >= 0 && group_ < static_cast<int>(all.axes.size())) {
        const auto axis = static_cast<std::size_t>(group_);
        std::vector<std::vector<int>> byLevel(static_cast<std::size_t>(all.axes[axis].words.size()));
        for (const int c : cells) {
            byLevel[static_cast<std::size_t>(all.cells[static_cast<std::size_t>(c)].levels[axis])].push_back(
                c);
        }
        const bool backwards = sorted_ == group_ && order_ == Qt::DescendingOrder;
        rows_.clear();
        for (std::size_t i = 0; i < byLevel.size(); ++i) {
            const std::size_t level = backwards ? byLevel.size() - 1 - i : i;
            if (!byLevel[level].empty()) {
                groups_.push_back(summary(static_cast<int>(level), byLevel[level]));
                rows_.push_back(-static_cast<int>(groups_.size()));
                rows_.insert(rows_.end(), byLevel[level].begin(), byLevel[level].end());
            }
        }
    } else {
        rows_ = std::move(cells);
    }
    places_.assign(all.cells.size(), -1);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (rows_[row] >= 0) {
            places_[static_cast<std::size_t>(rows_[row])] = static_cast<int>(row);
        }
    }
    endResetModel();
}

SweepModel::Group SweepModel::summary(int level, const std::vector<int>& cells) const {
    const SweepRows& all = link_.rows();
    Group group;
    group.level = level;
    group.cells = static_cast<int>(cells.size());
    for (const int c : cells) {
        const SweepCell& cell = all.cells[static_cast<std::size_t>(c)];
        group.measured += cell.state == CellState::Done;
        for (std::size_t f = 0; f < kSweepFigures && !cell.failed(); ++f) {
            const SweepNumber& number = cell.figures[f];
            SweepNumber& best = group.best[f];
            const int sign = -all.better(all.axes.size() + f);
            // Measured cells come before estimated ones.
            const bool first = !best.known() || (best.estimated && !number.estimated);
            if (number.known() &&
                (first || (number.estimated == best.estimated && sign * number.value < sign * best.value))) {
                best = number;
            }
        }
    }
    return group;
}

QString SweepModel::groupText(const Group& group, std::size_t column) const {
    const SweepRows& all = link_.rows();
    if (all.isAxis(column)) {
        return static_cast<int>(column) == group_ ? all.axes[column].words.value(group.level) : QString();
    }
    if (static_cast<int>(column) == stateColumn()) {
        return tr("%1 of %2 measured").arg(group.measured).arg(group.cells);
    }
    SweepCell best;
    best.figures = group.best;
    const QString text = all.text(best, column);
    return group.best[column - all.axes.size()].known() ? tr("best %1").arg(text) : text;
}

QVariant SweepModel::headerData(int column, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || column < 0 || column >= columnCount()) {
        return {};
    }
    const SweepRows& all = link_.rows();
    const auto at = static_cast<std::size_t>(column);
    const bool figure = column < stateColumn() && !all.isAxis(at);
    switch (role) {
        case Qt::DisplayRole:
            return column == stateColumn() ? tr("state") : all.columnTitle(at) + (figure ? "    " : "");
        case Qt::ToolTipRole:
            return figure ? figureTip(all.figureOf(at)) : QString();
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter) | int(figure ? Qt::AlignRight : Qt::AlignLeft);
        default:
            return {};
    }
}

QVariant SweepModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const SweepRows& all = link_.rows();
    const auto column = static_cast<std::size_t>(index.column());
    const bool state = index.column() == stateColumn();
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter) | int(!state && !all.isAxis(column) ? Qt::AlignRight : Qt::AlignLeft);
    }
    const int place = rows_[static_cast<std::size_t>(index.row())];
    if (place < 0) {
        return role == Qt::DisplayRole
                   ? QVariant(groupText(groups_[static_cast<std::size_t>(-1 - place)], column))
               : role == Qt::ForegroundRole ? QVariant(widgets::theme().accent)
                                            : QVariant();
    }
    const SweepCell& cell = all.cells[static_cast<std::size_t>(place)];
    switch (role) {
        case Qt::DisplayRole:
            return state ? stateText(cell) + (cell.problem.isEmpty() ? QString() : ": " + cell.problem)
                         : all.text(cell, column);
        case Qt::ForegroundRole:
            return color(cell, column);
        case Qt::ToolTipRole:
            return tip(cell, column);
        default:
            return {};
    }
}

QVariant SweepModel::color(const SweepCell& cell, std::size_t column) const {
    const widgets::Theme& t = widgets::theme();
    if (static_cast<int>(column) == stateColumn()) {
        return cell.failed()                      ? t.warning
               : cell.state == CellState::Running ? t.accent
               : cell.state == CellState::Done    ? t.good
                                                  : t.mutedText;
    }
    return cell.failed() || link_.rows().estimated(cell, column) ? QVariant(t.mutedText) : QVariant();
}

QString SweepModel::tip(const SweepCell& cell, std::size_t column) const {
    const SweepRows& all = link_.rows();
    if (static_cast<int>(column) == stateColumn()) {
        return stateText(cell) + (cell.problem.isEmpty() ? QString() : ": " + cell.problem);
    }
    if (all.isAxis(column)) {
        return cell.name;
    }
    const SweepFigure figure = all.figureOf(column);
    const SweepNumber& number = cell.figure(figure);
    if (!number.known()) {
        return {};
    }
    if (number.estimated) {
        return tr("Estimated: predicted, not measured");
    }
    return number.low < number.high
               ? tr("Measured: %1 to %2 (95 %), %3 runs")
                     .arg(figureNumber(figure, number.low), figureNumber(figure, number.high))
                     .arg(cell.repeats)
               : tr("Measured");
}

Qt::ItemFlags SweepModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) {
        return Qt::NoItemFlags;
    }
    return cellAt(index.row()) < 0 ? Qt::ItemIsEnabled : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

}  // namespace highwater::desktop

#include "moc_sweep_model.cpp"
