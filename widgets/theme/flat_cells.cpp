#include "widgets/theme/flat_cells.h"

#include <QHeaderView>
#include <QPainter>
#include <QTableView>
#include <algorithm>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr int kSides = 16;  ///< padding left and right of a text, in total

}  // namespace

void FlatCells::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& t = theme();
    painter->fillRect(option.rect, option.state & QStyle::State_Selected ? t.selection : t.window);
    painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.border);
    const QVariant alignment = index.data(Qt::TextAlignmentRole);
    const int align = alignment.isValid() ? alignment.toInt() : int(Qt::AlignLeft | Qt::AlignVCenter);
    QRect room = option.rect.adjusted(8, 0, align & Qt::AlignRight ? -rightRoom_ : -8, 0);
    if (const QVariant swatch = index.data(Qt::DecorationRole); swatch.userType() == QMetaType::QColor) {
        painter->fillRect(room.left(), room.center().y() - 4, 9, 9, swatch.value<QColor>());
        room.setLeft(room.left() + 16);
    }
    const QVariant color = index.data(Qt::ForegroundRole);
    painter->setPen(color.isValid() ? color.value<QColor>() : t.text);
    painter->setFont(option.font);
    const QString text = index.data().toString();
    if (option.features & QStyleOptionViewItem::WrapText) {
        painter->drawText(room, Qt::TextWordWrap | align, text);
        return;
    }
    painter->drawText(room, Qt::TextSingleLine | align,
                      option.fontMetrics.elidedText(text, option.textElideMode, room.width()));
}

QSize FlatCells::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QString text = index.data().toString();
    int height = option.fontMetrics.height();
    if (option.features &
        QStyleOptionViewItem::WrapText) {  // wrapped at the column's width, for the row's height
        const QRect room(0, 0, std::max(1, option.rect.width() - kSides), QWIDGETSIZE_MAX);
        height = std::max(height, option.fontMetrics.boundingRect(room, Qt::TextWordWrap, text).height());
    }
    return {option.fontMetrics.horizontalAdvance(text) + 20, height + 9};
}

void makeFlat(QTableView& view, int rightRoom) {
    view.setItemDelegate(new FlatCells(&view, rightRoom));
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
