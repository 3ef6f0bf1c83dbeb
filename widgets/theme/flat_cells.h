#pragma once

#include <QStyledItemDelegate>

class QTableView;

namespace highwater::widgets {

/// Cells of the window's tables: flat, a hairline beneath, the selection in the theme's colour; alignment and
/// colour are the model's (Qt::TextAlignmentRole, Qt::ForegroundRole).
class FlatCells : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// The look of such a table: no grid, no row numbers, read only, scrolling by pixels.
void makeFlat(QTableView& view);

}  // namespace highwater::widgets
