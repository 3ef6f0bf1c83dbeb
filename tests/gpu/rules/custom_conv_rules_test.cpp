// custom_conv in all implementations: the predictor's CUDA rules compared with LibTorch's operators and the
// callers of our kernels, on the pretended device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "core/engine/device/device.h"
#include "core/engine/layers/own_kernels.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/with_custom_conv.h"
#include "tests/gpu/rules/event_comparison.h"
#include "tests/gpu/which_gpu.h"

namespace highwater::gpu {
namespace {

TEST(CustomConvRules, RandomStacksAreForetoldAllocationByAllocation) {
    setenv("HIGHWATER_PRETEND_ZEROS", "1", 1);
    if (const auto why = noPretendedDevice()) {
        GTEST_SKIP() << *why;
    }
    const engine::Device gpu{true, 0};
    constexpr int kSeeds = 80;
    int stacks = 0, equal = 0, samePeak = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        stack::Experiment e = randomGpuExperiment(seed, true, false);
        stack::testing::WithCustomConv with(static_cast<std::uint64_t>(seed));
        with.replace(e.stack);
        if (with.replaced() == 0 || engine::missingKernels(e.stack, gpu)) {
            continue;
        }
        const auto walks = walkBoth(e);
        ASSERT_TRUE(walks) << walks.error().message;
        ++stacks;
        const auto apart = difference(*walks);
        equal += apart ? 0 : 1;
        samePeak += walks->measuredPeak == walks->predictedPeak ? 1 : 0;
        if (apart) {
            std::cout << "seed " << seed << ": " << *apart;
        }
        EXPECT_NEAR(static_cast<double>(walks->predictedPeak), static_cast<double>(walks->measuredPeak),
                    0.2 * static_cast<double>(walks->measuredPeak));
    }
    std::cout << fmt::format("{} of {} stacks equal, {} with the same peak\n", equal, stacks, samePeak);
    EXPECT_GE(stacks, kSeeds / 4);
    // As for other random stacks: some are races of two threads (rules_test.cpp).
    EXPECT_GE(equal, stacks * 6 / 10);
    EXPECT_GE(samePeak, stacks * 8 / 10);
}

}  // namespace
}  // namespace highwater::gpu
