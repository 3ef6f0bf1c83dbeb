#pragma once

#include <QTreeView>
#include <array>

#include "app/desktop/experiment/stack/stack_model.h"

namespace highwater::desktop {

/// The tree of the stack editor: row backgrounds, chevrons, column widths, the text of an empty stack, and
/// blocks that stay collapsed when they are moved.
class StackTreeView : public QTreeView {
    Q_OBJECT
public:
    explicit StackTreeView(StackModel& model, QWidget* parent = nullptr);

    Paths selectedPaths() const;
    void selectPaths(const Paths& paths);
    /// To be called after the model has changed. Fits the columns to their new texts.
    void settle();

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void rowsInserted(const QModelIndex& parent, int first, int last) override;
    void rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) override;
    QSize sizeHint() const override { return {360, 320}; }

private:
    void measureColumns(const QModelIndex& parent, int depth);
    void layoutColumns();
    void expandNew(const QModelIndex& index);
    StackModel& stack_;
    std::array<int, StackModel::kColumns> needs_{};
    int tightShape_ = 0;                            ///< pixels that show every shape in full
    std::array<int, StackModel::kColumns> kept_{};  ///< the width of the widest text in each column
    std::vector<stack::Layer>
        collapsed_;  ///< Blocks that were removed while collapsed. They may be inserted again elsewhere.
};

}  // namespace highwater::desktop
