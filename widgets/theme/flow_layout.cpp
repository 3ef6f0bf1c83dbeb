#include "widgets/theme/flow_layout.h"

#include <algorithm>
#include <iterator>

namespace highwater::widgets {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {}

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : items_) {
        delete item;
    }
}

void FlowLayout::addItem(QLayoutItem* item) {
    items_.push_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[index] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item) {
        items_.erase(items_.begin() + index);
    }
    return item;
}

int FlowLayout::heightForWidth(int width) const {
    return arrange({0, 0, width, 0}, false);
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : items_) {
        size = size.expandedTo(item->minimumSize());
    }
    const QMargins m = contentsMargins();
    return size + QSize(m.left() + m.right(), m.top() + m.bottom());
}

QSize FlowLayout::sizeHint() const {
    const QMargins m = contentsMargins();
    int width = m.left() + m.right();
    for (const QLayoutItem* item : items_) {
        width += item->sizeHint().width() + spacing();
    }
    return {width, heightForWidth(width)};
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

/// Returns the height used. Items are aligned at the bottom of their line, so that fields with and without a
/// label and buttons share a base line. Hidden items take no space.
int FlowLayout::arrange(const QRect& rect, bool apply) const {
    const QRect area = rect.marginsRemoved(contentsMargins());
    std::vector<QLayoutItem*> shown;
    std::copy_if(items_.begin(), items_.end(), std::back_inserter(shown),
                 [](const QLayoutItem* item) { return !item->isEmpty(); });
    std::size_t begin = 0;
    int y = area.top();
    while (begin < shown.size()) {
        int x = area.left();
        int height = 0;
        std::size_t end = begin;
        for (; end < shown.size(); ++end) {
            const bool last = end + 1 == shown.size();
            const QSize hint = last ? shown[end]->minimumSize() : shown[end]->sizeHint();
            if (end > begin && x + hint.width() > area.right() + 1) {
                break;
            }
            x += hint.width() + spacing();
            height = std::max(height, shown[end]->sizeHint().height());
        }
        x = area.left();
        for (std::size_t i = begin; i < end && apply; ++i) {
            const bool last = i + 1 == shown.size();
            QSize size = shown[i]->sizeHint();
            if (last) {
                size.setWidth(area.right() + 1 - x);
            }
            shown[i]->setGeometry({x, y + height - size.height(), size.width(), size.height()});
            x += size.width() + spacing();
        }
        y += height + (end < shown.size() ? spacing() : 0);
        begin = end;
    }
    return y - rect.top() + contentsMargins().bottom();
}

}  // namespace highwater::widgets

#include "moc_flow_layout.cpp"
