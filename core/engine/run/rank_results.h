#pragma once

#include <string>

#include "core/engine/books/accounting.h"
#include "core/engine/run/runner.h"
#include "core/predict/target/ranks.h"

namespace highwater::engine {

/// The ranks in a request, for the predictor.
predict::Ranks ranksOf(const RunRequest& request);

/// Adds this rank's part and, on rank 0, waits for the other ranks' parts and adds them. The first rank that
/// failed determines the run's failure if this rank was `stopped` by others or its steps are done. `place`:
/// where this rank was then. `weights`: the fingerprint of its parameters after the last step. Returns a
/// warning, empty if there is none.
std::string addRanks(const RankRequest& request, const std::string& weights, bool stopped, const Place& place,
                     wire::RunResult& result);

}  // namespace highwater::engine
