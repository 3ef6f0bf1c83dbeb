#pragma once

#include <QStyledItemDelegate>

namespace highwater::widgets {

/// Paints the claims list: a group as a heading, a claim as two lines of statement with its badge.
class ClaimDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace highwater::widgets
