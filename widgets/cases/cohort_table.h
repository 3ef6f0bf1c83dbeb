#pragma once

#include <QWidget>
#include <vector>

#include "widgets/cases/case_values.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace highwater::widgets {

class CohortModel;

/// The cases of a cohort with their medians beneath.
class CohortTable : public QWidget {
    Q_OBJECT
public:
    explicit CohortTable(QWidget* parent = nullptr);

    void setRows(std::vector<CaseRow> rows);
    void setRow(int place, CaseRow row);  ///< a place in the rows as they were given
    const std::vector<CaseRow>& rows() const;
    int current() const;  ///< -1: none
    void setShown(int place);
    /// Stands in place of the medians; empty: they do.
    void setNote(const QString& note);
    QString note() const;
    QTableView& view() const { return *view_; }

signals:
    /// A row was chosen: a click, or the keys.
    void caseChosen(int place);

private:
    void resizeEvent(QResizeEvent* event) override;
    void fitColumns();
    void refreshNote();
    CohortModel* model_;
    QSortFilterProxyModel* sorted_;
    QTableView* view_;
    QLabel* line_;
    QString note_;
    bool filling_ = false;
};

}  // namespace highwater::widgets
