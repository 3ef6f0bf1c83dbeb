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

/// The tree of runs: rows, the arrows of studies, the pencil, and columns that can be chosen. A double-click
/// or Enter opens a run, and unfolds a study.
class RunsView : public QTreeView {
    Q_OBJECT
public:
    RunsView(RunsModel& model, QSortFilterProxyModel& proxy, QWidget* parent);

    /// Edits a cell of the current run, or of the first selected one if the current one is not selected.
    void editCell(RunColumn column);
    /// Shows a menu with a check box for every column.
    void showColumns(const QPoint& at);
    /// The visible columns, their order and widths, and the sort order; empty if the user has not changed
    /// them: then they fit the table's width.
    QByteArray columns() const;
    void restoreColumns(const QByteArray& state);
    void resetColumns();
    /// Unfolds all studies while it is on; afterwards their previous state is restored.
    void setAllUnfolded(bool on);
    /// To be called when studies were added or removed.
    void followStudies();
    /// To be called when runs or their texts have changed: empty columns need less room. `figures`: texts
    /// other than remaining times may have changed, so that all are measured.
    void followTexts(bool figures = true);

    /// Text shown instead of rows while they are not known. Empty: there are no runs yet.
    void setUnknown(const QString& why);
    /// The text shown if there are no rows.
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
    /// The least that the shown columns need. `names`: the longest name in view, up to this multiple of the
    /// usual width.
    int leastWidth(double names) const;
    int statusWidth() const;
    std::map<RunColumn, int> figureWidths() const;
    int nameWidth() const;
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
    bool fits_ = true;  ///< the columns follow the table's width, because the user has not changed them
    bool fitting_ = false;
    std::set<RunColumn> empty_;       ///< columns in which no run has a text or figure
    bool goesOn_ = false;             ///< some run shows its remaining time
    std::map<RunColumn, int> needs_;  ///< the widths of columns with short texts
    int name_ = 0;                    ///< the width that the longest name needs
    std::set<int> given_;             ///< columns that are hidden because the table is narrow
    QStringList unfolded_;            ///< studies that stay unfolded when the others are folded again
};

}  // namespace highwater::desktop
