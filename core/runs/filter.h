#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/runs/run_store.h"

namespace highwater::runs {

/// Selects runs by one line of words, all of which must match: peak<8GiB device=cuda tag=paper unet
///
/// A plain word is searched in name, note, tags, study, device, state and reason; #12 is run 12. "key<value"
/// compares, with <, <=, >, >=, = and !=, optionally with blanks around the sign:
///   peak (8GiB, 512 MiB), step (200ms, 1.5s; a bare number is milliseconds), batch, run, steps, loss
///   (numbers), created (2026-11, 2026-11-23), patch (96, 96x96x64), and only with = and !=: device (cuda is
///   also cuda:0), status, tag (the whole word), name, note, study, why (a part of the text).
/// A value that a run did not measure matches no comparison. Quotes group words: note="of the paper". The
/// case of A to Z is ignored.
class Filter {
public:
    /// The error is one line: which word is invalid, and what would be right.
    static base::Result<Filter> parse(std::string_view text);
    bool matches(const RunSummary& run) const;
    bool empty() const { return tests_.empty(); }

    using Test = std::function<bool(const RunSummary&)>;

private:
    std::vector<Test> tests_;
};

}  // namespace highwater::runs
