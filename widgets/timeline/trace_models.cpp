#include "widgets/timeline/trace_models.h"

#include <QHeaderView>
#include <algorithm>
#include <cmath>

#include "widgets/controls/table_actions.h"
#include "widgets/plot/plot_values.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

constexpr auto kNone = "—";
constexpr int kMarkRoom = 20;  // px: for the sort indicator, beside right-aligned titles

/// "run 12" of "run 12, small 3d stack"; cut if it is still long.
QString shortTitle(const QString& title) {
    const QString first = title.section(',', 0, 0);
    return first.size() <= 16 ? first : first.left(15) + QStringLiteral("…");
}

QString signedByteTime(const TraceIndex& index, double value) {
    if (std::fabs(value) < 1) {
        return QStringLiteral("0");
    }
    return (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + byteTimeText(index, std::fabs(value));
}

/// The layer; then at the peak, bytes x lifetime, allocated: each for this trace, or for both and the
/// difference.
std::vector<Heading> layerHeadings(const QString& name, const QString& otherName) {
    const Heading sums[] = {
        {QObject::tr("at the peak"), QObject::tr("Bytes that are alive when the total is highest")},
        {QObject::tr("bytes × lifetime"),
         QObject::tr("Each allocation's bytes times how long it lives, added up")},
        {QObject::tr("allocated"), QObject::tr("All bytes ever allocated, whether freed or not")}};
    std::vector<Heading> headings = {{QObject::tr("layer")}};
    for (const Heading& sum : sums) {
        if (otherName.isEmpty()) {
            headings.push_back({sum.title, sum.tip, Qt::AlignRight});
            continue;
        }
        for (const QString& whose : {name, otherName, QObject::tr("difference")}) {
            headings.push_back({sum.title + '\n' + shortTitle(whose), sum.tip, Qt::AlignRight});
        }
    }
    return headings;
}

}  // namespace

LargestModel::LargestModel(QObject* parent)
    : TableModel({{tr("bytes"), {}, Qt::AlignRight},
                  {tr("category")},
                  {tr("layer")},
                  {tr("from")},
                  {tr("begins"), {}, Qt::AlignRight},
                  {tr("lives"), {}, Qt::AlignRight},
                  {tr("bytes × lifetime"), {}, Qt::AlignRight}},
                 parent) {}

void LargestModel::setBlocks(std::shared_ptr<const TraceIndex> index, std::vector<std::uint32_t> blocks) {
    index_ = std::move(index);
    resetRows(std::move(blocks));
}

LargestOrder LargestModel::orderOf(int column) {
    switch (column) {
        case Category:
            return LargestOrder::Category;
        case Layer:
            return LargestOrder::Layer;
        case Label:
            return LargestOrder::Label;
        case Begin:
            return LargestOrder::Begin;
        case Lifetime:
            return LargestOrder::Lifetime;
        case ByteTime:
            return LargestOrder::ByteTime;
        default:
            return LargestOrder::Bytes;
    }
}

QString LargestModel::text(const std::uint32_t& block, int column) const {
    const BlockLife& life = index_->life(block);
    switch (column) {
        case Bytes:
            return bytesText(index_->bytes(block));
        case Category:
            return categoryText(*index_, block);
        case Layer:
            return layerText(index_->trace(), life.layer);
        case Label:
            return labelText(index_->trace(), block);
        case Begin:
            return life.begin == 0 ? tr("before") : whenText(*index_, life.begin);
        case Lifetime:
            return lengthText(*index_, index_->length(index_->axis(TimelineAxis::Time), block));
        default:
            return byteTimeText(*index_, byteTime(*index_, index_->bytes(block),
                                                  index_->length(index_->axis(TimelineAxis::Time), block)));
    }
}

QVariant LargestModel::look(const std::uint32_t& block, int column, int role) const {
    switch (role) {
        case Qt::DecorationRole:
            return column == Category ? QVariant(theme().of(index_->life(block).category)) : QVariant();
        case Qt::ForegroundRole:
            return column == Layer && index_->life(block).layer < 0 ? QVariant(theme().mutedText)
                                                                    : QVariant();
        case Qt::ToolTipRole:
            return column == Label || column == Layer ? QVariant(text(block, column)) : QVariant();
        default:
            return {};
    }
}

void LargestModel::sort(int column, Qt::SortOrder order) {
    emit sortRequested(orderOf(column), order == Qt::DescendingOrder);
}

LayersModel::LayersModel(QObject* parent) : TableModel(layerHeadings({}, {}), parent) {}

void LayersModel::setRows(std::shared_ptr<const TraceIndex> index, std::vector<LayerDifference> rows,
                          const QString& name, const QString& otherName) {
    beginResetModel();
    index_ = std::move(index);
    rows_ = std::move(rows);
    headings_ = layerHeadings(name, otherName);
    comparing_ = !otherName.isEmpty();
    endResetModel();
}

int LayersModel::rowOfLayer(int layer) const {
    for (int i = 0; i < rowCount(); ++i) {
        if (layer >= 0 && row(i).layer == layer) {
            return i;
        }
    }
    return -1;
}

double LayersModel::value(const LayerDifference& row, int column) const {
    const int what = comparing() ? (column - 1) / 3 : column - 1, which = comparing() ? (column - 1) % 3 : 0;
    const auto of = [what](const LayerSum& sum) {
        return what == 0   ? static_cast<double>(sum.atPeak)
               : what == 1 ? sum.byteTime
                           : static_cast<double>(sum.allocated);
    };
    return which == 0 ? of(row.here) : which == 1 ? of(row.other) : of(row.here) - of(row.other);
}

QString LayersModel::text(const LayerDifference& row, int column) const {
    if (column == 0) {
        return row.name.empty() ? tr("no layer") : QString::fromStdString(row.name);
    }
    const int what = comparing() ? (column - 1) / 3 : column - 1, which = comparing() ? (column - 1) % 3 : 0;
    const bool missing =
        !row.name.empty() && ((which == 0 && row.layer < 0) || (which == 1 && row.otherLayer < 0));
    if (missing) {
        return kNone;
    }
    const double v = value(row, column);
    if (what == 1) {
        return which == 2 ? signedByteTime(*index_, v) : byteTimeText(*index_, v);
    }
    return which == 2 ? signedBytes(static_cast<base::Bytes>(v)) : bytesText(static_cast<base::Bytes>(v));
}

QVariant LayersModel::look(const LayerDifference& row, int column, int role) const {
    if (role == Qt::ToolTipRole) {
        return text(row, column);
    }
    if (role != Qt::ForegroundRole || !comparing() || column == 0 || column % 3 != 0) {
        return {};
    }
    const double v = value(row, column);
    return v > 0 ? QVariant(theme().warning) : v < 0 ? QVariant(theme().good) : QVariant();
}

void LayersModel::sort(int column, Qt::SortOrder order) {
    emit layoutAboutToBeChanged();
    const auto place = [](const LayerDifference& row) {
        return std::pair(row.layer < 0 ? 1 << 20 : row.layer, row.otherLayer < 0 ? 1 << 20 : row.otherLayer);
    };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const LayerDifference& a, const LayerDifference& b) {
        const auto& first = order == Qt::AscendingOrder ? a : b;
        const auto& second = order == Qt::AscendingOrder ? b : a;
        return column == 0 ? place(first) < place(second) : value(first, column) < value(second, column);
    });
    emit layoutChanged();
}

QTableView* makeFlatTable(QAbstractTableModel* model, const QString& name, const std::vector<int>& widths) {
    auto* view = new QTableView;
    view->setModel(model);
    makeFlat(*view, kMarkRoom);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setAccessibleName(name);
    QHeaderView* header = view->horizontalHeader();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(90);
    header->setTextElideMode(Qt::ElideRight);
    header->setStyleSheet(QString("QHeaderView::section { padding-right: %1px; }").arg(kMarkRoom));
    for (int i = 0; i < static_cast<int>(widths.size()); ++i) {
        header->resizeSection(i, widths[static_cast<std::size_t>(i)]);
    }
    offerTable(*view);
    return view;
}

}  // namespace highwater::widgets

#include "moc_trace_models.cpp"
