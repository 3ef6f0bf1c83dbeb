#include "widgets/timeline/trace_models.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/plot/plot_values.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

constexpr auto kNone = "—";

class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& t = theme();
        const QRect r = option.rect;
        painter->fillRect(r, option.state & QStyle::State_Selected ? t.selection : t.window);
        painter->fillRect(r.left(), r.bottom(), r.width(), 1, t.border);
        const auto align = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
        QRect text = r.adjusted(8, 0, align & Qt::AlignRight ? -20 : -8, 0);
        if (const QVariant swatch = index.data(Qt::DecorationRole); swatch.isValid()) {
            painter->fillRect(QRect(text.left(), r.center().y() - 4, 9, 9), swatch.value<QColor>());
            text.setLeft(text.left() + 16);
        }
        const QVariant colour = index.data(Qt::ForegroundRole);
        painter->setPen(colour.isValid() ? colour.value<QColor>() : t.text);
        painter->setFont(option.font);
        painter->drawText(
            text, static_cast<int>(align) | Qt::TextSingleLine,
            option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, text.width()));
    }
};

/// "run 12" of "run 12, small 3d stack"; cut where it is still long.
QString shortTitle(const QString& title) {
    const QString first = title.section(',', 0, 0);
    return first.size() <= 16 ? first : first.left(15) + QStringLiteral("…");
}

QString signedBytes(base::Bytes bytes) {
    return bytes == 0  ? QStringLiteral("0")
           : bytes > 0 ? "+" + bytesText(bytes)
                       : QStringLiteral("−") + bytesText(-bytes);
}

QString signedByteTime(const TraceIndex& index, double value) {
    if (std::fabs(value) < 1) {
        return QStringLiteral("0");
    }
    return (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + byteTimeText(index, std::fabs(value));
}

constexpr int kLeft = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
constexpr int kRightAligned = static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);

}  // namespace

void LargestModel::setBlocks(std::shared_ptr<const TraceIndex> index, std::vector<std::uint32_t> blocks) {
    beginResetModel();
    index_ = std::move(index);
    blocks_ = std::move(blocks);
    endResetModel();
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

int LargestModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(blocks_.size());
}

int LargestModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(kColumns);
}

QString LargestModel::text(std::uint32_t block, int column) const {
    const BlockLife& life = index_->life(block);
    switch (column) {
        case Bytes:
            return bytesText(index_->bytes(block));
        case Category:
            return categoryName(life.category);
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

QVariant LargestModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const std::uint32_t block = blocks_[static_cast<std::size_t>(index.row())];
    const bool number = index.column() == Bytes || index.column() >= Begin;
    switch (role) {
        case Qt::DisplayRole:
            return text(block, index.column());
        case Qt::TextAlignmentRole:
            return number ? kRightAligned : kLeft;
        case Qt::DecorationRole:
            return index.column() == Category ? QVariant(theme().of(index_->life(block).category))
                                              : QVariant();
        case Qt::ForegroundRole:
            return index.column() == Layer && index_->life(block).layer < 0 ? QVariant(theme().mutedText)
                                                                            : QVariant();
        case Qt::ToolTipRole:
            return index.column() == Label || index.column() == Layer ? QVariant(text(block, index.column()))
                                                                      : QVariant();
        default:
            return {};
    }
}

QVariant LargestModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const std::array<const char*, kColumns> kTitles = {"bytes",  "category", "layer",           "from",
                                                              "begins", "lives",    "bytes x lifetime"};
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return section == Bytes || section >= Begin ? kRightAligned : kLeft;
    }
    return role == Qt::DisplayRole ? QVariant(tr(kTitles[static_cast<std::size_t>(section)])) : QVariant();
}

void LargestModel::sort(int column, Qt::SortOrder order) {
    emit sortRequested(orderOf(column), order == Qt::DescendingOrder);
}

void LayersModel::setRows(std::shared_ptr<const TraceIndex> index, std::vector<LayerDifference> rows,
                          const QString& name, const QString& otherName) {
    beginResetModel();
    index_ = std::move(index);
    rows_ = std::move(rows);
    name_ = name;
    otherName_ = otherName;
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

int LayersModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

/// The layer; then at the peak, bytes x lifetime, allocated: each here, or here, there and the difference.
int LayersModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : comparing() ? 10 : 4;
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

QVariant LayersModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const bool difference = comparing() && index.column() > 0 && index.column() % 3 == 0;
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return text(row(index.row()), index.column());
        case Qt::TextAlignmentRole:
            return index.column() == 0 ? kLeft : kRightAligned;
        case Qt::ForegroundRole: {
            const double v = difference ? value(row(index.row()), index.column()) : 0;
            return v > 0 ? QVariant(theme().warning) : v < 0 ? QVariant(theme().good) : QVariant();
        }
        default:
            return {};
    }
}

QVariant LayersModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return section == 0 ? kLeft : kRightAligned;
    }
    static const std::array<const char*, 3> kWhat = {"at the peak", "bytes x lifetime", "allocated"};
    static const std::array<const char*, 3> kMeaning = {
        "Bytes that are alive when the total is highest",
        "Each allocation's bytes times how long it lives, added up",
        "All bytes ever allocated, whether freed or not"};
    if (section == 0) {
        return role == Qt::DisplayRole ? QVariant(tr("layer")) : QVariant();
    }
    const auto what = static_cast<std::size_t>(comparing() ? (section - 1) / 3 : section - 1);
    if (role == Qt::ToolTipRole) {
        return tr(kMeaning[what]);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    if (!comparing()) {
        return tr(kWhat[what]);
    }
    const int which = (section - 1) % 3;
    const QString whose = which == 0 ? name_ : which == 1 ? otherName_ : tr("difference");
    return tr(kWhat[what]) + '\n' + shortTitle(whose);
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
    view->setItemDelegate(new RowDelegate(view));
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setAccessibleName(name);
    view->verticalHeader()->hide();
    view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 9);
    QHeaderView* header = view->horizontalHeader();
    header->setHighlightSections(false);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(90);
    header->setTextElideMode(Qt::ElideRight);
    // Room for the mark of sorting beside titles that stand right.
    header->setStyleSheet("QHeaderView::section { padding-right: 20px; }");
    for (int i = 0; i < static_cast<int>(widths.size()); ++i) {
        header->resizeSection(i, widths[static_cast<std::size_t>(i)]);
    }
    QObject::connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, view->viewport(),
                     [view] { view->viewport()->update(); });
    return view;
}

}  // namespace highwater::widgets

#include "moc_trace_models.cpp"
