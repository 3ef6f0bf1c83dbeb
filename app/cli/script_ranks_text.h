#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/predict/tables/profile.h"
#include "core/script/outcome.h"
#include "core/script/ranks.h"
#include "core/wire/events.h"

namespace highwater::cli {

/// The report on one rank of a script.
struct ToldRank {
    int rank = 0;
    int exit = 0;
    std::optional<script::ScriptOutcome> outcome = {};  ///< none: it never used a GPU
    wire::RunResult result = {};
    int run = 0;  ///< its number in the store; 0: not recorded

    base::Bytes onDevice() const { return outcome ? outcome->onDevice() : 0; }
};

/// The report on all ranks.
struct ToldRanks {
    std::string gpu;
    predict::DeviceProfile profile;
    std::optional<base::Bytes> budget = {};
    std::vector<ToldRank> ranks = {};
    script::FirstRankExtra extra = {};

    void findExtra();  ///< sets `extra`
    /// The rank whose GPU holds the most, with what other ranks hold there.
    const ToldRank& fullest() const;
    base::Bytes onDevice(const ToldRank& rank) const;
    /// Why a GPU is too small, although no rank ran out of memory: other ranks use it, too. Empty: none is.
    std::string overflow() const;
    /// The same, or that the budget is exceeded.
    std::string doesNotFit() const;
};

void printRanks(const ToldRanks& told);
nlohmann::ordered_json ranksJson(const ToldRanks& told);
/// What printRanks() says beside the figures of one rank, for programs that show it: "ranks", the table with
/// its heads; "nccl"; "rank0_extra"; "overflow", empty unless a GPU is too small.
nlohmann::ordered_json ranksWords(const ToldRanks& told);

}  // namespace highwater::cli
