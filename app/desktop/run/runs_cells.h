#pragma once

#include <QPersistentModelIndex>

#include "widgets/theme/flat_cells.h"

namespace highwater::desktop {

/// The cells of the table of runs: tags as labels, a pencil if the pointer is over an editable cell, and the
/// editors.
class RunsCells : public widgets::FlatCells {
    Q_OBJECT
public:
    using widgets::FlatCells::FlatCells;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;

    /// The cell under the pointer.
    void setHovered(const QModelIndex& index) { hovered_ = index; }
    /// The rectangle of a cell's pencil.
    static QRect pencilIn(const QRect& cell);

private:
    QPersistentModelIndex hovered_;
};

}  // namespace highwater::desktop
