#pragma once

#include <atomic>
#include <functional>

#include "core/runs/run_store.h"
#include "core/study/claim.h"
#include "core/study/statistics.h"

namespace highwater::study {

/// One figure of a finding: an experiment's quantity, or a ratio.
struct Figure {
    std::string label;     ///< "checkpointed", "checkpointed / plain"
    std::string quantity;  ///< "peak_allocated_bytes"
    std::string unit;      ///< "B", "ms", "1/s", ""
    base::Interval value;  ///< n: repeats
    std::string at;        ///< along: the value ("4"); otherwise empty
    bool operator==(const Figure&) const = default;
};

/// What became of a claim on this machine.
struct Finding {
    std::string id;
    Verdict verdict = Verdict::NotTestable;
    std::string boundary;  ///< depends: "up to batch size 4; not from 8"
    std::string why;       ///< a sentence with the ledger's evidence, or why it is not testable
    bool noise = false;    ///< a difference lay within the noise
    std::vector<Figure> figures;
    std::vector<std::string> runIds;
    std::string device, deviceName, libtorch, isa, created;  ///< created: ISO 8601, UTC
    int threads = 0;
    bool operator==(const Finding&) const = default;
};

using RunnerFor = std::function<Runner(const Claim& claim)>;

/// Runs a claim's experiments and judges; where the intervals of repeats do not settle a condition, up to
/// three times four repeats more are made. An Error: it could not be run (no engine, a lever that the engine
/// does not have, a run that failed); cancelled: an Error, "cancelled".
base::Result<Finding> examine(const Claim& claim, const Runner& runner, bool cuda,
                              const std::atomic<bool>& cancel,
                              const std::function<void(const Progress&)>& progress = {});

nlohmann::ordered_json toJson(const Finding& finding);  ///< highwater.finding/1
base::Result<Finding> findingFromJson(const nlohmann::ordered_json& json);

/// The latest finding of each claim: STORE/claims/ID.json.
base::Status saveFinding(const std::filesystem::path& store, const Finding& finding);
std::vector<Finding> loadFindings(const std::filesystem::path& store);  ///< those that can be read

}  // namespace highwater::study
