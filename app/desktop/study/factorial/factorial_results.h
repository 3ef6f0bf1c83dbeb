#pragma once

#include <QWidget>

#include "app/desktop/study/study_values.h"

class QLabel;
class QSortFilterProxyModel;
class QSplitter;
class QTableView;
class QToolButton;

namespace highwater::widgets {
class Panel;
}

namespace highwater::desktop {

class CombinationsModel;
class IntervalChart;
class ParetoPlot;

/// The results of a factorial: each combination in a table and as a point in a plot, and the effects of the
/// levers. Table and plot share the selected combination.
class FactorialResults : public QWidget {
    Q_OBJECT
public:
    explicit FactorialResults(QWidget* parent = nullptr);
    void setRows(const FactorialRows& rows);
    const FactorialRows& rows() const { return rows_; }
    /// Index into the rows; -1 if none is selected.
    int current() const;
    void setCurrent(int row);
    QTableView& table() { return *view_; }
    ParetoPlot& plot() { return *plot_; }
    IntervalChart& effects() { return *effects_; }

signals:
    void useRequested(int row);
    void exportRequested();
    void reportRequested();

private:
    void buildTable();
    void buildEffects();
    void chosen();
    FactorialRows rows_;
    CombinationsModel* model_;
    QSortFilterProxyModel* sorted_;
    QTableView* view_;
    ParetoPlot* plot_;
    IntervalChart* effects_;
    QLabel* notes_;
    widgets::Panel *tablePanel_, *plotPanel_, *effectsPanel_;
    QToolButton *use_, *export_, *report_;
};

}  // namespace highwater::desktop
