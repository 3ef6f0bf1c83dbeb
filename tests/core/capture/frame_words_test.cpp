#include "core/capture/frame_words.h"

#include <gtest/gtest.h>

#include "core/capture/snapshot_records.h"
#include "core/capture/snapshot_trace.h"

namespace highwater::capture {
namespace {

using memory::Category;
using memory::Phase;
using Kind = FrameWords::Kind;

constexpr const char* kTorch = "/venv/lib/python3.11/site-packages/torch/";

FrameWords torch(const std::string& file, const std::string& name) {
    return frameWords(kTorch + file, name, 1);
}

TEST(FrameWords, TellPyTorchFromTheTraining) {
    EXPECT_EQ(frameWords("/home/me/train.py", "main", 3).kind, Kind::User);
    EXPECT_EQ(frameWords("/home/me/torchtools/train.py", "main", 3).kind, Kind::User);
    for (const char* file :
         {"/venv/lib/torch/nn/modules/conv.py", "torch/x.py", "??", "", "<frozen runpy>",
          "/pytorch/aten/src/ATen/native/Convolution.cpp", "/lib/libc.so.6", "libtorch.so", "a.cu"}) {
        EXPECT_EQ(frameWords(file, "f", 0).kind, Kind::Library) << file;
    }
}

TEST(FrameWords, SayThePhase) {
    EXPECT_EQ(torch("nn/modules/module.py", "_call_impl").phase, Phase::Forward);
    EXPECT_EQ(torch("_tensor.py", "backward").phase, Phase::Backward);
    EXPECT_EQ(torch("autograd/graph.py", "_engine_run_backward").phase, Phase::Backward);
    EXPECT_EQ(frameWords("??", "torch::autograd::Engine::thread_main(...)", 0).phase, Phase::Backward);
    EXPECT_EQ(torch("optim/adamw.py", "step").phase, Phase::Optimizer);
    EXPECT_EQ(torch("optim/lr_scheduler.py", "step").phase, std::nullopt);
    EXPECT_EQ(torch("utils/checkpoint.py", "recompute_fn").phase, Phase::Recompute);
    EXPECT_EQ(torch("utils/checkpoint.py", "checkpoint").phase, std::nullopt);
    EXPECT_EQ(torch("utils/data/dataloader.py", "__next__").phase, Phase::Data);
    EXPECT_EQ(frameWords("/home/me/train.py", "backward_hook", 1).phase, std::nullopt);
}

TEST(FrameWords, SayTheCategory) {
    EXPECT_EQ(torch("optim/adamw.py", "_init_group").category, Category::OptimizerState);
    EXPECT_EQ(torch("nn/modules/module.py", "_apply").category, Category::Parameters);
    EXPECT_EQ(torch("utils/data/_utils/pin_memory.py", "pin_memory").category, Category::Input);
    EXPECT_EQ(frameWords("??", "torch::autograd::AccumulateGrad::apply(...)", 0).category,
              Category::Gradients);
    EXPECT_EQ(frameWords("x.cpp", "at::native::run_conv_plan(...)", 0).category, Category::Workspace);
    EXPECT_EQ(frameWords("x.cpp", "at::cuda::getCurrentCUDABlasHandle()", 0).category, Category::Workspace);
    EXPECT_EQ(frameWords("x.cpp", "at::native::cudnn_convolution(...)", 0).category, std::nullopt);
}

TEST(FrameWords, AreLabels) {
    EXPECT_EQ(frameLabel("/home/me/train.py", "main", 57), "train.py:57 main");
    EXPECT_EQ(frameLabel("??", "torch::autograd::ConvolutionBackward0::apply", 0),
              "torch::autograd::ConvolutionBackward0::apply");
}

TEST(FrameWords, PathsOfWindowsAreReadAlike) {
    EXPECT_EQ(frameLabel("C:\\Users\\me\\train.py", "main", 12), "train.py:12 main");
    const std::string torch = "C:\\Python\\Lib\\site-packages\\torch\\";
    EXPECT_EQ(frameWords(torch + "nn\\modules\\module.py", "_apply", 1).category, Category::Parameters);
    EXPECT_EQ(frameWords(torch + "optim\\adam.py", "step", 1).phase, Phase::Optimizer);
    EXPECT_EQ(frameWords(torch + "functional.py", "einsum", 1).kind, FrameWords::Kind::Library);
    EXPECT_EQ(frameWords("C:\\Users\\me\\train.py", "main", 12).kind, FrameWords::Kind::User);
}

TEST(GuessCategories, ByWhatABlockOutlives) {
    using Event = memory::TraceEvent;
    memory::Trace trace;
    trace.blocks.resize(8);
    trace.alive = {{0, Category::Temporaries, -1}, {1, Category::Temporaries, -1}};
    const auto add = [&](std::uint32_t block, Event::Kind kind, Phase phase) {
        trace.events.push_back({0, block, -1, kind, Category::Temporaries, phase});
    };
    add(2, Event::Kind::Allocate, Phase::Forward);
    add(3, Event::Kind::Allocate, Phase::Forward);
    add(3, Event::Kind::Free, Phase::Forward);
    add(4, Event::Kind::Allocate, Phase::Backward);
    add(5, Event::Kind::Allocate, Phase::Recompute);
    add(6, Event::Kind::Allocate, Phase::Backward);
    add(2, Event::Kind::Free, Phase::Backward);
    add(5, Event::Kind::Free, Phase::Backward);
    add(6, Event::Kind::Free, Phase::Backward);
    add(7, Event::Kind::Allocate, Phase::Optimizer);
    add(1, Event::Kind::Free, Phase::Optimizer);
    add(4, Event::Kind::Free, Phase::Optimizer);
    std::vector<std::optional<Category>> known(8);
    guessCategories(trace, known);
    EXPECT_TRUE(memory::check(trace));
    std::vector<Category> category(8);
    for (const auto& each : trace.alive) {
        category[each.block] = each.category;
    }
    for (const Event& event : trace.events) {
        category[event.block] = event.category;
    }
    EXPECT_EQ(category, (std::vector{Category::Parameters, Category::Activations, Category::Activations,
                                     Category::Temporaries, Category::Gradients, Category::Activations,
                                     Category::Temporaries, Category::OptimizerState}));
    known[3] = Category::Workspace;
    guessCategories(trace, known);
    EXPECT_EQ(trace.events[1].category, Category::Workspace);
    EXPECT_FALSE(trace.isGuessed(3));
    EXPECT_TRUE(trace.isGuessed(4));
}

}  // namespace
}  // namespace highwater::capture
