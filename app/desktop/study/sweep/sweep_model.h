#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "app/desktop/study/sweep/sweep_link.h"

namespace highwater::desktop {

/// The cells that the filter accepts, as a table: a column for each axis, each figure, and the state. It
/// sorts them itself, which is faster than a proxy. If grouped by an axis, a row above each group gives the
/// number of its cells and the best of each figure.
class SweepModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit SweepModel(SweepLink& link, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int column, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// -1: not grouped.
    void setGroup(int axis);
    int group() const { return group_; }
    int cellAt(int row) const;  ///< -1 for the row of a group
    int rowOf(int cell) const;  ///< -1 if it is not shown
    int stateColumn() const { return static_cast<int>(link_.rows().columns()); }

private:
    struct Group {
        int level = 0;
        int cells = 0, measured = 0;
        std::array<SweepNumber, kSweepFigures> best;
    };
    void arrange();
    Group summary(int level, const std::vector<int>& cells) const;
    QString groupText(const Group& group, std::size_t column) const;
    QVariant color(const SweepCell& cell, std::size_t column) const;
    QString tip(const SweepCell& cell, std::size_t column) const;
    SweepLink& link_;
    std::vector<int> rows_;    ///< a cell, or -1 - the index of a group
    std::vector<int> places_;  ///< by cell: its row, or -1
    std::vector<Group> groups_;
    int group_ = -1;
    int sorted_ = -1;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace highwater::desktop
