#include "app/desktop/prediction/plan/plan_layers.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/prediction/plan/plan_colors.h"
#include "widgets/controls/table_actions.h"
#include "widgets/plot/memory_scene.h"

namespace highwater::desktop {

namespace {

enum LayerColumn { Name, Action, Bar, Kept, kColumns };
constexpr int kPad = 8;
constexpr int kLayerRole = Qt::UserRole;  ///< the index of the layer

bool sameRows(const std::vector<PlanLayer>& a, const std::vector<PlanLayer>& b) {
    return std::ranges::equal(a, b, [](const PlanLayer& x, const PlanLayer& y) {
        return x.name == y.name && x.depth == y.depth && x.block == y.block;
    });
}

QString tipOf(const PlanLayer& layer) {
    QString tip =
        QObject::tr("%1: keeps %2 for the backward pass").arg(layer.name, widgets::bytesText(layer.kept));
    if (layer.freed > 0) {
        tip += (layer.offloaded && layer.again ? QObject::tr("; %1 is recomputed or kept in host memory")
                : layer.offloaded              ? QObject::tr("; %1 waits in host memory")
                                               : QObject::tr("; %1 is recomputed instead of kept"))
                   .arg(widgets::bytesText(layer.freed));
    }
    return tip;
}

}  // namespace

/// Paints a row's cells: its texts, and a bar of the bytes kept (filled) and recomputed (hatched).
class PlanLayers::Cells : public QStyledItemDelegate {
public:
    explicit Cells(PlanLayers& list) : QStyledItemDelegate(&list), list_(list) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const widgets::Theme& t = widgets::theme();
        const PlanLayer& layer = list_.layer(index.siblingAtColumn(Name).data(kLayerRole).toULongLong());
        const bool selected = option.state & QStyle::State_Selected;
        painter->fillRect(option.rect, selected ? t.selection : t.panel);
        painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.border);
        painter->setFont(option.font);
        if (index.column() == Bar) {
            return paintBar(*painter, option.rect, layer);
        }
        QRect room = option.rect.adjusted(index.column() == Name ? 2 : kPad, 0, -kPad, 0);
        if (index.column() == Action) {
            return paintAction(*painter, room, layer);
        }
        painter->setPen(index.column() == Kept && layer.kept == 0 ? t.mutedText : t.text);
        painter->drawText(
            room, (index.column() == Kept ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
            option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, room.width()));
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return {QStyledItemDelegate::sizeHint(option, index).width() + 2 * kPad,
                option.fontMetrics.height() + 9};
    }

private:
    void paintBar(QPainter& painter, const QRect& cell, const PlanLayer& layer) const {
        constexpr int kThick = 9;
        const double room = cell.width() - 2 * kPad;
        const auto long_ = [&](base::Bytes bytes) {
            return list_.most_ > 0 ? room * static_cast<double>(bytes) / static_cast<double>(list_.most_) : 0;
        };
        QRectF bar(cell.left() + kPad, cell.center().y() - kThick / 2.0, long_(layer.kept), kThick);
        if (layer.kept > 0) {
            painter.fillRect(bar.adjusted(0, 0, std::max(0.0, 2 - bar.width()), 0), planColor());
        }
        if (layer.freed > 0) {
            const QRectF again(bar.right(), bar.top(), std::max(2.0, long_(layer.freed)), kThick);
            QColor pale = againColor();
            pale.setAlphaF(0.35F);
            painter.fillRect(again, pale);
            painter.fillRect(again, QBrush(againColor(), Qt::BDiagPattern));
        }
    }
    static void paintAction(QPainter& painter, const QRect& room, const PlanLayer& layer) {
        const QFontMetrics metrics(painter.font());
        painter.setPen(layer.again || layer.offloaded ? againColor() : widgets::theme().mutedText);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(layer.action, Qt::ElideRight, room.width()));
        const int used = metrics.horizontalAdvance(layer.action) + 6;
        painter.setPen(widgets::theme().good);
        painter.drawText(room.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(layer.note, Qt::ElideRight, room.width() - used));
    }
    PlanLayers& list_;
};

PlanLayers::PlanLayers(QWidget* parent) : widgets::Panel(tr("What the plan does"), parent) {
    auto* body = new QWidget(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(body, 0);
    changes_ = new QLabel(body);
    changes_->setWordWrap(true);
    changes_->setTextFormat(Qt::PlainText);
    changes_->setContentsMargins(12, 8, 12, 8);
    tree_ = new QTreeWidget(body);
    tree_->setColumnCount(kColumns);
    tree_->setHeaderLabels({tr("layer"), QString(), tr("kept"), QString()});
    tree_->headerItem()->setToolTip(Bar, tr("What stays in memory for the backward pass. Hatched: what is "
                                            "recomputed instead, or kept in host memory."));
    tree_->setItemDelegate(new Cells(*this));
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(14);
    tree_->setAccessibleName(tr("Layers of the plan"));
    tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    tree_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    QHeaderView* header = tree_->header();
    header->setStretchLastSection(false);
    header->setSectionsMovable(false);
    header->setMinimumSectionSize(40);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(Bar, QHeaderView::Stretch);
    widgets::offerTable(*tree_);
    layout->addWidget(changes_);
    layout->addWidget(tree_, 1);
    setBody(body);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, tree_->viewport(),
            [this] { tree_->viewport()->update(); });
    setLayers({}, {});
}

void PlanLayers::resizeEvent(QResizeEvent* event) {
    widgets::Panel::resizeEvent(event);
    fitColumns();
}

/// Names and actions get the width they need, as long as there is room for the bars.
void PlanLayers::fitColumns() {
    const QFontMetrics metrics = tree_->fontMetrics();
    const int kept = metrics.horizontalAdvance(QStringLiteral("9999 MiB")) + 2 * kPad;
    const int action = metrics.horizontalAdvance(tr("recompute 10 of 12")) + 3 * kPad;
    const int wanted = metrics.horizontalAdvance(QStringLiteral("11 instance_norm")) + 56;
    const int room = width() - kept - action - 12;
    tree_->header()->resizeSection(Kept, kept);
    tree_->header()->resizeSection(Action, action);
    tree_->header()->resizeSection(Name, std::min(wanted, std::max(60, room - 56)));
}

void PlanLayers::setLayers(const std::vector<PlanLayer>& layers, const QStringList& changes) {
    QStringList lines;
    for (const QString& change : changes) {
        lines << QStringLiteral("· ") + change;
    }
    changes_->setText(lines.join('\n'));
    changes_->setVisible(!lines.isEmpty());
    tree_->setHeaderHidden(layers.empty());
    if (layers == layers_) {
        return;
    }
    const bool same = sameRows(layers, layers_);
    layers_ = layers;
    most_ = 0;
    for (const PlanLayer& layer : layers_) {
        most_ = std::max(most_, layer.kept + layer.freed);
    }
    if (!same) {
        rebuild();
    }
    showTexts();
    tree_->viewport()->update();
}

void PlanLayers::rebuild() {
    tree_->clear();
    items_.clear();
    std::vector<QTreeWidgetItem*> open;  // by depth
    bool blocks = false;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const auto depth = static_cast<std::size_t>(std::max(0, layers_[i].depth));
        open.resize(std::min(open.size(), depth));
        auto* item = open.empty() ? new QTreeWidgetItem(tree_) : new QTreeWidgetItem(open.back());
        item->setData(Name, kLayerRole, static_cast<qulonglong>(i));
        open.push_back(item);
        items_.push_back(item);
        blocks = blocks || layers_[i].block;
    }
    tree_->setRootIsDecorated(blocks);
}

void PlanLayers::showTexts() {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const PlanLayer& layer = layers_[i];
        QTreeWidgetItem& item = *items_[i];
        const QString action = layer.note.isEmpty() ? layer.action : layer.action + ' ' + layer.note;
        const QString kept = widgets::bytesText(layer.kept);
        if (item.text(Name) == layer.name && item.text(Action) == action && item.text(Kept) == kept) {
            continue;
        }
        item.setText(Name, layer.name);
        item.setText(Action, action);
        item.setText(Kept, kept);
        for (int column = 0; column < kColumns; ++column) {
            item.setToolTip(column, tipOf(layer));
        }
    }
}

}  // namespace highwater::desktop

#include "moc_plan_layers.cpp"
