#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/study/trial.h"

/// A statement about memory or time, the experiments that test it, and the rule of its verdict (contract:
/// highwater.claim/1).
namespace highwater::study {

enum class Verdict { Holds, DoesNotHold, Depends, NotTestable };
std::string_view verdictKey(Verdict verdict);    ///< "holds", "does_not_hold", "depends", "not_testable_here"
std::string_view verdictWords(Verdict verdict);  ///< "holds", "does not hold", "depends", "not testable here"
std::optional<Verdict> verdictFromKey(std::string_view key);

/// What is compared of each experiment.
struct Quantity {
    enum class Kind {
        PeakAllocated,    ///< bytes
        PeakReserved,     ///< bytes, CUDA
        PeakRss,          ///< bytes
        Category,         ///< bytes of `detail` at the peak ("activations", "workspace", ...)
        KeptActivations,  ///< bytes: what all layers' forwards left in the activations, or that of layer
                          ///< `detail`
        Parameters,       ///< count
        OutputSize,  ///< elements along the last axis of the output of layer `detail` (empty: the stack's)
        StepMs,      ///< milliseconds
        Throughput,  ///< samples a second
        PhaseMs,     ///< milliseconds of phase `detail`
        PhaseShare,  ///< part of the step, 0 to 1, of phase `detail`
        Loss,        ///< of the last step
        Pointer,     ///< the number at JSON Pointer `detail` of the run's result
    };
    Kind kind = Kind::PeakAllocated;
    std::string detail;
    bool operator==(const Quantity&) const = default;
};
base::Result<Quantity> parseQuantity(std::string_view text);  ///< "peak_allocated_bytes", "phase_share:data"
std::string toText(const Quantity& quantity);
/// Its unit: "B", "ms", "1/s", "" (a count or a ratio).
std::string_view unitOf(const Quantity& quantity);

/// left `compare` factor * right, both a quantity of named experiments; within the margin (a fraction) both
/// count as equal. Where the interval of left / right does not settle it, the verdict says "within the
/// noise".
struct Condition {
    enum class Compare { Less, Greater, Equal, OutOfMemory, Done };  ///< the last two: left's status alone
    Quantity quantity;
    std::string left;
    Compare compare = Compare::Less;
    std::string right;  ///< an experiment, or empty: compared with `number`
    double factor = 1;
    double number = 0;
    double margin = 0;
    bool operator==(const Condition&) const = default;
};

struct Claim {
    std::string id;         ///< "S2.memory"
    std::string row;        ///< "S2"
    std::string statement;  ///< what is said, in our words
    std::string about;      ///< what it means here, and why one would think so: two or three sentences
    std::vector<Subject> experiments;
    /// All must be met for "holds". Where `along` has values, each is tried on its own: all met: holds; none:
    /// does not hold; some: depends, and the boundary is between those values.
    std::vector<Condition> conditions;
    struct Along {
        std::string path;                 ///< JSON Pointer, set in every experiment
        std::string words;                ///< "batch size"
        std::vector<std::string> values;  ///< JSON texts, in order
        bool operator==(const Along&) const = default;
    };
    std::optional<Along> along;
    bool needsCuda = false;
    int steps = 12;  ///< of each run
    TrialOptions trial;
    std::string holdsBecause, failsBecause;  ///< sentences with {places} for figures: see finding.h
    std::optional<Verdict> expected;  ///< what the writer expects on the CPU; never used for the verdict
};

/// Strict, one line an error, starting with `name`.
base::Result<Claim> parseClaim(std::string_view text, std::string_view name,
                               const std::filesystem::path& folder);
/// All claims of a folder (*.json), in the order of rows and ids. Default: resources/claims.
base::Result<std::vector<Claim>> loadClaims(const std::filesystem::path& folder = {});

}  // namespace highwater::study
