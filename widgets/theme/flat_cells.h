#pragma once

#include <QStyledItemDelegate>

class QTableView;

namespace highwater::widgets {

/// Cells of the window's tables: flat, a hairline beneath, the selection in the theme's color; alignment and
/// color are the model's (Qt::TextAlignmentRole, Qt::ForegroundRole), as is the color of a swatch before
/// the text (Qt::DecorationRole). Texts are cut to one line, or wrapped where the view wraps words.
class FlatCells : public QStyledItemDelegate {
public:
    /// `rightRoom`: pixels left free behind text that is aligned right.
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
