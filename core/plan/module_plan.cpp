#include "core/plan/module_plan.h"

#include <algorithm>
#include <utility>

#include "core/plan/plan_search.h"
#include "core/plan/plan_words.h"
#include "core/predict/fit/step_costs.h"
#include "core/stack/program.h"

namespace highwater::plan {

namespace {

using base::Error;
using base::Result;
using base::Status;
using stack::Experiment;
using Modules = std::vector<NamedPart>;

/// What recomputing a module saves per millisecond, without its output, which the next module keeps.
double worthOf(const NamedPart& module, const Experiment& experiment, const stack::StackInfo& info,
               const stack::Program& program, const predict::StepCosts& costs) {
    double saved = 0, ms = 0;
    for (std::int64_t step = module.first; step < module.last; ++step) {
        const auto layer = static_cast<std::size_t>(program.steps[static_cast<std::size_t>(step)].layer);
        saved += static_cast<double>(costs.layers[layer].saved);
        ms += costs.layers[layer].forwardMs;
    }
    const auto last =
        static_cast<std::size_t>(program.steps[static_cast<std::size_t>(module.last - 1)].layer);
    saved -= static_cast<double>(info.layers[last].outputBytes) /
             static_cast<double>(experiment.step.microBatches);
    return saved / std::max(ms, 1e-6);
}

class ModuleSearch {
public:
    ModuleSearch(const Experiment& experiment, const predict::Target& target, Budget budget,
                 const Trying& trying)
        : experiment_(experiment), target_(target), budget_(budget), trying_(trying) {}

    Status start() {
        if (!experiment_.step.train) {
            return Error{
                "without training, nothing is kept for a backward pass, so there is nothing to plan"};
        }
        const auto info = HIGHWATER_TRY(stack::inferShapes(experiment_));
        learn(experiment_, info);
        auto plain = HIGHWATER_TRY(tried(experiment_, {}));
        found_.asItIs = plain.plan;
        found_.least = plain;
        take(std::move(plain));
        return {};
    }

    /// Tries one number of micro-batches with every division.
    Status search(const Experiment& variant, const std::vector<Modules>& divisions) {
        const auto info = HIGHWATER_TRY(stack::inferShapes(variant));
        learn(variant, info);
        auto plain = HIGHWATER_TRY(tried(variant, {}));
        const double guessed = guessedShare(plain.plan.fit);
        firstGuessed_ = firstGuessed_.value_or(guessed);
        if (guessed > *firstGuessed_ + kMoreGuessed) {
            return {};
        }
        if (take(std::move(plain))) {
            return {};
        }
        const auto walked = HIGHWATER_TRY(predict::walk(variant, info, target_));
        predict::Target settled = target_;
        settled.settings = predict::cudaSettings(variant);
        const predict::StepCosts costs = predict::stepCosts(walked, settled);
        const stack::Program program = stack::makeProgram(variant, info);
        for (const Modules& modules :
             usesBatchStatistics(variant.stack) ? std::vector<Modules>() : divisions) {
            std::vector<std::pair<double, std::size_t>> order;
            for (std::size_t i = 0; i < modules.size(); ++i) {
                order.emplace_back(-worthOf(modules[i], variant, info, program, costs), i);
            }
            std::stable_sort(order.begin(), order.end());
            HIGHWATER_TRY(divide(variant, modules, order));
        }
        return {};
    }

    bool foundOne() const { return found_.best.has_value(); }
    ModulePlans finish() {
        for (ModulePlan* const each : {found_.best ? &*found_.best : nullptr, &found_.least}) {
            if (each != nullptr && each->plan.experiment != experiment_) {
                each->plan.changes = changesOf(experiment_, each->plan.experiment);
                each->plan.settings = settingsOf(experiment_, each->plan.experiment);
            }
        }
        return std::move(found_);
    }

private:
    using Chosen = std::vector<bool>;

    /// Asks cuDNN, if it may be asked, about the convolutions of a variant. All plans of the variant have the
    /// same ones.
    void learn(const Experiment& variant, const stack::StackInfo& info) {
        predict::PredictOptions options;
        options.timeline = options.time = false;
        for (bool more = static_cast<bool>(trying_.ask); more;) {
            const auto prediction = predict::predict(variant, info, target_, options);
            more = prediction && trying_.ask(*prediction, target_);
        }
    }

    double guessedShare(const DeviceFit& fit) const {
        const auto all = static_cast<double>(fit.guessed + fit.asked);
        return all > 0 ? static_cast<double>(fit.guessed) / all : 0;
    }

    /// The shortest beginning of the order that is within the budget, without the modules that it does not
    /// need, the slowest first.
    Status divide(const Experiment& variant, const Modules& modules,
                  const std::vector<std::pair<double, std::size_t>>& order) {
        const auto firstOf = [&](std::size_t count) {
            Chosen chosen(modules.size());
            for (std::size_t i = 0; i < count; ++i) {
                chosen[order[i].second] = true;
            }
            return chosen;
        };
        std::size_t bad = 0, good = modules.size();
        auto all = HIGHWATER_TRY(tried(variant, modules, firstOf(good)));
        if (!take(std::move(all))) {
            return {};
        }
        while (good - bad > 1) {
            const std::size_t middle = bad + (good - bad) / 2;
            auto some = HIGHWATER_TRY(tried(variant, modules, firstOf(middle)));
            (take(std::move(some)) ? good : bad) = middle;
        }
        Chosen chosen = firstOf(good);
        for (std::size_t i = 0; i + 1 < good; ++i) {  // the least worth of what is needed comes last
            Chosen fewer = chosen;
            fewer[order[good - 2 - i].second] = false;
            auto some = HIGHWATER_TRY(tried(variant, modules, fewer));
            if (take(std::move(some))) {
                chosen = std::move(fewer);
            }
        }
        return {};
    }

    Result<ModulePlan> tried(const Experiment& variant, const Modules& modules, const Chosen& chosen = {}) {
        ModulePlan made;
        Experiment changed = variant;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            if (chosen[i]) {
                made.recomputed.push_back(modules[i].name);
                changed.step.checkpoint.kind = stack::Checkpointing::Kind::Plan;
                changed.step.checkpoint.plan.push_back({modules[i].first, modules[i].last, {}});
            }
        }
        if (trying_.cancel != nullptr && trying_.cancel->load()) {
            return Error{"cancelled"};
        }
        const auto fit =
            HIGHWATER_TRY(needOn(changed, targetWith(target_, experiment_, changed), {trying_.cancel, {}}));
        made.plan = {std::move(changed), fit, 0, {}, {}};
        const double before = found_.asItIs.fit.stepMs.expected;
        made.plan.slower = before > 0 ? fit.stepMs.expected / before - 1 : 0;
        return made;
    }

    /// Keeps the plan if it is the best so far; returns whether it is within the budget.
    bool take(ModulePlan plan) {
        if (counted(plan.plan.fit, target_) < counted(found_.least.plan.fit, target_)) {
            found_.least = plan;
        }
        const bool within = isWithin(plan.plan, target_, budget_);
        const auto rank = [](const ModulePlan& each) {
            return std::pair(each.plan.fit.stepMs.expected, each.recomputed.size());
        };
        if (within && (!found_.best || rank(plan) < rank(*found_.best))) {
            found_.best = std::move(plan);
        }
        return within;
    }

    const Experiment& experiment_;
    predict::Target target_;  ///< including cuDNN's answers
    Budget budget_;
    const Trying& trying_;
    std::optional<double> firstGuessed_;
    ModulePlans found_;
};

}  // namespace

Result<ModulePlans> planModules(const Experiment& experiment, const predict::Target& target, Budget budget,
                                const std::vector<Modules>& divisions, const PlanChoices& choices,
                                const Trying& trying) {
    ModuleSearch search(experiment, target, budget, trying);
    HIGHWATER_TRY(search.start());
    for (const bool expandable : {false, true}) {
        if (search.foundOne()) {
            break;
        }
        Experiment variant = experiment;
        if (expandable) {
            variant.backend.allocConf += variant.backend.allocConf.empty() ? "" : ",";
            variant.backend.allocConf += "expandable_segments:True";
            const bool possible =
                target.gpu && choices.expandable && !target.allocator.expandableSegments &&
                memory::parseAllocatorConfig(variant.backend.allocConf, target.versions.libtorch);
            if (!possible) {
                break;
            }
        }
        for (const std::int64_t parts : microBatchesOf(experiment, choices)) {
            variant.step.microBatches = parts;
            HIGHWATER_TRY(search.search(variant, divisions));
        }
    }
    return search.finish();
}

}  // namespace highwater::plan
