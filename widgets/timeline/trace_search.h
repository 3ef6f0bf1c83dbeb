#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "widgets/timeline/trace_index.h"

namespace highwater::widgets {

/// What to search for. A block matches if every word occurs in its layer, label or category
/// (case-insensitive) and its bytes are within [least, most].
struct TraceQuery {
    std::vector<std::string> words;  ///< lower case, at most 60
    std::optional<base::Bytes> least, most;
    bool empty() const { return words.empty() && !least && !most; }
    bool operator==(const TraceQuery&) const = default;
};

/// Parses "enc2 conv", ">100 MiB", ">= 1g <2GiB workspace", "= 512": words, and sizes after >, >=, <, <= or
/// =. An error names the size that cannot be read.
base::Result<TraceQuery> parseQuery(std::string_view text);

/// The blocks that match, ascending by begin (then by number). Takes about 10 ms for a million blocks.
std::vector<std::uint32_t> findBlocks(const TraceIndex& index, const TraceQuery& query);

/// Returns the index in `found` (ascending by begin, as findBlocks returns it) of the first block that begins
/// after `state` (forward), or of the last one that begins before it. It wraps around at the end. Returns
/// std::nullopt if the list is empty.
std::optional<std::size_t> nextFound(const TraceIndex& index, const std::vector<std::uint32_t>& found,
                                     std::size_t state, bool forward);

}  // namespace highwater::widgets
