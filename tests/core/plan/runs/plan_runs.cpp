#include "tests/core/plan/runs/plan_runs.h"

#include <algorithm>

#include "core/plan/plan_search.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::plan::testing {

namespace {

using predict::testing::Accuracy;
using predict::testing::Case;
using stack::Experiment;
using stack::PlanPart;
using Parts = std::vector<PlanPart>;

/// All plans of the units between `from` and `to`, with parts within parts down to `depth`. Stops beyond
/// `most`.
std::vector<Parts> allPlans(const std::vector<std::int64_t>& cuts, std::size_t from, std::size_t to,
                            int depth, std::size_t most) {
    if (from == to) {
        return {{}};
    }
    std::vector<Parts> all = allPlans(cuts, from + 1, to, depth, most);  // the first unit is kept
    for (std::size_t end = from + 1; end <= to && all.size() <= most; ++end) {
        std::vector<Parts> inners = {{}};
        if (depth > 1) {
            for (Parts& inner : allPlans(cuts, from, end, depth - 1, most)) {
                const bool whole =
                    inner.size() == 1 && inner[0].first == cuts[from] && inner[0].last == cuts[end];
                if (!inner.empty() && !whole) {
                    inners.push_back(std::move(inner));
                }
            }
        }
        for (const Parts& rest : allPlans(cuts, end, to, depth, most)) {
            for (const Parts& inner : inners) {
                Parts& made = all.emplace_back();
                made.push_back({cuts[from], cuts[end], inner});
                made.insert(made.end(), rest.begin(), rest.end());
            }
        }
    }
    return all;
}

/// The target of this machine's CPU with every row that the experiment needs.
base::Result<predict::Target> targetFor(Accuracy& accuracy, const Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return info.error();
    }
    if (const auto added = accuracy.addRows(experiment, *info); !added) {
        return added.error();
    }
    predict::Target target;
    const predict::Calibration& table = accuracy.tables().at(static_cast<int>(experiment.backend.threads));
    target.cpu = table.key();
    target.calibration = std::shared_ptr<const predict::Calibration>(std::shared_ptr<void>(), &table);
    return target;
}

base::Result<double> bestByExhaustion(const Experiment& variant, const predict::Target& target,
                                      base::Bytes budget, std::size_t most) {
    const auto space = SearchSpace::of(variant, target);
    if (!space) {
        return space.error();
    }
    const std::size_t units = space->cuts().size() - 1;
    if (most == 0 || units > 9) {
        return 0.0;
    }
    auto plans = allPlans(space->cuts(), 0, units, 2, most);
    if (plans.size() > most) {
        plans = allPlans(space->cuts(), 0, units, 1, most);
    }
    if (plans.size() > most) {
        return 0.0;
    }
    double best = 0;
    for (const Parts& parts : plans) {
        const auto fit = needOn(space->with(parts), target);
        if (fit && counted(*fit, target) <= budget && (best == 0 || fit->stepMs.expected < best)) {
            best = fit->stepMs.expected;
        }
    }
    return best;
}

}  // namespace

Case smallCase(int seed) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.layers = 5;
    limits.views = false;
    Case made;
    made.seed = seed;
    made.experiment = stack::testing::randomExperiment(static_cast<std::uint64_t>(seed), limits);
    made.experiment.backend.threads = 1;
    made.info = *stack::inferShapes(made.experiment);
    return made;
}

base::Result<std::vector<Planned>> planAndRun(Accuracy& accuracy, const Case& each, int budgets,
                                              std::size_t mostPlans) {
    PlanChoices choices;
    choices.microBatches = false;  // other sizes would need other rows
    auto target = targetFor(accuracy, each.experiment);
    if (!target) {
        return target.error();
    }
    const auto curve = planCurve(each.experiment, *target, choices);
    if (!curve) {
        return curve.error();
    }
    std::vector<Planned> all;
    const base::Bytes least = counted(curve->plans.front().fit, *target),
                      most = counted(curve->asItIs.fit, *target);
    for (int i = 0; i < budgets; ++i) {
        Planned planned{each.seed, most, least, least + (most - least) * i / budgets, 0, false, 0, 0};
        auto plan = planUnder(each.experiment, *target, planned.budget, choices);
        if (!plan) {
            return plan.error();
        }
        if (!*plan) {
            return base::Error{"the curve's least is not found again"};
        }
        Case changed = each;
        changed.experiment = (*plan)->experiment;
        changed.info = *stack::inferShapes(changed.experiment);
        const auto outcome = accuracy.run(changed);
        if (!outcome) {
            return outcome.error();
        }
        planned.measured = outcome->measured.peak;
        planned.exact = (*plan)->fit.peak.exact();
        planned.ms = (*plan)->fit.stepMs.expected;
        Experiment variant = (*plan)->experiment;
        variant.step.checkpoint = {stack::Checkpointing::Kind::Plan, 2, {}};
        const auto best = bestByExhaustion(variant, *target, planned.budget, mostPlans);
        if (!best) {
            return best.error();
        }
        planned.bestMs = *best;
        all.push_back(std::move(planned));
    }
    return all;
}

}  // namespace highwater::plan::testing
