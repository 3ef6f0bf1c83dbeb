#pragma once

#include <QStyledItemDelegate>

namespace highwater::widgets {

/// Paints the rows of the stack editor: drag handle and number, type, options, output shape, bytes with a
/// bar.
class StackDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace highwater::widgets
