#include "core/plan/make_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/plan/plan_search.h"
#include "core/plan/plan_words.h"
#include "core/plan/propose_patch.h"
#include "core/stack/rewrites.h"

namespace highwater::plan {

namespace {

using base::Bytes;
using base::Error;
using base::Result;
using stack::Checkpointing;
using stack::Experiment;

constexpr const char* kCancelled = "cancelled";

Experiment withoutCheckpoints(Experiment experiment) {
    experiment.step.checkpoint = {Checkpointing::Kind::Plan, experiment.step.checkpoint.segments, {}};
    return experiment;
}

/// The experiment with all changes that cost no time, and without checkpoints.
Experiment freeOfCharge(const Experiment& experiment, const PlanChoices& choices) {
    Experiment made = withoutCheckpoints(experiment);
    if (choices.inplaceAbn) {
        if (auto changed = stack::withInplaceAbn(made)) {
            made = std::move(*changed);
        }
    }
    if (choices.inplace) {
        if (auto changed = stack::withInplaceActivations(made)) {
            made = std::move(*changed);
        }
    }
    return made;
}

/// The GPU's 16-bit precision, if the experiment computes in 32 bits.
std::optional<stack::Precision> autocastOn(const predict::DeviceProfile& gpu, const Experiment& experiment) {
    if (stack::elementBytes(experiment.step.precision) == 2) {
        return {};
    }
    constexpr int kAmpere = 80;
    return gpu.architecture >= kAmpere ? stack::Precision::Bf16 : stack::Precision::Fp16;
}

/// Removes plans that another one beats, and sorts by ascending memory.
void keepBest(std::vector<Plan>& plans, const predict::Target& target) {
    std::stable_sort(plans.begin(), plans.end(), [&](const Plan& a, const Plan& b) {
        return std::pair(counted(a.fit, target), a.fit.stepMs.expected) <
               std::pair(counted(b.fit, target), b.fit.stepMs.expected);
    });
    std::vector<Plan> kept;
    for (Plan& plan : plans) {
        if (kept.empty() || plan.fit.stepMs.expected < kept.back().fit.stepMs.expected) {
            kept.push_back(std::move(plan));
        }
    }
    plans = std::move(kept);
}

/// Makes plans for one experiment and target.
class Planner {
public:
    Planner(const Experiment& experiment, const predict::Target& target, const PlanChoices& choices,
            const Trying& trying, const PlanProgress& progress)
        : experiment_(experiment), target_(target), choices_(choices), trying_(trying), progress_(progress) {}

    base::Status start() {
        if (!experiment_.step.train) {
            return Error{
                "without training, nothing is kept for a backward pass, so there is nothing to plan"};
        }
        learn(experiment_);
        asItIs_ = HIGHWATER_TRY(predicted(experiment_));
        return {};
    }
    const Plan& asItIs() const { return asItIs_; }

    base::Status makeVariants() {
        const Experiment free = withExpandable(freeOfCharge(experiment_, choices_));
        for (const std::int64_t parts : microBatchesOf(experiment_, choices_)) {
            for (Experiment variant : forms(free)) {
                variant.step.microBatches = parts;
                learn(variant);
                auto made = SearchSpace::of(variant, target_);
                if (!made && spaces_.empty()) {
                    return made.error();
                }
                if (made) {
                    const bool known =
                        spaces_.empty() || made->guessed() <= spaces_.front().guessed() + kMoreGuessed;
                    (known ? spaces_ : guessedSpaces_).push_back(std::move(*made));
                }
            }
        }
        return {};
    }
    std::vector<SearchSpace>& spaces() { return spaces_; }

    /// The plan with the least memory among the variants with more guesses, if it may need less than `least`.
    Result<std::optional<Plan>> guessedBelow(const Plan& least) {
        std::optional<Plan> best;
        for (const SearchSpace& space : guessedSpaces_) {
            if (space.plans().empty()) {
                continue;
            }
            auto plan = HIGHWATER_TRY(predicted(space.with(space.plans().front().parts)));
            const Bytes before = (best ? *best : least).fit.peak.expected;
            if (plan.fit.peak.expected < before) {
                best = std::move(plan);
            }
        }
        if (best) {
            finish(*best);
        }
        return best;
    }
    bool offloads() const { return choices_.offload && target_.gpu.has_value(); }

    Result<Plan> predicted(const Experiment& changed) {
        if (trying_.cancel != nullptr && trying_.cancel->load()) {
            return Error{kCancelled};
        }
        const auto fit =
            HIGHWATER_TRY(needOn(changed, targetWith(target_, experiment_, changed), {trying_.cancel, {}}));
        Plan plan{changed, fit, 0, {}, {}};
        const double before = asItIs_.fit.stepMs.expected;
        plan.slower = before > 0 ? fit.stepMs.expected / before - 1 : 0;
        return plan;
    }
    /// Drops parts that recompute nothing, unless they save memory, and lists the plan's changes.
    void finish(Plan& plan) {
        const Checkpointing& checkpoint = plan.experiment.step.checkpoint;
        if (plan.experiment != experiment_ && checkpoint.kind == Checkpointing::Kind::Plan &&
            !stack::offloads(checkpoint.plan) && recomputedLayers(plan.experiment) == 0) {
            Experiment plain = plan.experiment;
            plain.step.checkpoint = {Checkpointing::Kind::None, checkpoint.segments, {}};
            auto same = predicted(plain);
            if (same && counted(same->fit, target_) <= counted(plan.fit, target_)) {
                plan = std::move(*same);
            }
        }
        if (plan.experiment != experiment_) {
            plan.changes = changesOf(experiment_, plan.experiment);
            plan.settings = settingsOf(experiment_, plan.experiment);
        }
    }
    void report(double share) const {
        if (progress_) {
            progress_(share);
        }
    }
    const predict::Target& target() const { return target_; }

private:
    /// Asks cuDNN, if it may be asked, about the convolutions of a variant. All plans of the variant have the
    /// same ones.
    void learn(const Experiment& variant) {
        const auto info = stack::inferShapes(variant);
        predict::PredictOptions options;
        options.timeline = options.time = false;
        for (bool more = trying_.ask && info.ok(); more;) {
            const auto prediction = predict::predict(variant, *info, target_, options);
            more = prediction && trying_.ask(*prediction, target_);
        }
    }

    /// The given experiment, then variants with other settings for the whole step, if they can be set.
    std::vector<Experiment> forms(const Experiment& free) const {
        std::vector<Experiment> all = {free};
        const auto add = [&](const auto& change) {
            for (std::size_t i = 0, count = all.size(); i < count; ++i) {
                Experiment changed = all[i];
                change(changed);
                const auto info = stack::inferShapes(changed);
                if (info && stack::checkPredictable(changed, *info, target_.gpu.has_value())) {
                    all.push_back(std::move(changed));
                }
            }
        };
        if (!target_.gpu) {
            return all;
        }
        if (const auto data = stack::inputShape(free);
            choices_.channelsLast && !free.step.channelsLast && data && data->size() > 3) {
            add([](Experiment& e) { e.step.channelsLast = true; });
        }
        if (const auto precision = autocastOn(*target_.gpu, free); choices_.autocast && precision) {
            add([&](Experiment& e) { e.step.precision = *precision; });
        }
        return all;
    }

    /// With expandable segments, if they are not set already and save memory.
    Experiment withExpandable(const Experiment& made) {
        const memory::AllocatorConfig& now = target_.allocator;
        if (!target_.gpu || !choices_.expandable || now.expandableSegments) {
            return made;
        }
        Experiment changed = made;
        changed.backend.allocConf += changed.backend.allocConf.empty() ? "" : ",";
        changed.backend.allocConf += "expandable_segments:True";
        if (!memory::parseAllocatorConfig(changed.backend.allocConf, target_.versions.libtorch)) {
            return made;  // not supported by this LibTorch
        }
        const auto without = predicted(made), with = predicted(changed);
        const bool saves = without && with && counted(with->fit, target_) < counted(without->fit, target_);
        return saves ? changed : made;
    }

    const Experiment& experiment_;
    predict::Target target_;  ///< including cuDNN's answers
    const PlanChoices& choices_;
    const Trying& trying_;
    const PlanProgress& progress_;
    Plan asItIs_;
    std::vector<SearchSpace> spaces_, guessedSpaces_;
};

/// The next smaller size to try: at least 1/512 smaller, so a few thousand sizes lead from any size to 1.
/// `parts` are samples of a micro-batch, or strides.
std::int64_t shortened(std::int64_t parts) {
    constexpr std::int64_t kFinest = 512;
    return parts - std::max<std::int64_t>(1, parts / kFinest);
}

/// Smaller batches, in descending order.
std::vector<Experiment> smallerBatches(const Experiment& experiment) {
    std::vector<Experiment> all;
    const std::int64_t unit = experiment.step.microBatches;
    for (std::int64_t parts = shortened(experiment.step.batchSize / unit); parts >= 1;
         parts = shortened(parts)) {
        all.push_back(experiment);
        all.back().step.batchSize = parts * unit;
    }
    return all;
}

/// Smaller patches, in descending order: each shortens the longest axis, counted in the stack's strides, by
/// one stride or 1/512.
std::vector<Experiment> smallerPatches(const Experiment& experiment) {
    std::vector<Experiment> all;
    stack::Sizes patch = stack::patchOf(experiment);
    const auto strides = strideOf(experiment);
    const std::size_t skipped = strides.size() - std::min(patch.size(), strides.size());
    while (true) {
        const auto parts = [&](std::size_t axis) { return patch[axis] / strides[skipped + axis]; };
        std::size_t longest = 0;
        for (std::size_t axis = 1; axis < patch.size(); ++axis) {
            longest = parts(axis) > parts(longest) ? axis : longest;
        }
        if (patch.empty() || parts(longest) <= 1) {
            return all;
        }
        patch[longest] -= strides[skipped + longest] * (parts(longest) - shortened(parts(longest)));
        all.push_back(experiment);
        stack::setPatch(all.back(), patch);
    }
}

/// The plan with the least memory.
Result<Plan> leastPlan(const Experiment& experiment, const predict::Target& target,
                       const PlanChoices& choices, const Trying& trying) {
    const PlanProgress silent;
    Planner planner(experiment, target, choices, trying, silent);
    HIGHWATER_TRY(planner.start());
    HIGHWATER_TRY(planner.makeVariants());
    Plan least = planner.asItIs();
    for (const SearchSpace& space : planner.spaces()) {
        if (space.plans().empty()) {
            continue;
        }
        auto plan = HIGHWATER_TRY(planner.predicted(space.with(space.plans().front().parts)));
        if (counted(plan.fit, target) < counted(least.fit, target)) {
            least = std::move(plan);
        }
    }
    return least;
}

}  // namespace

std::vector<Bytes> keptOf(const Experiment& experiment, const stack::StackInfo& info,
                          const predict::Target& target) {
    std::vector<Bytes> kept;
    if (const auto walked = predict::walk(experiment, info, target)) {
        for (const predict::LayerCost& layer : predict::stepCosts(*walked, target).layers) {
            kept.push_back(layer.saved);
        }
    }
    return kept;
}

Bytes counted(const DeviceFit& fit, const predict::Target& target) {
    return target.gpu ? fit.peak.expected : fit.peak.high;
}

Budget budgetOn(const predict::Target& target, Budget budget) {
    const bool all = budget && target.gpu && target.memory > 0 && *budget >= target.memory;
    return all ? Budget() : budget;
}

bool isWithin(const Plan& plan, const predict::Target& target, Budget budget) {
    return isWithin(plan.fit, target, budget);
}

bool isWithin(const DeviceFit& fit, const predict::Target& target, Budget budget) {
    const bool fits = fit.fits == predict::Fits::Yes;
    return budget ? counted(fit, target) <= *budget && !fit.atLeast && (!target.gpu || fits) : fits;
}

Result<PlanCurve> planCurve(const Experiment& experiment, const predict::Target& target,
                            const PlanChoices& choices, const Trying& trying, const PlanProgress& progress) {
    Planner planner(experiment, target, choices, trying, progress);
    HIGHWATER_TRY(planner.start());
    HIGHWATER_TRY(planner.makeVariants());
    PlanCurve curve;
    curve.asItIs = planner.asItIs();
    curve.plans.push_back(curve.asItIs);
    const auto spaces = planner.spaces().size();
    for (std::size_t s = 0; s < spaces; ++s) {
        const SearchSpace& space = planner.spaces()[s];
        const auto chosen = someOf(space.plans().size(), kMostOnCurve);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            auto plan = HIGHWATER_TRY(planner.predicted(space.with(space.plans()[chosen[i]].parts)));
            Experiment offload = plan.experiment;
            curve.plans.push_back(std::move(plan));
            if (planner.offloads() && !offload.step.checkpoint.plan.empty()) {
                offload.step.checkpoint.plan = offloaded(std::move(offload.step.checkpoint.plan));
                auto other = HIGHWATER_TRY(planner.predicted(offload));
                curve.plans.push_back(std::move(other));
            }
            planner.report(
                (static_cast<double>(s) + static_cast<double>(i + 1) / static_cast<double>(chosen.size())) /
                static_cast<double>(spaces));
        }
    }
    keepBest(curve.plans, target);
    for (Plan& plan : curve.plans) {
        planner.finish(plan);
    }
    curve.guessed = HIGHWATER_TRY(planner.guessedBelow(curve.plans.front()));
    return curve;
}

Result<std::optional<Plan>> planUnder(const Experiment& experiment, const predict::Target& target,
                                      Budget budget, const PlanChoices& choices, const Trying& trying,
                                      const PlanProgress& progress) {
    Planner planner(experiment, target, choices, trying, progress);
    HIGHWATER_TRY(planner.start());
    const auto within = [&](const Plan& plan) { return isWithin(plan, target, budget); };
    std::optional<Plan> best;
    if (within(planner.asItIs())) {
        best = planner.asItIs();
    }
    HIGHWATER_TRY(planner.makeVariants());
    using Begin = PlanSearch::Begin;
    const std::vector<Begin> begins = planner.offloads() ? std::vector{Begin::Recomputing, Begin::Offloading}
                                                         : std::vector{Begin::Recomputing};
    const auto searches = static_cast<double>(planner.spaces().size() * begins.size());
    double searched = 0;
    for (const SearchSpace& space : planner.spaces()) {
        for (const Begin begin : begins) {
            double made = 0, most = 1;  // predictions of this search
            PlanSearch search(
                space,
                [&](const Experiment& changed) {
                    planner.report((searched + std::min(1.0, ++made / most)) / searches);
                    return planner.predicted(changed);
                },
                within, planner.offloads());
            most = static_cast<double>(search.most());
            auto found = HIGHWATER_TRY(search.run(begin));
            if (found && (!best || found->fit.stepMs.expected < best->fit.stepMs.expected)) {
                best = std::move(found);
            }
            ++searched;
        }
    }
    if (best) {
        planner.finish(*best);
    }
    return best;
}

Result<std::vector<Plan>> planTaskChanges(const Experiment& experiment, const predict::Target& target,
                                          Budget budget, const PlanChoices& choices, const Trying& trying,
                                          const std::vector<OtherTask>& others) {
    std::vector<Plan> found;
    const auto add = [&](const Experiment& other, const std::string& what) -> base::Status {
        auto plan = HIGHWATER_TRY(planUnder(other, target, budget, choices, trying));
        if (plan) {
            plan->slower = 0;  // the time of a different task cannot be compared
            plan->changes = changesOf(what.empty() ? experiment : other, plan->experiment);
            if (!what.empty()) {
                plan->changes.insert(plan->changes.begin(), what);
            }
            found.push_back(std::move(*plan));
        }
        return {};
    };
    for (const auto& sizes : {smallerBatches(experiment), smallerPatches(experiment)}) {
        // The largest size that has a plan: memory rises with the size.
        std::size_t none = 0, some = sizes.size();  // sizes descend: those before `none` have no plan
        while (none < some) {
            const std::size_t middle = none + (some - none) / 2;
            const auto least = leastPlan(sizes[middle], target, choices, trying);
            if (!least && least.error().message == kCancelled) {
                return least.error();
            }
            const bool good = least && isWithin(*least, target, budget);
            (good ? some : none) = good ? middle : middle + 1;
        }
        if (some == sizes.size()) {
            continue;
        }
        HIGHWATER_TRY(add(sizes[some], {}));
    }
    for (const auto& [what, other] : others) {
        // A form that cannot be planned, or is not possible on the target, is skipped.
        if (const auto added = add(other, what); !added && added.error().message == kCancelled) {
            return added.error();
        }
    }
    return found;
}

}  // namespace highwater::plan
