#include "core/predict/recorded/align.h"

#include <algorithm>
#include <limits>

namespace highwater::predict {

namespace {

using Cost = std::uint32_t;

enum class Move : std::uint8_t { None, Match, SkipRecorded, SkipExpected };

/// The cost of a request without a partner.
Cost skipCost(base::Bytes bytes) {
    return bytes >= base::kMiB ? 10 : bytes >= 4 * base::kKiB ? 5 : 2;
}

constexpr Cost kNever = std::numeric_limits<Cost>::max() / 2;
/// The cost of matching a request with a workspace only because it is brief.
constexpr Cost kPerhaps = 1;
/// The cost of a match of the right size with a different lifetime.
constexpr Cost kOtherLife = 2;

class Aligner {
public:
    Aligner(std::span<const ExpectedRequest> step, std::span<const RecordedRequest> recorded)
        : step_(step),
          recorded_(recorded),
          told_(std::any_of(recorded.begin(), recorded.end(),
                            [](const RecordedRequest& each) { return each.workspace; })),
          moves_(step.size() * (recorded.size() + 1), Move::None) {
        for (const ExpectedRequest& each : step) {
            skips_.push_back(each.workspace ? 0 : skipCost(each.bytes));
        }
    }

    base::Result<std::vector<std::int32_t>> run(const std::atomic<bool>* cancel) {
        std::vector<Cost> row(step_.size(), 0), next(step_.size());
        for (std::size_t j = 0; j < recorded_.size(); ++j) {
            if (cancel != nullptr && *cancel) {
                return base::Error{"cancelled"};
            }
            pass(recorded_[j], row, next, j + 1);
            std::swap(row, next);
        }
        return trace(static_cast<std::size_t>(std::min_element(row.begin(), row.end()) - row.begin()));
    }

private:
    Cost matchCost(const ExpectedRequest& expected, const RecordedRequest& seen) const {
        if (expected.workspace) {
            return seen.workspace || (!told_ && seen.brief && seen.bytes == expected.bytes) ? 0
                   : !told_ && seen.brief                                                   ? kPerhaps
                                                                                            : kNever;
        }
        if (expected.bytes != seen.bytes || seen.workspace) {
            return kNever;
        }
        return expected.brief == seen.brief ? 0 : kOtherLife;
    }

    /// Computes the costs after a recorded request (`next`, by the index of the next expected one) from those
    /// before it (`row`).
    void pass(const RecordedRequest& seen, const std::vector<Cost>& row, std::vector<Cost>& next,
              std::size_t line) {
        const std::size_t count = step_.size();
        Move* const moves = moves_.data() + line * count;
        const Cost skip = skipCost(seen.bytes);
        for (std::size_t i = 0; i < count; ++i) {
            next[i] = row[i] + skip;
            moves[i] = Move::SkipRecorded;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t to = i + 1 == count ? 0 : i + 1;
            const Cost cost = matchCost(step_[i], seen);
            if (cost < kNever && row[i] + cost < next[to]) {
                next[to] = row[i] + cost;
                moves[to] = Move::Match;
            }
        }
        // Expected requests that were not made; two passes, because the step repeats.
        for (std::size_t i = 0; i < 2 * count; ++i) {
            const std::size_t from = i % count, to = (i + 1) % count;
            if (next[from] + skips_[from] < next[to]) {
                next[to] = next[from] + skips_[from];
                moves[to] = Move::SkipExpected;
            }
        }
    }

    std::vector<std::int32_t> trace(std::size_t at) const {
        std::vector<std::int32_t> partners(recorded_.size(), -1);
        const std::size_t count = step_.size();
        for (std::size_t line = recorded_.size(); line > 0;) {
            const Move move = moves_[line * count + at];
            const std::size_t before = at == 0 ? count - 1 : at - 1;
            if (move == Move::SkipExpected) {
                at = before;
                continue;
            }
            --line;
            if (move == Move::Match) {
                at = before;
                partners[line] = static_cast<std::int32_t>(at);
            }
        }
        return partners;
    }

    std::span<const ExpectedRequest> step_;
    std::span<const RecordedRequest> recorded_;
    bool told_;  ///< stacks show which requests are workspaces
    std::vector<Cost> skips_;
    std::vector<Move> moves_;  ///< by recorded request and index of the next expected one: how it was reached
};

}  // namespace

base::Result<std::vector<std::int32_t>> align(std::span<const ExpectedRequest> step,
                                              std::span<const RecordedRequest> recorded,
                                              const std::atomic<bool>* cancel) {
    if (step.empty() || recorded.empty()) {
        return std::vector<std::int32_t>(recorded.size(), -1);
    }
    if (step.size() > kMostCells / (recorded.size() + 1)) {
        return base::Error{"the step makes too many requests to be found in a recording"};
    }
    return Aligner(step, recorded).run(cancel);
}

}  // namespace highwater::predict
