#pragma once

#include <QWidget>
#include <vector>

#include "app/desktop/scan/cases/case_values.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace highwater::desktop {

class CohortModel;

/// A table of the cases of a cohort, with their medians below it.
class CohortTable : public QWidget {
    Q_OBJECT
public:
    explicit CohortTable(QWidget* parent = nullptr);

    void setRows(std::vector<CaseRow> rows);
    void setRow(int place, CaseRow row);  ///< `place` is an index into the rows as given to setRows
    const std::vector<CaseRow>& rows() const;
    int current() const;  ///< place of the selected row; -1 if none
    void setShown(int place);
    /// Shows this text in place of the medians. An empty text restores the medians.
    void setNote(const QString& note);
    QString note() const;
    QTableView& view() const { return *view_; }

signals:
    /// The user selected a row, with a click or with the keyboard.
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

}  // namespace highwater::desktop
