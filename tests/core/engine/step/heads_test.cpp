#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/torch.h>
#include <torch/version.h>

#include "core/engine/data/data.h"
#include "core/engine/step/losses.h"
#include "tests/core/engine/training.h"

/// Deep supervision, compared with the same network written with LibTorch's functions.
namespace highwater::engine::testing {
namespace {

using stack::Experiment;

const char* const kNetwork = R"("input": {"synthetic": [2, 12, 12, 8]}, "target": {"classes": 3},
    "loss": "dice_cross_entropy", "stack": [
      {"type": "conv", "out_channels": 4, "padding": 1, "stride": 2},
      {"type": "head", "out_channels": 3, "weight": 0.5},
      {"type": "gelu"},
      {"type": "block", "checkpoint": true, "layers": [
        {"type": "conv", "out_channels": 5, "padding": 1, "stride": [3, 3, 1]},
        {"type": "head", "out_channels": 3, "weight": 0.25, "bias": false}]},
      {"type": "conv_transpose", "out_channels": 3, "kernel_size": [6, 6, 2], "stride": [6, 6, 2]}],
    "step": {"batch_size": 2, "seed": 5})";

/// The gradients of one step.
std::vector<at::Tensor> written(const Experiment& e) {
    namespace nn = torch::nn;
    at::manual_seed(e.step.seed);
    nn::Conv3d first(nn::Conv3dOptions(2, 4, 3).padding(1).stride(2));
    nn::Conv3d head1(nn::Conv3dOptions(4, 3, 1));
    nn::Conv3d second(nn::Conv3dOptions(4, 5, 3).padding(1).stride({3, 3, 1}));
    nn::Conv3d head2(nn::Conv3dOptions(5, 3, 1).bias(false));
    nn::ConvTranspose3d up(nn::ConvTranspose3dOptions(5, 3, {6, 6, 2}).stride({6, 6, 2}));
    RunRequest request;
    request.experiment = e;
    DataSource data(request, *stack::inferShapes(e));
    data.next();
    const at::Tensor labels = data.target();
    const auto smaller = [&](std::vector<std::int64_t> size) {
        return at::_upsample_nearest_exact3d(labels.unsqueeze(1).to(at::kFloat), size)
            .squeeze(1)
            .to(at::kLong);
    };
    const at::Tensor a = first(data.input());
    const at::Tensor b = second(at::gelu(a));
    const auto loss = [&](const at::Tensor& out, const at::Tensor& target) {
        return computeLoss(e.loss, out, target);
    };
    const at::Tensor total = loss(head1(a), smaller({6, 6, 4})) * (0.5 / 1.75) +
                             loss(head2(b), smaller({2, 2, 4})) * (0.25 / 1.75) +
                             loss(up(b), labels) * (1 / 1.75);
    total.backward();
    std::vector<at::Tensor> gradients;
    for (const auto& module : {first->parameters(), head1->parameters(), second->parameters(),
                               head2->parameters(), up->parameters()}) {
        for (const at::Tensor& parameter : module) {
            gradients.push_back(parameter.grad());
        }
    }
    return gradients;
}

TEST(Heads, TrainAsTheSameNetworkWrittenOut) {
    const Experiment e = parse(kNetwork);
    const std::vector<at::Tensor> expected = written(e);
    for (const Experiment& each : {e, uncheckpointed(e)}) {
        const Outcome outcome = train(each, 1);
        ASSERT_EQ(outcome.gradients.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_TRUE(TORCH_VERSION_MAJOR < 2  // since 2.0 the two round a head's weight differently
                            ? at::equal(outcome.gradients[i], expected[i])
                            : at::allclose(outcome.gradients[i], expected[i], 1e-6, 1e-8))
                << i << ": largest difference "
                << (outcome.gradients[i] - expected[i]).abs().max().item<float>() << " of "
                << expected[i].abs().max().item<float>();
        }
    }
}

TEST(Heads, AreEqualToTheBitWhereverTheStackIsCut) {
    Experiment e = parse(kNetwork);
    const Outcome plain = train(uncheckpointed(e), 3);
    for (const std::int64_t segments : {2, 3, 4, 5}) {
        e.step.checkpoint = {stack::Checkpointing::Kind::Segments, segments};
        const Outcome cut = train(e, 3);
        EXPECT_EQ(cut.segments, static_cast<std::size_t>(segments));
        EXPECT_EQ(difference(cut, plain), "") << segments;
    }
}

TEST(Heads, MayEndAStackAndShareItsOutput) {
    for (const char* const end : {R"({"type": "head", "out_channels": 2})",
                                  R"({"type": "block", "checkpoint": true, "layers": [
                                       {"type": "head", "out_channels": 2}, {"type": "head", "out_channels": 2}]})",
                                  R"({"type": "block", "checkpoint": true, "layers": [
                                       {"type": "conv", "out_channels": 2, "kernel_size": 1},
                                       {"type": "head", "out_channels": 2}]})"}) {
        const Experiment e = parse(std::string(R"("input": {"synthetic": [2, 8, 8]}, "loss": "mse", "stack": [
            {"type": "head", "out_channels": 2, "weight": 0},
            {"type": "conv", "out_channels": 2, "padding": 1},)") +
                                   end + "]");
        EXPECT_EQ(difference(train(e, 2), train(uncheckpointed(e), 2)), "") << end;
    }
}

TEST(Heads, WithoutWeightLeaveTheStackAsItIs) {
    const char* const with = R"("input": {"synthetic": [1, 8, 8]}, "loss": "mean", "stack": [
        {"type": "conv", "out_channels": 2}, {"type": "conv", "out_channels": 2},
        {"type": "head", "out_channels": 7, "weight": 0}])";
    const char* const without = R"("input": {"synthetic": [1, 8, 8]}, "loss": "mean", "stack": [
        {"type": "conv", "out_channels": 2}, {"type": "conv", "out_channels": 2}])";
    const Outcome a = train(parse(with), 1), b = train(parse(without), 1);
    EXPECT_EQ(a.losses, b.losses);
    for (std::size_t i = 0; i < b.gradients.size(); ++i) {
        EXPECT_TRUE(at::equal(a.gradients[i], b.gradients[i])) << i;
    }
    EXPECT_EQ(a.gradients.back().abs().max().item<float>(), 0);
}

TEST(Heads, TargetsAreSampledByNearestNeighbor) {
    RunRequest request;
    request.experiment = parse(R"("input": {"synthetic": [2, 7, 9]}, "loss": "mse", "stack": [
        {"type": "avg_pool", "kernel_size": 2}, {"type": "head", "out_channels": 2},
        {"type": "upsample", "size": [13, 5]}, {"type": "head", "out_channels": 2},
        {"type": "upsample", "size": [7, 9]}, {"type": "head", "out_channels": 2}])");
    DataSource data(request, *stack::inferShapes(request.experiment));
    data.next();
    ASSERT_EQ(data.targets().size(), 4U);
    EXPECT_TRUE(at::equal(data.targets()[0], at::_upsample_nearest_exact2d(data.input(), {3, 4})));
    EXPECT_TRUE(at::equal(data.targets()[1], at::_upsample_nearest_exact2d(data.input(), {13, 5})));
    EXPECT_TRUE(data.targets()[2].is_same(data.input())) << "of its own size: nothing is sampled";
    EXPECT_TRUE(data.targets()[3].is_same(data.input()));
}

}  // namespace
}  // namespace highwater::engine::testing
