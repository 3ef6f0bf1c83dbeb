#pragma once

#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/script/outcome.h"

/// A script that trains with several processes, the ranks, each on a pretended GPU of its own.
namespace highwater::script {

inline constexpr int kMostRanks = 8;  ///< on one machine

/// One of the processes.
struct RankPlace {
    int rank = 0, count = 1;
    int port = 0;  ///< of rank 0, for the others to find it: MASTER_PORT
};

/// A TCP port of this machine that is free now. Error: there is none.
base::Result<int> freePort();

/// Turns the launch of a script (scriptLaunch()) into that of one rank, with the environment that torchrun
/// would give it, and as many GPUs as ranks.
void makeRank(base::Launch& launch, const RankPlace& place);

/// Error, one line, if the command starts processes of its own, as torchrun does: these are not recorded.
base::Status checkStartsNoRanks(const std::vector<std::string>& command);

/// What the GPU of rank 0 holds beyond those of the other ranks.
struct FirstRankExtra {
    base::Bytes allocated = 0;     ///< at the peaks, beyond the largest of the others; 0: no more
    memory::Ledger byCategory;     ///< the same for each category; 0: no more
    base::Bytes byOtherRanks = 0;  ///< contexts and reserved memory of other ranks on that GPU
};
/// Of the ranks' outcomes in order; null for one that never used a GPU.
FirstRankExtra firstRankExtra(const std::vector<const ScriptOutcome*>& ranks);

}  // namespace highwater::script
