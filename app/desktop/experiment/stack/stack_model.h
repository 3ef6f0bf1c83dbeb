#pragma once

#include <QAbstractItemModel>
#include <functional>
#include <memory>

#include "app/desktop/experiment/stack/stack_rows.h"

namespace highwater::desktop {

/// A stack as a tree model. A change of the stack changes only the rows that differ, so that selection,
/// scroll position and collapsed blocks are kept.
class StackModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Type, Options, Output, Parameters, Size, kColumns };
    static constexpr int kRowRole = Qt::UserRole;  ///< the whole StackRow, for the delegate
    static constexpr auto kLayersMime = "application/x-highwater-layers";
    static constexpr auto kPathsMime = "application/x-highwater-paths";

    explicit StackModel(QObject* parent = nullptr);
    ~StackModel() override;

    /// `prediction` is the one that the rows were made from; may be null.
    void setStack(const Layers& layers, const StackRows& rows,
                  std::shared_ptr<const predict::Prediction> prediction = nullptr);

    /// The index of the layer at `path`; invalid if there is no such layer.
    QModelIndex indexOf(const Path& path, int column = Type) const;
    Path pathOf(const QModelIndex& index) const;
    const StackRow* rowOf(const QModelIndex& index) const;
    const stack::Layer* layerOf(const QModelIndex& index) const;
    int lastNumber() const { return lastNumber_; }  ///< the highest StackRow::number; 0 without layers

    /// Called on a drop, with the data, whether it is copied, the path of the block and the row in it.
    std::function<bool(const QMimeData&, bool copy, const Path& parent, int row)> onDrop;
    /// The paths that a drag from this model carries. Returns std::nullopt if the drag comes from elsewhere.
    std::optional<Paths> draggedPaths(const QMimeData& data) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction | Qt::CopyAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

private:
    struct Node;
    Node* nodeOf(const QModelIndex& index) const;
    QModelIndex indexOfNode(const Node* node, int column = 0) const;
    void syncList(Node& list, const Layers& layers);
    void insertNodes(Node& list, int at, const Layers& layers, std::size_t first, std::size_t count);
    void removeNodes(Node& list, int at, int count);
    void assignRows(Node& list, const std::vector<StackRow>& rows, std::size_t& next);

    QString tip(const StackRow& row) const;

    std::unique_ptr<Node> root_;
    std::shared_ptr<const predict::Prediction> prediction_;
    int lastNumber_ = 0;
};

}  // namespace highwater::desktop

Q_DECLARE_METATYPE(highwater::desktop::StackRow)
