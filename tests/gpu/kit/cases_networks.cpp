#include <fmt/format.h>

#include "core/stack/nnunet/nnunet.h"
#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/case.h"

namespace highwater::kit {

namespace {

using stack::Norm;
using stack::Sizes;

/// An nnU-Net plans file in its planner's format, with two configurations: a PlainConvUNet in 3D and a
/// ResidualEncoderUNet in 2D.
std::string plans(std::int64_t patch3d, std::int64_t patch2d) {
    return fmt::format(R"({{
  "dataset_name": "Dataset000_Kit", "plans_name": "nnUNetPlans",
  "configurations": {{
    "3d_fullres": {{
      "batch_size": 2, "patch_size": [{0}, {0}, {0}], "normalization_schemes": ["ZScoreNormalization"],
      "architecture": {{
        "network_class_name": "dynamic_network_architectures.architectures.unet.PlainConvUNet",
        "arch_kwargs": {{
          "n_stages": 4, "features_per_stage": [32, 64, 128, 256],
          "conv_op": "torch.nn.modules.conv.Conv3d", "kernel_sizes": [[3,3,3], [3,3,3], [3,3,3], [3,3,3]],
          "strides": [[1,1,1], [2,2,2], [2,2,2], [2,2,2]], "n_conv_per_stage": [2, 2, 2, 2],
          "n_conv_per_stage_decoder": [2, 2, 2], "conv_bias": true,
          "norm_op": "torch.nn.modules.instancenorm.InstanceNorm3d",
          "norm_op_kwargs": {{"eps": 1e-05, "affine": true}}, "dropout_op": null, "dropout_op_kwargs": null,
          "nonlin": "torch.nn.LeakyReLU", "nonlin_kwargs": {{"inplace": true}} }} }} }},
    "2d": {{
      "batch_size": 12, "patch_size": [{1}, {1}], "normalization_schemes": ["ZScoreNormalization"],
      "architecture": {{
        "network_class_name": "dynamic_network_architectures.architectures.unet.ResidualEncoderUNet",
        "arch_kwargs": {{
          "n_stages": 4, "features_per_stage": [32, 64, 128, 256],
          "conv_op": "torch.nn.modules.conv.Conv2d", "kernel_sizes": [[3,3], [3,3], [3,3], [3,3]],
          "strides": [[1,1], [2,2], [2,2], [2,2]], "n_blocks_per_stage": [1, 2, 2, 2],
          "n_conv_per_stage_decoder": [1, 1, 1], "conv_bias": true,
          "norm_op": "torch.nn.modules.instancenorm.InstanceNorm2d",
          "norm_op_kwargs": {{"eps": 1e-05, "affine": true}}, "dropout_op": null, "dropout_op_kwargs": null,
          "nonlin": "torch.nn.LeakyReLU", "nonlin_kwargs": {{"inplace": true}} }} }} }} }} }})",
                       patch3d, patch2d);
}

base::Result<stack::Experiment> nnunet(Scale scale, const std::string& configuration, std::string name,
                                       stack::Precision precision, bool deepSupervision) {
    stack::NnunetOptions options;
    options.configuration = configuration;
    options.precision = precision;
    options.deepSupervision = deepSupervision;
    options.classes = 3;
    auto imported = stack::importNnunet(plans(size3d(scale, 128), size2d(scale, 512)), "kit", options);
    if (!imported) {
        return imported.error();
    }
    imported->experiment.name = std::move(name);
    if (scale == Scale::Rehearsal && imported->experiment.step.batchSize > 2) {
        imported->experiment.step.batchSize = 2;
    }
    return imported->experiment;
}

/// Three residual units: a block, whose input is added to its output.
Layers residual(std::int64_t channels) {
    Layers layers = unit(channels);
    for (int i = 1; i <= 3; ++i) {
        const std::string id = fmt::format("in{}", i);
        layers.push_back(named(id, conv(channels)));
        layers = layers + unit(channels);
        layers.push_back({"", conv(channels)});
        layers.push_back({"", merge(stack::Merge::Kind::Add, id)});
        layers.push_back({"", activation(stack::Activation::Kind::Relu, false)});
    }
    return layers;
}

std::vector<Case> plain(Scale scale) {
    const std::int64_t n3 = size3d(scale, 128), n2 = size2d(scale, 512), n1 = size1d(scale, 1 << 18);
    const auto of = [](stack::Experiment e) { return Case{"networks", std::move(e)}; };
    return {of(segmentation("plain-3d", {1, n3, n3, n3}, 2, unit(32) + unit(32) + unit(64))),
            of(segmentation("plain-2d", {3, n2, n2}, 8, unit(64) + unit(64) + unit(128))),
            of(segmentation("plain-1d", {1, n1}, 16, unit(64) + unit(64) + unit(128))),
            of(segmentation("residual-3d", {1, n3, n3, n3}, 1, residual(32))),
            of(segmentation("residual-2d", {1, n2, n2}, 4, residual(64))),
            of(segmentation("anisotropic-3d", {2, n3 / 4, n3 * 3 / 2, n3 * 3 / 2}, 2, unit(32) + unit(32))),
            of(segmentation("odd-sizes-3d", {1, n3 - 31 * (scale == Scale::Gpu) - 1, n3 - 3, n3 - 5}, 1,
                            unit(24) + unit(40)))};
}

}  // namespace

base::Result<std::vector<Case>> networkCases(Scale scale) {
    std::vector<Case> cases;
    const std::int64_t n3 = size3d(scale, 128), n2 = size2d(scale, 512), n1 = size1d(scale, 1 << 17);
    using stack::Precision;
    for (auto made : {preset("unet-3d", "unet-3d", {n3, n3, n3}, 1),
                      nnunet(scale, "3d_fullres", "nnunet-3d", Precision::Fp32, true),
                      nnunet(scale, "3d_fullres", "nnunet-3d-fp16", Precision::Fp16, true),
                      nnunet(scale, "2d", "nnunet-2d-residual", Precision::Fp32, true),
                      nnunet(scale, "2d", "nnunet-2d-residual-fp16", Precision::Fp16, true),
                      nnunet(scale, "3d_fullres", "nnunet-3d-one-output", Precision::Fp32, false),
                      preset("plain-2d", "preset-plain-2d", {n2, n2}, 8),
                      preset("residual-3d", "preset-residual-3d", {n3, n3, n3}, 1),
                      preset("signal-1d", "preset-signal-1d", {n1}, 16),
                      preset("plain-3d", "preset-plain-3d", {n3, n3, n3}, 1)}) {
        if (!made) {
            return made.error();
        }
        cases.push_back({"networks", std::move(*made)});
    }
    const std::vector<Case> more = plain(scale);
    cases.insert(cases.begin() + 3, more.begin(), more.end());
    return cases;
}

}  // namespace highwater::kit
