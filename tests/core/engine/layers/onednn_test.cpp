#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "core/stack/shapes.h"
#include "tests/core/engine/training.h"
#include "tests/core/stack/random_stack.h"

/// Gradients with oneDNN's kernels compared with LibTorch's native ones.
namespace highwater::engine::testing {
namespace {

using stack::Experiment;

/// While this object exists, convolutions and activations use LibTorch's native kernels.
struct WithoutOneDnn {
    WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(false); }
    ~WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(true); }
    WithoutOneDnn(const WithoutOneDnn&) = delete;
    WithoutOneDnn& operator=(const WithoutOneDnn&) = delete;
};

/// The first gradient that differs by more than rounding; empty if none does.
std::string wrongGradient(const Experiment& experiment) {
    const Outcome with = train(experiment, 1);
    const Outcome without = [&] {
        const WithoutOneDnn own;
        return train(experiment, 1);
    }();
    for (std::size_t i = 0; i < without.gradients.size(); ++i) {
        const at::Tensor &a = with.gradients[i], &b = without.gradients[i];
        if (a.defined() != b.defined()) {
            return "gradient " + std::to_string(i) + " is there in one of both";
        }
        if (a.defined() && !at::allclose(a, b, 1e-3, 1e-4 * (1 + b.abs().max().item<double>()))) {
            return "gradient " + std::to_string(i) + " differs by up to " +
                   std::to_string((a - b).abs().max().item<double>());
        }
    }
    return {};
}

/// LibTorch 1.13 did not write this gradient.
TEST(OneDnn, GeluBeforeAPermutationHasItsGradient) {
    for (const char* layers :
         {R"({"type": "permute", "dims": [0, 2, 3, 1]}, {"type": "layer_norm", "normalized_shape": 6},
                                  {"type": "linear", "out_features": 3})",
          R"({"type": "permute", "dims": [0, 1, 3, 2]}, {"type": "tanh"})"}) {
        const Experiment e =
            parse(std::string(R"("input": {"synthetic": [2, 5, 7]}, "loss": "mean", "stack": [
            {"type": "conv", "out_channels": 6, "padding": 1}, {"type": "gelu"}, )") +
                  layers + R"(], "step": {"batch_size": 2})");
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(wrongGradient(e), "") << layers;
        }
    }
}

TEST(OneDnn, RandomStacksHaveTheGradientsOfLibTorchsOwnKernels) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.elements = 1 << 13;
    for (std::uint64_t seed = 5000; seed < 5060; ++seed) {
        const Experiment e = stack::testing::randomExperiment(seed, limits);
        if (stack::checkSupported(e, *stack::inferShapes(e), false)) {
            EXPECT_EQ(wrongGradient(e), "") << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace highwater::engine::testing
