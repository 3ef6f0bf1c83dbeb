#include <gtest/gtest.h>

#include "core/stack/data_plan.h"
#include "tests/core/predict/accuracy/foretold.h"
#include "tests/core/stack/random_data.h"
#include "tests/core/volume_of.h"

/// A cohort instead of noise: the sizes of its cases do not change what is allocated.
namespace highwater::predict::testing {
namespace {

/// Random labels of 0 and 1 fit every loss over classes.
engine::CaseVolumes caseOf(const volume::Index3& size, std::int64_t channels, bool labels) {
    engine::CaseVolumes made;
    for (std::int64_t c = 0; c < channels; ++c) {
        made.channels.push_back(volume::test::volumeOf(
            size, [c](auto i, auto j, auto k) { return (i * 7 + j * 5 + k * 3 + c) % 31; }));
    }
    if (labels) {
        made.labels = volume::test::volumeOf(size, [](auto i, auto j, auto k) { return (i + j + k) % 2; });
    }
    return made;
}

std::optional<Case> ofCohort(int seed) {
    Case made = makeCase(seed);
    stack::Experiment& e = made.experiment;
    if (made.info.data.size() != 5) {
        return std::nullopt;
    }
    stack::ScanInput input;
    input.cohort = "cases";
    input.channels = made.info.data[1];
    input.patch.assign(made.info.data.begin() + 2, made.info.data.end());
    input.sampling = static_cast<stack::ScanInput::Sampling>(seed / 2 % 2);
    input.normalize.kind = seed % 4 == 0 ? stack::Normalize::Kind::Minmax : stack::Normalize::Kind::Zscore;
    e.input = input;
    e.data = stack::testing::randomData(static_cast<std::uint64_t>(seed), made.info.data);
    const stack::Target before = e.target;
    e.target = {};
    e.target.kind = seed % 2 == 0 ? stack::Target::Kind::Labels : stack::Target::Kind::Threshold;
    if (!stack::inferShapes(e)) {
        e.target = before;
    }
    const auto info = stack::inferShapes(e);
    if (!info) {
        return std::nullopt;
    }
    made.info = *info;
    const bool labels = e.target.kind == stack::Target::Kind::Labels;
    const auto side = [&](std::size_t axis) { return info->data[4 - axis]; };
    for (const volume::Index3& more :
         {volume::Index3{3, 0, 5}, volume::Index3{0, 9, 1}, volume::Index3{40, -1, 2}}) {
        made.cases.push_back(
            caseOf({side(0) + more[0], std::max<std::int64_t>(1, side(1) + more[1]), side(2) + more[2]},
                   input.channels, labels));
    }
    return made;
}

TEST(CohortAccuracy, EveryAllocationOfRandomCohorts) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    int labels = 0, thresholds = 0, rings = 0;
    const int cases = expectForetold(90, ofCohort, [&](const Case& each) {
        labels += each.experiment.target.kind == stack::Target::Kind::Labels ? 1 : 0;
        thresholds += each.experiment.target.kind == stack::Target::Kind::Threshold ? 1 : 0;
        rings += each.experiment.data.workers > 0 ? 1 : 0;
    });
    EXPECT_GT(cases, 20);
    EXPECT_GT(labels, 3);
    EXPECT_GT(thresholds, 3);
    EXPECT_GT(rings, 10);
}

}  // namespace
}  // namespace highwater::predict::testing
