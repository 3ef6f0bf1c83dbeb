#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/engine/layers/layers.h"
#include "core/engine/step/losses.h"
#include "core/engine/step/optimizers.h"

namespace highwater::engine {
namespace {

/// Compares one of our layers with torch::nn's with the same seed: parameters and output are bitwise equal.
template <class Module>
void expectSame(const stack::Op& op, Module module, stack::Shape input, std::uint64_t seed = 7) {
    at::manual_seed(seed);
    const LayerTensors tensors = makeLayer(op, input);
    const auto reference = module->parameters();
    ASSERT_EQ(tensors.parameters.size(), reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i) {
        EXPECT_TRUE(at::equal(tensors.parameters[i], reference[i])) << "parameter " << i;
    }
    const at::Tensor x = at::randn(input);
    EXPECT_TRUE(
        at::equal(applyLayer(op, tensors, x.clone(), {}, ForwardMode::Train), module->forward(x.clone())));
    if (tensors.runningMean.defined()) {
        EXPECT_TRUE(at::equal(tensors.runningMean, module->buffers()[0]));
        EXPECT_TRUE(at::equal(tensors.runningVar, module->buffers()[1]));
    }
}

template <class Make>
auto seeded(Make make, std::uint64_t seed = 7) {
    at::manual_seed(seed);
    return make();
}

TEST(Reference, Convolutions) {
    stack::Conv c;
    c.outChannels = 6;
    c.kernelSize = {3, 2, 3};
    c.stride = {2, 1, 1};
    c.padding.sizes = {1};
    c.groups = 2;
    expectSame(stack::Op(c), seeded([] {
                   return torch::nn::Conv3d(
                       torch::nn::Conv3dOptions(4, 6, {3, 2, 3}).stride({2, 1, 1}).padding(1).groups(2));
               }),
               {2, 4, 7, 6, 5});
    stack::Conv same;
    same.outChannels = 3;
    same.kernelSize = {4};
    same.padding.same = true;
    same.paddingMode = stack::PaddingMode::Circular;
    expectSame(
        stack::Op(same), seeded([] {
            return torch::nn::Conv2d(
                torch::nn::Conv2dOptions(2, 3, 4).padding(torch::kSame).padding_mode(torch::kCircular));
        }),
        {1, 2, 9, 8});
    stack::Conv reflect;
    reflect.outChannels = 3;
    reflect.padding.sizes = {2};
    reflect.paddingMode = stack::PaddingMode::Reflect;
    reflect.bias = false;
    expectSame(
        stack::Op(reflect), seeded([] {
            return torch::nn::Conv1d(
                torch::nn::Conv1dOptions(2, 3, 3).padding(2).padding_mode(torch::kReflect).bias(false));
        }),
        {2, 2, 11});
    stack::ConvTranspose up;
    up.outChannels = 4;
    up.kernelSize = {3};
    up.stride = {2};
    up.padding = {1};
    up.outputPadding = {1};
    expectSame(stack::Op(up), seeded([] {
                   return torch::nn::ConvTranspose2d(
                       torch::nn::ConvTranspose2dOptions(3, 4, 3).stride(2).padding(1).output_padding(1));
               }),
               {2, 3, 6, 5});
}

TEST(Reference, Norms) {
    stack::Norm batch;
    expectSame(stack::Op(batch), torch::nn::BatchNorm3d(5), {2, 5, 4, 4, 4});
    stack::Norm instance;
    instance.kind = stack::Norm::Kind::Instance;
    instance.eps = 1e-3;
    expectSame(stack::Op(instance),
               torch::nn::InstanceNorm2d(torch::nn::InstanceNorm2dOptions(5).affine(true).eps(1e-3)),
               {2, 5, 6, 6});
    stack::Norm group;
    group.kind = stack::Norm::Kind::Group;
    group.numGroups = 3;
    expectSame(stack::Op(group), torch::nn::GroupNorm(torch::nn::GroupNormOptions(3, 6)), {2, 6, 8});
}

TEST(Reference, PadsAndNormsOfSamples) {
    stack::LayerNorm norm;
    norm.normalizedShape = {3, 5};
    expectSame(stack::Op(norm), torch::nn::LayerNorm(torch::nn::LayerNormOptions({3, 5})), {2, 4, 3, 5});
    stack::LocalResponseNorm response;
    response.size = 3, response.alpha = 0.5, response.k = 2;
    for (const stack::Shape& shape : {stack::Shape{2, 4, 5}, {2, 4, 5, 3}, {2, 4, 5, 3, 2}}) {
        expectSame(stack::Op(response),
                   torch::nn::LocalResponseNorm(torch::nn::LocalResponseNormOptions(3).alpha(0.5).k(2)),
                   shape);
    }
    stack::Pad pad;
    pad.padding = {1, 2, 0, 3};
    pad.value = 0.5;
    expectSame(stack::Op(pad), torch::nn::ConstantPad2d(torch::nn::ConstantPad2dOptions({1, 2, 0, 3}, 0.5)),
               {2, 3, 5, 4});
    pad.mode = stack::PaddingMode::Reflect;
    expectSame(stack::Op(pad), torch::nn::ReflectionPad2d(torch::nn::ReflectionPad2dOptions({1, 2, 0, 3})),
               {2, 3, 5, 4});
}

TEST(Reference, PoolsActivationsAndUpsampling) {
    stack::Pool pool;
    pool.kernelSize = {3};
    pool.stride = {2};
    pool.padding = {1};
    expectSame(stack::Op(pool), torch::nn::MaxPool3d(torch::nn::MaxPool3dOptions(3).stride(2).padding(1)),
               {1, 2, 7, 7, 7});
    pool.kind = stack::Pool::Kind::Avg;
    expectSame(stack::Op(pool), torch::nn::AvgPool2d(torch::nn::AvgPool2dOptions(3).stride(2).padding(1)),
               {1, 2, 7, 7});
    stack::Activation activation;
    activation.kind = stack::Activation::Kind::LeakyRelu;
    activation.inplace = true;
    activation.negativeSlope = 0.2;
    expectSame(stack::Op(activation), torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)),
               {2, 3, 9});
    activation.kind = stack::Activation::Kind::Elu;
    expectSame(stack::Op(activation), torch::nn::ELU(), {2, 3, 9});
    activation.kind = stack::Activation::Kind::Silu;
    expectSame(stack::Op(activation), torch::nn::SiLU(), {2, 3, 9});
    activation.kind = stack::Activation::Kind::Gelu;
    expectSame(stack::Op(activation), torch::nn::GELU(), {2, 3, 9});
    activation.inplace = false;
    activation.kind = stack::Activation::Kind::Sigmoid;
    expectSame(stack::Op(activation), torch::nn::Sigmoid(), {2, 3, 9});
    activation.kind = stack::Activation::Kind::Tanh;
    expectSame(stack::Op(activation), torch::nn::Tanh(), {2, 3, 9});
    activation.kind = stack::Activation::Kind::Relu6;
    expectSame(stack::Op(activation), torch::nn::ReLU6(), {2, 3, 9});
    activation.kind = stack::Activation::Kind::Mish;
    expectSame(stack::Op(activation), torch::nn::Mish(), {2, 3, 9});
    stack::AdaptivePool adaptive;
    adaptive.outputSize = {3, 1};
    expectSame(stack::Op(adaptive), torch::nn::AdaptiveAvgPool2d(torch::nn::AdaptiveAvgPool2dOptions({3, 1})),
               {2, 3, 7, 5});
    adaptive.kind = stack::AdaptivePool::Kind::Max;
    adaptive.outputSize = {4};
    expectSame(stack::Op(adaptive), torch::nn::AdaptiveMaxPool3d(torch::nn::AdaptiveMaxPool3dOptions(4)),
               {2, 3, 7, 5, 6});
    expectSame(stack::Op(stack::Flatten{}), torch::nn::Flatten(), {2, 3, 9});
    expectSame(stack::Op(stack::Linear{4, true}),
               seeded([] { return torch::nn::Linear(torch::nn::LinearOptions(6, 4)); }), {2, 6});
    expectSame(stack::Op(stack::Linear{4, false}),
               seeded([] { return torch::nn::Linear(torch::nn::LinearOptions(6, 4).bias(false)); }), {2, 6});
    expectSame(stack::Op(stack::Norm{}), torch::nn::BatchNorm1d(6), {4, 6});
    expectSame(stack::Op(stack::Prelu{3}), torch::nn::PReLU(torch::nn::PReLUOptions().num_parameters(3)),
               {2, 3, 9});
    expectSame(stack::Op(stack::Softmax{-1}), torch::nn::Softmax(-1), {2, 3, 9});
    stack::Upsample up;
    up.mode = stack::Upsample::Mode::Trilinear;
    up.alignCorners = true;
    up.scaleFactor = {1.5};
    expectSame(stack::Op(up),
               torch::nn::Upsample(torch::nn::UpsampleOptions()
                                       .scale_factor(std::vector<double>{1.5, 1.5, 1.5})
                                       .mode(torch::kTrilinear)
                                       .align_corners(true)),
               {1, 2, 4, 4, 4});
}

TEST(Reference, HardActivationsMergesAndScale) {
    const at::Tensor x = at::randn({2, 3, 4}) * 4, channel = at::randn({2, 1, 4}),
                     place = at::randn({2, 3, 1});
    const auto out = [&](const stack::Op& op, const std::vector<at::Tensor>& with) {
        return applyLayer(op, {}, x.clone(), with, ForwardMode::Train);
    };
    const at::Tensor gate = at::clamp(x / 6 + 0.5, 0, 1);
    stack::Activation activation;
    for (const bool inplace : {false, true}) {
        activation.inplace = inplace;
        activation.kind = stack::Activation::Kind::Hardsigmoid;
        EXPECT_TRUE(at::allclose(out(activation, {}), gate));
        activation.kind = stack::Activation::Kind::Hardswish;
        EXPECT_TRUE(at::allclose(out(activation, {}), x * gate));
    }
    using Kind = stack::Merge::Kind;
    EXPECT_TRUE(at::equal(out(stack::Merge{Kind::Add, {"a"}}, {channel}), x + channel));
    EXPECT_TRUE(at::equal(out(stack::Merge{Kind::Sub, {"a"}}, {place}), x - place));
    EXPECT_TRUE(at::equal(out(stack::Merge{Kind::Mul, {"a"}}, {place}), x * place));
    EXPECT_TRUE(at::equal(out(stack::Merge{Kind::Div, {"a"}}, {place}), x / place));
    EXPECT_TRUE(
        at::equal(out(stack::Merge{Kind::Concat, {"a", "b"}}, {channel, x}), at::cat({x, channel, x}, 1)));
    EXPECT_TRUE(at::equal(out(stack::Scale{0.3}, {}), x * 0.3));
    EXPECT_TRUE(
        at::equal(out(stack::Merge{Kind::Matmul, {"a"}}, {x.transpose(1, 2)}), x.bmm(x.transpose(1, 2))));
}

TEST(Reference, AttentionIsTheProductsThatItIsMadeOf) {
    for (const bool causal : {false, true}) {
        for (const double scale : {0.0, 0.3}) {
            std::vector<at::Tensor> mine, theirs;
            for (const std::int64_t places : {5, 7, 7}) {
                mine.push_back(at::randn({2, 3, places, 4}).requires_grad_());
                theirs.push_back(mine.back().detach().to(at::kDouble).requires_grad_());
            }
            stack::Merge merge{stack::Merge::Kind::Attention, {"k", "v"}};
            merge.isCausal = causal;
            merge.scale = scale;
            const at::Tensor y = applyLayer(merge, {}, mine[0], {mine[1], mine[2]}, ForwardMode::Train);
            at::Tensor pairs = theirs[0].matmul(theirs[1].transpose(2, 3)) * (scale > 0 ? scale : 0.5);
            if (causal) {
                pairs = pairs.masked_fill(at::ones({5, 7}, at::kBool).triu(1), -1e300);
            }
            const at::Tensor wanted = pairs.softmax(3).matmul(theirs[2]);
            EXPECT_TRUE(at::allclose(y.to(at::kDouble), wanted, 1e-5, 1e-5));
            const at::Tensor weights = at::randn(y.sizes());
            (y * weights).sum().backward();
            (wanted * weights).sum().backward();
            for (std::size_t i = 0; i < mine.size(); ++i) {
                EXPECT_TRUE(at::allclose(mine[i].grad().to(at::kDouble), theirs[i].grad(), 1e-5, 1e-5)) << i;
            }
            merge.dropoutP = 0.9;  // only while training
            EXPECT_TRUE(at::allclose(
                applyLayer(merge, {}, mine[0], {mine[1], mine[2]}, ForwardMode::Evaluate), y, 1e-5, 1e-5));
            EXPECT_FALSE(
                at::allclose(applyLayer(merge, {}, mine[0], {mine[1], mine[2]}, ForwardMode::Train), y));
        }
    }
}

TEST(Reference, ViewsAndLearnedFactors) {
    const at::Tensor x = at::randn({2, 3, 4});
    const auto out = [&](const stack::Op& op, ForwardMode mode = ForwardMode::Train) {
        return applyLayer(op, makeLayer(op, {2, 3, 4}), x.clone(), {}, mode);
    };
    EXPECT_TRUE(at::equal(out(stack::Reshape{{-1, 6, 2}}), x.view({2, 6, 2})));
    EXPECT_TRUE(at::equal(out(stack::Permute{{0, 2, 1}}), x.transpose(1, 2)));
    EXPECT_TRUE(at::equal(out(stack::Select{-1, 2}), x.select(2, 2)));
    EXPECT_TRUE(at::equal(out(stack::Slice{2, 1, 4, 2}), at::stack({x.select(2, 1), x.select(2, 3)}, 2)));
    EXPECT_TRUE(at::equal(out(stack::Roll{{1, -1}, {1, 2}}), at::roll(x, {1, -1}, {1, 2})));
    EXPECT_TRUE(at::equal(out(stack::Scale{0.3, stack::Scale::Kind::Offset}), x + 0.3));
    EXPECT_TRUE(at::equal(out(stack::Copy{}), x));
    EXPECT_TRUE(at::equal(out(stack::Learned{stack::Learned::Kind::LayerScale, {3, 1}}), x * 1e-6F));
    const at::Tensor moved = out(stack::Learned{stack::Learned::Kind::PositionEmbedding, {3, 4}}) - x;
    EXPECT_TRUE(at::allclose(moved[0], moved[1], 1e-3, 1e-6) && moved.abs().max().item<float>() < 0.2F);
    const stack::Op token = stack::Learned{stack::Learned::Kind::ClassToken, {1, 2, 4}};
    const LayerTensors learned = makeLayer(token, {2, 3, 4});
    const at::Tensor places = applyLayer(token, learned, x.clone(), {}, ForwardMode::Train);
    EXPECT_TRUE(at::equal(places.slice(1, 2), x));
    EXPECT_TRUE(at::equal(places.slice(1, 0, 2), learned.parameters[0].expand({2, 2, 4})));
    stack::Learned several{stack::Learned::Kind::ClassToken, {1, 3, 4}};
    several.tokens = {1, 2};
    const LayerTensors both = makeLayer(several, {2, 3, 4});
    const at::Tensor after = applyLayer(several, both, x.clone(), {}, ForwardMode::Train);
    EXPECT_TRUE(at::equal(after.slice(1, 0, 1), both.parameters.at(0).expand({2, 1, 4})));
    EXPECT_TRUE(at::equal(after.slice(1, 1, 3), both.parameters.at(1).expand({2, 2, 4})));
    EXPECT_TRUE(at::equal(after.slice(1, 3), x));
    using Reduced = stack::Reduce::Kind;
    EXPECT_TRUE(at::equal(out(stack::Reduce{Reduced::Sum, {-1}, false}), x.sum(2)));
    EXPECT_TRUE(at::equal(out(stack::Reduce{Reduced::Mean, {1, 2}}), x.mean({1, 2}, true)));
    EXPECT_TRUE(at::equal(out(stack::Reduce{Reduced::Var, {1}, true, 0}), x.var({1}, false, true)));
    EXPECT_TRUE(at::equal(out(stack::Reduce{Reduced::Max, {2}}), x.amax({2}, true)));
    EXPECT_TRUE(at::allclose(out(stack::Reduce{Reduced::Norm, {2}}), (x * x).sum({2}, true).sqrt()));
    EXPECT_TRUE(at::equal(out(stack::Affine{{3, 1}}), x));
    EXPECT_TRUE(at::equal(applyLayer(stack::Expand{{-1, 3, 4}}, {}, x.slice(2, 0, 1), {}, ForwardMode::Train),
                          x.slice(2, 0, 1).expand({2, 3, 4})));
    stack::StochasticDepth depth;
    depth.p = 1;
    EXPECT_TRUE(at::equal(out(depth), at::zeros_like(x)));
    EXPECT_TRUE(at::equal(out(depth, ForwardMode::Evaluate), x));
    depth.p = 0.5;
    const at::Tensor kept = out(depth);
    for (int sample = 0; sample < 2; ++sample) {
        EXPECT_TRUE(at::equal(kept[sample], at::zeros_like(x[sample])) ||
                    at::equal(kept[sample], x[sample] * 2));
    }
    LayerTensors tensors;
    tensors.parameters = {at::randn({5, 4})};
    EXPECT_TRUE(at::allclose(applyLayer(stack::Linear{5, false}, tensors, x, {}, ForwardMode::Train),
                             at::matmul(x, tensors.parameters[0].t())));
}

TEST(Reference, WindowsOfAttention) {
    const at::Tensor x = at::randn({2, 3, 4});
    const stack::Op mask = stack::WindowMask{{4}, {2}, {1}};
    const at::Tensor made = applyLayer(mask, makeLayer(mask, {2, 3, 4}), x, {}, ForwardMode::Train);
    const at::Tensor wanted = at::zeros({1, 2, 1, 2, 2});
    wanted[0][1][0][0][1] = -100;
    wanted[0][1][0][1][0] = -100;
    EXPECT_TRUE(at::equal(made, wanted)) << made;

    stack::RelativePositionBias bias;
    bias.windowSize = {2, 3};
    bias.numHeads = 2;
    bias.places = 5;
    const LayerTensors tensors = makeLayer(bias, {2, 3, 4});
    const at::Tensor &table = tensors.parameters.at(0), &rows = tensors.index;
    ASSERT_EQ(table.sizes(), (std::vector<std::int64_t>{3 * 5, 2}));
    const auto row = [&](int from, int to) { return rows[from][to].item<std::int64_t>(); };
    EXPECT_EQ(row(0, 0), 1 * 5 + 2);
    EXPECT_EQ(row(5, 0), 2 * 5 + 4);  // one row and two columns after
    EXPECT_EQ(row(0, 5), 0);
    const at::Tensor added = applyLayer(bias, tensors, x, {}, ForwardMode::Train);
    ASSERT_EQ(added.sizes(), (std::vector<std::int64_t>{1, 2, 5, 5}));
    EXPECT_TRUE(at::equal(added[0][1][3][4], table[row(3, 4)][1]));
}

template <class Made>
void expectSameSteps(const stack::Optimizer& settings, Made make) {
    at::manual_seed(1);
    at::Tensor ours = at::randn({33}), theirs = ours.clone();
    ours.set_requires_grad(true);
    theirs.set_requires_grad(true);
    Optimizer optimizer(settings, {ours});
    auto reference = make(std::vector<at::Tensor>{theirs});
    for (int i = 0; i < 5; ++i) {
        const at::Tensor gradient = at::randn({33});
        ours.mutable_grad() = gradient.clone();
        theirs.mutable_grad() = gradient.clone();
        optimizer.step();
        reference.step();
        ASSERT_TRUE(at::equal(ours, theirs)) << "step " << i;
    }
}

TEST(Reference, Optimizers) {
    stack::Optimizer o;
    o.kind = stack::Optimizer::Kind::Sgd;
    o.lr = 0.05;
    o.momentum = 0.9;
    o.nesterov = true;
    o.weightDecay = 0.01;
    expectSameSteps(o, [](auto p) {
        return torch::optim::SGD(
            p, torch::optim::SGDOptions(0.05).momentum(0.9).nesterov(true).weight_decay(0.01));
    });
    o = {};
    o.weightDecay = 0.02;
    expectSameSteps(
        o, [](auto p) { return torch::optim::Adam(p, torch::optim::AdamOptions(1e-3).weight_decay(0.02)); });
    o.kind = stack::Optimizer::Kind::AdamW;
    o.amsgrad = true;
    o.beta1 = 0.8;
    expectSameSteps(o, [](auto p) {
        return torch::optim::AdamW(
            p, torch::optim::AdamWOptions(1e-3).weight_decay(0.02).amsgrad(true).betas({0.8, 0.999}));
    });
}

/// torch.nn.utils.clip_grad_norm_
TEST(Reference, ClippedGradients) {
    at::manual_seed(3);
    for (const double largest : {0.5, 1e4}) {
        std::vector<at::Tensor> ours, theirs;
        for (const std::int64_t size : {5, 70, 1, 300}) {
            at::Tensor parameter = at::zeros({size});
            ours.push_back(parameter.set_requires_grad(true));
            theirs.push_back(at::zeros({size}).set_requires_grad(true));
            ours.back().mutable_grad() = at::randn({size}) * 3;
            theirs.back().mutable_grad() = ours.back().grad().clone();
        }
        ours.push_back(at::zeros({4}).set_requires_grad(true));  // has no gradient
        clipGradients(ours, largest);
        torch::nn::utils::clip_grad_norm_(theirs, largest);
        double squares = 0;
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            EXPECT_TRUE(at::allclose(ours[i].grad(), theirs[i].grad(), 1e-6, 0)) << largest;
            squares += ours[i].grad().square().sum().item<double>();
        }
        EXPECT_EQ(std::sqrt(squares) <= largest * 1.00001, true) << largest;
        EXPECT_FALSE(ours.back().grad().defined());
    }
    clipGradients({}, 1);
}

/// Losses of one channel, computed by their formulas.
TEST(Reference, LossesOfProbabilities) {
    at::manual_seed(5);
    const at::Tensor y = at::randint(2, {2, 1, 4, 5, 6}, at::kLong).to(at::kFloat);
    const at::Tensor x = at::randn({2, 1, 4, 5, 6}), p = at::sigmoid(x);
    const double entropy = -(y * p.log() + (1 - y) * (1 - p).log()).mean().item<double>();
    const at::Tensor both = (p * y).sum({2, 3, 4}), sizes = p.sum({2, 3, 4}) + y.sum({2, 3, 4});
    const double overlap = 1 - ((2 * both + 1e-5) / (sizes + 1e-5)).mean().item<double>();
    EXPECT_NEAR(computeLoss(stack::Loss::Bce, x, y).item<double>(), entropy, 1e-5);
    EXPECT_NEAR(computeLoss(stack::Loss::SigmoidDice, x, y).item<double>(), overlap, 1e-5);
    EXPECT_NEAR(computeLoss(stack::Loss::SigmoidDiceBce, x, y).item<double>(), entropy + overlap, 1e-5);
}

/// Labels given as probabilities have the losses and gradients of the labels themselves.
TEST(Reference, SoftTargets) {
    at::manual_seed(4);
    const at::Tensor labels = at::randint(3, {2, 4, 5, 6}, at::kLong);
    const at::Tensor soft = softTarget(labels, 3, at::kFloat);
    EXPECT_EQ(soft.sizes(), (at::IntArrayRef{2, 3, 4, 5, 6}));
    EXPECT_TRUE(at::equal(soft.argmax(1), labels));
    EXPECT_TRUE(at::equal(soft.sum(1), at::ones({2, 4, 5, 6})));
    for (const stack::Loss loss :
         {stack::Loss::CrossEntropy, stack::Loss::Dice, stack::Loss::DiceCrossEntropy}) {
        const at::Tensor a = at::randn({2, 3, 4, 5, 6}).set_requires_grad(true),
                         b = a.detach().clone().set_requires_grad(true);
        const at::Tensor hard = computeLoss(loss, a, labels), probable = computeLoss(loss, b, soft);
        hard.backward();
        probable.backward();
        EXPECT_NEAR(hard.item<double>(), probable.item<double>(), 1e-5);
        EXPECT_TRUE(at::allclose(a.grad(), b.grad(), 1e-4, 1e-8));
    }
}

}  // namespace
}  // namespace highwater::engine
