#pragma once

#include <QAbstractTableModel>
#include <QTableView>
#include <memory>
#include <vector>

#include "widgets/timeline/trace_tables.h"

namespace highwater::widgets {

/// The table of the largest allocations. Sorting needs other blocks, so the model emits a request for them.
class LargestModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Bytes, Category, Layer, Label, Begin, Lifetime, ByteTime, kColumns };
    using QAbstractTableModel::QAbstractTableModel;

    void setBlocks(std::shared_ptr<const TraceIndex> index, std::vector<std::uint32_t> blocks);
    const std::vector<std::uint32_t>& blocks() const { return blocks_; }
    static LargestOrder orderOf(int column);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order) override;

signals:
    void sortRequested(highwater::widgets::LargestOrder order, bool descending);

private:
    QString text(std::uint32_t block, int column) const;
    std::shared_ptr<const TraceIndex> index_;
    std::vector<std::uint32_t> blocks_;
};

/// The table of what each layer allocates, with a comparison if there is another trace.
class LayersModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    /// The rows to show. If `otherName` is empty, there is no comparison. `index` gives the units.
    void setRows(std::shared_ptr<const TraceIndex> index, std::vector<LayerDifference> rows,
                 const QString& name, const QString& otherName);
    bool comparing() const { return !otherName_.isEmpty(); }
    const LayerDifference& row(int at) const { return rows_[static_cast<std::size_t>(at)]; }
    int rowOfLayer(int layer) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    double value(const LayerDifference& row, int column) const;
    QString text(const LayerDifference& row, int column) const;
    std::shared_ptr<const TraceIndex> index_;
    std::vector<LayerDifference> rows_;
    QString name_, otherName_;
};

/// A table in the flat style of the window: hairlines, selection of whole rows, sorted by a click on the
/// header.
QTableView* makeFlatTable(QAbstractTableModel* model, const QString& name, const std::vector<int>& widths);

}  // namespace highwater::widgets
