#pragma once

#include <QColor>
#include <QHash>
#include <functional>

#include "app/desktop/run/run_row.h"
#include "widgets/theme/panel.h"

class QAction;
class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;

namespace highwater::desktop {

class RunsModel;
class RunsProxy;
class RunsView;
enum class RunColumn;

/// The meaning of a filter line: which runs it shows, or, in one line, why it is invalid.
struct RunsFilter {
    std::function<bool(const QString& id)> shows = {};  ///< empty: all
    QString problem = {};
};

/// The table of runs: studies unfold, names, notes and tags are edited in place, columns can be chosen; sort,
/// filter, select several, compare and report. It only emits requests and changes or deletes nothing itself.
class RunsTable : public widgets::Panel {
    Q_OBJECT
public:
    explicit RunsTable(QWidget* parent = nullptr);

    void setRows(std::vector<RunRow> rows);
    void setRow(const RunRow& row);
    /// Sets the progress of a run in progress: RunRow::progress.
    void setProgress(const QString& id, const QString& progress);
    /// Marks the run that gauge and plots show; none if empty.
    void setShown(const QString& id);
    /// Sets the title of the last column, "against #12", and its text for each run.
    void setAgainst(const QString& title, std::function<QString(const QString& id)> text = {});
    /// Sets the colors of runs in a plot, shown before their names; other runs have none.
    void setColors(const QHash<QString, QColor>& byId);
    /// Ids of the selected runs, in the order in which they were selected: the first is the baseline. Runs
    /// that were selected at once are in the order on screen; a study stands for its runs.
    QStringList selectedIds() const { return selected_; }
    /// Selects these runs in this order and scrolls to the first. Ids that are not in the table (or hidden by
    /// the filter) are ignored.
    void select(const QStringList& ids);
    /// Sets how filter lines are interpreted. By default, every word must occur in a column.
    void setFilters(std::function<RunsFilter(const QString& line)> filters);
    void setFilter(const QString& line);
    void focusFilter();
    /// Applies the filter again, because the data it tests has changed.
    void refilter();
    /// The number of runs that the filter accepts, including those in folded studies.
    int visibleRuns() const;
    RunsView& view() { return *view_; }
    QMenu* contextMenu();  ///< for the selected runs; the caller deletes it

signals:
    void selectionChanged(const QStringList& ids);
    void activated(const QString& id);  ///< double-click or Enter: open that run
    void compareRequested(const QStringList& ids);
    void reportRequested(const QStringList& ids);
    void memoryRequested(const QStringList& ids);  ///< show the memory trace of one run, or compare two
    void deleteRequested(const QStringList& ids);
    /// Record a run in progress on a host with the data that is here.
    void giveUpRequested(const QString& id);
    /// The user entered a name, a note or all tags of a run.
    void edited(const QString& id, highwater::desktop::RunColumn column, const QString& text);
    void tagWanted(const QStringList& ids, const QString& tag, bool on);

private:
    void buildHeader();
    void connectHeader();
    void buildActions();
    void updateSelection();
    void updateNote();
    bool applyFilter();
    void addTags(QMenu& menu);
    QStringList idsUnder(const QModelIndex& shown) const;
    bool eventFilter(QObject* watched, QEvent* event) override;

    RunsModel* model_;
    RunsProxy* proxy_;
    RunsView* view_;
    QLineEdit* filter_;
    QLabel* problem_;
    bool changesRows_ = false;
    QToolButton *compareLink_, *reportLink_, *columnsLink_;
    QAction *compare_, *report_, *memory_, *open_, *delete_, *rename_, *note_, *tag_, *giveUp_;
    QList<QAction*> exports_;  ///< of the table (widgets::offerTable)
    QStringList selected_;
    std::function<RunsFilter(const QString&)> filters_;
};

}  // namespace highwater::desktop
