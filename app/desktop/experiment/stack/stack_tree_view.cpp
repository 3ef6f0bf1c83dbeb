#include "app/desktop/experiment/stack/stack_tree_view.h"

#include <QHeaderView>
#include <QPainter>
#include <algorithm>

#include "app/desktop/experiment/stack/stack_delegate.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

StackTreeView::StackTreeView(StackModel& model, QWidget* parent) : QTreeView(parent), stack_(model) {
    setModel(&model);
    setItemDelegate(new StackDelegate(this));
    setSelectionMode(ExtendedSelection);
    setSelectionBehavior(SelectRows);
    setUniformRowHeights(true);
    setIndentation(12);
    setDragDropMode(DragDrop);
    setDefaultDropAction(Qt::MoveAction);
    setDropIndicatorShown(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(NoEditTriggers);
    setExpandsOnDoubleClick(true);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setMouseTracking(true);
    setAccessibleName(tr("Layers of the stack"));
    header()->setFont(widgets::smallFont(font()));
    header()->setSectionsMovable(false);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setMinimumSectionSize(20);
    layoutColumns();
}

Paths StackTreeView::selectedPaths() const {
    Paths paths;
    for (const QModelIndex& index : selectionModel()->selectedRows()) {
        paths.push_back(stack_.pathOf(index));
    }
    return outermost(std::move(paths));
}

void StackTreeView::selectPaths(const Paths& paths) {
    QItemSelection selection;
    QModelIndex first;
    for (const Path& path : paths) {
        const QModelIndex index = stack_.indexOf(path);
        if (!index.isValid()) {
            continue;
        }
        for (QModelIndex up = index.parent(); up.isValid(); up = up.parent()) {
            expand(up);
        }
        selection.select(index, index);
        if (!first.isValid()) {
            first = index;
        }
    }
    if (!first.isValid()) {
        return;
    }
    selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(first);
}

void StackTreeView::settle() {
    collapsed_.clear();
    needs_.fill(0);
    tightShape_ = 0;
    measureColumns({}, 1);
    layoutColumns();
    viewport()->update();
}

void StackTreeView::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const widgets::Theme& t = widgets::theme();
    const StackRow* row = stack_.rowOf(index);
    QRect rect(0, option.rect.top(), viewport()->width(), option.rect.height());
    const bool selected = selectionModel()->isSelected(index);
    const bool hovered = rect.contains(viewport()->mapFromGlobal(QCursor::pos())) && underMouse();
    QColor fill = row && row->block ? t.header : t.window;
    if (row && row->bad) {
        fill = t.bad;
        fill.setAlphaF(selected ? 0.28 : 0.16);
        painter->fillRect(rect, t.window);
    } else if (selected) {
        fill = t.selection;
    } else if (hovered) {
        fill = t.header;
    }
    painter->fillRect(rect, fill);
    painter->fillRect(rect.left(), rect.bottom(), rect.width(), 1, t.border);
    QStyleOptionViewItem plain = option;
    plain.state &= ~(QStyle::State_Selected | QStyle::State_MouseOver | QStyle::State_HasFocus);
    plain.palette.setColor(QPalette::Highlight, Qt::transparent);
    plain.showDecorationSelected = false;
    QTreeView::drawRow(painter, plain, index);
}

void StackTreeView::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    if (!stack_.hasChildren(index)) {
        return;
    }
    const QPointF c(rect.right() - indentation() / 2.0 + 1, rect.center().y() + 0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(widgets::theme().mutedText, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (isExpanded(index)) {
        painter->drawPolyline(
            QPolygonF({{c.x() - 3.5, c.y() - 1.8}, {c.x(), c.y() + 1.8}, {c.x() + 3.5, c.y() - 1.8}}));
    } else {
        painter->drawPolyline(
            QPolygonF({{c.x() - 1.8, c.y() - 3.5}, {c.x() + 1.8, c.y()}, {c.x() - 1.8, c.y() + 3.5}}));
    }
    painter->restore();
}

void StackTreeView::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    if (stack_.rowCount() > 0) {
        return;
    }
    QPainter painter(viewport());
    painter.setPen(widgets::theme().mutedText);
    painter.drawText(viewport()->rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("No layers yet: add one, or start from a preset."));
}

void StackTreeView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    layoutColumns();
}

void StackTreeView::measureColumns(const QModelIndex& parent, int depth) {
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    for (int row = 0; row < stack_.rowCount(parent); ++row) {
        for (int column = 0; column < StackModel::kColumns; ++column) {
            const QModelIndex index = stack_.index(row, column, parent);
            const int inset = column == StackModel::Type ? depth * indentation() : 0;
            int& need = needs_[static_cast<std::size_t>(column)];
            need = std::max(need, itemDelegate()->sizeHint(option, index).width() + inset);
        }
        tightShape_ =
            std::max(tightShape_, static_cast<const StackDelegate*>(itemDelegate())
                                      ->tightWidth(option, stack_.index(row, StackModel::Output, parent)));
        measureColumns(stack_.index(row, 0, parent), depth + 1);
    }
}

/// Names and sizes get the width they need, or keep slightly more, so that columns do not move while a size
/// is dragged; options and shapes share the rest. If the list is too narrow even for its shapes, the
/// parameters are only in the tooltip.
void StackTreeView::layoutColumns() {
    constexpr int kSlack = 48;
    for (std::size_t column = 0; column < needs_.size(); ++column) {
        int& kept = kept_[column];
        if (needs_[column] > kept || needs_[column] < kept - kSlack) {
            kept = needs_[column];
        }
        needs_[column] = kept;
    }
    const int width = viewport()->width();
    const int size = std::clamp(needs_[StackModel::Size] + 8, 64, 104);
    const int type = std::clamp(needs_[StackModel::Type], 90, std::max(90, width * 2 / 5));
    constexpr int kLeastWithParameters = 440, kLeastOptions = 64;
    const int wanted = std::clamp(needs_[StackModel::Parameters] - 4, 56, 68);
    const bool room =
        width >= kLeastWithParameters && width - size - type - wanted >= kLeastOptions + tightShape_;
    const int parameters = room ? wanted : 0;
    header()->setSectionHidden(StackModel::Parameters, parameters == 0);
    const int rest = std::max(width - size - type - parameters, 80);
    const int spare = rest - needs_[StackModel::Options];
    const int whole = std::min(tightShape_, rest - kLeastOptions);
    const int output =
        std::clamp(needs_[StackModel::Output], 50, std::max({50, rest * 9 / 20, spare, whole}));
    header()->resizeSection(StackModel::Type, type);
    header()->resizeSection(StackModel::Options, std::max(rest - output, 20));
    header()->resizeSection(StackModel::Output, output);
    if (parameters > 0) {
        header()->resizeSection(StackModel::Parameters, parameters);
    }
    header()->resizeSection(StackModel::Size, size);
}

void StackTreeView::rowsInserted(const QModelIndex& parent, int first, int last) {
    QTreeView::rowsInserted(parent, first, last);
    for (int row = first; row <= last; ++row) {
        expandNew(stack_.index(row, 0, parent));
    }
    if (parent.isValid() && last - first + 1 == stack_.rowCount(parent)) {
        expand(parent);
    }
}

void StackTreeView::expandNew(const QModelIndex& index) {
    const stack::Layer* layer = stack_.layerOf(index);
    if (!layer || !std::holds_alternative<stack::Block>(layer->op)) {
        return;
    }
    if (std::find(collapsed_.begin(), collapsed_.end(), *layer) == collapsed_.end()) {
        expand(index);
    }
    for (int row = 0; row < stack_.rowCount(index); ++row) {
        expandNew(stack_.index(row, 0, index));
    }
}

void StackTreeView::rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) {
    for (int row = first; row <= last; ++row) {
        const QModelIndex index = stack_.index(row, 0, parent);
        if (stack_.hasChildren(index) && !isExpanded(index)) {
            collapsed_.push_back(*stack_.layerOf(index));
        }
    }
    QTreeView::rowsAboutToBeRemoved(parent, first, last);
}

}  // namespace highwater::desktop

#include "moc_stack_tree_view.cpp"
