#include "core/predict/axes/axis_walk.h"

#include <gtest/gtest.h>

#include "core/predict/axes/axis.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::predict {
namespace {

/// Whether a size along an axis is accepted, and every layer's input there, as inferShapes says.
TEST(AxisWalk, AgreesWithTheShapesOfRandomStacks) {
    int accepted = 0, refused = 0, followed = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const stack::Experiment e = stack::testing::randomExperiment(seed, {});
        const auto info = stack::inferShapes(e);
        ASSERT_TRUE(info) << info.error().message;
        if (mixesAxes(e)) {
            continue;
        }
        ++followed;
        const auto axes = axesOf(e);
        for (int axis = 0; axis + 1 < static_cast<int>(axes.size()); ++axis) {
            AxisWalk walk(e, *info, axis);
            for (std::int64_t size = 1; size <= 24; ++size) {
                stack::Experiment changed = e;
                ASSERT_TRUE(setAxis(changed, axes[static_cast<std::size_t>(axis)], size));
                const auto shapes = stack::inferShapes(changed);
                const auto* inputs = walk.inputs(size);
                if (shapes) {
                    ++accepted;
                    ASSERT_NE(inputs, nullptr) << seed << " " << size;
                    for (std::size_t i = 0; i < inputs->size(); ++i) {
                        const stack::Shape& input = shapes->layers[i].input;
                        const bool flat = input.size() == 2;
                        ASSERT_EQ((*inputs)[i], flat ? 1 : input[static_cast<std::size_t>(axis) + 2])
                            << seed << " " << shapes->layers[i].name;
                    }
                } else if (inputs == nullptr) {
                    ++refused;
                }
            }
        }
    }
    EXPECT_GT(followed, 150);
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 200);
}

/// avg_pool3d is the only pool that does not include its padding when it checks whether its kernel fits.
TEST(AxisWalk, RefusesWhatAvgPool3dDoes) {
    const stack::Experiment e = *stack::testing::experimentOf(
        "[1, 6, 6, 6]", R"({"type": "conv", "out_channels": 2, "kernel_size": 1},
        {"type": "avg_pool", "kernel_size": 3, "padding": 1})",
        R"("loss": "mean")");
    const auto info = stack::inferShapes(e);
    ASSERT_TRUE(info) << info.error().message;
    AxisWalk walk(e, *info, 2);
    EXPECT_EQ(walk.inputs(2), nullptr);
    EXPECT_NE(walk.inputs(3), nullptr);
}

}  // namespace
}  // namespace highwater::predict
