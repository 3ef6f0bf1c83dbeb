#include "widgets/theme/flat_cells.h"

#include <QHeaderView>
#include <QPainter>
#include <QTableView>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

void FlatCells::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& t = theme();
    painter->fillRect(option.rect, option.state & QStyle::State_Selected ? t.selection : t.window);
    painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.border);
    const QVariant colour = index.data(Qt::ForegroundRole), alignment = index.data(Qt::TextAlignmentRole);
    painter->setPen(colour.isValid() ? colour.value<QColor>() : t.text);
    painter->setFont(option.font);
    const QRect room = option.rect.adjusted(8, 0, -8, 0);
    painter->drawText(room,
                      Qt::TextSingleLine |
                          (alignment.isValid() ? alignment.toInt() : int(Qt::AlignLeft | Qt::AlignVCenter)),
                      option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, room.width()));
}

QSize FlatCells::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return {option.fontMetrics.horizontalAdvance(index.data().toString()) + 20,
            option.fontMetrics.height() + 9};
}

void makeFlat(QTableView& view) {
    view.setItemDelegate(new FlatCells(&view));
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setShowGrid(false);
    view.setWordWrap(false);
    view.setTabKeyNavigation(false);
    view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.verticalHeader()->hide();
    view.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view.verticalHeader()->setDefaultSectionSize(view.fontMetrics().height() + 9);
    view.horizontalHeader()->setHighlightSections(false);
    QObject::connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, view.viewport(),
                     [viewport = view.viewport()] { viewport->update(); });
}

}  // namespace highwater::widgets
