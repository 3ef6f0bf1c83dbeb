#pragma once

#include <QHash>
#include <QStyledItemDelegate>
#include <array>

namespace highwater::desktop {

class StackModel;

/// Paints the rows of the stack editor: drag handle and number, type, options, output shape, and bytes with a
/// bar.
class StackDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// Caches the widths of texts, because measuring a text takes longer than all other work of an edit.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// The width in pixels of a shape without its spaces.
    int tightWidth(const QStyleOptionViewItem& option, const QModelIndex& index) const;

private:
    enum Kind { Plain, Small, Bold, kKinds };
    int textWidth(Kind kind, const QFont& font, const QString& text) const;
    int numberWidth(const QFont& base, const StackModel& model) const;
    mutable QFont font_;  ///< the font that the cached widths are for
    mutable std::array<QHash<QString, int>, kKinds> widths_;
};

}  // namespace highwater::desktop
