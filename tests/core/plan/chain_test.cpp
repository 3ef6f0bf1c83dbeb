#include "core/plan/chain.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/core/plan/chain_replay.h"

namespace highwater::plan::testing {
namespace {

constexpr base::Bytes kEverything = std::numeric_limits<base::Bytes>::max();

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}

    int upTo(int most) { return std::uniform_int_distribution<int>(0, most)(engine_); }
    int between(int least, int most) { return least + upTo(most - least); }
    bool oneIn(int many) { return upTo(many - 1) == 0; }

private:
    std::mt19937 engine_;
};

/// Sizes are multiples of `grain`; times are whole, so that their sums are exact.
Chain randomChain(Random& random, int units, int mostOptions, int mostSize, base::Bytes grain = 1) {
    const auto size = [&] { return random.upTo(mostSize) * grain; };
    Chain chain{.input = size(), .inputGradient = random.oneIn(2) ? size() : 0};
    for (int u = 0; u < units; ++u) {
        ChainUnit unit{.output = size(),
                       .forwardOver = random.oneIn(2) ? size() : 0,
                       .forwardMs = static_cast<double>(random.upTo(9)),
                       .crossing = random.oneIn(3) ? size() : 0,
                       .resumable = random.oneIn(3),
                       .pinned = random.oneIn(4)};
        for (int k = random.between(1, mostOptions); k > 0; --k) {
            unit.options.push_back({.saved = random.oneIn(3) ? 0 : 2 * size(),
                                    .forwardOver = random.oneIn(2) ? size() : 0,
                                    .backwardOver = random.oneIn(2) ? size() : 0,
                                    .forwardMs = static_cast<double>(random.upTo(9)),
                                    .backwardMs = static_cast<double>(random.upTo(20)),
                                    .readsOutput = random.oneIn(2)});
        }
        chain.units.push_back(std::move(unit));
    }
    return chain;
}

/// The same unit repeated: output 10, saves 20, forward 1 ms, backward 2 ms.
Chain plainChain(int units) {
    ChainUnit unit{.output = 10, .forwardMs = 1};
    unit.options.push_back({.saved = 20, .forwardMs = 1, .backwardMs = 2});
    return {.input = 10, .units = std::vector<ChainUnit>(static_cast<std::size_t>(units), unit)};
}

int unitsOf(const Chain& chain) {
    return static_cast<int>(chain.units.size());
}

void expectReplays(const Chain& chain, const ChainPlan& plan) {
    ASSERT_TRUE(covers(chain, plan.parts, 0, unitsOf(chain)));
    const ChainCost replayed = replay(chain, plan.parts);
    EXPECT_EQ(replayed.peak, plan.cost.peak);
    EXPECT_EQ(replayed.ms, plan.cost.ms);
}

TEST(ChainCost, OfAPlanThatKeepsEverything) {
    const Chain chain = plainChain(3);
    const auto parts = fastestParts(chain);
    ASSERT_TRUE(parts);
    // Input, three outputs and what three units saved; the last output's gradient and the one made from it.
    EXPECT_EQ(costOf(chain, *parts).peak, 10 + 3 * 30 + 2 * 10);
    EXPECT_EQ(costOf(chain, *parts).ms, 9);
}

TEST(ChainCost, OfAPartThatIsRunAgain) {
    const Chain chain = plainChain(3);
    const std::vector<ChainPart> parts{{0, 2, 0, {{0, 1}, {1, 2}}}, {2, 3}};
    // The backward of unit 1: the input, what units 0 and 1 kept, the gradients of 1's output and input.
    EXPECT_EQ(costOf(chain, parts).peak, 10 + 2 * 30 + 2 * 10);
    EXPECT_EQ(costOf(chain, parts).ms, 11);
}

TEST(ChainCost, WhatIsResumedHasNoForward) {
    Chain chain = plainChain(3);
    chain.units[1].resumable = true;
    chain.units[1].options[0].saved = 0;
    const std::vector<ChainPart> parts{{0, 2, 0, {{0, 1}, {1, 2}}}, {2, 3}};
    // Now the backward of unit 2 is the highest: the input, unit 1's output, 30 of its own, two gradients.
    EXPECT_EQ(costOf(chain, parts).peak, 10 + 10 + 30 + 2 * 10);
    EXPECT_EQ(costOf(chain, parts).ms, 10);
}

TEST(ChainPlans, EveryPlanReplaysWithinItsBudget) {
    Random random(1);
    std::size_t found = 0;
    for (int n = 0; n < 2500; ++n) {
        const Chain chain = randomChain(random, random.between(1, 7), 3, 1000);
        const ChainPlans plans(chain, random.oneIn(2) ? kEverything : random.upTo(12000),
                               random.between(1, 80));
        for (const ChainPlan& plan : plans.all()) {
            ASSERT_NO_FATAL_FAILURE(expectReplays(chain, plan)) << "chain " << n;
        }
        const base::Bytes budget = random.upTo(15000);
        if (const auto plan = plans.under(budget)) {
            ASSERT_NO_FATAL_FAILURE(expectReplays(chain, *plan)) << "chain " << n;
            EXPECT_LE(plan->cost.peak, budget);
            ++found;
        }
    }
    EXPECT_GT(found, 1000U);
}

/// The costs of all plans, the fastest first.
std::vector<ChainCost> everyCost(const Chain& chain) {
    std::vector<ChainCost> costs;
    for (const auto& parts : allPlans(chain, 0, unitsOf(chain))) {
        costs.push_back(replay(chain, parts));
    }
    std::ranges::sort(costs, {}, &ChainCost::ms);
    return costs;
}

std::optional<base::Millis> bestUnder(const std::vector<ChainCost>& costs, base::Bytes budget) {
    const auto best = std::ranges::find_if(costs, [&](const ChainCost& cost) { return cost.peak <= budget; });
    return best == costs.end() ? std::nullopt : std::optional(best->ms);
}

std::optional<base::Millis> plannedUnder(const ChainPlans& plans, base::Bytes budget) {
    const auto plan = plans.under(budget);
    return plan ? std::optional(plan->cost.ms) : std::nullopt;
}

TEST(ChainPlans, NoPlanIsFasterUnderAnyBudget) {
    Random random(2);
    for (int n = 0; n < 400; ++n) {
        const int units = random.between(1, 5);
        const Chain chain = randomChain(random, units, units == 5 ? 2 : 3, 9);
        const std::vector<ChainCost> costs = everyCost(chain);
        const base::Bytes least = std::ranges::min(costs, {}, &ChainCost::peak).peak;
        const ChainPlans plans(chain, kEverything, 500);  // one byte per slot
        EXPECT_EQ(plans.least(), least) << "chain " << n;
        for (base::Bytes budget = least - 1; budget < least + 100; ++budget) {
            ASSERT_EQ(plannedUnder(plans, budget), bestUnder(costs, budget))
                << "chain " << n << ", budget " << budget;
        }
    }
}

TEST(ChainPlans, RoundingCostsNoMoreThanSizesOfWholeSlots) {
    Random random(3);
    constexpr base::Bytes kGrain = 16;
    int compared = 0;
    for (int n = 0; n < 1500; ++n) {
        const Chain rounded = randomChain(random, random.between(2, 4), 2, 9, kGrain);
        Chain chain = rounded;
        for (ChainUnit& unit : chain.units) {
            unit.output = std::max<base::Bytes>(0, unit.output - random.upTo(kGrain - 1));
            for (ChainOption& option : unit.options) {
                option.saved = std::max<base::Bytes>(0, option.saved - random.upTo(kGrain - 1));
            }
        }
        const int slots = random.between(5, 40);
        const base::Bytes budget = chain.input + slots * kGrain;
        if (costOf(chain, *fastestParts(chain)).peak < budget) {
            continue;  // the slots would be smaller
        }
        if (const auto best = bestUnder(everyCost(rounded), budget)) {
            const auto planned = plannedUnder(ChainPlans(chain, budget, slots), budget);
            ASSERT_TRUE(planned) << "chain " << n;
            EXPECT_LE(*planned, *best) << "chain " << n;
            ++compared;
        }
    }
    EXPECT_GT(compared, 100);
}

TEST(ChainPlans, AreFasterTheMoreMemoryTheyHave) {
    Random random(4);
    const Chain chain = randomChain(random, 40, 3, 1'000'000);
    const ChainPlans plans(chain, kEverything);
    const std::vector<ChainPlan> all = plans.all();
    ASSERT_GT(all.size(), 20U);
    EXPECT_EQ(all.front().cost.peak, plans.least());
    EXPECT_EQ(all.back().cost.ms, costOf(chain, *fastestParts(chain)).ms);
    for (std::size_t n = 1; n < all.size(); ++n) {
        EXPECT_GT(all[n].cost.peak, all[n - 1].cost.peak);
        EXPECT_LT(all[n].cost.ms, all[n - 1].cost.ms);
    }
    for (const ChainPlan& plan : all) {
        EXPECT_EQ(plans.under(plan.cost.peak)->parts, plan.parts);
        EXPECT_EQ(costOf(chain, plan.parts).peak, plan.cost.peak);
    }
}

TEST(ChainPlans, TheLastPlanIsTheFastest) {
    Random random(5);
    for (int n = 0; n < 200; ++n) {
        const Chain chain = randomChain(random, random.between(1, 7), 3, 1000);
        const ChainCost fastest = costOf(chain, *fastestParts(chain));
        const ChainPlans plans(chain, kEverything, 10);
        EXPECT_EQ(plans.all().back().cost.ms, fastest.ms) << "chain " << n;
        EXPECT_EQ(plannedUnder(plans, fastest.peak), fastest.ms) << "chain " << n;
    }
}

TEST(ChainPlans, AUnitIsResumedWhereThatIsFasterThanKeepingIt) {
    Chain chain = plainChain(2);
    chain.units[0].resumable = true;
    chain.units[0].forwardOver = 200;
    chain.units[0].options[0].forwardMs = 5;
    const ChainPlans plans(chain, kEverything);
    EXPECT_EQ(plannedUnder(plans, 10 + 200 + 10), 1 + 2 + 3);
    EXPECT_EQ(plannedUnder(plans, 10 + 200 + 9), 5 + 2 + 3);
}

TEST(ChainPlans, AChainThatIsLongAndTight) {
    const Chain chain = plainChain(100);
    const ChainPlans plans(chain, 200);
    const auto least = plans.least();
    ASSERT_TRUE(least);
    // The chain's input, the unit's input, and in the backward of a unit 30 of its own and two gradients.
    EXPECT_EQ(*least, 10 + 10 + 30 + 2 * 10);
    // Each unit is then run from the chain's input anew: 99 + 98 + ... + 1 forwards besides each one's own.
    EXPECT_EQ(plannedUnder(plans, *least), 300 + 99 * 100 / 2);
}

TEST(ChainPlans, ThereIsNoneForWhatCannotBe) {
    const ChainPlans none({}, kEverything);
    EXPECT_EQ(none.least(), std::nullopt);
    EXPECT_FALSE(none.under(kEverything));
    EXPECT_TRUE(none.all().empty());

    Chain chain = plainChain(4);
    const ChainPlans plans(chain, kEverything);
    EXPECT_FALSE(plans.under(*plans.least() - 1));
    EXPECT_FALSE(plans.under(0));
    EXPECT_FALSE(plans.under(-1));
    EXPECT_FALSE(ChainPlans(chain, std::numeric_limits<base::Bytes>::min()).least());
    EXPECT_EQ(ChainPlans(chain, *plans.least() - 1).least(), std::nullopt);
    EXPECT_EQ(ChainPlans(chain, *plans.least()).least(), plans.least());
    EXPECT_EQ(ChainPlans(chain, 0).least(), std::nullopt);
    EXPECT_EQ(ChainPlans(chain, -1).least(), std::nullopt);

    chain.units[2].options.clear();
    EXPECT_FALSE(fastestParts(chain));
    EXPECT_EQ(ChainPlans(chain, kEverything).least(), std::nullopt);
}

TEST(ChainPlans, OneSlotIsTheLeast) {
    const Chain chain = plainChain(4);
    const ChainPlans plans(chain, kEverything, 0);
    EXPECT_EQ(plannedUnder(plans, kEverything), 12);
}

TEST(ChainPlans, SizesOfTerabytes) {
    Chain chain = plainChain(50);
    chain.input *= base::kGiB * 1024;
    for (ChainUnit& unit : chain.units) {
        unit.output *= base::kGiB * 1024;
        unit.options[0].saved *= base::kGiB * 1024;
    }
    const ChainPlans plans(chain, kEverything);
    EXPECT_EQ(plannedUnder(plans, kEverything), 150);
    for (const ChainPlan& plan : plans.all()) {
        EXPECT_EQ(costOf(chain, plan.parts).peak, plan.cost.peak);
    }
}

TEST(ChainPlans, NothingNeedsMemory) {
    Chain chain = plainChain(5);
    chain.input = 0;
    for (ChainUnit& unit : chain.units) {
        unit.output = 0;
        unit.options[0].saved = 0;
    }
    const ChainPlans plans(chain, 0);
    EXPECT_EQ(plans.least(), 0);
    EXPECT_EQ(plannedUnder(plans, 0), 15);
}

}  // namespace
}  // namespace highwater::plan::testing
