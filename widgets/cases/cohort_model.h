#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "widgets/cases/case_values.h"

namespace highwater::widgets {

/// The cases of a cohort, one row each. Rows are filled in as the cases are read.
class CohortModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Size, Spacing, Range, Channels, Labels, Note, kColumns };
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit CohortModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void setRows(std::vector<CaseRow> rows);
    void setRow(int place, CaseRow row);
    const std::vector<CaseRow>& rows() const { return rows_; }
    /// The case that the views show; -1 for none.
    void setShown(int place);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(int place, int column) const;
    std::vector<CaseRow> rows_;
    int shown_ = -1;
};

}  // namespace highwater::widgets
