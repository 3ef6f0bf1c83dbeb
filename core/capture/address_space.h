#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "core/base/units.h"

namespace highwater::capture {

/// Gives blocks addresses that do not overlap while they live: the smallest hole that is large enough (the
/// lowest of equals), else at the end. Sizes are rounded up to 512 bytes, as CUDA's allocators do; an empty
/// block takes 512 too, so that no two share an address.
class AddressSpace {
public:
    static base::Bytes rounded(base::Bytes bytes);  ///< at most 2^62

    /// An offset from the beginning; nothing where the end would pass 2^62.
    std::optional<std::int64_t> take(base::Bytes bytes);
    /// What take() gave for so many bytes.
    void give(std::int64_t offset, base::Bytes bytes);
    /// Up to where blocks ever lay.
    base::Bytes extent() const { return end_; }

private:
    std::optional<std::int64_t> takeAtEnd(base::Bytes size);
    void addHole(std::int64_t offset, base::Bytes bytes);
    void removeHole(std::map<std::int64_t, base::Bytes>::iterator hole);

    std::map<std::int64_t, base::Bytes> holes_;
    std::set<std::pair<base::Bytes, std::int64_t>> bySize_;
    base::Bytes end_ = 0;
};

}  // namespace highwater::capture
