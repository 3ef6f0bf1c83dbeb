#include "core/engine/run/rank_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace highwater::engine {

using wire::RunStatus;

predict::Ranks ranksOf(const RunRequest& request) {
    return request.ranks ? predict::Ranks{request.ranks->link->count(), request.ranks->gradientAsBucketView}
                         : predict::Ranks{};
}

std::string addRanks(const RankRequest& request, const std::string& weights, bool stopped, const Place& place,
                     wire::RunResult& result) {
    wire::RankResult own;
    own.rank = request.link->rank();
    own.status = result.status;
    own.why = result.failure ? result.failure->why : "";
    own.peakAllocated = result.peakAllocated;
    own.peakRss = result.peakRss;
    own.peakByCategory = result.peakByCategory;
    own.stepMs = result.stepMs;
    own.lossLast = result.lossLast;
    own.weights = weights;
    result.ranks.push_back(std::move(own));
    if (!request.others) {
        return {};
    }
    const bool decides = stopped || result.status == RunStatus::Done;
    for (wire::RankResult& other : request.others()) {
        const bool endedBadly = other.status == RunStatus::Failed || other.status == RunStatus::OutOfMemory;
        if (endedBadly && decides && !result.failure) {
            wire::Failed& failure = result.failure.emplace();
            failure.status = result.status = other.status;
            failure.why = fmt::format("rank {}: {}", other.rank, other.why);
            failure.step = place.step;
            failure.phase = place.phase;
            failure.ledger = result.atEnd;
        }
        result.ranks.push_back(std::move(other));
    }
    const bool differ = std::any_of(result.ranks.begin(), result.ranks.end(),
                                    [&](const auto& rank) { return rank.weights != weights; });
    return result.status == RunStatus::Done && differ ? "the ranks' parameters differ after the last step"
                                                      : "";
}

}  // namespace highwater::engine
