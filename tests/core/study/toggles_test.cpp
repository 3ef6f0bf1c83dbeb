#include "core/study/toggles.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/stack/presets/presets.h"
#include "core/stack/program.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/study/applicable.h"

namespace highwater::study {
namespace {

using stack::Experiment;
using stack::testing::experimentOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kImage = "[1, 16, 16]";
const std::string kConv = R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1})";
const std::string kConvRelu = kConv + R"(, {"type": "relu"})";

Experiment make(const std::string& layers, const std::string& more = R"("loss": "mean")",
                const std::string& input = kImage) {
    auto experiment = experimentOf(input, layers, more);
    EXPECT_TRUE(experiment) << experiment.error().message;
    EXPECT_TRUE(stack::inferShapes(*experiment)) << stack::inferShapes(*experiment).error().message;
    return *experiment;
}

base::Result<Experiment> apply(std::string_view id, const Experiment& experiment) {
    const Toggle* const toggle = findToggle(id);
    return toggle ? toggle->apply(experiment) : base::Error{"no such toggle"};
}

std::string refusal(std::string_view id, const Experiment& experiment) {
    const auto changed = apply(id, experiment);
    return changed ? "applied" : changed.error().message;
}

/// The stack after the toggle is switched on.
std::vector<stack::Layer> layersOf(const std::string& layers) {
    return make(layers, R"("loss": "mean")").stack;
}

std::set<std::string_view> ids(const std::vector<const Toggle*>& toggles) {
    std::set<std::string_view> found;
    for (const Toggle* toggle : toggles) {
        found.insert(toggle->id);
    }
    return found;
}

TEST(Toggles, EachHasItsWordsAndItsId) {
    std::set<std::string_view> seen;
    for (const Toggle& toggle : toggles()) {
        EXPECT_TRUE(seen.insert(toggle.id).second) << toggle.id;
        EXPECT_EQ(findToggle(toggle.id), &toggle);
        EXPECT_FALSE(toggle.title.empty());
        EXPECT_TRUE(toggle.what.ends_with('.')) << toggle.what;
        EXPECT_FALSE(toggle.needsCpu && toggle.needsGpu);
    }
    EXPECT_EQ(findToggle("none"), nullptr);
    EXPECT_EQ(findToggle(""), nullptr);
}

TEST(Toggles, CheckpointBlocks) {
    const std::string block = R"({"type": "block", "layers": [)" + kConvRelu + "]}";
    const auto on = apply("checkpoint_blocks", make(block + "," + kConv + "," + block));
    ASSERT_TRUE(on);
    EXPECT_TRUE(std::get<stack::Block>(on->stack[0].op).checkpoint);
    EXPECT_TRUE(std::get<stack::Block>(on->stack[2].op).checkpoint);
    EXPECT_THAT(refusal("checkpoint_blocks", *on), HasSubstr("already"));
    EXPECT_THAT(refusal("checkpoint_blocks", make(kConv)), HasSubstr("no blocks"));
    EXPECT_THAT(refusal("checkpoint_blocks", make(block, R"("loss": "mean", "step": {"train": false})")),
                HasSubstr("train"));
    Experiment sqrt = *on;
    sqrt.step.checkpoint.kind = stack::Checkpointing::Kind::Sqrt;
    EXPECT_EQ(*apply("checkpoint_blocks", sqrt), *on);
}

TEST(Toggles, CheckpointSqrtHasSegments) {
    const auto on = apply("checkpoint_sqrt", make(kConvRelu + "," + kConvRelu));
    ASSERT_TRUE(on);
    EXPECT_EQ(on->step.checkpoint.kind, stack::Checkpointing::Kind::Sqrt);
    EXPECT_THAT(refusal("checkpoint_sqrt", *on), HasSubstr("already"));
}

TEST(Toggles, InplaceLeavesOutWhatIsRefused) {
    // relu keeps its result: the silu after it may not overwrite it, the one after the conv may.
    const auto on = apply("inplace", make(kConv + R"(, {"type": "relu"}, {"type": "silu"}, )" + kConv +
                                          R"(, {"type": "silu"}, {"type": "gelu"})"));
    ASSERT_TRUE(on) << on.error().message;
    const auto inplace = [&](std::size_t i) { return std::get<stack::Activation>(on->stack[i].op).inplace; };
    EXPECT_TRUE(inplace(1));
    EXPECT_FALSE(inplace(2));
    EXPECT_TRUE(inplace(4));
    EXPECT_FALSE(inplace(5));
    // Only refused layers are left: switching it on again says why.
    EXPECT_THAT(refusal("inplace", *on), HasSubstr("layer 3"));
    EXPECT_THAT(refusal("inplace", make(kConv)), HasSubstr("there is none"));
    // The input's activation is the target of mse.
    EXPECT_NE(refusal("inplace", make(R"({"type": "relu"}, )" + kConv)), "applied");
}

TEST(Toggles, InplaceFindsThePlacesInBlocks) {
    const auto on = apply("inplace", make(R"({"type": "block", "layers": [{"type": "block", "layers": [)" +
                                          kConvRelu + "]}]}, " + kConvRelu));
    ASSERT_TRUE(on);
    EXPECT_EQ(refusal("inplace", *on).substr(0, 16), "every activation");
}

TEST(Toggles, InplaceAbnReplacesPairs) {
    const std::string norm = R"(, {"type": "batch_norm", "eps": 0.001})";
    const auto on = apply("inplace_abn", make(kConv + norm + R"(, {"type": "leaky_relu", "id": "x",
        "negative_slope": 0.1, "inplace": true}, )" +
                                              kConv + norm + R"(, {"type": "elu"}, )" + kConv + norm +
                                              R"(, {"type": "relu"}, {"type": "add", "with": "x"})"));
    ASSERT_TRUE(on) << on.error().message;
    EXPECT_EQ(on->stack,
              layersOf(kConv + R"(, {"type": "inplace_abn", "id": "x", "eps": 0.001,
        "negative_slope": 0.1}, )" +
                       kConv + R"(, {"type": "inplace_abn", "eps": 0.001, "activation": "elu"}, )" + kConv +
                       norm + R"(, {"type": "relu"}, {"type": "add", "with": "x"})"));
    EXPECT_THAT(refusal("inplace_abn", *on), HasSubstr("relu cannot be inverted"));
    for (const char* other :
         {R"({"type": "batch_norm", "affine": false}, {"type": "elu"})",
          R"({"type": "batch_norm", "id": "n"}, {"type": "elu"}, {"type": "add", "with": "n"})",
          R"({"type": "instance_norm"}, {"type": "elu"})",
          R"({"type": "batch_norm"}, {"type": "leaky_relu", "negative_slope": 0})",
          R"({"type": "elu"}, {"type": "batch_norm"})"}) {
        EXPECT_THAT(refusal("inplace_abn", make(kConv + "," + other)), HasSubstr("no batch_norm")) << other;
    }
}

TEST(Toggles, SeparableTakesEveryWideConv) {
    const auto on = apply("separable", make(R"({"type": "conv", "out_channels": 4, "kernel_size": [1, 3],
        "stride": 2, "dilation": 2, "padding": [0, 2], "padding_mode": "replicate", "bias": false}, )" +
                                            kConv +
                                            R"(, {"type": "conv", "out_channels": 4, "kernel_size": 1},
        {"type": "conv", "out_channels": 4, "kernel_size": 3, "groups": 2})"));
    ASSERT_TRUE(on) << on.error().message;
    EXPECT_EQ(on->stack, layersOf(R"({"type": "separable_conv", "out_channels": 4, "kernel_size": [1, 3],
        "stride": 2, "dilation": 2, "padding": [0, 2], "padding_mode": "replicate", "bias": false},
        {"type": "separable_conv", "out_channels": 4, "kernel_size": 3, "padding": 1},
        {"type": "conv", "out_channels": 4, "kernel_size": 1},
        {"type": "conv", "out_channels": 4, "kernel_size": 3, "groups": 2})"));
    EXPECT_THAT(refusal("separable", *on), HasSubstr("none can be separated"));
    EXPECT_TRUE(findToggle("separable")->changesTask);
    const Experiment before = make(kConvRelu);
    std::vector<std::string> titles;
    for (const auto& [title, other] : otherTasks(before, false)) {
        titles.push_back(title);
        EXPECT_TRUE(stack::inferShapes(other)) << title;
        EXPECT_NE(other, before);
    }
    EXPECT_THAT(titles, ElementsAre("Pool first", "Sliding windows", "Depthwise-separable convs"));
}

TEST(Toggles, PoolFirstBringsTheSizeBackWhereTheLossNeedsIt) {
    const auto mean = apply("pool_first", make(kConv));
    ASSERT_TRUE(mean);
    EXPECT_EQ(mean->stack.size(), 2U);
    const auto same =
        apply("pool_first", make(R"({"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1})",
                                 R"("loss": "mse")", "[1, 15, 1]"));
    ASSERT_TRUE(same) << same.error().message;
    ASSERT_EQ(same->stack.size(), 3U);
    const auto info = stack::inferShapes(*same);
    EXPECT_EQ(info->layers[0].output, (stack::Shape{1, 1, 7, 1}));
    EXPECT_EQ(info->output, (stack::Shape{1, 1, 15, 1}));
    EXPECT_EQ(std::get<stack::Upsample>(same->stack[2].op).mode, stack::Upsample::Mode::Bilinear);
    EXPECT_THAT(refusal("pool_first", *same), HasSubstr("begins with pooling"));
    EXPECT_THAT(refusal("pool_first", make(R"({"type": "conv", "out_channels": 4, "kernel_size": 1})",
                                           R"("loss": "mean")", "[1, 1, 1]")),
                HasSubstr("nothing to pool"));
    // A kernel that no longer fits.
    EXPECT_THAT(refusal("pool_first", make(R"({"type": "conv", "out_channels": 1, "kernel_size": 9})",
                                           R"("loss": "mean")", "[1, 9, 9]")),
                HasSubstr("kernel 9 does not fit"));
}

TEST(Toggles, MicroBatchesHalve) {
    const auto with = [](const std::string& step) {
        return make(kConv, R"("loss": "mean", "step": )" + step);
    };
    EXPECT_EQ(apply("micro_batches", with(R"({"batch_size": 4})"))->step.microBatches, 2);
    EXPECT_THAT(refusal("micro_batches", with(R"({"batch_size": 4, "micro_batches": 2})")),
                HasSubstr("already"));
    EXPECT_THAT(refusal("micro_batches", with(R"({"batch_size": 3})")), HasSubstr("an even one"));
    EXPECT_THAT(refusal("micro_batches", make(kConv + R"(, {"type": "batch_norm"})",
                                              R"("loss": "mean", "step": {"batch_size": 2})", "[1, 1, 1]")),
                HasSubstr("one value per channel"));
}

TEST(Toggles, WindowsAreHalfTheSize) {
    const auto on = apply("windows", make(kConv, R"("loss": "mean")", "[1, 15, 1]"));
    ASSERT_TRUE(on);
    EXPECT_EQ(on->windows->size, (stack::Sizes{8, 1}));
    EXPECT_THAT(refusal("windows", *on), HasSubstr("already"));
}

TEST(Toggles, WorkersNeedSomethingToWaitFor) {
    EXPECT_THAT(refusal("workers", make(kConv)), HasSubstr("read_delay_ms"));
    const auto on = apply("workers", make(kConv, R"("loss": "mean", "data": {"read_delay_ms": 5})"));
    ASSERT_TRUE(on);
    EXPECT_EQ(on->data.workers, 2);
    EXPECT_THAT(refusal("workers", *on), HasSubstr("already"));
    Experiment scan =
        make(R"({"type": "conv", "out_channels": 1, "kernel_size": 3})", R"("loss": "mean")", "[1, 9, 9, 9]");
    scan.input = stack::testing::scanInput({"a.nii.gz"}, {9});
    EXPECT_TRUE(apply("workers", scan));
}

TEST(Toggles, SwitchesSwitchOnceOnly) {
    const Experiment base = make(kConv);
    std::map<std::string_view, bool (*)(const Experiment&)> expected = {
        {"onednn_off", [](const Experiment& e) { return !e.backend.onednn; }},
        {"cudnn_off", [](const Experiment& e) { return !e.backend.cudnn; }},
        {"cudnn_benchmark", [](const Experiment& e) { return e.backend.benchmark; }},
        {"deterministic", [](const Experiment& e) { return e.backend.deterministic; }},
        {"tf32", [](const Experiment& e) { return e.backend.tf32; }},
        {"pinned", [](const Experiment& e) { return e.data.pinned; }},
        {"bf16", [](const Experiment& e) { return e.step.precision == stack::Precision::Bf16; }},
        {"fp16", [](const Experiment& e) { return e.step.precision == stack::Precision::Fp16; }},
        {"channels_last", [](const Experiment& e) { return e.step.channelsLast; }}};
    for (const auto& [id, isOn] : expected) {
        EXPECT_FALSE(isOn(base)) << id;
        const auto on = apply(id, base);
        ASSERT_TRUE(on) << id;
        EXPECT_TRUE(isOn(*on)) << id;
        EXPECT_THAT(refusal(id, *on), HasSubstr("already")) << id;
    }
    EXPECT_THAT(refusal("cudnn_benchmark", *apply("cudnn_off", base)), HasSubstr("cuDNN is off"));
    EXPECT_THAT(refusal("tf32", *apply("bf16", base)), HasSubstr("16 bits"));
    EXPECT_THAT(refusal("channels_last", make(kConv, R"("loss": "mean")", "[1, 16]")), HasSubstr("1d"));
}

TEST(Toggles, ApplicableOnesFollowTheDevice) {
    const Experiment base = make(kConvRelu + "," + kConvRelu);
    const auto cpu = ids(testing::applicableToggles(base, false)),
               gpu = ids(testing::applicableToggles(base, true));
    EXPECT_THAT(cpu, Contains("onednn_off"));
    EXPECT_THAT(cpu, Contains("inplace"));
    EXPECT_THAT(cpu, Contains("checkpoint_sqrt"));
    for (const char* other : {"cudnn_off", "bf16", "channels_last", "tf32", "pinned", "checkpoint_blocks"}) {
        EXPECT_THAT(cpu, Not(Contains(other)));
    }
    EXPECT_THAT(gpu, Not(Contains("onednn_off")));
    for (const char* other : {"cudnn_off", "cudnn_benchmark", "bf16", "channels_last", "tf32", "inplace"}) {
        EXPECT_THAT(gpu, Contains(other));
    }
}

/// Every applicable toggle changes the experiment, leaves it valid, and says "already on" or the like
/// afterwards.
void expectSound(const Experiment& experiment, std::map<std::string_view, int>& applied) {
    for (const Toggle& toggle : toggles()) {
        const auto changed = toggle.apply(experiment);
        if (!changed) {
            const std::string& why = changed.error().message;
            EXPECT_FALSE(why.empty()) << toggle.id;
            EXPECT_EQ(why.find('\n'), std::string::npos) << why;
            EXPECT_LT(why.size(), 400U) << why;
            continue;
        }
        ++applied[toggle.id];
        EXPECT_FALSE(*changed == experiment) << toggle.id;
        const auto info = stack::inferShapes(*changed);
        ASSERT_TRUE(info) << toggle.id << ": " << info.error().message;
        const auto again = toggle.apply(*changed);
        EXPECT_TRUE(!again) << toggle.id << " can be switched on twice";
    }
}

TEST(Toggles, OverPresets) {
    const auto presets = stack::loadPresets();
    ASSERT_TRUE(presets);
    std::map<std::string_view, int> applied;
    for (const auto& preset : *presets) {
        expectSound(preset.experiment, applied);
    }
    for (const char* id : {"checkpoint_blocks", "checkpoint_sqrt", "pool_first", "separable", "windows"}) {
        EXPECT_GT(applied[id], 0) << id;
    }
}

TEST(Toggles, OverRandomStacks) {
    std::map<std::string_view, int> applied;
    stack::testing::RandomLimits limits;
    int valid = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        limits.levers = seed % 2 == 0;
        limits.layers = 6 + static_cast<int>(seed % 20);
        const Experiment experiment = stack::testing::randomExperiment(seed, limits);
        if (!stack::inferShapes(experiment)) {
            continue;  // the levers' windows do not fit every stack
        }
        ++valid;
        expectSound(experiment, applied);
    }
    EXPECT_GT(valid, 250);
    for (const Toggle& toggle : toggles()) {
        EXPECT_GT(applied[toggle.id], 0) << toggle.id;
    }
}

}  // namespace
}  // namespace highwater::study
