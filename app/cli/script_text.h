#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/predict/fit/step_time.h"
#include "core/predict/tables/profile.h"
#include "core/script/outcome.h"
#include "core/script/where.h"
#include "core/wire/events.h"

namespace highwater::cli {

/// Minimum and maximum of the memory that PyTorch reserves, whichever plans `benchmark` chooses.
struct ReservedRange {
    base::Bytes low = 0, high = 0;
};

/// The report on a script's run.
struct ToldScript {
    std::string gpu;   ///< the profile's id
    std::string name;  ///< the GPU's name
    std::optional<base::Bytes> budget = {};
    const script::ScriptOutcome* outcome = nullptr;  ///< null: it never used the GPU
    const wire::RunResult* result = nullptr;
    std::vector<script::ScriptFit> everywhere = {};  ///< empty: not requested
    std::optional<ReservedRange> range = {};
    std::optional<predict::StepTime> time = {};               ///< std::nullopt: not requested
    std::vector<predict::TimeEstimate> timesEverywhere = {};  ///< as `everywhere`; empty: not requested
    predict::DeviceProfile::Kept contextKept = predict::DeviceProfile::Kept::No;
    int run = 0;  ///< its number in the store; 0: not recorded
};

void printScript(const ToldScript& told);
nlohmann::ordered_json scriptJson(const ToldScript& told);
/// What printScript() says of "time", of a step, and "host", its memory, for programs that show it. Empty:
/// nothing is known.
nlohmann::ordered_json scriptWords(const ToldScript& told);

}  // namespace highwater::cli
