#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "widgets/cases/case_values.h"

namespace highwater::widgets {

/// The volumes in a folder, one row each. Rows that cannot be chosen cannot be selected either.
class SeriesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Picture, Description, Modality, Number, Size, Spacing, Files, Note, kColumns };
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit SeriesModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void setRows(std::vector<SeriesRow> rows);
    const std::vector<SeriesRow>& rows() const { return rows_; }
    /// Replaces the row that has the same id, when more is known of it. Does nothing if there is no such row.
    void update(const SeriesRow& row);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    std::vector<SeriesRow> rows_;
};

}  // namespace highwater::widgets
