#include "widgets/timeline/pyramid.h"

#include <algorithm>

namespace highwater::widgets {

Pyramid::Pyramid(std::vector<base::Bytes> values) : values_(std::move(values)) {
    leaves_ = (values_.size() + kLeaf - 1) / kLeaf;
    nodes_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) {
        nodes_[leaves_ + i] = scan(i * kLeaf, std::min((i + 1) * kLeaf, values_.size()) - 1);
    }
    for (std::size_t i = leaves_; i-- > 1;) {
        nodes_[i] = better(nodes_[2 * i], nodes_[2 * i + 1]);
    }
}

Pyramid::Extremes Pyramid::scan(std::size_t first, std::size_t last) const {
    std::size_t low = first, high = first;
    for (std::size_t i = first + 1; i <= last; ++i) {
        if (values_[i] < values_[low]) {
            low = i;
        }
        if (values_[i] > values_[high]) {
            high = i;
        }
    }
    return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)};
}

Pyramid::Extremes Pyramid::better(const Extremes& a, const Extremes& b) const {
    const auto lower = [this](std::uint32_t x, std::uint32_t y) {
        return values_[y] < values_[x] || (values_[y] == values_[x] && y < x) ? y : x;
    };
    const auto higher = [this](std::uint32_t x, std::uint32_t y) {
        return values_[y] > values_[x] || (values_[y] == values_[x] && y < x) ? y : x;
    };
    return {lower(a.lowest, b.lowest), higher(a.highest, b.highest)};
}

Pyramid::Extremes Pyramid::of(std::size_t first, std::size_t last) const {
    std::size_t leaf = first / kLeaf + 1, end = last / kLeaf;
    if (leaf >= end) {
        return scan(first, last);
    }
    Extremes best = better(scan(first, leaf * kLeaf - 1), scan(end * kLeaf, last));
    for (leaf += leaves_, end += leaves_; leaf < end; leaf /= 2, end /= 2) {
        if (leaf % 2) {
            best = better(best, nodes_[leaf++]);
        }
        if (end % 2) {
            best = better(best, nodes_[--end]);
        }
    }
    return best;
}

}  // namespace highwater::widgets
