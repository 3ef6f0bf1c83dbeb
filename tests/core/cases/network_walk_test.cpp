#include "core/predict/inference/network_walk.h"

#include <gtest/gtest.h>

#include "tests/core/cases/plan_of.h"

namespace highwater::predict::ghost {
namespace {

int last(const stack::Program& program) {
    return static_cast<int>(program.steps.size()) - 1;
}

/// What Python's frames hold in PlainConvUNet and ResidualEncoderUNet.
TEST(HeldUntil, FollowsPythonsFrames) {
    for (const char* configuration : {"3d_fullres", "resenc"}) {
        SCOPED_TRACE(configuration);
        const auto plan = cases::testing::planOf(cases::testing::plansWithSpacing(), 3, configuration);
        const stack::Experiment& experiment = plan.network.experiment;
        const auto info = stack::inferShapes(experiment);
        ASSERT_TRUE(info);
        const stack::Program program = makeProgram(experiment, *info);
        const std::vector<int> held = heldUntil(experiment, program);
        int untilTheEnd = 0, concatenations = 0;
        for (int value = 0; value <= last(program); ++value) {
            const auto* merge = std::get_if<stack::Merge>(program.steps[static_cast<std::size_t>(value)].op);
            const int until = held[static_cast<std::size_t>(value + 1)];
            untilTheEnd += until == last(program) && value < last(program) ? 1 : 0;
            if (merge != nullptr && merge->kind == stack::Merge::Kind::Concat) {
                ++concatenations;
                // One or two units of three layers follow in its stage.
                EXPECT_EQ(until, value + (plan.configuration == "resenc" ? 3 : 6));
            }
        }
        EXPECT_EQ(concatenations, 5);
        // The encoder's six outputs, the stem's of the residual one, and the input of the last layer.
        EXPECT_EQ(untilTheEnd, plan.configuration == "resenc" ? 8 : 7);
    }
}

}  // namespace
}  // namespace highwater::predict::ghost
