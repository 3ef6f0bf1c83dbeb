#pragma once

#include <string>

#include "core/engine/books/accounting.h"
#include "core/engine/run/runner.h"
#include "core/predict/target/ranks.h"

namespace highwater::engine {

/// The ranks that a request asks a prediction for.
predict::Ranks ranksOf(const RunRequest& request);

/// Adds this rank's part and, on rank 0, those of the others, which it waits for. The first rank that ended
/// badly becomes the run's failure, if this rank was `stopped` by others or its steps are done. `place`:
/// where this rank was then. `weights`: the fingerprint of its parameters after the last step. Returns a
/// warning, empty if there is none.
std::string addRanks(const RankRequest& request, const std::string& weights, bool stopped, const Place& place,
                     wire::RunResult& result);

}  // namespace highwater::engine
