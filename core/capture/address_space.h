#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "core/base/units.h"

namespace highwater::capture {

/// Gives live blocks addresses that do not overlap: best fit, lowest address among equals, otherwise at the
/// end. Sizes are rounded up to 512 bytes, as in CUDA's allocators. An empty block takes 512 bytes too, so
/// that no two blocks share an address.
class AddressSpace {
public:
    static base::Bytes rounded(base::Bytes bytes);  ///< at most 2^62

    /// Returns an offset from the beginning; std::nullopt if the end would pass 2^62.
    std::optional<std::int64_t> take(base::Bytes bytes);
    /// Frees an offset that take() returned for `bytes` bytes.
    void give(std::int64_t offset, base::Bytes bytes);
    /// The largest end of any block so far.
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
