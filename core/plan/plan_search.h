#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/plan/make_fit.h"
#include "core/plan/units.h"

/// The search for one plan under a budget. Private to core/plan.
namespace highwater::plan {

/// Maximum number of plans of one variant that are predicted for a curve.
inline constexpr std::size_t kMostOnCurve = 24;
/// Indices below `count`, at most `most` of them, evenly spread from the first to the last.
std::vector<std::size_t> someOf(std::size_t count, std::size_t most);

/// The increase in the share of guessed convolution passes that micro-batches may cause. Comparing a guess
/// with a measured or asked value does not show which is better.
inline constexpr double kMoreGuessed = 0.25;
/// The numbers of micro-batches to try: the given one, then its multiples that divide the batch, each at
/// least twice the previous one; only the given one if `choices` or a layer rules out more.
std::vector<std::int64_t> microBatchesOf(const stack::Experiment& experiment, const PlanChoices& choices);

/// The target, with the allocator's settings of a changed experiment if the change is in them.
predict::Target targetWith(const predict::Target& target, const stack::Experiment& before,
                           const stack::Experiment& changed);

/// The plan with its outermost parts offloaded instead of recomputed.
std::vector<stack::PlanPart> offloaded(std::vector<stack::PlanPart> plan);

/// The plans of one variant of an experiment, which differ in what they recompute.
class SearchSpace {
public:
    /// `variant` has no checkpoints. Errors: it is not valid or cannot be predicted.
    static base::Result<SearchSpace> of(const stack::Experiment& variant, const predict::Target& target);

    /// By dynamic programming, from the least memory to the fastest; with the chain's figures, which are
    /// close to the predictor's, but not equal.
    const std::vector<ChainPlan>& plans() const { return plans_; }
    stack::Experiment with(const std::vector<ChainPart>& parts) const;
    stack::Experiment with(std::vector<stack::PlanPart> plan) const;
    /// The fraction of convolution passes that are guesses, 0 to 1.
    double guessed() const { return guessed_; }
    /// Where parts may begin and end: step numbers, ascending, from 0 to the number of steps.
    const std::vector<std::int64_t>& cuts() const { return cuts_; }

private:
    stack::Experiment variant_;
    Units units_;
    std::vector<ChainPlan> plans_;
    std::vector<std::int64_t> cuts_;
    double guessed_ = 0;
};

/// Finds the fastest plan of a space within a budget: the best plan of the dynamic program, then one change
/// after another as long as it gets faster.
class PlanSearch {
public:
    using Predict = std::function<base::Result<Plan>(const stack::Experiment&)>;
    using Fits = std::function<bool(const Plan&)>;

    /// `fits`: whether a plan is within the budget. The search begins at the plans of the dynamic program
    /// that are within the budget, either unchanged or with all parts offloaded.
    enum class Begin { Recomputing, Offloading };
    /// `offload`: whether parts may be offloaded instead of recomputed.
    PlanSearch(const SearchSpace& space, Predict predict, Fits fits, bool offload)
        : space_(space), predict_(std::move(predict)), fits_(std::move(fits)), offload_(offload) {}

    /// The maximum number of predictions, plus those for the dynamic program's plans. Each takes from a
    /// fraction of a millisecond to a tenth of a second: the larger the network, the fewer are made.
    std::size_t most() const;
    /// std::nullopt: no plan is within the budget. Errors: those of `predict`.
    base::Result<std::optional<Plan>> run(Begin begin = Begin::Recomputing);

private:
    base::Status take(std::vector<stack::PlanPart> plan);
    base::Status fromTable(Begin begin);
    base::Status improve();

    const SearchSpace& space_;
    Predict predict_;
    Fits fits_;
    bool offload_;
    std::optional<Plan> best_;
    std::size_t predictions_ = 0;
    bool within_ = false;  ///< whether the last one taken was within the budget
};

}  // namespace highwater::plan
