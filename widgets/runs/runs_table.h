#pragma once

#include "widgets/runs/runs_model.h"
#include "widgets/theme/panel.h"

class QLineEdit;
class QSortFilterProxyModel;
class QTableView;
class QToolButton;

namespace highwater::widgets {

/// The table of runs: sort, filter, select several, compare and report. It only emits requests; it deletes
/// nothing itself.
class RunsTable : public Panel {
    Q_OBJECT
public:
    explicit RunsTable(QWidget* parent = nullptr);

    void setRows(std::vector<RunRow> rows);
    void setRow(const RunRow& row);
    void setAgainstTitle(const QString& title) { model_->setAgainstTitle(title); }
    /// Ids of the selected runs, in the order on screen.
    QStringList selectedIds() const;
    /// Selects these runs and scrolls to them. Ids that are not in the table (or hidden by the filter) are
    /// ignored.
    void select(const QStringList& ids);
    void setFilter(const QString& text);
    int visibleRows() const;

signals:
    void selectionChanged(const QStringList& ids);
    void activated(const QString& id);  ///< double click or Enter: show that run
    void compareRequested(const QStringList& ids);
    void reportRequested(const QStringList& ids);
    void memoryRequested(const QStringList& ids);  ///< show the memory trace of one run, or compare two
    void openRequested(const QString& id);         ///< open its experiment in the editor
    void deleteRequested(const QStringList& ids);

private:
    void buildView();
    void buildActions();
    void updateSelection();
    void showContextMenu(const QPoint& at);
    QString idAt(const QModelIndex& shown) const;
    bool eventFilter(QObject* watched, QEvent* event) override;

    RunsModel* model_;
    QSortFilterProxyModel* proxy_;
    QTableView* view_;
    QLineEdit* filter_;
    QToolButton* compareLink_ = nullptr;
    QToolButton* reportLink_ = nullptr;
    QAction *compare_, *report_, *memory_, *open_, *delete_;
};

}  // namespace highwater::widgets
