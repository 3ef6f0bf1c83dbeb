#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/study/trial.h"

/// A statement about memory or time, the experiments that test it, and the rule for its verdict (contract:
/// highwater.claim/1).
namespace highwater::study {

enum class Verdict { Holds, DoesNotHold, Depends, NotTestable };
inline constexpr std::array<std::string_view, 4> kVerdictKeys = {"holds", "does_not_hold", "depends",
                                                                 "not_testable_here"};
std::string_view verdictKey(Verdict verdict);    ///< "holds", "does_not_hold", "depends", "not_testable_here"
std::string_view verdictWords(Verdict verdict);  ///< "holds", "does not hold", "depends", "not testable here"

/// A measured value of an experiment that can be compared.
struct Quantity {
    enum class Kind {
        PeakAllocated,    ///< bytes
        PeakReserved,     ///< bytes, CUDA
        PeakRss,          ///< bytes
        Category,         ///< bytes of `detail` at the peak ("activations", "workspace", ...)
        KeptActivations,  ///< bytes that the forwards of all layers, or of layer `detail`, left in the
                          ///< activations
        Parameters,       ///< count
        OutputSize,  ///< elements along the last axis of the output of layer `detail` (empty: of the stack)
        OutputElements,  ///< elements of the whole output of layer `detail` (empty: of the stack)
        StepMs,          ///< milliseconds
        Throughput,      ///< samples per second
        PhaseMs,         ///< milliseconds of phase `detail`
        PhaseShare,      ///< share of phase `detail` in the step, 0 to 1
        Loss,            ///< loss of the last step
        Chosen,          ///< the largest value of Claim::Fit that fits
        Pointer,         ///< the number at JSON Pointer `detail` of the run's result
    };
    Kind kind = Kind::PeakAllocated;
    std::string detail;
    bool operator==(const Quantity&) const = default;
};
base::Result<Quantity> parseQuantity(std::string_view text);  ///< "peak_allocated_bytes", "phase_share:data"
std::string toText(const Quantity& quantity);
/// The name on screen: "peak memory", "activations at the peak", "time of a step".
std::string wordsOf(const Quantity& quantity);
/// The unit: "B", "ms", "1/s", "" (a count or a ratio).
std::string_view unitOf(const Quantity& quantity);

/// A value of that quantity as text: "12.3 MiB", "204 ms", "4.71".
std::string formatValue(const Quantity& quantity, double value);

/// The condition: left `compare` factor * right, where both sides are quantities of named experiments. Within
/// the margin (a fraction) both count as equal. If the interval of left / right does not decide it, the
/// difference is within the noise and the condition is not met (Equal: it is met if the interval contains 1).
struct Condition {
    enum class Compare {
        Less,
        Greater,
        Equal,
        Differs,
        OutOfMemory,  ///< OutOfMemory and Done test only left's status
        Done,
        Refused,  ///< left is not a valid experiment; Claim::refused says why
    };
    Quantity quantity;
    std::string left;
    Compare compare = Compare::Less;
    std::string right;                      ///< an experiment; empty: compare with `number`
    std::optional<Quantity> rightQuantity;  ///< right's quantity, if it differs from `quantity`
    double factor = 1;
    double number = 0;
    double margin = 0;
    bool operator==(const Condition&) const = default;
};

/// A sentence with {placeholders} for figures. It is used only if all figures were measured. {NAME|QUANTITY}
/// is the value of an experiment, {A / B|QUANTITY} a ratio ("1.93"), {A - B|QUANTITY} a difference, {A %
/// B|QUANTITY} how much less A is than B in per cent ("37 %"). {NAME|reason} says why a Refused experiment is
/// not valid.
struct Sentence {
    std::vector<Condition> given;  ///< use the sentence only if all of these are met
    std::string text;
    bool operator==(const Sentence&) const = default;
};

struct Claim {
    std::string id;                    ///< "S2.memory"
    std::string row;                   ///< "S2"
    std::string statement;             ///< the statement in the project's words
    std::string about;                 ///< what it means here and why it is plausible: two or three sentences
    std::vector<Subject> experiments;  ///< the valid ones
    std::map<std::string, std::string> refused;  ///< those that are not valid, for Refused: name and reason
    /// All must be met for "holds". If `along` has values, each value is tested by itself: if the conditions
    /// are met at all of them, the verdict is "holds"; at none, "does not hold"; at some, "depends", and the
    /// boundary lies between those values.
    std::vector<Condition> conditions;
    struct Along {
        std::string path;   ///< JSON Pointer, set in the experiments of `variants`
        std::string words;  ///< "batch size"
        /// JSON text of the values. `variants` has, for each value, all experiments in the order of
        /// Claim::experiments; those that do not vary are unchanged.
        std::vector<std::string> values;
        std::vector<std::string> labels;  ///< the values for display: "32³"
        std::vector<std::vector<Subject>> variants;
        /// For a claim that something can be so: one value that meets all conditions is enough for "holds".
        bool anyIsEnough = false;
        bool operator==(const Along&) const = default;
    };
    std::optional<Along> along;
    /// An experiment that is run with the largest of these values that fits. The values are tried in order up
    /// to the first run that is out of memory (over its budget).
    struct Fit {
        std::string experiment;
        std::string words;  ///< "batch size"
        std::vector<double> values;
        std::vector<Subject> subjects;  ///< one for each value
        bool operator==(const Fit&) const = default;
    };
    std::vector<Fit> fits;
    bool needsCuda = false;
    bool needsCpu = false;     ///< the claim is about the CPU's libraries
    std::string needsBecause;  ///< why it needs that device; may be empty
    int steps = 12;            ///< of each run, warm-up included
    TrialOptions trial;
    /// The sentences for each verdict; the first one that is supported is used.
    std::vector<Sentence> holdsBecause, failsBecause, dependsBecause;
    std::optional<Verdict> expected;  ///< the author's expectation on the CPU; never used for the verdict
};

/// Parses a claim strictly. An Error is one line that starts with `name`.
base::Result<Claim> parseClaim(std::string_view text, std::string_view name,
                               const std::filesystem::path& folder);
/// All claims of a folder (*.json), in the order of rows and ids. An empty `folder`: resources/claims.
base::Result<std::vector<Claim>> loadClaims(const std::filesystem::path& folder = {});

}  // namespace highwater::study
