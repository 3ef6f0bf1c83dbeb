#pragma once

#include <atomic>
#include <functional>

#include "core/runs/run_store.h"
#include "core/study/claim.h"
#include "core/study/statistics.h"

namespace highwater::study {

/// One figure of a finding: a quantity of an experiment, or a ratio of two.
struct Figure {
    std::string label;     ///< "checkpointed", "checkpointed / plain"
    std::string quantity;  ///< "peak_allocated_bytes"
    std::string unit;      ///< "B", "ms", "1/s", ""
    base::Interval value;  ///< n: repeats
    std::string at;        ///< value of Claim::along ("4"); empty without one
    bool operator==(const Figure&) const = default;
};

/// The result of examining a claim on this machine.
struct Finding {
    std::string id;
    Verdict verdict = Verdict::NotTestable;
    std::string boundary;  ///< depends: "up to batch size 4; not from 8"
    std::string why;       ///< the reason, with evidence from the ledger; or why it is not testable
    bool noise = false;    ///< a difference was within the noise
    std::vector<Figure> figures;
    std::vector<std::string> runIds;
    std::string device, deviceName, libtorch, isa, created;  ///< created: ISO 8601, UTC
    int threads = 0;
    bool operator==(const Finding&) const = default;
};

using RunnerFor = std::function<Runner(const Claim& claim)>;

/// Runs a claim's experiments and judges it. If the intervals do not decide a condition, four more repeats
/// are made, up to three times. Error if it could not be run (no engine, a lever that the engine does not
/// support, a run that failed), or "cancelled".
base::Result<Finding> examine(const Claim& claim, const Runner& runner, bool cuda,
                              const std::atomic<bool>& cancel,
                              const std::function<void(const Progress&)>& progress = {});

nlohmann::ordered_json toJson(const Finding& finding);  ///< highwater.finding/1
base::Result<Finding> findingFromJson(const nlohmann::ordered_json& json);

/// Writes a claim's latest finding to STORE/claims/ID.json.
base::Status saveFinding(const std::filesystem::path& store, const Finding& finding);
std::vector<Finding> loadFindings(
    const std::filesystem::path& store);  ///< files that cannot be read are left out

}  // namespace highwater::study
