#include "core/stack/nnunet/nnunet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/core/temporary_folder.h"

namespace highwater::stack {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::newerPlans;
using ::testing::StartsWith;

NnunetImport imported(const std::string& text, const std::string& configuration, NnunetOptions options = {}) {
    options.configuration = configuration;
    auto made = importNnunet(text, "plans.json", options);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : NnunetImport{};
}

StackInfo infoOf(const Experiment& experiment) {
    const auto info = inferShapes(experiment);
    EXPECT_TRUE(info) << info.error().message;
    return info ? *info : StackInfo{};
}

/// The spatial output of each stage's block, in order, without batch.
std::vector<Shape> stagesOf(const StackInfo& info) {
    std::vector<Shape> stages;
    for (const LayerInfo& layer : info.layers) {
        if (layer.type == "block" && layer.depth == 0) {
            stages.emplace_back(layer.output.begin() + 1, layer.output.end());
        }
    }
    return stages;
}

std::vector<const LayerInfo*> ofType(const StackInfo& info, std::string_view type) {
    std::vector<const LayerInfo*> found;
    for (const LayerInfo& layer : info.layers) {
        if (layer.type == type) {
            found.push_back(&layer);
        }
    }
    return found;
}

std::int64_t normal(std::int64_t in, std::int64_t out, std::int64_t kernel) {
    return in * out * kernel + out + 2 * out;  // a convolution with its bias, an affine norm
}

/// The default network, summed by hand: two units per stage, each stage's transposed convolution with a
/// kernel of 8, four 1x1 outputs of two classes. nnU-Net's default is published with 31.2 M.
TEST(Nnunet, TheDefaultNetworkHasThePublishedSize) {
    const std::vector<std::int64_t> f = {32, 64, 128, 256, 320, 320};
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < f.size(); ++s) {
        sum += normal(s == 0 ? 1 : f[s - 1], f[s], 27) + normal(f[s], f[s], 27);
    }
    for (std::size_t s = 0; s + 1 < f.size(); ++s) {
        sum += f[s + 1] * f[s] * 8 + f[s] + normal(2 * f[s], f[s], 27) + normal(f[s], f[s], 27);
        sum += s < 4 ? 2 * f[s] + 2 : 0;  // none on the lowest
    }
    const StackInfo info = infoOf(imported(newerPlans().dump(), "3d_fullres").experiment);
    EXPECT_EQ(info.parameters, sum);
    EXPECT_NEAR(static_cast<double>(info.parameters), 31.2e6, 0.05e6);
    EXPECT_EQ(info.input, (Shape{2, 1, 128, 128, 128}));
    EXPECT_EQ(info.output, (Shape{2, 2, 128, 128, 128}));
}

TEST(Nnunet, TheResidualEncoderHasThePublishedSize) {
    const Experiment e = imported(newerPlans().dump(), "resenc").experiment;
    const StackInfo info = infoOf(e);
    EXPECT_EQ(info.parameters, 102'349'128) << "ResEnc L is published with 102 M";
    EXPECT_EQ(ofType(info, "add").size(), 26U) << "one a residual block";
    EXPECT_EQ(ofType(info, "avg_pool").size(), 5U)
        << "with a projection but in the last stage, whose channels stay";
    EXPECT_EQ(ofType(info, "branch").size(), 5U) << "the first block of all stages but the first";
    for (const LayerInfo* norm : ofType(info, "instance_norm")) {
        EXPECT_EQ(norm->parameters, 2 * norm->input[1]);
    }
    EXPECT_THAT(stagesOf(info).at(0), ElementsAre(32, 128, 128, 128)) << "the stem";
    EXPECT_THAT(stagesOf(info).at(6), ElementsAre(320, 4, 4, 4));
    EXPECT_THAT(stagesOf(info).back(), ElementsAre(32, 128, 128, 128));
}

/// conv, norm, leaky relu, conv, norm, plus the pooled and projected input, leaky relu.
TEST(Nnunet, AResidualBlockIsBasicBlockD) {
    const Experiment e = imported(newerPlans().dump(), "resenc").experiment;
    const auto& stage = std::get<Block>(e.stack.at(2).op);
    EXPECT_EQ(stage.name, "encoder 2");
    const auto& block = std::get<Block>(stage.layers.at(0).op);
    std::vector<std::string> types;
    for (const Layer& layer : block.layers) {
        types.emplace_back(typeName(layer.op));
    }
    EXPECT_THAT(types, ElementsAre("avg_pool", "conv", "instance_norm", "branch", "conv", "instance_norm",
                                   "leaky_relu", "conv", "instance_norm", "add", "leaky_relu"));
    EXPECT_FALSE(std::get<Conv>(block.layers[1].op).bias);
    EXPECT_EQ(std::get<Conv>(block.layers[1].op).kernelSize, Sizes{1});
    EXPECT_EQ(std::get<Merge>(block.layers[3].op).with, std::vector<std::string>{"encoder1"});
    EXPECT_EQ(std::get<Conv>(block.layers[4].op).stride, Sizes{2});
    EXPECT_EQ(std::get<Merge>(block.layers[9].op).with, std::vector{block.layers[2].id});
    const auto& next = std::get<Block>(stage.layers.at(1).op);
    EXPECT_EQ(next.layers.size(), 7U) << "no projection where channels and size stay";
    EXPECT_EQ(std::get<Merge>(next.layers[5].op).with, std::vector{stage.layers[0].id});
}

TEST(Nnunet, TrainsAsNnunetDoes) {
    const Experiment e = imported(newerPlans().dump(), "3d_fullres").experiment;
    EXPECT_EQ(e.name, "Dataset001_Test 3d_fullres");
    EXPECT_EQ(e.loss, Loss::DiceCrossEntropy);
    EXPECT_EQ(e.target.classes, 2);
    EXPECT_EQ(e.optimizer.kind, Optimizer::Kind::Sgd);
    EXPECT_EQ(e.optimizer.momentum, 0.99);
    EXPECT_TRUE(e.optimizer.nesterov);
    EXPECT_EQ(e.optimizer.weightDecay, 3e-5);
    EXPECT_EQ(e.optimizer.lr, 0.01);
    EXPECT_EQ(e.step.precision, Precision::Fp16);
    EXPECT_TRUE(e.backend.benchmark) << "run_training sets cudnn.benchmark, whatever the network";
    EXPECT_FALSE(e.backend.deterministic);
    EXPECT_TRUE(imported(newerPlans().dump(), "resenc").experiment.backend.benchmark);
    const auto& first = std::get<Block>(e.stack.at(0).op).layers;
    EXPECT_EQ(std::get<Norm>(first.at(1).op).eps, 1e-5);
    EXPECT_TRUE(std::get<Norm>(first.at(1).op).affine);
    const auto& relu = std::get<Activation>(first.at(2).op);
    EXPECT_EQ(relu.kind, Activation::Kind::LeakyRelu);
    EXPECT_TRUE(relu.inplace);
    EXPECT_EQ(relu.negativeSlope, 0.01);
    highwater::testing::SchemaCheck check;
    EXPECT_EQ(check.problem("experiment.json", nlohmann::json::parse(toText(e))), "");
}

TEST(Nnunet, HeadsHalveDownTheDecoder) {
    const Experiment e = imported(newerPlans().dump(), "3d_fullres").experiment;
    std::vector<double> weights;
    std::vector<std::int64_t> sizes;
    const StackInfo info = infoOf(e);
    for (const Layer& layer : e.stack) {
        if (const auto* const block = std::get_if<Block>(&layer.op)) {
            for (const Layer& inner : block->layers) {
                if (const auto* const head = std::get_if<Head>(&inner.op)) {
                    weights.push_back(head->weight);
                }
            }
        }
    }
    for (const LayerInfo* head : ofType(info, "head")) {
        sizes.push_back(head->output[2]);
    }
    EXPECT_THAT(weights, ElementsAre(0.125, 0.25, 0.5))
        << "the stack's own output has 1, the lowest stage none";
    EXPECT_THAT(sizes, ElementsAre(16, 32, 64));
    NnunetOptions without;
    without.deepSupervision = false;
    EXPECT_TRUE(
        ofType(infoOf(imported(newerPlans().dump(), "3d_fullres", without).experiment), "head").empty());
}

TEST(Nnunet, ConfigurationsInheritInChains) {
    const Experiment chain = imported(newerPlans().dump(), "chain").experiment;
    EXPECT_EQ(chain.step.batchSize, 4);
    EXPECT_EQ(infoOf(chain).input, (Shape{4, 1, 64, 64, 64}));
    const auto names = nnunetConfigurations(newerPlans().dump(), "plans.json");
    ASSERT_TRUE(names);
    EXPECT_THAT(*names, ElementsAre("3d_fullres", "resenc", "pair", "chain"));
}

struct Real {
    const char* configuration;
    std::int64_t parameters;
    Shape input;
    std::vector<Shape> encoder;
};

class NnunetReal : public ::testing::TestWithParam<Real> {};

/// Parameters: counted from the modules of dynamic-network-architectures, without the lowest stage's 1x1
/// output.
TEST_P(NnunetReal, EachConfigurationHasItsParametersAndShapes) {
    const auto plans = testing::realPlans();
    if (plans.empty()) {
        GTEST_SKIP() << "no plans/nextou-nnUNetPlans.json; set HIGHWATER_PLANS";
    }
    const Real& real = GetParam();
    const NnunetImport made = imported(*base::readFile(plans), real.configuration);
    EXPECT_TRUE(made.experiment.backend.benchmark);
    const StackInfo info = infoOf(made.experiment);
    EXPECT_EQ(info.parameters, real.parameters);
    EXPECT_EQ(info.input, real.input);
    const std::vector<Shape> stages = stagesOf(info);
    const std::size_t count = real.encoder.size();
    ASSERT_EQ(stages.size(), 2 * count - 1);
    for (std::size_t s = 0; s < count; ++s) {
        EXPECT_EQ(stages[s], real.encoder[s]) << s;
    }
    for (std::size_t s = 0; s + 1 < count; ++s) {
        EXPECT_EQ(stages[stages.size() - 1 - s], real.encoder[s]) << "the way up mirrors the way down";
    }
}

INSTANTIATE_TEST_SUITE_P(Plans, NnunetReal,
                         ::testing::Values(Real{"2d",
                                                33'470'794,
                                                {14, 1, 512, 448},
                                                {{32, 512, 448},
                                                 {64, 256, 224},
                                                 {128, 128, 112},
                                                 {256, 64, 56},
                                                 {512, 32, 28},
                                                 {512, 16, 14},
                                                 {512, 8, 7}}},
                                           Real{"3d_lowres",
                                                30'785'352,
                                                {2, 1, 64, 224, 160},
                                                {{32, 64, 224, 160},
                                                 {64, 32, 112, 80},
                                                 {128, 16, 56, 40},
                                                 {256, 8, 28, 20},
                                                 {320, 4, 14, 10},
                                                 {320, 4, 7, 5}}},
                                           Real{"3d_fullres",
                                                31'112'456,
                                                {2, 1, 64, 192, 160},
                                                {{32, 64, 192, 160},
                                                 {64, 64, 96, 80},
                                                 {128, 32, 48, 40},
                                                 {256, 16, 24, 20},
                                                 {320, 8, 12, 10},
                                                 {320, 4, 6, 5}}},
                                           Real{"3d_fullres_nextou",
                                                32'364'296,
                                                {2, 1, 64, 224, 192},
                                                {{33, 64, 224, 192},
                                                 {66, 64, 112, 96},
                                                 {132, 32, 56, 48},
                                                 {264, 16, 28, 24},
                                                 {324, 8, 14, 12},
                                                 {324, 4, 7, 6}}},
                                           Real{"3d_cascade_fullres",
                                                31'112'744,
                                                {2, 2, 64, 192, 160},
                                                {{32, 64, 192, 160},
                                                 {64, 64, 96, 80},
                                                 {128, 32, 48, 40},
                                                 {256, 16, 24, 20},
                                                 {320, 8, 12, 10},
                                                 {320, 4, 6, 5}}}));

class NnunetFile : public ::testing::Test {
protected:
    std::filesystem::path write(const char* name, const std::string& text) {
        const auto path = folder_.path() / name;
        std::ofstream(path) << text;
        return path;
    }
    highwater::test::TemporaryFolder folder_;
};

TEST_F(NnunetFile, TheDatasetBesideSaysChannelsAndClasses) {
    Json plans = newerPlans();
    plans["configurations"]["3d_fullres"]["previous_stage"] = "3d_lowres";
    const auto path = write("nnUNetPlans.json", plans.dump());
    write("dataset.json", R"({"channel_names": {"0": "T1", "1": "T2"},
        "labels": {"background": 0, "edema": 1, "core": 2, "ignore": 3}, "numTraining": 9})");
    auto made = importNnunetFile(path, {});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->experiment.target.classes, 3);
    EXPECT_EQ(std::get<SyntheticInput>(made->experiment.input).shape[0], 2 + 2)
        << "images and the lower stage's labels";
    EXPECT_THAT(made->notes, ::testing::Contains(HasSubstr("2 input channels more")));
    NnunetOptions own;
    own.classes = 5;
    own.inputChannels = 1;
    made = importNnunetFile(path, own);
    EXPECT_EQ(made->experiment.target.classes, 5);
    EXPECT_EQ(std::get<SyntheticInput>(made->experiment.input).shape[0], 1 + 4);

    write("dataset.json",
          R"({"modality": {"0": "MR"}, "labels": {"background": 0, "whole": [1, 2], "core": [2]}})");
    own = {};
    made = importNnunetFile(path, own);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->experiment.target.classes, 2) << "two regions";
    EXPECT_THAT(made->notes, ::testing::Contains(HasSubstr("overlapping labels")));

    for (const auto& [text, message] : std::map<std::string, std::string>{
             {R"({"labels": {}})", "/channel_names: must be an object with a name for each channel"},
             {R"({"channel_names": {"0": "CT"}})", "/labels: must be an object with a label for each name"},
             {R"({"channel_names": {"0": "CT"}, "labels": {}})", "/labels: holds no label"},
             {R"({"channel_names": {"0": "CT"}, "labels": {"a": -1}})",
              "/labels/a: must be a label from 0 to 65535 or a list of such"}}) {
        write("dataset.json", text);
        made = importNnunetFile(path, own);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().message, (folder_.path() / "dataset.json").string() + ": " + message);
    }
}

TEST_F(NnunetFile, MissingAndForeignFilesAreNamed) {
    EXPECT_THAT(importNnunetFile(folder_.path() / "no.json", {}).error().message, HasSubstr("no such file"));
    EXPECT_TRUE(looksLikeNnunetPlans(newerPlans().dump()));
    EXPECT_FALSE(looksLikeNnunetPlans(R"({"schema": "highwater.experiment/1"})"));
    EXPECT_THAT(nnunetConfigurations("{}", "a.json").error().message,
                StartsWith("a.json: /configurations: "));
}

/// Possible errors in a user's plans, and the error line for each.
struct Bad {
    std::function<void(Json&)> change;  ///< of the arch_kwargs of 3d_fullres, or of what it takes
    const char* message;
};

std::string refusal(const Json& plans, const std::string& configuration = "3d_fullres") {
    NnunetOptions options;
    options.configuration = configuration;
    const auto made = importNnunet(plans.dump(), "p", options);
    return made ? "no error" : made.error().message;
}

TEST(NnunetErrors, NameTheKeyOfTheNetwork) {
    const std::string where = "p: /configurations/3d_fullres/architecture/arch_kwargs";
    const std::vector<Bad> all = {
        {[](Json& k) { k.erase("n_stages"); }, "/n_stages: is missing"},
        {[](Json& k) { k["n_stages"] = 1000000; }, "/n_stages: must be a whole number from 2 to 32"},
        {[](Json& k) { k["n_stages"] = 5; }, "/features_per_stage: has 6 entries; 5 are needed"},
        {[](Json& k) { k["features_per_stage"] = "many"; },
         "/features_per_stage: must be a number or a list"},
        {[](Json& k) { k["features_per_stage"][2] = -1; }, "/features_per_stage"},
        {[](Json& k) { k.erase("kernel_sizes"); }, "/kernel_sizes: is missing"},
        {[](Json& k) { k["kernel_sizes"][1] = {3, 3}; },
         "/kernel_sizes: must have a whole number from 1 or a list of 3"},
        {[](Json& k) { k["strides"].erase(0); }, "/strides: has 5 entries; 6 are needed"},
        {[](Json& k) { k["strides"][1][0] = 0.5; }, "/strides: must have a whole number from 1"},
        {[](Json& k) { k["n_conv_per_stage"][0] = 1000000000; }, "/n_conv_per_stage"},
        {[](Json& k) { k["n_conv_per_stage_decoder"] = {1}; },
         "/n_conv_per_stage_decoder: has 1 entries; 5 are needed"},
        {[](Json& k) { k["conv_op"] = "torch.nn.Conv2d"; },
         "/conv_op: must be Conv3d, as the patch has 3 sizes"},
        {[](Json& k) { k["norm_op"] = "torch.nn.LayerNorm"; }, "/norm_op: \"LayerNorm\" cannot be imported"},
        {[](Json& k) { k["norm_op_kwargs"]["eps"] = "small"; }, "/norm_op_kwargs/eps: must be a number"},
        {[](Json& k) { k["nonlin"] = "torch.nn.Tanh"; }, "/nonlin: \"Tanh\" cannot be imported"},
        {[](Json& k) { k["nonlin_kwargs"] = 1; }, "/nonlin_kwargs: must be an object"},
        {[](Json& k) { k["dropout_op"] = "torch.nn.AlphaDropout"; },
         "/dropout_op: \"AlphaDropout\" cannot be imported"},
        {[](Json& k) { k["conv_bias"] = "yes"; }, "/conv_bias: must be true or false"}};
    for (const Bad& bad : all) {
        Json plans = newerPlans();
        bad.change(plans["configurations"]["3d_fullres"]["architecture"]["arch_kwargs"]);
        EXPECT_THAT(refusal(plans), StartsWith(where + bad.message));
    }
}

TEST(NnunetErrors, NameWhatAResidualEncoderCannotHave) {
    const std::string where = "p: /configurations/resenc/architecture/arch_kwargs";
    const std::vector<Bad> all = {
        {[](Json& k) { k["block"] = "x.BottleneckD"; },
         "/block: \"BottleneckD\" cannot be imported; BasicBlockD can; pretend nnU-Net's own training"},
        {[](Json& k) { k["bottleneck_channels"] = 8; }, "/bottleneck_channels: cannot be imported"},
        {[](Json& k) { k["squeeze_excitation"] = true; }, "/squeeze_excitation: cannot be imported"},
        {[](Json& k) { k["stochastic_depth_p"] = 0.1; }, "/stochastic_depth_p: cannot be imported"},
        {[](Json& k) { k.erase("n_blocks_per_stage"); }, "/n_blocks_per_stage: is missing"}};
    for (const Bad& bad : all) {
        Json plans = newerPlans();
        bad.change(plans["configurations"]["resenc"]["architecture"]["arch_kwargs"]);
        EXPECT_THAT(refusal(plans, "resenc"), StartsWith(where + bad.message));
    }
}

TEST(NnunetErrors, NameTheConfiguration) {
    const std::string one = "p: /configurations/3d_fullres";
    const std::vector<std::pair<std::function<void(Json&)>, std::string>> all = {
        {[](Json& p) { p = Json::array(); },
         "p: /configurations: is missing; a plans file of nnU-Net has them"},
        {[](Json& p) { p["configurations"] = 3; }, "p: /configurations: is missing"},
        {[](Json& p) { p["configurations"]["3d_fullres"] = 3; }, one + ": must be an object"},
        {[](Json& p) { p["configurations"].erase("3d_fullres"); },
         "p: there is no configuration \"3d_fullres\"; there are resenc"},
        {[](Json& p) { p["configurations"]["3d_fullres"]["inherits_from"] = "chain"; },
         one + ": following inherits_from leads back to \"3d_fullres\""},
        {[](Json& p) { p["configurations"]["3d_fullres"]["inherits_from"] = "nothing"; },
         one + ": inherits_from names \"nothing\", which is not a configuration"},
        {[](Json& p) { p["configurations"]["3d_fullres"]["inherits_from"] = 5; },
         one + "/inherits_from: must be the name of a configuration"},
        {[](Json& p) { p["configurations"]["3d_fullres"].erase("architecture"); }, one + ": has no network"},
        {[](Json& p) { p["configurations"]["3d_fullres"]["architecture"].erase("arch_kwargs"); },
         one + "/architecture/arch_kwargs: is missing"},
        {[](Json& p) {
             p["configurations"]["3d_fullres"]["architecture"]["network_class_name"] = "a.SwinUNETR";
         },
         one +
             "/architecture/network_class_name: \"SwinUNETR\" cannot be imported; PlainConvUNet and "
             "ResidualEncoderUNet can; pretend nnU-Net's own training (highwater-cli script, see \"Your own "
             "script\"), or build the network in Python with nnunetv2's get_network_from_plans and save it "
             "with "
             "the Python package"},
        {[](Json& p) {
             p["configurations"]["3d_fullres"]["architecture"]["network_class_name"] =
                 "dynamic_network_architectures.architectures.primus.PrimusM";
         },
         one + "/architecture/network_class_name: \"PrimusM\" cannot be imported; PlainConvUNet and "
               "ResidualEncoderUNet can; pretend nnU-Net's own training"},
        {[](Json& p) { p["configurations"]["3d_fullres"].erase("batch_size"); },
         one + "/batch_size: is missing"},
        {[](Json& p) { p["configurations"]["3d_fullres"]["patch_size"] = 128; },
         one + "/patch_size: must be a list of 2 or 3 numbers"},
        {[](Json& p) { p["configurations"]["3d_fullres"]["patch_size"] = {128, 100, 128}; },
         one + "/patch_size: 100 is not a multiple of 32, the product of the strides along axis 1"},
        {[](Json& p) { p["configurations"]["3d_fullres"]["patch_size"] = {1048576, 1048576, 1048576}; },
         one + ": input: a batch of"}};
    for (const auto& [change, message] : all) {
        Json plans = newerPlans();
        change(plans);
        EXPECT_THAT(refusal(plans), StartsWith(message));
    }
}

TEST(NnunetErrors, NameTheKeyOfTheOlderLayout) {
    const auto older = [] {
        return Json{{"configurations",
                     {{"3d_fullres",
                       {{"batch_size", 2},
                        {"patch_size", {16, 16}},
                        {"UNet_class_name", "PlainConvUNet"},
                        {"UNet_base_num_features", 8},
                        {"unet_max_num_features", 12},
                        {"n_conv_per_stage_encoder", {2, 1}},
                        {"n_conv_per_stage_decoder", {2}},
                        {"pool_op_kernel_sizes", {{1, 1}, {2, 2}}},
                        {"conv_kernel_sizes", {{3, 3}, {1, 3}}}}}}}};
    };
    EXPECT_EQ(refusal(older()), "no error");
    for (const char* key : {"UNet_base_num_features", "unet_max_num_features", "n_conv_per_stage_decoder",
                            "pool_op_kernel_sizes", "conv_kernel_sizes", "batch_size", "patch_size"}) {
        Json plans = older();
        plans["configurations"]["3d_fullres"].erase(key);
        EXPECT_THAT(refusal(plans),
                    StartsWith(std::string("p: /configurations/3d_fullres/") + key + ": is missing"));
    }
    Json plans = older();
    plans["configurations"]["3d_fullres"]["UNet_class_name"] = "Other";
    EXPECT_THAT(refusal(plans), HasSubstr("/UNet_class_name: \"Other\" cannot be imported"));
    plans = older();
    plans["configurations"]["3d_fullres"]["n_conv_per_stage_encoder"] = {2};
    EXPECT_THAT(refusal(plans), HasSubstr("/n_conv_per_stage_encoder: must be a list of 2 to 32 numbers"));
    EXPECT_THAT(importNnunet("{]", "p", {}).error().message, StartsWith("p: not valid JSON: line 1"));
}

}  // namespace
}  // namespace highwater::stack
