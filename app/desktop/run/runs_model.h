#pragma once

#include <QAbstractItemModel>
#include <QColor>
#include <QHash>
#include <QSet>
#include <functional>
#include <memory>
#include <vector>

#include "app/desktop/run/runs_columns.h"

namespace highwater::desktop {

/// Runs as a tree of plain values, identified by their id. The runs of a study are children of one row.
class RunsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    static constexpr int kSortRole = Qt::UserRole + 1;  ///< the value that the column is sorted by
    static constexpr int kTagsRole = Qt::UserRole + 2;  ///< QStringList

    explicit RunsModel(QObject* parent = nullptr);
    ~RunsModel() override;

    /// Sets all runs. Rows whose id still exists are changed in place, so that selections are kept.
    void setRows(std::vector<RunRow> rows);
    /// Adds or changes one run.
    void setRow(const RunRow& row);
    void setProgress(const QString& id, const QString& progress);
    /// Sets the run in the plots, whose number is marked. Empty: none.
    void setShown(const QString& id);
    /// Sets the text of the last column for each run id, under this title; with an empty title, the column
    /// says why runs ended early.
    void setAgainst(const QString& title, std::function<QString(const QString& id)> text = {});

    /// Sets the colors of runs in a plot, shown before their names; other runs have none.
    void setColors(const QHash<QString, QColor>& byId);

    /// The run at an index; null for a study.
    const RunRow* run(const QModelIndex& index) const;
    QString studyId(const QModelIndex& index) const;  ///< empty for a run
    QModelIndex indexOf(const QString& id) const;
    int runCount() const { return static_cast<int>(runs_.size()); }
    bool hasStudies() const { return !studies_.isEmpty(); }
    /// Whether any run has a text or figure in that column.
    bool anyText(RunColumn column) const;
    bool anyProgress() const;
    /// The longest text in that column, by characters.
    QString longest(RunColumn column) const;
    /// All tags of any run, in alphabetical order.
    QStringList allTags() const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Changes nothing itself: emits edited(); the new value arrives with the rows once it is stored.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    static bool editable(RunColumn column) {
        return column == RunColumn::Name || column == RunColumn::Tags || column == RunColumn::Note;
    }

signals:
    void edited(const QString& id, highwater::desktop::RunColumn column, const QString& text);

private:
    struct Node;
    using Nodes = std::vector<std::unique_ptr<Node>>;
    Node* node(const QModelIndex& index) const;
    QModelIndex indexOf(const Node& node, int column = 0) const;
    QVariant runData(const RunRow& row, RunColumn column, int role) const;
    QString againstText(const RunRow& row) const;
    void add(std::vector<RunRow> rows);
    QSet<QString> dropAllBut(const QHash<QString, QString>& studyOf);
    void dropFrom(Node& parent, const std::function<bool(const Node&)>& goes);
    void insert(Node& parent, Nodes nodes);
    void settle(Node& study);
    void change(Node& node, RunRow row);

    std::unique_ptr<Node> root_;
    QHash<QString, Node*> runs_, studies_;
    QString againstTitle_;
    std::function<QString(const QString&)> against_;
    QHash<QString, QColor> colors_;
    QString shown_;  ///< the id of the run in the plots
};

}  // namespace highwater::desktop
