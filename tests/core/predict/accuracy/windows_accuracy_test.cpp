#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/core/predict/accuracy/foretold.h"

/// Random stacks with sliding windows: predictions compared with measurements.
namespace highwater::predict::testing {
namespace {

/// The case with windows over data a few times as large as its input; std::nullopt if the stack does not
/// allow it.
std::optional<Case> windowed(int seed) {
    Case made = makeCase(seed);
    auto* const input = std::get_if<stack::SyntheticInput>(&made.experiment.input);
    if (input == nullptr) {
        return std::nullopt;
    }
    std::mt19937 random(static_cast<unsigned>(seed));
    stack::Windows windows;
    windows.size.assign(input->shape.begin() + 1, input->shape.end());
    windows.overlap = 0;
    windows.blend = seed % 2 == 0 ? stack::Windows::Blend::Gaussian : stack::Windows::Blend::Constant;
    // At most Walk::kWindowsWalked windows, so that all are walked: the first two axes twice or less.
    for (std::size_t axis = 1; axis < std::min<std::size_t>(input->shape.size(), 3); ++axis) {
        input->shape[axis] +=
            static_cast<std::int64_t>(random() % static_cast<unsigned>(input->shape[axis] + 1));
    }
    made.experiment.windows = windows;
    if (seed % 3 == 0) {
        made.experiment.step.train = false;
    }
    const auto info = stack::inferShapes(made.experiment);
    if (!info) {
        return std::nullopt;
    }
    made.info = *info;
    return made;
}

TEST(WindowsAccuracy, EveryAllocationOfRandomStacks) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    int inference = 0;
    const int cases = expectForetold(
        60, windowed, [&](const Case& each) { inference += each.experiment.step.train ? 0 : 1; });
    EXPECT_GT(cases, 30);
    EXPECT_GT(inference, 5);
}

TEST(WindowsAccuracy, ManyWindowsPeakAsFourDo) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    Accuracy accuracy;
    int cases = 0;
    for (const int seed : seedsByThreads(20)) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        auto each = windowed(seed);
        if (!each) {
            continue;
        }
        each->experiment.windows->overlap = 0.7;
        each->info = *stack::inferShapes(each->experiment);
        const auto outcome = accuracy.run(*each);
        ASSERT_TRUE(outcome) << outcome.error().message;
        EXPECT_EQ(outcome->measured.peak, outcome->predicted.peak);
        EXPECT_EQ(outcome->measured.atEnd, outcome->predicted.atEnd);
        ++cases;
    }
    EXPECT_GT(cases, 8);
}

}  // namespace
}  // namespace highwater::predict::testing
