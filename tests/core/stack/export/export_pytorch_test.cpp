#include "core/stack/export/export_pytorch.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/stack/json/json.h"
#include "tests/core/stack/random_plan.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/temporary_folder.h"

namespace highwater::stack {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Experiment read(const std::string& text) {
    auto experiment = parseExperiment(text, "test");
    EXPECT_TRUE(experiment.ok()) << (experiment ? "" : experiment.error().message);
    return experiment ? *experiment : Experiment{};
}

/// A small experiment around a stack and further fields.
std::string program(const std::string& stack, const std::string& more = "",
                    const std::string& loss = R"("mean")") {
    const auto made = exportPytorch(read(
        R"({"schema": "highwater.experiment/1", "name": "test", "input": {"synthetic": [1, 16, 16]}, "loss": )" +
        loss + R"(, "stack": )" + stack + more + "}"));
    EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
    return made ? *made : "";
}

constexpr const char* kExportedConv =
    R"([{"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}])";

void expectShortLines(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LT(line.size(), 100U) << line;
    }
}

TEST(ExportPytorch, NamesLayersAndSkipsAsTheExperimentDoes) {
    const std::string text = program(R"([
      {"type": "conv", "out_channels": 4, "kernel_size": [3, 5], "padding": [1, 2], "bias": false, "id": "Skip 1"},
      {"type": "block", "name": "enc", "layers": [{"type": "batch_norm"}, {"type": "relu", "inplace": true}]},
      {"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": "same", "padding_mode": "reflect"},
      {"type": "concat", "with": "Skip 1"},
      {"type": "head", "out_channels": 2, "weight": 0.25},
      {"type": "conv_transpose", "out_channels": 2, "kernel_size": 2, "stride": 2}])");
    EXPECT_THAT(text, HasSubstr("self.conv1 = nn.Conv2d(1, 4, (3, 5), padding=(1, 2), bias=False)\n"));
    EXPECT_THAT(text, HasSubstr("        self.enc = nn.Sequential(\n            nn.BatchNorm2d(4),\n"
                                "            nn.ReLU(inplace=True),\n        )\n"));
    EXPECT_THAT(text, HasSubstr("padding=\"same\", padding_mode=\"reflect\")"));
    EXPECT_THAT(text, HasSubstr("        x = skip_1 = self.conv1(x)\n        x = self.enc(x)\n"));
    EXPECT_THAT(text, HasSubstr("x = torch.cat([x, skip_1], dim=1)\n        del skip_1\n"));
    EXPECT_THAT(text, HasSubstr("        head1 = self.head7(x)\n"));
    EXPECT_THAT(text, HasSubstr("        return head1, x\n"));
    EXPECT_THAT(text, HasSubstr("WEIGHTS = (0.2, 0.8)"));
    EXPECT_THAT(text, Not(HasSubstr("checkpoint")));
    EXPECT_THAT(text, Not(HasSubstr("numpy")));
}

TEST(ExportPytorch, NamesThatPythonOrTorchHasAreChanged) {
    const std::string text = program(R"([
      {"type": "block", "name": "train", "id": "lambda", "layers": [{"type": "conv", "out_channels": 1, "kernel_size": 1}]},
      {"type": "block", "name": "\"); import os #", "layers": [{"type": "relu"}]},
      {"type": "relu"}, {"type": "add", "with": "lambda"}])");
    EXPECT_THAT(text, HasSubstr("self.train_2 = nn.Sequential("));
    EXPECT_THAT(text, HasSubstr("self.import_os = nn.Sequential("));
    EXPECT_THAT(text, HasSubstr("x = x + lambda_2\n"));
}

TEST(ExportPytorch, WritesGatesAndJoinsOfSeveral) {
    const std::string text = program(R"([
      {"type": "conv", "out_channels": 4, "kernel_size": 1, "id": "a"}, {"type": "mish", "inplace": false, "id": "b"},
      {"type": "prelu", "num_parameters": 4}, {"type": "softmax"}, {"type": "scale", "value": 0.5},
      {"type": "mul", "with": "a"}, {"type": "sub", "with": "b"}, {"type": "concat", "with": ["a", "b"]}])");
    for (const char* const line :
         {"self.mish2 = nn.Mish()\n", "self.prelu3 = nn.PReLU(num_parameters=4)\n",
          "self.softmax4 = nn.Softmax(dim=1)\n", "self.scale5 = Scale(0.5)\n", "class Scale(nn.Module):\n",
          "x = x * a\n", "x = x - b\n", "x = torch.cat([x, a, b], dim=1)\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
    expectShortLines(text);
}

TEST(ExportPytorch, WritesClassifiers) {
    const std::string text =
        program(R"([
      {"type": "conv", "out_channels": 4, "kernel_size": 1}, {"type": "adaptive_avg_pool", "output_size": [2, 1]},
      {"type": "adaptive_max_pool"}, {"type": "flatten"}, {"type": "batch_norm"},
      {"type": "dropout", "feature": true}, {"type": "linear", "out_features": 3, "bias": false}])",
                R"(, "target": {"classes": 3}, "step": {"batch_size": 4})", R"("cross_entropy")");
    for (const char* const line :
         {"self.adaptive_avg_pool2 = nn.AdaptiveAvgPool2d((2, 1))\n",
          "self.adaptive_max_pool3 = nn.AdaptiveMaxPool2d(1)\n", "self.flatten4 = nn.Flatten()\n",
          "self.batch_norm5 = nn.BatchNorm1d(4)\n", "self.dropout6 = nn.Dropout(0.5)\n",
          "self.linear7 = nn.Linear(4, 3, bias=False)\n",
          "    target = torch.empty((4,), dtype=torch.int64, device=device)\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
}

TEST(ExportPytorch, WritesPadsCropsAndModulesThatAreCalledTwice) {
    const std::string text = program(R"([
      {"type": "conv", "out_channels": 1, "kernel_size": 1, "id": "a"}, {"type": "pad", "padding": [1, 0, 0, 2]},
      {"type": "pad", "padding": [0, 0, 0, 0], "mode": "replicate"}, {"type": "crop", "start": [0, 1], "size": 4},
      {"type": "layer_norm", "normalized_shape": 4, "affine": false}, {"type": "conv", "out_channels": 1, "kernel_size": 1},
      {"type": "shared", "with": "a"}, {"type": "local_response_norm", "size": 3, "k": 2}])",
                                     "", R"("mean")");
    for (const char* const line :
         {"self.pad2 = Pad((1, 0, 0, 2))\n", "self.pad3 = Pad((0, 0, 0, 0), \"replicate\")\n",
          "self.crop4 = Crop((0, 1), (4, 4))\n",
          "self.layer_norm5 = nn.LayerNorm((4,), elementwise_affine=False)\n",
          "self.local_response_norm8 = nn.LocalResponseNorm(3, k=2",
          "        x = self.conv6(x)\n        x = self.conv1(x)\n", "class Pad(nn.Module):\n",
          "class Crop(nn.Module):\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
    expectShortLines(text);
}

TEST(ExportPytorch, WritesAttentionAsTheOneCallThatItIs) {
    const std::string begin =
        R"([{"type": "conv", "out_channels": 4, "kernel_size": 1, "id": "a"}, {"type": "relu", "id": "b"},
            {"type": "scaled_dot_product_attention", "with": ["a", "b"])";
    EXPECT_THAT(program(begin + "}]", "", R"("mean")"),
                AllOf(HasSubstr("import torch.nn.functional as F\n"),
                      HasSubstr("x = F.scaled_dot_product_attention(x, a, x)\n")));
    EXPECT_THAT(program(begin + R"(, "is_causal": true, "scale": 0.5, "dropout_p": 0.1}])", "", R"("mean")"),
                AllOf(HasSubstr("dropout_p=0.1 if self.training else 0.0"), HasSubstr("is_causal=True"),
                      HasSubstr("scale=0.5")));
}

TEST(ExportPytorch, WritesViewsAndLearnedFactors) {
    const std::string text = program(R"([
      {"type": "conv", "out_channels": 4, "kernel_size": 1, "id": "a"}, {"type": "permute", "dims": [0, 2, 3, 1]},
      {"type": "linear", "out_features": 6}, {"type": "layer_scale", "shape": [6]}, {"type": "stochastic_depth", "p": 0.2},
      {"type": "reshape", "shape": [-1, 64, 2, 3]}, {"type": "select", "dim": 2}, {"type": "position_embedding", "shape": [64, 3]},
      {"type": "contiguous", "id": "b"}, {"type": "permute", "dims": [0, 2, 1]}, {"type": "matmul", "with": "b"},
      {"type": "clone"}, {"type": "class_token", "shape": [1, 1, 3]}])",
                                     "", R"("mean")");
    for (const char* const line :
         {"self.permute2 = Permute(0, 2, 3, 1)\n", "self.linear3 = nn.Linear(4, 6)\n",
          "self.layer_scale4 = LayerScale(6)\n", "self.stochastic_depth5 = StochasticDepth(0.2)\n",
          "self.reshape6 = Reshape(-1, 64, 2, 3)\n", "self.select7 = Select(2, 0)\n",
          "self.position_embedding8 = PositionEmbedding(64, 3)\n", "self.contiguous9 = Contiguous()\n",
          "x = x @ b\n", "self.clone12 = Clone()\n", "class Clone(nn.Module):\n",
          "self.class_token13 = ClassToken(1, 1, 3)\n", "class ClassToken(nn.Module):\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
    expectShortLines(text);
}

TEST(ExportPytorch, CheckpointsBlocksAndSegments) {
    const std::string blocks = R"([
      {"type": "conv", "out_channels": 4, "kernel_size": 1},
      {"type": "block", "name": "a", "checkpoint": true, "layers": [{"type": "leaky_relu", "inplace": true}, {"type": "batch_norm"}]},
      {"type": "block", "name": "b", "checkpoint": true, "layers": [{"type": "conv", "out_channels": 4, "kernel_size": 1}, {"type": "dropout"}]},
      {"type": "conv", "out_channels": 1, "kernel_size": 1}])";
    const std::string text = program(blocks);
    EXPECT_THAT(text,
                HasSubstr("x = checkpoint(self.a, x, use_reentrant=False, preserve_rng_state=False)\n"));
    EXPECT_THAT(text, HasSubstr("    def a(self, x):\n"));
    EXPECT_THAT(text, HasSubstr("(x.clone())\n"));
    EXPECT_THAT(text, HasSubstr("momentum=1 - 0.9 ** (1 / 2)"));
    EXPECT_THAT(text, HasSubstr("x = checkpoint(self.b, x, use_reentrant=False)\n"));
    const std::string segments = program(blocks, R"(, "step": {"checkpoint": {"segments": 2}})");
    EXPECT_THAT(segments, HasSubstr("checkpoint(self.segment1, x, use_reentrant=False"));
    EXPECT_THAT(segments, HasSubstr("    def segment1(self, x):\n"));
    EXPECT_THAT(program(blocks, R"(, "step": {"train": false})"), Not(HasSubstr("checkpoint")));
}

TEST(ExportPytorch, BlocksThatBeginTogetherHaveTheirOwnMethods) {
    const std::string text = program(R"([
      {"type": "block", "name": "outer", "checkpoint": true, "layers": [
        {"type": "block", "name": "inner", "checkpoint": true, "layers": [{"type": "relu"}, {"type": "head", "out_channels": 1}]},
        {"type": "head", "out_channels": 1}]},
      {"type": "conv", "out_channels": 1, "kernel_size": 1}])");
    EXPECT_THAT(text, HasSubstr("x, head1, head2 = checkpoint(self.outer, x, "));
    EXPECT_THAT(text, HasSubstr("x, head1 = checkpoint(self.outer_inner, x, "));
}

TEST(ExportPytorch, OffloadsUnderHooks) {
    const std::string layers = R"([
      {"type": "conv", "out_channels": 4, "kernel_size": 1},
      {"type": "conv", "out_channels": 4, "kernel_size": 1, "id": "skip"},
      {"type": "relu"},
      {"type": "add", "with": "skip"},
      {"type": "conv", "out_channels": 1, "kernel_size": 1}])";
    const std::string text = program(layers, R"(, "step": {"checkpoint": {"plan": [[1, 4, "offload"]]}})");
    EXPECT_THAT(text, HasSubstr("        x = self.conv1(x)\n"
                                "        with offloaded():\n"
                                "            x = skip = self.conv2(x)\n"
                                "            x = self.relu3(x)\n"
                                "            x = x + skip\n"
                                "            del skip\n"
                                "        x = self.conv5(x)\n"));
    EXPECT_THAT(text, HasSubstr("torch.autograd.graph.saved_tensors_hooks(to_host, to_device)"));
    EXPECT_THAT(text, HasSubstr("tensor.nbytes <= 1048576"));
    EXPECT_THAT(program(layers, R"(, "step": {"checkpoint": {"plan": [[1, 4]]}})"),
                Not(HasSubstr("to_host")));
}

TEST(ExportPytorch, SaysPrecisionOptimizerAndSwitches) {
    const std::string text = program(
        kExportedConv, R"(, "optimizer": {"type": "sgd", "lr": 0.5, "momentum": 0.9, "nesterov": true},
      "step": {"precision": "fp16", "channels_last": true, "micro_batches": 2, "batch_size": 4, "seed": 18446744073709551615},
      "backend": {"cudnn": false, "benchmark": true, "deterministic": true, "workspace_limit": 67108864, "onednn": false,
                  "threads": 3, "alloc_conf": "max_split_size_mb:128"})");
    for (const char* const line :
         {"SEED = 18446744073709551615\n", "MICRO_BATCHES = 2\n",
          "os.environ[\"CUDNN_CONV_WSCAP_DBG\"] = \"64\"",
          "os.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = \"max_split_size_mb:128\"\n",
          "with torch.autocast(x.device.type, dtype=torch.float16):",
          "scaler.scale(loss / MICRO_BATCHES).backward()",
          "scaler.step(optimizer)\n    scaler.update()\n    optimizer.zero_grad(set_to_none=True)\n",
          "        model.parameters(), lr=0.5, momentum=0.9, nesterov=True, foreach=False,\n",
          "Network().to(memory_format=torch.channels_last).to(device)",
          "torch.backends.cudnn.enabled = False\n", "torch.backends.cudnn.benchmark = True\n",
          "torch.backends.cudnn.deterministic = True\n", "torch.backends.mkldnn.set_flags(False)\n",
          "torch.set_num_threads(3)\n", "torch.backends.cudnn.allow_tf32 = False\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
    EXPECT_THAT(program(kExportedConv, R"(, "step": {"precision": "tf32"})"),
                HasSubstr("torch.backends.cuda.matmul.allow_tf32 = True\n"));
}

TEST(ExportPytorch, SaysHowPeopleTrain) {
    const std::string clipped =
        program(kExportedConv, R"(, "step": {"precision": "fp16", "clip_gradients": 12})");
    EXPECT_THAT(clipped, HasSubstr("    scaler.unscale_(optimizer)\n"
                                   "    torch.nn.utils.clip_grad_norm_(model.parameters(), 12)\n"
                                   "    scaler.step(optimizer)\n"));
    const std::string halved = program(kExportedConv, R"(, "step": {"precision": "fp16_true"})");
    EXPECT_THAT(halved, HasSubstr("Network().half().to(device)\n"));
    EXPECT_THAT(halved, HasSubstr("model(x.to(torch.float16))"));
    EXPECT_THAT(halved, Not(HasSubstr("autocast")));
    const std::string soft =
        program(R"([{"type": "conv", "out_channels": 3, "kernel_size": 3, "padding": 1}])",
                R"(, "target": {"classes": 3}, "step": {"soft_targets": true})", R"("dice")");
    EXPECT_THAT(soft, HasSubstr("CLASSES = 3\n"));
    EXPECT_THAT(soft, HasSubstr("    target = probabilities(target)\n    return dice(output, target)\n"));
    EXPECT_THAT(soft, Not(HasSubstr("zeros_like(p)")));
}

TEST(ExportPytorch, FusedCustomConvIsTwoSteps) {
    const std::string text = program(R"([{"type": "custom_conv", "transform_channels": 2, "out_channels": 4,
        "kernel_size": 3, "implementation": "fused"}])");
    EXPECT_THAT(text, HasSubstr("self.custom_conv1 = CustomConv(2, 1, 2, 4, 3, \"gaussian\")\n"));
    EXPECT_THAT(text, HasSubstr("# in two steps: PyTorch has no fused kernel\n"));
    EXPECT_THAT(text, Not(HasSubstr("Cached")));
}

TEST(ExportPytorch, QuotesPathsAndTheName) {
    Experiment e = read(
        std::string(
            R"({"schema": "highwater.experiment/1", "input": {"scan": "a.nii", "patch": 16}, "loss": "mean",
        "stack": )") +
        kExportedConv + "}");
    e.name = "a \"\"\" b\n\\ é";
    std::get<ScanInput>(e.input).scans = {{"/data/\"x\"\n\\é.nii", {}, 0}};
    const auto text = exportPytorch(e);
    ASSERT_TRUE(text.ok()) << text.error().message;
    EXPECT_THAT(*text, HasSubstr(R"("""a \"\"\" b \\ \xe9 in PyTorch)"));
    EXPECT_THAT(*text, HasSubstr(R"("/data/\"x\"\x0a\\\xe9.nii")"));
}

TEST(ExportPytorch, ThePhantomLiesBesideTheProgram) {
    const auto with = [](const char* scan) {
        return read(
            std::string(
                R"({"schema": "highwater.experiment/1", "loss": "mean", "input": {"patch": 16, "scan": )") +
            scan + R"(}, "stack": )" + kExportedConv + "}");
    };
    const auto text = exportPytorch(with(R"(["phantom:head", "b.nii"])"));
    ASSERT_TRUE(text.ok()) << text.error().message;
    EXPECT_THAT(
        *text,
        HasSubstr("SCANS = [  # and which volume of a 4D file\n    (PHANTOM, 0),\n    (\"b.nii\", 0),\n]"));
    EXPECT_THAT(*text, HasSubstr("PHANTOM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "
                                 "\"head-phantom.nii.gz\")\n"));
    EXPECT_TRUE(readsPhantom(with(R"(["b.nii", "phantom:head"])")));
    EXPECT_FALSE(readsPhantom(with(R"("b.nii")")));
}

TEST(ExportPytorch, RefusesWhatIsNotValidOrCannotBeSaid) {
    Experiment e = read(
        std::string(R"({"schema": "highwater.experiment/1", "input": {"synthetic": [1, 8, 8]}, "loss": "mean",
        "stack": )") +
        kExportedConv + "}");
    std::get<Conv>(e.stack[0].op).kernelSize = {99};
    const auto text = exportPytorch(e);
    ASSERT_FALSE(text.ok());
    EXPECT_THAT(text.error().message, HasSubstr("layer 1 `conv`"));
}

/// Python itself parses every program made from random stacks with all levers.
TEST(ExportPytorch, RandomExperimentsArePython) {
    const test::TemporaryFolder folder;
    testing::RandomLimits limits;
    limits.levers = true;
    std::ofstream list(folder.path() / "check.py");
    list << "import ast\nfor n in range(60):\n    ast.parse(open(f'{n}.py').read())\nprint('fine')\n";
    list.close();
    int made = 0;
    for (std::uint64_t seed = 1; made < 60 && seed < 2000; ++seed) {
        Experiment random = testing::randomExperiment(seed, limits);
        const auto text =
            exportPytorch(seed % 2 == 0 ? random : testing::withRandomPlan(std::move(random), seed, true));
        if (!text) {
            continue;  // levers that cannot be combined
        }
        expectShortLines(*text);
        std::ofstream(folder.path() / (std::to_string(made++) + ".py")) << *text;
    }
    ASSERT_EQ(made, 60);
    if (std::system("python3 -c 'import ast' >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "there is no python3";
    }
    EXPECT_EQ(std::system(("cd '" + folder.path().string() + "' && python3 check.py >/dev/null").c_str()), 0);
}

}  // namespace
}  // namespace highwater::stack
