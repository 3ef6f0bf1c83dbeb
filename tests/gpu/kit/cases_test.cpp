#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "core/predict/predict.h"
#include "core/stack/json/json.h"
#include "tests/gpu/kit/case.h"

namespace highwater::kit {
namespace {

using testing::Gt;
using testing::Lt;

std::vector<Case> casesOf(Scale scale) {
    auto cases = allCases(scale, false);
    EXPECT_TRUE(cases) << (cases ? "" : cases.error().message);
    return cases ? *cases : std::vector<Case>();
}

predict::Prediction predicted(const stack::Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    EXPECT_TRUE(info) << experiment.name << ": " << (info ? "" : info.error().message);
    const auto target = predict::gpuTarget("h200", experiment);
    EXPECT_TRUE(target) << experiment.name << ": " << (target ? "" : target.error().message);
    if (!info || !target) {
        return {};
    }
    predict::PredictOptions options;
    options.timeline = options.time = false;
    const auto prediction = predict::predict(experiment, *info, *target, options);
    EXPECT_TRUE(prediction) << experiment.name << ": " << (prediction ? "" : prediction.error().message);
    return prediction ? *prediction : predict::Prediction();
}

TEST(KitCases, ThereAreManyAndEachHasItsName) {
    const std::vector<Case> cases = casesOf(Scale::Gpu);
    EXPECT_THAT(cases.size(), Gt(80u));
    std::set<std::string> names, families;
    for (const Case& each : cases) {
        EXPECT_TRUE(names.insert(each.name()).second) << each.name();
        families.insert(each.family);
    }
    EXPECT_EQ(families, (std::set<std::string>{"allocator", "cliffs", "ladders", "layers", "levers",
                                               "networks", "training"}));
}

TEST(KitCases, ARehearsalHasTheSameButTheBigOnes) {
    std::set<std::string> small, rest;
    for (const Case& each : casesOf(Scale::Rehearsal)) {
        small.insert(each.name());
        EXPECT_FALSE(each.big) << each.name();
    }
    for (const Case& each : casesOf(Scale::Gpu)) {
        if (!each.big) {
            rest.insert(each.name());
        }
    }
    EXPECT_EQ(small, rest);
}

TEST(KitCases, QuickTakesSomeOfEachFamily) {
    const auto quick = allCases(Scale::Gpu, true);
    ASSERT_TRUE(quick);
    EXPECT_THAT(quick->size(), Lt(40u));
    std::set<std::string> families;
    for (const Case& each : *quick) {
        families.insert(each.family);
    }
    EXPECT_EQ(families.size(), 7u);
}

TEST(KitCases, EveryOneIsValidAndCanBePredicted) {
    for (const Case& each : casesOf(Scale::Gpu)) {
        const base::Bytes peak = predicted(each.experiment).peakAllocated.expected;
        EXPECT_THAT(peak, Gt(10 * base::kMiB)) << each.name();
        // None needs more than an H200 has; the big ones may need most of it.
        EXPECT_THAT(peak, Lt((each.big ? 100 : 30) * base::kGiB)) << each.name();
    }
    for (const Case& each : casesOf(Scale::Rehearsal)) {
        EXPECT_THAT(predicted(each.experiment).peakAllocated.expected, Lt(base::kGiB)) << each.name();
    }
}

TEST(KitCases, ExperimentsAreWhatTheirJsonSays) {
    for (const Case& each : casesOf(Scale::Gpu)) {
        const auto read = stack::parseExperiment(stack::toText(each.experiment), each.name());
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(*read, each.experiment) << each.name();
    }
}

TEST(KitCases, LaddersCrossWhatTheirMiddleNeeds) {
    for (const Scale scale : {Scale::Gpu, Scale::Rehearsal}) {
        const auto ladders = capacityLadders(scale);
        ASSERT_TRUE(ladders) << ladders.error().message;
        std::size_t rungs = 0;
        for (const CapacityLadder& ladder : *ladders) {
            std::vector<base::Bytes> peaks;
            for (const stack::Experiment& rung : ladder.rungs) {
                peaks.push_back(predicted(rung).peakAllocated.expected);
            }
            // The budget is between the middle rung and the next one.
            const base::Bytes middle = peaks[peaks.size() / 2], next = peaks[peaks.size() / 2 + 1];
            EXPECT_THAT(peaks.front(), Lt(middle)) << ladder.name;
            EXPECT_THAT(peaks.back(), Gt(next)) << ladder.name;
            EXPECT_TRUE(std::is_sorted(peaks.begin(), peaks.end())) << ladder.name;
            rungs += peaks.size();
        }
        EXPECT_THAT(rungs, testing::Ge(50u));
    }
}

}  // namespace
}  // namespace highwater::kit
