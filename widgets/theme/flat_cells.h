#pragma once

#include <QStyledItemDelegate>

class QTableView;

namespace highwater::widgets {

/// Paints the cells of the window's tables: flat, with a hairline below, the selection in the theme's colour.
/// Alignment and colour come from the model (Qt::TextAlignmentRole, Qt::ForegroundRole).
class FlatCells : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Gives a table that look: no grid, no row numbers, read only, scrolling by pixels.
void makeFlat(QTableView& view);

}  // namespace highwater::widgets
