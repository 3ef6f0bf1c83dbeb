#pragma once

#include <QAbstractTableModel>

#include "widgets/study/study_values.h"

namespace highwater::widgets {

/// The combinations of a factorial. Changes are relative to the first combination, in which every lever is
/// off.
class CombinationsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Front, Memory, MemoryChange, Time, TimeChange, Status, kColumns };
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit CombinationsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void setRows(std::vector<CombinationRow> rows);
    const std::vector<CombinationRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const CombinationRow* base() const;
    QString text(const CombinationRow& row, int column) const;
    QVariant sortValue(const CombinationRow& row, int column) const;
    std::vector<CombinationRow> rows_;
};

/// "204.1 (203.4 to 205.0)" milliseconds.
QString timeText(const base::Interval& ms);

}  // namespace highwater::widgets
