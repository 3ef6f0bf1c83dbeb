#pragma once

#include <QHash>
#include <QStyledItemDelegate>
#include <array>

namespace highwater::widgets {

/// Paints the rows of the stack editor: drag handle and number, type, options, output shape, bytes with a
/// bar.
class StackDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// Shaping a text costs more than all else of an edit: widths are kept.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    enum Kind { Plain, Small, Bold, kKinds };
    mutable QFont font_;  ///< that the widths are of
    mutable std::array<QHash<QString, int>, kKinds> widths_;
};

}  // namespace highwater::widgets
