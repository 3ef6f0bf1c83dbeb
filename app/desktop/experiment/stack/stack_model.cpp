#include "app/desktop/experiment/stack/stack_model.h"

#include <QDataStream>
#include <QIODevice>
#include <QMimeData>
#include <algorithm>

#include "app/desktop/experiment/stack/layer_words.h"
#include "core/base/text.h"
#include "widgets/theme/table_model.h"

namespace highwater::desktop {

struct StackModel::Node {
    Node* parent = nullptr;
    stack::Layer layer;
    StackRow row;
    std::vector<std::unique_ptr<Node>> children;

    int position() const {
        const auto& siblings = parent->children;
        const auto it =
            std::find_if(siblings.begin(), siblings.end(), [&](const auto& n) { return n.get() == this; });
        return static_cast<int>(it - siblings.begin());
    }
};

namespace {

QString bytesText(const StackRow& row) {
    if (row.bytes < 0) {
        return {};
    }
    return row.bytes == 0 ? QStringLiteral("0") : QString::fromStdString(base::formatBytes(row.bytes));
}

}  // namespace

StackModel::StackModel(QObject* parent) : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {}

StackModel::~StackModel() = default;

void StackModel::setStack(const Layers& layers, const StackRows& rows,
                          std::shared_ptr<const predict::Prediction> prediction) {
    prediction_ = std::move(prediction);
    lastNumber_ = rows.rows.empty() ? 0 : rows.rows.back().number;
    syncList(*root_, layers);
    std::size_t next = 0;
    assignRows(*root_, rows.rows, next);
}

/// Keeps the common head and tail of the list and the new layers; changes the rows between them in place, and
/// inserts or removes the rest.
void StackModel::syncList(Node& list, const Layers& layers) {
    const auto& nodes = list.children;
    std::size_t head = 0;
    while (head < nodes.size() && head < layers.size() && nodes[head]->layer == layers[head]) {
        ++head;
    }
    std::size_t tail = 0;
    while (head + tail < nodes.size() && head + tail < layers.size() &&
           nodes[nodes.size() - 1 - tail]->layer == layers[layers.size() - 1 - tail]) {
        ++tail;
    }
    const std::size_t before = nodes.size() - head - tail;
    const std::size_t after = layers.size() - head - tail;
    for (std::size_t i = head; i < head + std::min(before, after); ++i) {
        const int at = static_cast<int>(i);
        const stack::Block* block = blockOf(layers[i]);
        if ((blockOf(nodes[i]->layer) != nullptr) == (block != nullptr)) {
            if (block) {
                syncList(*nodes[i], block->layers);
            }
            nodes[i]->layer = layers[i];
        } else {
            removeNodes(list, at, 1);
            insertNodes(list, at, layers, i, 1);
        }
    }
    if (before > after) {
        removeNodes(list, static_cast<int>(head + after), static_cast<int>(before - after));
    } else if (after > before) {
        insertNodes(list, static_cast<int>(head + before), layers, head + before, after - before);
    }
}

void StackModel::insertNodes(Node& list, int at, const Layers& layers, std::size_t first, std::size_t count) {
    const auto build = [](const auto& self, Node* parent,
                          const stack::Layer& layer) -> std::unique_ptr<Node> {
        auto node = std::make_unique<Node>();
        node->parent = parent;
        node->layer = layer;
        if (const stack::Block* block = blockOf(layer)) {
            for (const stack::Layer& inner : block->layers) {
                node->children.push_back(self(self, node.get(), inner));
            }
        }
        return node;
    };
    beginInsertRows(indexOfNode(&list), at, at + static_cast<int>(count) - 1);
    for (std::size_t i = 0; i < count; ++i) {
        list.children.insert(list.children.begin() + at + static_cast<int>(i),
                             build(build, &list, layers[first + i]));
    }
    endInsertRows();
}

void StackModel::removeNodes(Node& list, int at, int count) {
    beginRemoveRows(indexOfNode(&list), at, at + count - 1);
    list.children.erase(list.children.begin() + at, list.children.begin() + at + count);
    endRemoveRows();
}

void StackModel::assignRows(Node& list, const std::vector<StackRow>& rows, std::size_t& next) {
    for (const auto& node : list.children) {
        const StackRow& row = rows.at(next++);
        if (!(node->row == row)) {
            node->row = row;
            emit dataChanged(indexOfNode(node.get(), 0), indexOfNode(node.get(), kColumns - 1));
        }
        assignRows(*node, rows, next);
    }
}

QString StackModel::tip(const StackRow& row) const {
    QString text = tr("layer %1 · %2").arg(row.number).arg(row.type);
    if (!row.options.isEmpty()) {
        text += '\n' + row.options;
    }
    if (row.shape.isEmpty()) {
        return text;
    }
    text += QString("\n%1 → %2").arg(row.input, row.shape);
    text += '\n' + tr("%1 parameters").arg(QString::fromStdString(base::formatCount(row.parameters)));
    const auto index = static_cast<std::size_t>(row.number - 1);
    if (row.predicted && prediction_ && index < prediction_->layers.size()) {
        text += "\n\n" + tr("Predicted:") + '\n' +
                layerForecastText(prediction_->layers[index], prediction_->peakAllocated.expected);
    } else {
        text += '\n' + (row.bytes == 0 ? tr("works in place: adds no output")
                                       : tr("adds %1 of output").arg(bytesText(row)));
    }
    if (!row.cliff.isEmpty()) {
        text += "\n\n" + tr("Cliff:") + '\n' + row.cliff;
    }
    return text;
}

StackModel::Node* StackModel::nodeOf(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : root_.get();
}

QModelIndex StackModel::indexOfNode(const Node* node, int column) const {
    return node == root_.get() ? QModelIndex() : createIndex(node->position(), column, node);
}

QModelIndex StackModel::indexOf(const Path& path, int column) const {
    const Node* node = root_.get();
    for (const int row : path) {
        if (row < 0 || row >= static_cast<int>(node->children.size())) {
            return {};
        }
        node = node->children[row].get();
    }
    return indexOfNode(node, column);
}

Path StackModel::pathOf(const QModelIndex& index) const {
    Path path;
    for (QModelIndex i = index; i.isValid(); i = i.parent()) {
        path.insert(path.begin(), i.row());
    }
    return path;
}

const StackRow* StackModel::rowOf(const QModelIndex& index) const {
    return index.isValid() ? &nodeOf(index)->row : nullptr;
}

const stack::Layer* StackModel::layerOf(const QModelIndex& index) const {
    return index.isValid() ? &nodeOf(index)->layer : nullptr;
}

QModelIndex StackModel::index(int row, int column, const QModelIndex& parent) const {
    const Node* list = nodeOf(parent);
    if (row < 0 || row >= static_cast<int>(list->children.size()) || column < 0 || column >= kColumns) {
        return {};
    }
    return createIndex(row, column, list->children[row].get());
}

QModelIndex StackModel::parent(const QModelIndex& index) const {
    return index.isValid() ? indexOfNode(nodeOf(index)->parent) : QModelIndex();
}

int StackModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(nodeOf(parent)->children.size());
}

int StackModel::columnCount(const QModelIndex&) const {
    return kColumns;
}

QVariant StackModel::data(const QModelIndex& index, int role) const {
    const StackRow* row = rowOf(index);
    if (!row) {
        return {};
    }
    if (role == kRowRole) {
        return QVariant::fromValue(*row);
    }
    if (role == Qt::ToolTipRole) {
        return tip(*row);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
        case Type:
            return row->type;
        case Options:
            return row->options;
        case Output:
            return row->shape;
        case Parameters:
            return row->parameters > 0 ? QString::fromStdString(base::formatCount(row->parameters))
                                       : QString();
        case Size:
            return bytesText(*row);
        default:
            return {};
    }
}

QVariant StackModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const std::vector<widgets::Heading> headings = {
        {tr("layer"), tr("Layers in order of execution, numbered as in error messages. Drag to reorder.")},
        {tr("options"), tr("Options that differ from the defaults")},
        {tr("shape"), tr("Channels × spatial sizes of the layer's output, for one sample"), Qt::AlignRight},
        {tr("params"), tr("Learned values; for a block, the sum over its layers"), Qt::AlignRight},
        {tr("memory"),
         tr("Predicted: what the layer's forward adds to activations, for the whole batch; 0 where it works "
            "in\n"
            "place. In a checkpointed block it is freed again before the next block. The bar is what it "
            "holds at the step's peak, against the\n"
            "layer that holds the most.\n"
            "Where nothing can be predicted: the bytes of output that it adds."),
         Qt::AlignRight}};
    return widgets::headingData(headings, section, orientation, role);
}

Qt::ItemFlags StackModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) {
        return Qt::ItemIsDropEnabled;
    }
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled;
    if (blockOf(nodeOf(index)->layer)) {
        flags |= Qt::ItemIsDropEnabled;
    }
    return flags;
}

QStringList StackModel::mimeTypes() const {
    return {kLayersMime, kPathsMime, "text/plain"};
}

QMimeData* StackModel::mimeData(const QModelIndexList& indexes) const {
    Paths paths;
    for (const QModelIndex& index : indexes) {
        if (index.column() == 0) {
            paths.push_back(pathOf(index));
        }
    }
    Layers layers;
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << reinterpret_cast<quintptr>(this);
    for (const Path& path : outermost(paths)) {
        layers.push_back(nodeOf(indexOf(path))->layer);
        stream << QList<int>(path.begin(), path.end());
    }
    auto* data = new QMimeData;
    const QString text = layersToText(layers);
    data->setText(text);
    data->setData(kLayersMime, text.toUtf8());
    data->setData(kPathsMime, bytes);
    return data;
}

std::optional<Paths> StackModel::draggedPaths(const QMimeData& data) const {
    QDataStream stream(data.data(kPathsMime));
    quintptr origin = 0;
    stream >> origin;
    if (origin != reinterpret_cast<quintptr>(this)) {
        return std::nullopt;
    }
    Paths paths;
    while (!stream.atEnd()) {
        QList<int> path;
        stream >> path;
        paths.emplace_back(path.begin(), path.end());
    }
    return paths;
}

bool StackModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int,
                                 const QModelIndex& parent) const {
    if (!data || !data->hasFormat(kLayersMime)) {
        return false;
    }
    const auto paths = draggedPaths(*data);
    if (!paths) {
        return true;
    }
    const Path target = pathOf(parent);
    return std::none_of(paths->begin(), paths->end(), [&](const Path& p) {
        return p.size() <= target.size() && std::equal(p.begin(), p.end(), target.begin());
    });
}

bool StackModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                              const QModelIndex& parent) {
    if (!onDrop || !canDropMimeData(data, action, row, column, parent)) {
        return false;
    }
    return onDrop(*data, action == Qt::CopyAction, pathOf(parent), row);
}

}  // namespace highwater::desktop

#include "moc_stack_model.cpp"
