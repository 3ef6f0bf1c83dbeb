// What each lever allocates, and the memory order of tensors, with LibTorch's real CUDA code on the pretended
// device. Nothing is computed there, so values are not checked.
#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string_view>

#include "core/engine/data/data.h"
#include "core/engine/device/backend.h"
#include "core/engine/device/torch_compat.h"
#include "core/engine/layers/layers.h"
#include "core/engine/run/runner.h"
#include "core/engine/step/precision.h"
#include "core/stack/json/json.h"
#include "core/stack/program.h"
#include "tests/core/engine/training.h"
#include "tests/gpu/which_gpu.h"

namespace highwater::engine {
namespace {

using stack::Precision;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::parse;
namespace cuda = c10::cuda::CUDACachingAllocator;

const Device kGpu{true, 0};

class Pretended : public ::testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::noPretendedDevice()) {
            GTEST_SKIP() << *why;
        }
        installBooks(kGpu);
    }
};

std::int64_t allocations() {
    constexpr auto kAll = 0;  // of the pools
    return cuda::getDeviceStats(0).allocation[kAll].allocated;
}

// --- precision

std::atomic<int> gCasts{0};
std::unique_ptr<at::ObserverContext> operatorRuns(const at::RecordFunction& function) {
    if (std::string_view(function.name()) == "aten::_to_copy") {
        ++gCasts;
    }
    return nullptr;
}

TEST_F(Pretended, AutocastLowersConvolutionsAndCastsAParameterOnce) {
    for (const auto& [precision, type] :
         {std::pair{Precision::Fp16, at::kHalf}, std::pair{Precision::Bf16, at::kBFloat16}}) {
        const MixedPrecision mixed(precision, kGpu);
        const at::TensorOptions there(kGpu.torch());
        const at::Tensor weight = at::empty({8, 4, 3, 3, 3}, there).set_requires_grad(true);
        const at::Tensor input = at::empty({1, 4, 8, 8, 8}, there);
        gCasts = 0;
        const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&operatorRuns));
        {
            const MixedPrecision::Autocast scope(mixed);
            EXPECT_EQ(at::conv3d(input, weight).scalar_type(), type);
            const at::Tensor out = at::conv3d(input, weight);
            EXPECT_EQ(gCasts, 3) << "two inputs, one weight";
            EXPECT_EQ(at::mse_loss(out, at::empty(out.sizes(), there)).scalar_type(), at::kFloat);
        }
        at::removeCallback(handle);
        EXPECT_EQ(at::conv3d(input, weight).scalar_type(), at::kFloat);
    }
}

TEST_F(Pretended, TheScalerKeepsTwoNumbersOnTheDevice) {
    MixedPrecision mixed(Precision::Fp16, kGpu);
    const at::Tensor parameter = at::empty({16}, at::TensorOptions(kGpu.torch())).set_requires_grad(true);
    const at::Tensor loss = at::empty({}, at::TensorOptions(kGpu.torch()));
    const auto live = [] { return cuda::getDeviceStats(0).allocation[0].current; };
    const std::int64_t before = live();
    for (int step = 0; step < 3; ++step) {
        mixed.scaled(loss);
        const at::Tensor gradient = at::zeros({16}, at::TensorOptions(kGpu.torch()));
        at::Tensor held = parameter;
        held.mutable_grad() = gradient;
        mixed.unscale({parameter});
        mixed.update();
        held.mutable_grad().reset();
    }
    EXPECT_EQ(live() - before, 2);
}

// --- channels_last

/// The memory format of each step's output in a forward pass.
std::vector<at::MemoryFormat> formats(const stack::Experiment& e, bool channelsLast) {
    const auto info = *stack::inferShapes(e);
    const stack::Program program = makeProgram(e, info);
    const c10::AutoGradMode graph(true);
    RunRequest request;
    request.experiment = e;
    request.experiment.step.channelsLast = channelsLast;
    DataSource data(request, info, kGpu);
    data.next();
    std::vector<at::Tensor> values{data.input()};
    std::vector<at::MemoryFormat> all{data.input().suggest_memory_format()};
    const auto value = [&](int index) { return values[static_cast<std::size_t>(index + 1)]; };
    for (const stack::ProgramStep& step : program.steps) {
        const stack::Shape& input = info.layers[static_cast<std::size_t>(step.layer)].input;
        const LayerTensors tensors = makeLayer(*step.op, input, kGpu, channelsLast);
        std::vector<at::Tensor> with;
        for (const int other : step.with) {
            with.push_back(value(other));
        }
        values.push_back(applyLayer(*step.op, tensors, value(step.from), with, ForwardMode::Train));
        all.push_back(values.back().suggest_memory_format());
    }
    return all;
}

std::string unet(const std::string& input, const std::string& mode) {
    return R"("input": {"synthetic": )" + input + R"(}, "loss": "mean", "stack": [
      {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"},
      {"type": "leaky_relu", "inplace": true, "id": "high"},
      {"type": "conv", "out_channels": 16, "padding": 1, "stride": 2}, {"type": "batch_norm"},
      {"type": "relu", "id": "low"},
      {"type": "max_pool"}, {"type": "conv", "out_channels": 16, "padding": "same"}, {"type": "relu"},
      {"type": "upsample", "mode": ")" +
           mode + R"("}, {"type": "add", "with": "low"},
      {"type": "conv_transpose", "out_channels": 8, "kernel_size": 2, "stride": 2},
      {"type": "concat", "with": "high"}, {"type": "dropout", "p": 0.1},
      {"type": "conv", "out_channels": 3, "kernel_size": 1}])";
}

TEST_F(Pretended, ChannelsLastHoldsThroughAUNet) {
    for (const auto& [input, mode, format] :
         {std::tuple{"[2, 16, 16, 16]", "nearest", at::MemoryFormat::ChannelsLast3d},
          {"[2, 16, 16, 16]", "trilinear", at::MemoryFormat::ChannelsLast3d},
          {"[2, 16, 16]", "nearest", at::MemoryFormat::ChannelsLast}}) {
        const stack::Experiment e = parse(unet(input, mode));
        const std::vector<at::MemoryFormat> last = formats(e, true), plain = formats(e, false);
        for (std::size_t i = 0; i < last.size(); ++i) {
            EXPECT_EQ(last[i], format) << input << " " << mode << ", value " << i;
            EXPECT_EQ(plain[i], at::MemoryFormat::Contiguous) << input << " " << mode << ", value " << i;
        }
    }
}

// --- data

volume::Volume flat(volume::Index3 size) {
    volume::Header header;
    header.format = "test";
    header.pixelType = "float32";
    header.type = volume::VoxelType::F32;
    header.geometry.size = size;
    const auto values =
        std::make_shared<std::vector<float>>(static_cast<std::size_t>(size[0] * size[1] * size[2]));
    for (std::size_t i = 0; i < values->size(); ++i) {
        (*values)[i] = static_cast<float>(i % 2);
    }
    header.max = 1;
    header.mean = 0.5;
    return {header,
            std::shared_ptr<const std::byte>(values, reinterpret_cast<const std::byte*>(values->data()))};
}

const std::string kHeads = R"("stack": [{"type": "conv", "out_channels": 2, "padding": 1, "stride": 2},
    {"type": "head", "out_channels": 2}, {"type": "conv_transpose", "out_channels": 2, "stride": 2}])";
const std::string kTwoScans = R"("input": {"scan": ["a", "b"], "patch": [8, 8, 8]}, )";
// 9 positions against 5.
const std::string kScansOfNine = R"("input": {"scan": ["a", "b"], "patch": [9, 9, 9]}, )";
const std::string kHeadsOfFive = R"("stack": [{"type": "conv", "out_channels": 2, "padding": 1, "stride": 2},
    {"type": "head", "out_channels": 2}, {"type": "conv_transpose", "out_channels": 2, "kernel_size": 3, "stride": 2, "padding": 1}])";
const std::string kNoise = R"("input": {"synthetic": [2, 8, 8, 8]}, )";

TEST_F(Pretended, BatchesAllocateNothingOnTheDevice) {
    for (const auto& [input, heads] :
         {std::pair{kTwoScans, kHeads}, std::pair{kNoise, kHeads}, std::pair{kScansOfNine, kHeadsOfFive}}) {
        for (const std::string target :
             {R"("loss": "mse")", R"("loss": "cross_entropy", "target": {"classes": 2})",
              R"("loss": "dice", "target": {"threshold": 1})",
              R"("loss": "dice", "target": {"labels": "l"})"}) {
            for (const bool channelsLast : {false, true}) {
                for (const int way : {0, 1, 2, 3}) {
                    const bool pinned = way == 1 || way == 3, worked = way >= 2;
                    if (input == kNoise && target.find("labels") != std::string::npos) {
                        continue;
                    }
                    SCOPED_TRACE(input + target + (channelsLast ? " channels_last" : "") +
                                 (pinned ? " pinned" : "") + (worked ? " workers" : ""));
                    RunRequest request;
                    request.experiment = parse(input + heads + ", " + target);
                    request.experiment.step.channelsLast = channelsLast;
                    request.experiment.data.pinned = pinned;
                    if (worked) {
                        request.experiment.data.workers = 2;
                        request.experiment.data.augment = {{}, {stack::Augmentation::Kind::Blur}};
                    }
                    request.channels = {flat({12, 12, 12}), flat({12, 12, 12})};
                    request.labels = flat({12, 12, 12});
                    DataSource data(request, *stack::inferShapes(request.experiment), kGpu);
                    EXPECT_TRUE(data.input().is_cuda() && data.target().is_cuda());
                    EXPECT_EQ(categoryOf(data.input()), Category::Input);
                    EXPECT_EQ(categoryOf(data.targets().front()), Category::Input);
                    EXPECT_EQ(data.input().is_contiguous(at::MemoryFormat::ChannelsLast3d), channelsLast);
                    const std::int64_t before = allocations();
                    for (int step = 0; step < 4; ++step) {
                        data.next();
                        data.patchVolume();
                    }
                    EXPECT_EQ(allocations(), before);
                }
            }
        }
    }
}

TEST_F(Pretended, ThePreviewIsThePatchThatWasCut) {
    RunRequest request;
    request.experiment = parse(
        R"("input": {"scan": "a", "patch": [4, 4, 4], "normalize": "none"}, "loss": "mean", )" + kHeads);
    request.experiment.data.pinned = true;
    request.channels = {flat({9, 9, 9})};
    DataSource data(request, *stack::inferShapes(request.experiment), kGpu);
    for (int step = 0; step < 4; ++step) {
        data.next();
        const volume::Volume patch = data.patchVolume();
        EXPECT_EQ(patch.header().mean, 0.5);
        EXPECT_EQ(patch.header().max, 1);
    }
}

// --- whole runs

TEST_F(Pretended, EveryLeverRunsToItsEndInOneProcess) {
    const std::vector<void (*)(stack::Experiment&)> levers = {
        [](auto& e) { e.step.precision = Precision::Tf32; },
        [](auto& e) { e.step.precision = Precision::Fp16, e.step.microBatches = 2; },
        [](auto& e) { e.step.precision = Precision::Bf16, e.step.channelsLast = true; },
        [](auto& e) { e.step.channelsLast = e.data.pinned = true; },
        [](auto& e) { e.data.workers = 3, e.data.pinned = e.step.channelsLast = true; },
        [](auto& e) { e.data.workers = 2, e.data.augment = {{}, {stack::Augmentation::Kind::Rotate}}; },
        [](auto& e) { e.data.readDelayMs = 1, e.data.augment = {{stack::Augmentation::Kind::Noise}}; },
        [](auto& e) { e.backend.cudnn = false; },
        [](auto& e) { e.backend.benchmark = true; },
        [](auto& e) { e.backend.deterministic = true; },
        [](auto& e) { e.backend.workspaceLimit = base::kMiB; },
        [](auto& e) { e.backend.allocConf = "expandable_segments:True"; },
        [](auto& e) { e.backend.allocConf = "max_split_size_mb:64,garbage_collection_threshold:0.5"; },
        [](auto& e) {
            e.step.precision = Precision::Fp16, e.step.checkpoint.kind = stack::Checkpointing::Kind::Sqrt;
        },
        [](auto& e) { e.step.precision = Precision::Fp16, e.step.train = false; },
        [](auto&) {}};
    for (std::size_t i = 0; i < levers.size(); ++i) {
        RunRequest request;
        request.experiment =
            parse(kTwoScans + kHeads + R"(, "loss": "dice_cross_entropy", "target": {"threshold": 1})");
        request.experiment.step.batchSize = 2;
        levers[i](request.experiment);
        request.channels = {flat({12, 12, 12}), flat({12, 12, 12})};
        request.device = "cuda";
        request.steps = 2;
        request.warmup = 1;
        const auto result = run(request, [](const wire::Event&) {}, std::atomic<bool>(false));
        ASSERT_TRUE(result.ok()) << i << ": " << result.error().message;
        EXPECT_EQ(result->status, wire::RunStatus::Done)
            << i << ": " << (result->failure ? result->failure->why : "");
        EXPECT_EQ(result->environment.device, "cuda:0") << i;
        EXPECT_EQ(result->losses.size(), 3U) << i;
    }
}

// --- settings

std::size_t expandableSegments() {
    std::size_t count = 0;
    for (const auto& segment : cuda::snapshot().segments) {
        count += segment.is_expandable ? 1 : 0;
    }
    return count;
}

stack::Experiment withAllocConf(const std::string& conf) {
    stack::Experiment e;
    e.backend.allocConf = conf;
    return e;
}

TEST_F(Pretended, AllocatorSettingsHoldForOneRun) {
    const at::TensorOptions there(kGpu.torch());
    ASSERT_TRUE(configure(withAllocConf("expandable_segments:True,max_split_size_mb:64"), kGpu).ok());
    {
        const at::Tensor grows = at::empty({30 << 20}, there);
        EXPECT_GT(expandableSegments(), 0U);
    }
    releaseCached(kGpu);
    ASSERT_TRUE(configure({}, kGpu).ok());
    {
        const at::Tensor plain = at::empty({30 << 20}, there);
        EXPECT_EQ(expandableSegments(), 0U);
    }
    releaseCached(kGpu);
    ASSERT_TRUE(configure(withAllocConf("max_split_size_mb:32"), kGpu).ok());
    const std::size_t limited = cuda::snapshot().config_metadata.max_split_size;
    ASSERT_TRUE(configure({}, kGpu).ok());
    EXPECT_EQ(limited, 32U << 20);
    EXPECT_GT(cuda::snapshot().config_metadata.max_split_size, std::size_t{1} << 40);
}

TEST_F(Pretended, SettingsThatCannotBeTakenBackAreSaid) {
    ASSERT_TRUE(configure(withAllocConf("max_non_split_rounding_mb:64"), kGpu).ok());
    const auto after = configure({}, kGpu);
    ASSERT_TRUE(after.ok());
    ASSERT_EQ(after->size(), 1U);
    EXPECT_THAT(after->front(), HasSubstr("max_non_split_rounding_mb"));
}

TEST_F(Pretended, BadSettingsAreRefusedInOneLine) {
    for (const char* const conf : {"max_split_size_mb:1", "max_split_size:64", "expandable_segments:1",
                                   "max_split_size_mb", "backend:cudaMallocAsync"}) {
        const auto refused = configure(withAllocConf(conf), kGpu);
        ASSERT_FALSE(refused.ok()) << conf;
        EXPECT_THAT(refused.error().message, HasSubstr("alloc_conf"));
        EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
    }
    EXPECT_TRUE(configure({}, kGpu).ok());
}

TEST_F(Pretended, AnotherWorkspaceLimitIsSaidToReachNewConvolutionsAlone) {
    stack::Experiment e;
    const auto first = configure(e, kGpu);
    ASSERT_TRUE(first.ok());
    e.backend.workspaceLimit = 10 * base::kMiB;
    const auto second = configure(e, kGpu);
    ASSERT_TRUE(second.ok());
    ASSERT_EQ(second->size(), 1U);
    EXPECT_THAT(second->front(), HasSubstr("/backend/workspace_limit"));
}

/// Registered with a Tesla T4 as well.
TEST_F(Pretended, PrecisionsThatTheGpuHasNotAreSaid) {
    const bool old = std::getenv("HIGHWATER_PRETEND_GPU") != nullptr;
    for (const Precision each : {Precision::Tf32, Precision::Bf16}) {
        stack::Experiment e;
        e.step.precision = each;
        const auto notes = configure(e, kGpu);
        ASSERT_TRUE(notes.ok());
        if (old) {
            EXPECT_THAT(*notes, Contains(AllOf(HasSubstr("T4"), HasSubstr(" has no "))));
        } else {
            EXPECT_THAT(*notes, Not(Contains(HasSubstr(" has no "))));
        }
    }
    EXPECT_THAT(*configure({}, kGpu), Not(Contains(HasSubstr(" has no "))));
}

}  // namespace
}  // namespace highwater::engine
