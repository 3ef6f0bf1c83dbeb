#pragma once

#include <QTableView>
#include <memory>
#include <vector>

#include "widgets/theme/table_model.h"
#include "widgets/timeline/trace_tables.h"

namespace highwater::widgets {

/// The largest allocations. Sorting changes which blocks are listed, so the model requests it from its owner.
class LargestModel : public TableModel<std::uint32_t> {
    Q_OBJECT
public:
    enum Column { Bytes, Category, Layer, Label, Begin, Lifetime, ByteTime, kColumns };
    explicit LargestModel(QObject* parent = nullptr);

    void setBlocks(std::shared_ptr<const TraceIndex> index, std::vector<std::uint32_t> blocks);
    const std::vector<std::uint32_t>& blocks() const { return rows(); }
    static LargestOrder orderOf(int column);

    void sort(int column, Qt::SortOrder order) override;

signals:
    void sortRequested(highwater::widgets::LargestOrder order, bool descending);

private:
    QString text(const std::uint32_t& block, int column) const override;
    QVariant look(const std::uint32_t& block, int column, int role) const override;
    std::shared_ptr<const TraceIndex> index_;
};

/// The sums of each layer, compared with another trace if there is one.
class LayersModel : public TableModel<LayerDifference> {
    Q_OBJECT
public:
    explicit LayersModel(QObject* parent = nullptr);
    /// `other` may be null: then only this trace is shown. `index` gives the units.
    void setRows(std::shared_ptr<const TraceIndex> index, std::vector<LayerDifference> rows,
                 const QString& name, const QString& otherName);
    bool comparing() const { return comparing_; }
    int rowOfLayer(int layer) const;
    void sort(int column, Qt::SortOrder order) override;

private:
    double value(const LayerDifference& row, int column) const;
    QString text(const LayerDifference& row, int column) const override;
    QVariant look(const LayerDifference& row, int column, int role) const override;
    std::shared_ptr<const TraceIndex> index_;
    bool comparing_ = false;
};

/// A table in the window's flat style: hairlines, selection of whole rows, sorted by a click on the header.
QTableView* makeFlatTable(QAbstractTableModel* model, const QString& name, const std::vector<int>& widths);

}  // namespace highwater::widgets
