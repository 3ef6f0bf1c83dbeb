#include <gtest/gtest.h>

#include "core/stack/program.h"
#include "tests/core/predict/accuracy/foretold.h"
#include "tests/core/stack/random_plan.h"

namespace highwater::predict::testing {
namespace {

bool resumesSomewhere(const std::vector<stack::Segment>& segments) {
    return std::any_of(segments.begin(), segments.end(), [](const stack::Segment& each) {
        return each.resumes || resumesSomewhere(each.inner);
    });
}

TEST(PlanAccuracy, RandomPlansOfRandomStacksAreForetold) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    int resumed = 0;
    const int cases = expectForetold(
        120,
        [](int seed) {
            Case each = makeCase(1000 + seed, seed % 2 == 1);
            each.experiment =
                stack::testing::withRandomPlan(each.experiment, static_cast<std::uint64_t>(seed));
            return std::optional(each);
        },
        [&](const Case& each) {
            const auto info = stack::inferShapes(each.experiment);
            resumed += resumesSomewhere(stack::makeProgram(each.experiment, *info).segments) ? 1 : 0;
        });
    EXPECT_EQ(cases, 120);
    EXPECT_GT(resumed, 20);
}

}  // namespace
}  // namespace highwater::predict::testing
