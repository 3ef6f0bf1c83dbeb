#pragma once

#include <QObject>

#include "app/desktop/study/sweep/sweep_filter.h"

namespace highwater::desktop {

/// The state that the views of a sweep share: the cells, one filter and one selected cell. A view writes the
/// user's changes here, and shows the state from here.
class SweepLink : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const SweepRows& rows() const { return rows_; }
    const SweepFilter& filter() const { return filter_; }
    /// Indices of the cells that the filter shows, in the cells' order.
    const std::vector<int>& shown() const { return shown_; }
    bool isShown(int cell) const { return cell >= 0 && shownFlags_[static_cast<std::size_t>(cell)] != 0; }
    int current() const { return current_; }  ///< index of the selected cell, or -1
    int hovered() const { return hovered_; }  ///< index of the cell under the pointer in any view, or -1
    const SweepCell* cell(int index) const;

    /// Filter and selection are kept if the axes are the same as before.
    void setRows(SweepRows rows);
    void setFilter(SweepFilter filter);
    void setCurrent(int cell);
    void setHovered(int cell);
    void open(int cell);  ///< requests the cell's run

signals:
    void axesChanged();   ///< other axes; rowsChanged follows
    void rowsChanged();   ///< other values; shownChanged follows
    void shownChanged();  ///< other cells are shown, or other values
    void currentChanged(int cell);
    void hoveredChanged(int cell);
    void openRequested(int cell);

private:
    void show();
    SweepRows rows_;
    SweepFilter filter_;
    std::vector<int> shown_;
    std::vector<char> shownFlags_;
    int current_ = -1, hovered_ = -1;
};

}  // namespace highwater::desktop
