#pragma once

#include <QPersistentModelIndex>
#include <QTreeView>
#include <map>
#include <set>

class QSortFilterProxyModel;

namespace highwater::desktop {

class RunsCells;
class RunsModel;
enum class RunColumn;

/// The tree of runs: rows, the arrows of studies, the pencil, and columns that can be chosen. A double click
/// or Enter opens a run, and unfolds a study.
class RunsView : public QTreeView {
    Q_OBJECT
public:
    RunsView(RunsModel& model, QSortFilterProxyModel& proxy, QWidget* parent);

    /// Edits a cell of the current run; the first that is selected if the current one is not.
    void editCell(RunColumn column);
    /// A menu with a box for every column.
    void showColumns(const QPoint& at);
    /// Which columns there are, in which order, how wide, and the order of the rows; empty while nobody has
    /// chosen: then they fit the table's width.
    QByteArray columns() const;
    void restoreColumns(const QByteArray& state);
    void resetColumns();
    /// Unfolds all studies, as long as it is on; then they are as before.
    void setAllUnfolded(bool on);
    /// To be called when studies came or went.
    void followStudies();
    /// To be called when runs, or what they say, have changed: what is empty needs less room. `figures`:
    /// other texts than how long a run still takes may have changed; all are measured then.
    void followTexts(bool figures = true);

    /// Text shown instead of rows while they are not known. Empty: there are no runs yet.
    void setUnknown(const QString& why);
    /// What is shown where there are no rows.
    QString textOfNone() const;

signals:
    void opened(const QModelIndex& index);

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void hover(const QModelIndex& index);
    void fitColumns();
    void giveWay(bool on);
    void showAll();
    int leastWidth() const;
    int statusWidth() const;
    std::map<RunColumn, int> figureWidths() const;
    int widthOf(RunColumn column) const;
    bool widthsFit() const;
    bool hides(int column) const;
    bool isLast(int column) const;
    RunsModel& model_;
    QSortFilterProxyModel& proxy_;
    RunsCells* cells_;
    QPersistentModelIndex hovered_;
    QString unknown_;
    bool allUnfolded_ = false;
    bool fits_ = true;  ///< the columns follow the table's width: nobody has chosen them
    bool fitting_ = false;
    std::set<RunColumn> empty_;       ///< columns of words in which no run says anything
    bool goesOn_ = false;             ///< some run says how long it still takes
    std::map<RunColumn, int> needs_;  ///< the widths of columns with short texts
    std::set<int> given_;             ///< columns that are hidden because the table is narrow
    QStringList unfolded_;            ///< studies that are unfolded when the others are not
};

}  // namespace highwater::desktop
