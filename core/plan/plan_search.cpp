#include "core/plan/plan_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace highwater::plan {

namespace {

using base::Bytes;
using base::Result;
using base::Status;
using stack::PlanPart;
using Parts = std::vector<PlanPart>;

Parts recomputedParts(const std::vector<ChainPart>& parts, const Units& units) {
    Parts made;
    for (const ChainPart& part : parts) {
        if (!part.inner.empty()) {
            made.push_back({units.steps[static_cast<std::size_t>(part.first)].first,
                            units.steps[static_cast<std::size_t>(part.last - 1)].second,
                            recomputedParts(part.inner, units)});
        }
    }
    return made;
}

/// Clips a part's inner parts to its bounds.
void cutInner(PlanPart& part) {
    std::erase_if(part.inner,
                  [&](const PlanPart& each) { return each.last <= part.first || each.first >= part.last; });
    for (PlanPart& each : part.inner) {
        each.first = std::max(each.first, part.first);
        each.last = std::min(each.last, part.last);
        cutInner(each);
    }
    std::erase_if(part.inner,
                  [&](const PlanPart& each) { return each.first == part.first && each.last == part.last; });
}

/// All plans that differ in one part: without it, without its inner parts, with one end moved to the next cut
/// on either side, or split; with `offload` also offloaded instead of recomputed, or the reverse.
std::vector<Parts> neighbors(const Parts& plan, const std::vector<std::int64_t>& cuts, bool offload) {
    std::vector<Parts> all;
    const auto changed = [&](std::size_t i, std::vector<PlanPart> by) {
        Parts made(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(i));
        for (PlanPart& each : by) {
            cutInner(each);
            made.push_back(std::move(each));
        }
        made.insert(made.end(), plan.begin() + static_cast<std::ptrdiff_t>(i) + 1, plan.end());
        all.push_back(std::move(made));
    };
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const PlanPart& part = plan[i];
        const auto over = [&](std::int64_t first, std::int64_t last) {
            PlanPart moved = part;
            moved.first = first;
            moved.last = last;
            return moved;
        };
        changed(i, {});
        if (!part.inner.empty()) {
            changed(i, {{part.first, part.last, {}}});
            changed(i, part.inner);
        }
        if (offload) {
            changed(i, {{part.first, part.last, {}, !part.offload}});
        }
        const std::int64_t before = i > 0 ? plan[i - 1].last : 0,
                           after = i + 1 < plan.size() ? plan[i + 1].first : cuts.back();
        const auto from = std::lower_bound(cuts.begin(), cuts.end(), part.first),
                   to = std::lower_bound(cuts.begin(), cuts.end(), part.last);
        if (from != cuts.begin() && *std::prev(from) >= before) {
            changed(i, {over(*std::prev(from), part.last)});
        }
        if (std::next(from) < to) {
            changed(i, {over(*std::next(from), part.last)});
            changed(i, {over(part.first, *std::prev(to))});
        }
        if (to != cuts.end() && std::next(to) != cuts.end() && *std::next(to) <= after) {
            changed(i, {over(part.first, *std::next(to))});
        }
        for (auto cut = from; cut < to; ++cut) {
            if (*cut > part.first) {
                changed(i, {over(part.first, *cut), over(*cut, part.last)});
            }
        }
    }
    return all;
}

}  // namespace

Parts offloaded(Parts plan) {
    for (PlanPart& part : plan) {
        part.inner.clear();
        part.offload = true;
    }
    return plan;
}

predict::Target targetWith(const predict::Target& target, const stack::Experiment& before,
                           const stack::Experiment& changed) {
    predict::Target made = target;
    if (made.gpu && changed.backend.allocConf != before.backend.allocConf) {
        if (const auto config =
                memory::parseAllocatorConfig(changed.backend.allocConf, made.versions.libtorch)) {
            made.allocator = *config;
        }
    }
    return made;
}

std::vector<std::size_t> someOf(std::size_t count, std::size_t most) {
    std::vector<std::size_t> chosen;
    const std::size_t taken = std::min(count, most);
    for (std::size_t i = 0; i < taken; ++i) {
        chosen.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
    }
    return chosen;
}

Result<SearchSpace> SearchSpace::of(const stack::Experiment& variant, const predict::Target& target) {
    const auto info = HIGHWATER_TRY(stack::inferShapes(variant));
    const auto walked = HIGHWATER_TRY(predict::walk(variant, info, target));
    predict::Target settled = target;
    settled.settings = predict::cudaSettings(variant);
    const predict::StepCosts costs = predict::stepCosts(walked, settled);
    SearchSpace space;
    space.variant_ = variant;
    if (walked.convolutionPasses > 0) {
        space.guessed_ =
            static_cast<double>(walked.passesWithoutRow) / static_cast<double>(walked.convolutionPasses);
    }
    const stack::Program program = stack::makeProgram(variant, info);
    space.units_ = unitsOf(program, info, costs, variant.step.microBatches);
    const Chain& chain = space.units_.chain;
    if (const auto fastest = fastestParts(chain)) {
        space.plans_ = ChainPlans(chain, costOf(chain, *fastest).peak).all();
    }
    for (const auto& [first, last] : space.units_.steps) {
        space.cuts_.push_back(first);
    }
    return space;
}

stack::Experiment SearchSpace::with(const std::vector<ChainPart>& parts) const {
    return with(recomputedParts(parts, units_));
}

stack::Experiment SearchSpace::with(Parts plan) const {
    stack::Experiment made = variant_;
    made.step.checkpoint.plan = std::move(plan);
    return made;
}

Result<std::optional<Plan>> PlanSearch::run(Begin begin) {
    HIGHWATER_TRY(fromTable(begin));
    HIGHWATER_TRY(improve());
    return std::move(best_);
}

/// Predicts a plan and keeps it if it is the best so far.
Status PlanSearch::take(Parts plan) {
    ++predictions_;
    auto predicted = HIGHWATER_TRY(predict_(space_.with(std::move(plan))));
    within_ = fits_(predicted);
    const auto rank = [](const Plan& each) {
        return std::tuple(each.fit.stepMs.expected, each.fit.onHost, each.fit.peak.expected);
    };
    if (within_ && (!best_ || rank(predicted) < rank(*best_))) {
        best_ = std::move(predicted);
    }
    return {};
}

/// Finds the fastest of the table's plans that is within the budget, by bisection: their memory ascends. The
/// chain's figures differ slightly from the predictor's, so the next ones are tried too.
Status PlanSearch::fromTable(Begin begin) {
    constexpr std::size_t kMore = 6;
    const auto tryOne = [&](std::size_t i) {
        Parts plan = space_.with(space_.plans()[i].parts).step.checkpoint.plan;
        return take(begin == Begin::Offloading ? offloaded(std::move(plan)) : std::move(plan));
    };
    std::size_t good = 0,
                bad = space_.plans().size();  // those before `good` are within the budget, as far as is known
    while (good < bad) {
        const std::size_t middle = good + (bad - good) / 2;
        HIGHWATER_TRY(tryOne(middle));
        (within_ ? good : bad) = within_ ? middle + 1 : middle;
    }
    for (std::size_t i = good; i < std::min(good + kMore, space_.plans().size()); ++i) {
        HIGHWATER_TRY(tryOne(i));
    }
    // If almost no plan fits, any of them may be the one.
    for (const std::size_t i : someOf(space_.plans().size(), best_ ? 0 : kMostOnCurve)) {
        HIGHWATER_TRY(tryOne(i));
    }
    return {};
}

std::size_t PlanSearch::most() const {
    return std::clamp<std::size_t>(4000 / space_.cuts().size(), 60, 400);
}

Status PlanSearch::improve() {
    for (bool faster = true; faster && best_ && predictions_ < most();) {
        const Parts from = best_->experiment.step.checkpoint.plan;
        for (Parts& next : neighbors(from, space_.cuts(), offload_)) {
            if (predictions_ >= most()) {
                break;
            }
            HIGHWATER_TRY(take(std::move(next)));
        }
        faster = best_->experiment.step.checkpoint.plan != from;
    }
    return {};
}

}  // namespace highwater::plan
