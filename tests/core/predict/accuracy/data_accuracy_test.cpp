#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/core/predict/accuracy/foretold.h"
#include "tests/core/stack/random_data.h"

/// Random stacks with random data pipelines: predictions compared with measurements.
namespace highwater::predict::testing {
namespace {

Case withData(int seed) {
    Case made = makeCase(seed);
    stack::Experiment& e = made.experiment;
    e.data = stack::testing::randomData(static_cast<std::uint64_t>(seed), made.info.data);
    if (seed % 4 == 0 && made.info.output.size() > 2) {  // one window over all of the data
        stack::Windows windows;
        windows.size.assign(made.info.data.begin() + 2, made.info.data.end());
        windows.overlap = 0;
        e.windows = windows;
    }
    if (seed % 2 == 0) {  // a target that workers make, if the stack allows it
        const stack::Target before = e.target;
        e.target = {};
        e.target.kind = stack::Target::Kind::Threshold;
        if (!stack::inferShapes(e)) {
            e.target = before;
        }
    }
    made.info = *stack::inferShapes(e);
    return made;
}

TEST(DataAccuracy, EveryAllocationOfRandomPipelines) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    int rings = 0, scratch = 0, targets = 0;
    expectForetold(60, withData, [&](const Case& each) {
        rings += each.experiment.data.workers > 0 ? 1 : 0;
        scratch += each.experiment.data.augment.empty() ? 0 : 1;
        targets += each.experiment.target.kind == stack::Target::Kind::Threshold ? 1 : 0;
    });
    EXPECT_GT(rings, 30);
    EXPECT_GT(scratch, 25);
    EXPECT_GT(targets, 5);
}

}  // namespace
}  // namespace highwater::predict::testing
