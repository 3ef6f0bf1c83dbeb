#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace highwater::widgets {

/// Finds the minimum and the maximum of any range of values, in O(log n) steps and by reading at most 128
/// values. Stores the values (8 bytes each) plus a quarter of a byte per value; at most 2^32 - 1 values.
class Pyramid {
public:
    Pyramid() = default;
    explicit Pyramid(std::vector<base::Bytes> values);

    struct Extremes {
        std::uint32_t lowest = 0, highest = 0;  ///< indices; if values are equal, the first one
        bool operator==(const Extremes&) const = default;
    };
    /// The extremes of the values [first, last], inclusive; first <= last < size().
    Extremes of(std::size_t first, std::size_t last) const;

    std::size_t size() const { return values_.size(); }
    base::Bytes operator[](std::size_t i) const { return values_[i]; }

private:
    static constexpr std::size_t kLeaf = 64;
    Extremes scan(std::size_t first, std::size_t last) const;
    Extremes better(const Extremes& a, const Extremes& b) const;
    std::vector<base::Bytes> values_;
    std::vector<Extremes> nodes_;  // a segment tree over whole leaves; leaf i is nodes_[leaves_ + i]
    std::size_t leaves_ = 0;
};

}  // namespace highwater::widgets
