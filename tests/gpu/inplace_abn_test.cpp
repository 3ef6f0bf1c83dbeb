// Our CUDA kernels of InPlace-ABN on a real GPU, compared with LibTorch's batch_norm and leaky_relu or elu:
// values and gradients; prints the times of both. compute-sanitizer: README.md.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAStream.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>

#include "core/base/statistics.h"
#include "core/engine/device/device.h"
#include "core/engine/layers/inplace_abn.h"
#include "tests/gpu/which_gpu.h"

namespace highwater::engine {
namespace {

using Shape = std::vector<std::int64_t>;

class InplaceAbnOnGpu : public ::testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::noGpu()) {
            GTEST_SKIP() << *why;
        }
    }
};

struct Case {
    Shape shape;
    at::ScalarType type;
    bool channelsLast = false, elu = false;
    double slope = 0.01;
};

std::string textOf(const Case& c) {
    return ::testing::PrintToString(c.shape) + " " + c10::toString(c.type) +
           (c.channelsLast ? " channels_last" : "") + (c.elu ? " elu" : " leaky_relu");
}

at::MemoryFormat formatOf(const Case& c) {
    return !c.channelsLast || c.shape.size() < 4 ? at::MemoryFormat::Contiguous
           : c.shape.size() == 4                 ? at::MemoryFormat::ChannelsLast
                                                 : at::MemoryFormat::ChannelsLast3d;
}

struct Tensors {
    at::Tensor x, dz, weight, bias, mean, var;
};

Tensors makeTensors(const Case& c, double offset = 0.3) {
    at::manual_seed(7);
    const auto floats = at::TensorOptions(at::kFloat);
    const std::int64_t channels = c.shape[1];
    const auto place = [&](const at::Tensor& made) {
        return made.to(c.type).to(at::kCUDA).contiguous(formatOf(c));
    };
    Tensors t{place(at::randn(c.shape, floats) * 1.7 + offset),
              place(at::randn(c.shape, floats)),
              at::randn({channels}, floats),
              at::randn({channels}, floats) * 0.5,
              at::zeros({channels}, floats),
              at::ones({channels}, floats)};
    t.weight += 0.3 * t.weight.sign();
    for (at::Tensor* const each : {&t.weight, &t.bias, &t.mean, &t.var}) {
        *each = each->to(at::kCUDA);
    }
    return t;
}

at::Tensor leaf(const at::Tensor& values) {
    return values.detach().clone().set_requires_grad(true);
}

struct Result {
    at::Tensor z, dx, dweight, dbias, mean, var;
};

Result ours(const Case& c, const Tensors& t) {
    const at::Tensor x = leaf(t.x), weight = leaf(t.weight), bias = leaf(t.bias);
    Result r{{}, {}, {}, {}, t.mean.clone(), t.var.clone()};
    AbnOptions options;
    options.activation = {c.elu, c.slope};
    r.z = inplaceAbn(x.clone(), {weight, bias, r.mean, r.var}, options);
    torch::autograd::backward({r.z}, {t.dz.clone()});
    r.dx = x.grad();
    r.dweight = weight.grad();
    r.dbias = bias.grad();
    return r;
}

/// In float, from the same elements, by LibTorch's native kernels.
Result theirs(const Case& c, const Tensors& t) {
    const at::Tensor x = leaf(t.x.to(at::kFloat)), weight = leaf(t.weight), bias = leaf(t.bias);
    Result r{{}, {}, {}, {}, t.mean.clone(), t.var.clone()};
    const at::Tensor y = at::batch_norm(x, weight.abs() + 1e-5, bias, r.mean, r.var, true, 0.1, 1e-5, true);
    r.z = c.elu ? at::elu(y) : at::leaky_relu(y, c.slope);
    torch::autograd::backward({r.z}, {t.dz.to(at::kFloat)});
    r.dx = x.grad();
    r.dweight = weight.grad();
    r.dbias = bias.grad();
    return r;
}

double greatest(const at::Tensor& a, const at::Tensor& b) {
    return ((a.to(at::kFloat) - b).abs().max() / b.abs().max().clamp_min(1e-30)).item<double>();
}

/// Near 0, rounding decides on which side of the kink a value is: single values may differ.
double typical(const at::Tensor& a, const at::Tensor& b) {
    return ((a.to(at::kFloat) - b).abs().mean() / b.abs().mean().clamp_min(1e-30)).item<double>();
}

const std::vector<Shape> kShapes{{2, 16, 32, 32, 32}, {2, 5, 7, 9, 11},   {4, 32, 64, 64}, {3, 7, 13, 17},
                                 {8, 24, 1024},       {5, 3, 31},         {64, 40, 1},     {1, 1, 100, 100},
                                 {2, 300, 3, 3},      {1, 2, 96, 96, 96}, {2, 4, 1, 1, 1}};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const Shape& shape : kShapes) {
        for (const auto type : {at::kFloat, at::kHalf, at::kBFloat16}) {
            for (const bool channelsLast : {false, true}) {
                for (const bool elu : {false, true}) {
                    if (!channelsLast || shape.size() > 3) {
                        all.push_back({shape, type, channelsLast, elu, elu ? 0.01 : 0.1});
                    }
                }
            }
        }
    }
    return all;
}

// Of the largest or the typical value: 2e-5 in float; in half and bfloat16 some of their roundings.
double toleranceOf(at::ScalarType type) {
    return type == at::kFloat ? 2e-5 : type == at::kHalf ? 4e-3 : 3e-2;
}

TEST_F(InplaceAbnOnGpu, GivesWhatBatchNormAndTheActivationGive) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(textOf(c));
        const Tensors t = makeTensors(c);
        const Result a = ours(c, t), b = theirs(c, t);
        const double tolerance = toleranceOf(c.type);
        EXPECT_TRUE(a.z.is_contiguous(formatOf(c)));
        EXPECT_LE(greatest(a.z, b.z), tolerance);
        const bool two = c.shape[0] * c.shape.back() <= 2 && c.shape.size() > 4;  // xhat is +-1: dx is a rest
        if (!two) {
            EXPECT_LE(typical(a.dx, b.dx), tolerance);
            EXPECT_LE(greatest(a.dweight, b.dweight), 5 * tolerance);
        }
        EXPECT_LE(greatest(a.dbias, b.dbias), 5 * tolerance);
        EXPECT_LE(greatest(a.mean, b.mean), 1e-5);
        EXPECT_LE(greatest(a.var, b.var), 1e-5);
    }
}

TEST_F(InplaceAbnOnGpu, StatisticsKeepTheirDigitsFarFromZero) {
    for (const bool channelsLast : {false, true}) {
        const Case c{{2, 8, 40, 48, 56}, at::kFloat, channelsLast};
        const Tensors t = makeTensors(c, 1e4);
        const Result r = ours(c, t);
        const at::Tensor wide = t.x.to(at::kDouble);
        const at::Tensor var = wide.var({0, 2, 3, 4}, true), mean = wide.mean({0, 2, 3, 4});
        EXPECT_LE(greatest((r.var - 0.9) * 10, var.to(at::kFloat)), 1e-4);
        EXPECT_LE(greatest(r.mean * 10, mean.to(at::kFloat)), 1e-6);
    }
}

TEST_F(InplaceAbnOnGpu, ResultsAreTheSameEachTime) {
    const Case c{{2, 16, 32, 32, 32}, at::kHalf, true};
    const Tensors t = makeTensors(c);
    const Result once = ours(c, t), again = ours(c, t);
    for (const auto& [a, b] :
         {std::pair{once.z, again.z}, {once.dx, again.dx}, {once.dweight, again.dweight}}) {
        EXPECT_TRUE(at::equal(a, b));
    }
}

TEST_F(InplaceAbnOnGpu, EvaluationUsesTheRunningStatistics) {
    const Case c{{2, 16, 32, 32}, at::kFloat};
    const Tensors t = makeTensors(c);
    AbnOptions options;
    options.activation.slope = c.slope;
    options.batchStatistics = false;
    const at::Tensor mean = at::randn_like(t.mean), var = at::rand_like(t.var) + 0.2;
    const at::Tensor expected = at::leaky_relu(
        at::batch_norm(t.x, t.weight.abs() + 1e-5, t.bias, mean, var, false, 0.1, 1e-5, true), c.slope);
    const at::Tensor x = t.x.clone();
    const at::Tensor z = inplaceAbn(x, {t.weight, t.bias, mean, var}, options);
    EXPECT_EQ(z.data_ptr(), x.data_ptr());
    EXPECT_LE(greatest(z, expected), 1e-5);
}

/// Median milliseconds of forward and backward.
template <class Pass>
double time(const Pass& pass) {
    std::vector<double> all;
    for (int i = 0; i < 25; ++i) {
        const auto stream = c10::cuda::getCurrentCUDAStream();
        stream.synchronize();
        const auto before = std::chrono::steady_clock::now();
        pass();
        stream.synchronize();
        if (i >= 5) {
            all.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count());
        }
    }
    return base::median(all);
}

TEST_F(InplaceAbnOnGpu, TimesBesideThoseOfBatchNormAndLeakyReluInPlace) {
    for (const auto type : {at::kFloat, at::kHalf, at::kBFloat16}) {
        for (const bool channelsLast : {false, true}) {
            const Case c{{2, 32, 128, 128, 128}, type, channelsLast};
            const Tensors t = makeTensors(c);
            const at::Tensor weight = leaf(t.weight), bias = leaf(t.bias);
            const double fused = time([&] {
                // The layer overwrites the preceding sum; both variants have it.
                const at::Tensor z = inplaceAbn(t.x + 0, {weight, bias, t.mean, t.var}, {});
                torch::autograd::backward({z}, {t.dz.clone()});
            });
            const double plain = time([&] {
                at::Tensor y = at::batch_norm((t.x + 0).set_requires_grad(true), weight, bias, t.mean, t.var,
                                              true, 0.1, 1e-5, true);
                y = at::leaky_relu_(y, 0.01);
                torch::autograd::backward({y}, {t.dz.clone()});
            });
            std::printf("%s: inplace_abn %.3f ms, batch_norm and leaky_relu_ %.3f ms: %.2f\n",
                        textOf(c).c_str(), fused, plain, fused / plain);
        }
    }
}

}  // namespace
}  // namespace highwater::engine
