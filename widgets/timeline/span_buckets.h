#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/units.h"
#include "core/memory/ledger.h"

namespace highwater::widgets {

/// The part of a block's life in which it belongs to one category: the states [begin, end).
struct Span {
    std::uint32_t block = 0;
    std::uint32_t begin = 0, end = 0;
    std::int16_t layer = -1;
    memory::Category category = memory::Category::Temporaries;
    bool operator==(const Span&) const = default;
};

/// Spans sorted into buckets by the powers of two of their bytes and of their length on an axis. This finds
/// the spans that are large enough to be visible without looking at the others.
class SpanBuckets {
public:
    static constexpr int kLevels = 64;

    SpanBuckets() = default;
    /// `spans` is the number of spans, which are ascending by begin; bytes(i) >= 0 and length(i) >= 0 belong
    /// to span i.
    SpanBuckets(std::size_t spans, const std::function<base::Bytes(std::size_t)>& bytes,
                const std::function<double(std::size_t)>& length);

    /// The level of a value: 0 below 2, otherwise the exponent of the largest power of two that does not
    /// exceed it.
    static int level(double value);

    /// Indices of the spans with this level of bytes and of length, ascending.
    std::span<const std::uint32_t> at(int bytesLevel, int lengthLevel) const;

private:
    std::vector<std::uint32_t> order_, starts_;
};

}  // namespace highwater::widgets
