#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "widgets/timeline/trace_index.h"

namespace highwater::widgets {

/// What to look for: every word occurs in the block's layer, label or category (case does not matter), and
/// its bytes lie within [least, most].
struct TraceQuery {
    std::vector<std::string> words;  ///< lower case, at most 60
    std::optional<base::Bytes> least, most;
    bool empty() const { return words.empty() && !least && !most; }
    bool operator==(const TraceQuery&) const = default;
};

/// "enc2 conv", ">100 MiB", ">= 1g <2GiB workspace", "= 512": words, and sizes behind >, >=, <, <= or =.
/// Errors name the size that cannot be read.
base::Result<TraceQuery> parseQuery(std::string_view text);

/// The blocks that match, ascending by begin (then number). Costs about 10 ms a million blocks.
std::vector<std::uint32_t> findBlocks(const TraceIndex& index, const TraceQuery& query);

/// The place in `found` (ascending by begin, as findBlocks gives them) of the first that begins after
/// `state` (forward) or the last that begins before it, around the end; nothing in an empty list.
std::optional<std::size_t> nextFound(const TraceIndex& index, const std::vector<std::uint32_t>& found,
                                     std::size_t state, bool forward);

}  // namespace highwater::widgets
