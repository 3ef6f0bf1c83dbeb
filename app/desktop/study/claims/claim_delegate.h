#pragma once

#include <QStyledItemDelegate>

namespace highwater::desktop {

/// Paints the list of claims: a group as a heading, a claim as two lines of text with the badge of its
/// verdict.
class ClaimDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace highwater::desktop
