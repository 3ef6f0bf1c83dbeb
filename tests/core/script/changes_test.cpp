#include "core/script/changes.h"

#include <gmock/gmock.h>

namespace highwater::script {
namespace {

using ::testing::ElementsAre;

constexpr base::Bytes kMiB = base::Bytes{1} << 20;

ModuleCost module(const std::string& name, const std::string& className, base::Bytes held, double flops) {
    ModuleCost made;
    made.name = name;
    made.className = className;
    made.held = held;
    made.output = 10 * kMiB;
    made.flops = flops;
    made.calls = 2;
    made.batch = 4;
    made.recomputable = true;
    return made;
}

/// A stage of two blocks of 110 MiB, and three blocks with other costs.
ScriptModules network() {
    ScriptModules script;
    script.modules = {module("", "Net", 900 * kMiB, 10),         module("stage", "Stage", 220 * kMiB, 4),
                      module("stage.0", "Block", 110 * kMiB, 2), module("stage.1", "Block", 110 * kMiB, 2),
                      module("cheap", "Block", 110 * kMiB, 1),   module("dear", "Block", 110 * kMiB, 3),
                      module("large", "Head", 410 * kMiB, 1)};
    script.modules[0].splits = true;
    return script;
}

std::vector<std::string> namesOf(const ModuleSet& set) {
    std::vector<std::string> names;
    for (const ModuleCost* each : set.modules) {
        names.push_back(each->name);
    }
    return names;
}

std::vector<std::string> kindsOf(const std::vector<Change>& changes) {
    std::vector<std::string> kinds;
    for (const Change& each : changes) {
        kinds.push_back(each.kind);
    }
    return kinds;
}

TEST(SetsToRecompute, TheLeastWorkThatIsEstimatedToFitComesFirst) {
    const ScriptModules script = network();
    const auto sets = setsToRecompute(script, 900 * kMiB, 860 * kMiB);
    ASSERT_FALSE(sets.empty());
    // They free 100 and 400 MiB, and 400 are needed again while the larger one is recomputed.
    EXPECT_THAT(namesOf(sets[0]), ElementsAre("cheap", "large"));
    EXPECT_EQ(sets[0].estimate, 800 * kMiB);
    EXPECT_EQ(sets[0].flops, 2);
    for (const ModuleSet& set : sets) {
        for (const ModuleCost* each : set.modules) {
            EXPECT_FALSE(
                each->name == "stage" &&
                std::ranges::any_of(set.modules, [](const auto* other) { return other->name == "stage.0"; }))
                << "no module is inside another";
        }
    }
}

TEST(SetsToRecompute, LeavesOutModulesThatCannotBe) {
    ScriptModules script = network();
    for (ModuleCost& each : script.modules) {
        each.recomputable = false;
    }
    EXPECT_TRUE(setsToRecompute(script, 900 * kMiB, 860 * kMiB).empty());
    EXPECT_TRUE(setsToRecompute({}, 900 * kMiB, 860 * kMiB).empty());
}

TEST(Changes, ThoseThatApply) {
    ScriptNeed need{network(), 900 * kMiB, 860 * kMiB, 86, false, false};
    need.script.autocast = need.script.channelsLast = true;
    const auto kinds = kindsOf(changesFor(need));
    EXPECT_EQ(std::ranges::count(kinds, "parts"), 2) << "a batch of four in two and four parts";
    for (const char* kind : {"autocast", "channels_last", "expandable", "optimizer", "half_batch"}) {
        EXPECT_EQ(std::ranges::count(kinds, kind), 0) << kind;
    }
    EXPECT_EQ(kinds.back(), "compile");

    need.script.compiled = true;
    need.target = 1000 * kMiB;
    need.inOptimizer = true;
    need.script.optimizers = {{"Adam", true, false, true}};
    need.script.loaderBatch = 4;
    EXPECT_THAT(kindsOf(changesFor(need)),
                ElementsAre("expandable", "optimizer", "optimizer", "half_batch", "compile", "compile"))
        << "nothing inside of a compiled model is changed";

    need.script.compiled = need.script.autocast = false;
    need.architecture = 75;
    const auto older = kindsOf(changesFor(need));
    EXPECT_EQ(std::ranges::count(older, "autocast"), 0) << "no bfloat16 before Ampere";
}

TEST(Changes, BatchNormsAndDropoutChangeResultsOfParts) {
    ScriptNeed need{network(), 900 * kMiB, 860 * kMiB, 86, false, false};
    const auto parts = [&] {
        const auto changes = changesFor(need);
        return std::ranges::find(changes, "parts", &Change::kind)->results;
    };
    EXPECT_EQ(parts(), SameResults::Rounding);
    need.script.dropout = true;
    EXPECT_EQ(parts(), SameResults::Other);
    need.script.dropout = false;
    need.script.modules[0].batchNorm = true;
    EXPECT_EQ(parts(), SameResults::Other);
}

TEST(Changes, TogetherTheBatchIsDividedOutside) {
    const Change both = together(
        {{.kind = "parts", .name = "p", .results = SameResults::Rounding, .work = 0.3, .model = {"parts"}},
         {.kind = "recompute", .name = "r", .work = 0.2, .model = {"recompute"}}});
    EXPECT_EQ(both.kind, "recompute+parts");
    EXPECT_EQ(both.name, "r + p");
    EXPECT_EQ(both.results, SameResults::Rounding);
    EXPECT_DOUBLE_EQ(both.work, 0.5);
    EXPECT_THAT(both.model, ElementsAre("recompute", "parts"));
}

}  // namespace
}  // namespace highwater::script
