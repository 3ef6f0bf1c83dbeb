#pragma once

#include <QStyledItemDelegate>

class QTableView;

namespace highwater::widgets {

/// Delegate for the tables' cells: flat, with a hairline below and the selection in the theme's color.
/// Alignment and text color come from the model (Qt::TextAlignmentRole, Qt::ForegroundRole), as does the
/// color of a swatch before the text (Qt::DecorationRole). Text is elided to one line, or wrapped if the view
/// wraps words.
class FlatCells : public QStyledItemDelegate {
public:
    /// `rightRoom`: pixels left free to the right of right-aligned text.
    explicit FlatCells(QObject* parent, int rightRoom = 8)
        : QStyledItemDelegate(parent), rightRoom_(rightRoom) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    int rightRoom_;
};

/// The look of such a table: no grid, no row numbers, read only, scrolling by pixels.
void makeFlat(QTableView& view, int rightRoom = 8);

}  // namespace highwater::widgets
