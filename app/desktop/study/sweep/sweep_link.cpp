#include "app/desktop/study/sweep/sweep_link.h"

#include <utility>

namespace highwater::desktop {

const SweepCell* SweepLink::cell(int index) const {
    return index >= 0 && index < static_cast<int>(rows_.cells.size())
               ? &rows_.cells[static_cast<std::size_t>(index)]
               : nullptr;
}

void SweepLink::setRows(SweepRows rows) {
    const bool same = rows.axes == rows_.axes && rows.cells.size() == rows_.cells.size();
    rows_ = std::move(rows);
    if (!same) {
        filter_ = {.ranges = {},
                   .without = {},
                   .hideFailures = filter_.hideFailures,
                   .measuredOnly = filter_.measuredOnly};
        hovered_ = -1;
        setCurrent(-1);
    }
    shown_ = shownCells(filter_, rows_);
    show();
    if (!same) {
        emit axesChanged();
    }
    emit rowsChanged();
    emit shownChanged();
}

void SweepLink::setFilter(SweepFilter filter) {
    if (filter == filter_) {
        return;
    }
    filter_ = std::move(filter);
    shown_ = shownCells(filter_, rows_);
    show();
    emit shownChanged();
}

void SweepLink::show() {
    shownFlags_.assign(rows_.cells.size(), 0);
    for (const int cell : shown_) {
        shownFlags_[static_cast<std::size_t>(cell)] = 1;
    }
}

void SweepLink::setCurrent(int cell) {
    if (std::exchange(current_, cell) != cell) {
        emit currentChanged(cell);
    }
}

void SweepLink::setHovered(int cell) {
    if (std::exchange(hovered_, cell) != cell) {
        emit hoveredChanged(cell);
    }
}

void SweepLink::open(int cell) {
    if (this->cell(cell) != nullptr) {
        setCurrent(cell);
        emit openRequested(cell);
    }
}

}  // namespace highwater::desktop

#include "moc_sweep_link.cpp"
