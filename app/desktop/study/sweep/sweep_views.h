#pragma once

#include <QWidget>

#include "app/desktop/study/sweep/sweep_link.h"

class QAction;
class QCheckBox;
class QComboBox;
class QMenu;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace highwater::widgets {
class ElidedLabel;
class Panel;
}  // namespace highwater::widgets

namespace highwater::desktop {

class SweepHeatMap;
class SweepParallel;
class SweepScatter;
class SweepTable;

/// The cells of a sweep: above as parallel coordinates, scatter plot or heat map, below as a table, and the
/// filter that they share.
class SweepViews : public QWidget {
    Q_OBJECT
public:
    enum class View { Parallel, Scatter, HeatMap };
    explicit SweepViews(QWidget* parent = nullptr);

    SweepLink& link() { return *link_; }
    void setRows(SweepRows rows) { link_->setRows(std::move(rows)); }
    void setView(View view);
    View view() const;
    QWidget& chart() const;  ///< the current view's
    SweepTable& table() { return *table_; }
    SweepParallel& parallel() { return *parallel_; }
    SweepScatter& scatter() { return *scatter_; }
    SweepHeatMap& heatMap() { return *heatMap_; }
    QSplitter& splitter() { return *splitter_; }
    QMenu& filterMenu() { return *filterMenu_; }
    void setTableNote(const QString& note);
    QString tableNote() const;

signals:
    void exportRequested();
    void reportRequested();
    void openRequested(int cell);

private:
    void buildStrip();
    void buildCharts();
    void buildTable();
    QComboBox* columnBox(const char* name, const QString& tip);
    void fillBoxes();
    void takeBoxes();
    void fillFilterMenu();
    void addLevels(QMenu& menu, std::size_t axis);
    void showFilter();
    SweepLink* link_;
    QWidget* strip_;
    QTabBar* tabs_;
    QStackedWidget* charts_;
    widgets::Panel *chartPanel_, *tablePanel_;
    SweepParallel* parallel_;
    SweepScatter* scatter_;
    SweepHeatMap* heatMap_;
    SweepTable* table_;
    QSplitter* splitter_;
    QWidget *scatterBoxes_, *heatBoxes_;
    QComboBox *scatterX_, *scatterY_, *heatX_, *heatY_, *heatFigure_, *group_;
    QToolButton *filterButton_, *clear_, *export_, *report_, *open_;
    QMenu* filterMenu_;
    QCheckBox *hideFailures_, *measuredOnly_;
    widgets::ElidedLabel* said_;
    bool filling_ = false;
};

}  // namespace highwater::desktop
