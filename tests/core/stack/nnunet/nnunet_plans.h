#pragma once

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

/// Plans files of nnU-Net, for tests.
namespace highwater::stack::testing {

/// A published plans file in the older layout, from the folder $HIGHWATER_PLANS; empty if there is none.
inline std::filesystem::path realPlans() {
    const char* named = std::getenv("HIGHWATER_PLANS");
    const std::filesystem::path folder = named && *named ? named : HIGHWATER_SOURCE_DIR "/../shared/plans";
    const auto file = folder / "nextou-nnUNetPlans.json";
    return std::filesystem::is_regular_file(file) ? file : std::filesystem::path();
}

/// A plans file in the newer layout, with both network classes: nnU-Net's own default for 128^3 patches
/// ("3d_fullres") and its ResEnc L ("resenc"). "pair" inherits from the first, "chain" from "pair".
inline nlohmann::ordered_json newerPlans() {
    using Json = nlohmann::ordered_json;
    Json three = Json::array(), strides = Json::array({{1, 1, 1}});
    for (int stage = 0; stage < 6; ++stage) {
        three.push_back({3, 3, 3});
    }
    for (int stage = 1; stage < 6; ++stage) {
        strides.push_back({2, 2, 2});
    }
    Json kwargs = {{"n_stages", 6},
                   {"features_per_stage", {32, 64, 128, 256, 320, 320}},
                   {"conv_op", "torch.nn.modules.conv.Conv3d"},
                   {"kernel_sizes", three},
                   {"strides", strides},
                   {"n_conv_per_stage", {2, 2, 2, 2, 2, 2}},
                   {"n_conv_per_stage_decoder", {2, 2, 2, 2, 2}},
                   {"conv_bias", true},
                   {"norm_op", "torch.nn.modules.instancenorm.InstanceNorm3d"},
                   {"norm_op_kwargs", {{"eps", 1e-5}, {"affine", true}}},
                   {"dropout_op", nullptr},
                   {"dropout_op_kwargs", nullptr},
                   {"nonlin", "torch.nn.LeakyReLU"},
                   {"nonlin_kwargs", {{"inplace", true}}}};
    Json residual = kwargs;
    residual.erase("n_conv_per_stage");
    residual["n_blocks_per_stage"] = {1, 3, 4, 6, 6, 6};
    residual["n_conv_per_stage_decoder"] = {1, 1, 1, 1, 1};
    const std::string unet = "dynamic_network_architectures.architectures.unet.";
    const Json facts = {{"data_identifier", "nnUNetPlans_3d_fullres"},
                        {"batch_size", 2},
                        {"patch_size", {128, 128, 128}},
                        {"normalization_schemes", {"ZScoreNormalization"}}};
    Json plain = facts, encoder = facts;
    plain["architecture"] = {{"network_class_name", unet + "PlainConvUNet"},
                             {"arch_kwargs", kwargs},
                             {"_kw_requires_import", {"conv_op", "norm_op", "dropout_op", "nonlin"}}};
    encoder["architecture"] = {{"network_class_name", unet + "ResidualEncoderUNet"},
                               {"arch_kwargs", residual}};
    return {{"dataset_name", "Dataset001_Test"},
            {"plans_name", "nnUNetPlans"},
            {"configurations",
             {{"3d_fullres", plain},
              {"resenc", encoder},
              {"pair", {{"inherits_from", "3d_fullres"}, {"batch_size", 4}}},
              {"chain", {{"inherits_from", "pair"}, {"patch_size", {64, 64, 64}}}},
              {"abstract", {{"batch_size", 9}}}}}};
}

}  // namespace highwater::stack::testing
