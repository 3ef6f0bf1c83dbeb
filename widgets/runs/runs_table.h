#pragma once

#include "widgets/runs/runs_model.h"
#include "widgets/theme/panel.h"

class QLineEdit;
class QSortFilterProxyModel;
class QTableView;
class QToolButton;

namespace highwater::widgets {

/// The table of runs: sort, filter, select several, compare and report. It asks; it deletes nothing itself.
class RunsTable : public Panel {
    Q_OBJECT
public:
    explicit RunsTable(QWidget* parent = nullptr);

    void setRows(std::vector<RunRow> rows);
    void setRow(const RunRow& row);
    void setAgainstTitle(const QString& title) { model_->setAgainstTitle(title); }
    /// Ids of the selected runs, in the order shown.
    QStringList selectedIds() const;
    /// Selects and scrolls there; ids that are not in the table (or filtered away) are left out.
    void select(const QStringList& ids);
    void setFilter(const QString& text);
    int visibleRows() const;

signals:
    void selectionChanged(const QStringList& ids);
    void activated(const QString& id);  ///< double click or Enter: show that run
    void compareRequested(const QStringList& ids);
    void reportRequested(const QStringList& ids);
    void memoryRequested(const QStringList& ids);  ///< of one run, or of two to compare
    void openRequested(const QString& id);         ///< its experiment into the editor
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
