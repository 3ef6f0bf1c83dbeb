#include <fmt/format.h>

#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/case.h"

namespace highwater::kit {

namespace {

using stack::Activation;
using stack::Norm;
using stack::PaddingMode;
using stack::Pool;
using stack::Upsample;

Case of(stack::Experiment e) {
    return {"layers", std::move(e)};
}

/// Conv, the layers under test, conv, so that they are between layers that need gradients.
stack::Experiment between(std::string name, stack::Shape input, std::int64_t batch, Layers tested,
                          std::int64_t channels = 32) {
    return experiment(std::move(name), std::move(input), batch,
                      Layers{{"", conv(channels)}} + tested + Layers{{"", conv(8)}});
}

struct Inputs {
    stack::Shape d3, d2, d1;
    std::int64_t b3, b2, b1;
};

Inputs inputsOf(Scale scale) {
    const std::int64_t n3 = size3d(scale, 96), n2 = size2d(scale, 384), n1 = size1d(scale, 1 << 17);
    return {{2, n3, n3, n3}, {3, n2, n2}, {2, n1}, 2, 8, 16};
}

std::vector<Case> norms(const Inputs& in) {
    std::vector<Case> cases;
    const auto add = [&](const char* name, Norm n) {
        cases.push_back(
            of(between(name, in.d3, in.b3, {{"", n}, {"", activation(Activation::Kind::Relu, true)}})));
    };
    add("norm-batch", norm(Norm::Kind::Batch));
    add("norm-instance", norm(Norm::Kind::Instance));
    add("norm-group", norm(Norm::Kind::Group, 8));
    Norm affine = norm(Norm::Kind::Instance);
    affine.affine = true;
    cases.push_back(of(between("norm-instance-affine-2d", in.d2, in.b2, {{"", affine}})));
    cases.push_back(of(between("norm-batch-1d", in.d1, in.b1, {{"", norm(Norm::Kind::Batch)}})));
    return cases;
}

std::vector<Case> activations(const Inputs& in) {
    std::vector<Case> cases;
    using Kind = Activation::Kind;
    const auto add = [&](const char* name, Kind kind, bool inplace) {
        cases.push_back(of(
            between(name, in.d3, in.b3, {{"", norm(Norm::Kind::Batch)}, {"", activation(kind, inplace)}})));
    };
    add("relu", Kind::Relu, false);
    add("leaky-relu-inplace", Kind::LeakyRelu, true);
    add("leaky-relu", Kind::LeakyRelu, false);
    add("silu-inplace", Kind::Silu, true);
    add("gelu", Kind::Gelu, false);
    add("elu-inplace", Kind::Elu, true);
    return cases;
}

/// The unit of the papers' figures; its counterpart, batch_norm with leaky_relu in place, is among the
/// activations.
std::vector<Case> inplaceAbns(const Inputs& in) {
    stack::InplaceAbn leaky, elu;
    elu.activation = stack::InplaceAbn::Function::Elu;
    Case low = of(between("inplace-abn-bf16-channels-last", in.d3, in.b3, {{"", leaky}}));
    low.experiment.step.precision = stack::Precision::Bf16;
    low.experiment.step.channelsLast = true;
    Case half = of(between("inplace-abn-fp16-2d", in.d2, in.b2, {{"", leaky}}));
    half.experiment.step.precision = stack::Precision::Fp16;
    return {of(between("inplace-abn", in.d3, in.b3, {{"", leaky}})),
            std::move(low),
            of(between("inplace-abn-elu-2d", in.d2, in.b2, {{"", elu}})),
            std::move(half),
            of(between("inplace-abn-1d", in.d1, in.b1, {{"", leaky}})),
            of(experiment("inplace-abn-units", in.d3, in.b3,
                          Layers{{"", conv(32)},
                                 {"", leaky},
                                 {"", conv(32)},
                                 {"", leaky},
                                 {"", conv(32)},
                                 {"", leaky},
                                 {"", conv(8)}}))};
}

std::vector<Case> pools(const Inputs& in) {
    Pool max, avg, overlapping;
    avg.kind = Pool::Kind::Avg;
    overlapping.kernelSize = {3};
    overlapping.stride = {2};
    overlapping.padding = {1};
    return {of(between("max-pool-3d", in.d3, in.b3, {{"", max}})),
            of(between("avg-pool-3d", in.d3, in.b3, {{"", avg}})),
            of(between("max-pool-overlapping-2d", in.d2, in.b2, {{"", overlapping}})),
            of(between("avg-pool-1d", in.d1, in.b1, {{"", avg}}))};
}

std::vector<Case> resampling(const Inputs& in) {
    const auto up = [](Upsample::Mode mode) {
        Upsample made;
        made.mode = mode;
        return made;
    };
    stack::ConvTranspose transpose;
    transpose.outChannels = 16;
    transpose.stride = {2};
    stack::ConvTranspose wide = transpose;
    wide.kernelSize = {4};
    wide.padding = {1};
    return {of(between("conv-transpose-3d", in.d3, 1, {{"", transpose}}, 16)),
            of(between("upsample-trilinear", in.d3, 1, {{"", up(Upsample::Mode::Trilinear)}}, 16)),
            of(between("upsample-nearest-3d", in.d3, 1, {{"", up(Upsample::Mode::Nearest)}}, 16)),
            of(between("conv-transpose-2d-kernel-4", in.d2, in.b2, {{"", wide}})),
            of(between("upsample-bilinear", in.d2, in.b2, {{"", up(Upsample::Mode::Bilinear)}}))};
}

std::vector<Case> convolutions(const Inputs& in) {
    stack::SeparableConv separable;
    separable.outChannels = 32;
    separable.padding.same = true;
    stack::Conv depthwise = conv(32), grouped = conv(32), dilated = conv(32), strided = conv(64);
    depthwise.groups = 32;
    grouped.groups = 4;
    dilated.dilation = {2};
    dilated.padding.sizes = {2};
    strided.stride = {2};
    stack::Conv noBias = conv(32);
    noBias.bias = false;
    return {of(between("depthwise-3d", in.d3, in.b3, {{"", depthwise}})),
            of(between("separable-3d", in.d3, in.b3, {{"", separable}})),
            of(between("kernel-1-3d", in.d3, in.b3, {{"", conv(64, 1)}})),
            of(between("kernel-5-3d", in.d3, 1, {{"", conv(32, 5)}})),
            of(between("strided-3d", in.d3, in.b3, {{"", strided}})),
            of(between("dilated-3d", in.d3, in.b3, {{"", dilated}})),
            of(between("grouped-3d", in.d3, in.b3, {{"", grouped}})),
            of(between("no-bias-3d", in.d3, in.b3, {{"", noBias}})),
            of(between("separable-2d", in.d2, in.b2, {{"", separable}})),
            of(between("kernel-7-2d", in.d2, in.b2, {{"", conv(32, 7)}})),
            of(between("separable-1d", in.d1, in.b1, {{"", separable}})),
            of(between("kernel-9-1d", in.d1, in.b1, {{"", conv(32, 9)}}))};
}

std::vector<Case> customConvolutions(const Inputs& in) {
    using Implementation = stack::CustomConv::Implementation;
    constexpr std::pair<const char*, Implementation> kWays[] = {{"fused", Implementation::Fused},
                                                                {"two-step", Implementation::TwoStep},
                                                                {"cached", Implementation::Cached},
                                                                {"naive", Implementation::Naive}};
    std::vector<Case> cases;
    for (const auto& [name, way] : kWays) {
        stack::CustomConv custom;
        custom.transformChannels = 32;
        custom.outChannels = 32;
        custom.padding.same = true;
        custom.implementation = way;
        cases.push_back(of(between(fmt::format("custom-conv-{}-3d", name), in.d3, 1, {{"", custom}}, 16)));
        stack::Experiment low = between(fmt::format("custom-conv-{}-2d-fp16-channels-last", name), in.d2,
                                        in.b2, {{"", custom}}, 16);
        low.step.precision = stack::Precision::Fp16;
        low.step.channelsLast = true;
        cases.push_back(of(std::move(low)));
    }
    return cases;
}

std::vector<Case> paddings(const Inputs& in) {
    std::vector<Case> cases;
    constexpr std::pair<const char*, PaddingMode> kModes[] = {{"reflect", PaddingMode::Reflect},
                                                              {"replicate", PaddingMode::Replicate},
                                                              {"circular", PaddingMode::Circular}};
    for (const auto& [name, mode] : kModes) {
        stack::Conv padded = conv(32);
        padded.paddingMode = mode;
        cases.push_back(of(between(fmt::format("padding-{}-3d", name), in.d3, in.b3, {{"", padded}})));
    }
    stack::Conv uneven = conv(32, 4);
    uneven.padding = {true, {0}};
    cases.push_back(of(between("padding-same-even-kernel", in.d3, in.b3, {{"", uneven}})));
    return cases;
}

}  // namespace

std::vector<Case> layerCases(Scale scale) {
    const Inputs in = inputsOf(scale);
    // One of each kind first.
    std::vector<std::vector<Case>> kinds = {
        convolutions(in), norms(in),      activations(in), inplaceAbns(in),
        pools(in),        resampling(in), paddings(in),    customConvolutions(in)};
    return interleaved(kinds);
}

}  // namespace highwater::kit
