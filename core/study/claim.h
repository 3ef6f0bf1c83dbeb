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
        OutputElements,  ///< of the whole output of layer `detail` (empty: the stack's)
        StepMs,          ///< milliseconds
        Throughput,      ///< samples a second
        PhaseMs,         ///< milliseconds of phase `detail`
        PhaseShare,      ///< part of the step, 0 to 1, of phase `detail`
        Loss,            ///< of the last step
        Chosen,          ///< what `fits` chose: the largest value that fits
        Pointer,         ///< the number at JSON Pointer `detail` of the run's result
    };
    Kind kind = Kind::PeakAllocated;
    std::string detail;
    bool operator==(const Quantity&) const = default;
};
base::Result<Quantity> parseQuantity(std::string_view text);  ///< "peak_allocated_bytes", "phase_share:data"
std::string toText(const Quantity& quantity);
/// On screen: "peak memory", "activations at the peak", "time of a step".
std::string wordsOf(const Quantity& quantity);
/// Its unit: "B", "ms", "1/s", "" (a count or a ratio).
std::string_view unitOf(const Quantity& quantity);

/// "12.3 MiB", "204 ms", "4.71": a value of that quantity.
std::string formatValue(const Quantity& quantity, double value);

/// left `compare` factor * right, both a quantity of named experiments; within the margin (a fraction) both
/// count as equal. Where the interval of left / right does not settle it, it is within the noise, and not
/// met (of Equal: met, where the interval holds 1).
struct Condition {
    enum class Compare {
        Less,
        Greater,
        Equal,
        Differs,
        OutOfMemory,  ///< this and the next: left's status alone
        Done,
        Refused,  ///< left is no valid experiment: Claim::refused says why
    };
    Quantity quantity;
    std::string left;
    Compare compare = Compare::Less;
    std::string right;                      ///< an experiment, or empty: compared with `number`
    std::optional<Quantity> rightQuantity;  ///< where it differs from `quantity`
    double factor = 1;
    double number = 0;
    double margin = 0;
    bool operator==(const Condition&) const = default;
};

/// A sentence with {places} for figures, said where the figures support it: {NAME|QUANTITY} is the value of
/// an experiment, {A / B|QUANTITY} a ratio ("1.93"), {A - B|QUANTITY} a difference, {A % B|QUANTITY} how much
/// less A is than B in per cent ("37 %"); a Refused experiment's {NAME|reason} is why.
struct Sentence {
    std::vector<Condition> given;  ///< said only where all of these are met too
    std::string text;
    bool operator==(const Sentence&) const = default;
};

struct Claim {
    std::string id;         ///< "S2.memory"
    std::string row;        ///< "S2"
    std::string statement;  ///< what is said, in our words
    std::string about;      ///< what it means here, and why one would think so: two or three sentences
    std::vector<Subject> experiments;            ///< valid ones
    std::map<std::string, std::string> refused;  ///< names of those that are not, for Refused: why
    /// All must be met for "holds". Where `along` has values, each is tried on its own: all met: holds; none:
    /// does not hold; some: depends, and the boundary is between those values.
    std::vector<Condition> conditions;
    struct Along {
        std::string path;   ///< JSON Pointer, set in the experiments of `variants`
        std::string words;  ///< "batch size"
        /// A value: its JSON text and the experiments with it, in the order of Claim::experiments (those that
        /// do not vary as they are).
        std::vector<std::string> values;
        std::vector<std::string> labels;  ///< the values as people write them: "32³"
        std::vector<std::vector<Subject>> variants;
        /// "Can be": one value that meets all conditions is enough for "holds".
        bool anyIsEnough = false;
        bool operator==(const Along&) const = default;
    };
    std::optional<Along> along;
    /// An experiment that is run with the largest of these values that ends as Done: found by running them in
    /// order, up to the first that is out of memory (its budget's).
    struct Fit {
        std::string experiment;
        std::string words;  ///< "batch size"
        std::vector<double> values;
        std::vector<Subject> subjects;  ///< one a value
        bool operator==(const Fit&) const = default;
    };
    std::vector<Fit> fits;
    bool needsCuda = false;
    bool needsCpu = false;     ///< it is about the CPU's libraries
    std::string needsBecause;  ///< why it needs that device; may be empty
    int steps = 12;            ///< of each run
    TrialOptions trial;
    /// For each verdict sentences, the first that is supported is said.
    std::vector<Sentence> holdsBecause, failsBecause, dependsBecause;
    std::optional<Verdict> expected;  ///< what the writer expects on the CPU; never used for the verdict
};

/// Strict, one line an error, starting with `name`.
base::Result<Claim> parseClaim(std::string_view text, std::string_view name,
                               const std::filesystem::path& folder);
/// All claims of a folder (*.json), in the order of rows and ids. Default: resources/claims.
base::Result<std::vector<Claim>> loadClaims(const std::filesystem::path& folder = {});

}  // namespace highwater::study
