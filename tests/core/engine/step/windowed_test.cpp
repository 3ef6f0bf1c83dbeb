#include "core/engine/step/windowed.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/engine/books/allocator.h"
#include "core/engine/step/losses.h"
#include "core/engine/step/trainer.h"
#include "tests/core/engine/training.h"

/// Sliding windows compared with the same written with LibTorch's functions.
namespace highwater::engine::testing {
namespace {

struct Made {
    explicit Made(const std::string& members) {
        request.experiment = parse(members);
        info = *stack::inferShapes(request.experiment);
    }
    RunRequest request;
    stack::StackInfo info;
};

/// Runs steps and passes the trainer to `look`.
template <class Look>
std::vector<double> trained(Made& made, int steps, Look look) {
    at::set_num_threads(1);
    Accounting& books = installBooks({});
    books.start(-1, nullptr);
    Recorder recorder(books, made.info.layers.size());
    at::manual_seed(made.request.experiment.step.seed);
    std::vector<double> losses;
    {
        Trainer trainer(made.request, made.info, {}, recorder, books);
        for (int i = 0; i < steps; ++i) {
            recorder.beginStep(i, false);
            trainer.data().next();
            losses.push_back(trainer.pass().mean());
            recorder.endStep();
            books.endStep();
            recorder.takeStep(true);
        }
        look(trainer);
    }
    books.stop();
    return losses;
}

TEST(Windowed, TrainingIsTheMeanOverTheWindows) {
    Made made(R"("input": {"synthetic": [2, 10, 7]}, "stack": [
        {"type": "conv", "out_channels": 4, "padding": 1}, {"type": "relu"},
        {"type": "conv", "out_channels": 2, "padding": 1}],
        "windows": {"size": [6, 4], "overlap": 0.4}, "optimizer": {"type": "sgd", "lr": 0.5},
        "step": {"batch_size": 4, "micro_batches": 2, "seed": 3})");
    const auto losses = trained(made, 4, [](Trainer&) {});

    namespace nn = torch::nn;
    at::manual_seed(3);
    nn::Conv2d first(nn::Conv2dOptions(2, 4, 3).padding(1));
    nn::Conv2d second(nn::Conv2dOptions(4, 2, 3).padding(1));
    nn::Sequential network(first, nn::ReLU(), second);
    torch::optim::SGD sgd(network->parameters(), 0.5);
    DataSource data(made.request, made.info);
    const std::vector<std::int64_t> rows = {0, 2, 4}, columns = {0, 2, 3};  // steps of at most 3 and 2
    for (const double loss : losses) {
        data.next();
        double sum = 0;
        sgd.zero_grad();
        for (const int from : {0, 2}) {
            for (const std::int64_t row : rows) {
                for (const std::int64_t column : columns) {
                    const at::Tensor window =
                        data.input().narrow(0, from, 2).narrow(2, row, 6).narrow(3, column, 4).clone();
                    const at::Tensor value = at::mse_loss(network->forward(window), window);
                    (value / 18).backward();
                    sum += value.item<double>() / 18;
                }
            }
        }
        sgd.step();
        EXPECT_NEAR(loss, sum, 1e-6 * sum);
    }
    EXPECT_LT(losses.back(), losses.front()) << "it learns";
}

TEST(Windowed, BlendedOutputsOfAPointwiseNetworkAreTheWholes) {
    for (const char* const blend : {"gaussian", "constant"}) {
        Made made(R"("input": {"synthetic": [3, 9, 14, 11]}, "stack": [
            {"type": "conv", "out_channels": 3, "kernel_size": 1}], "step": {"batch_size": 2,
            "micro_batches": 2, "train": false, "seed": 8},
            "windows": {"size": [4, 6, 11], "overlap": 0.6, "blend": ")" +
                  std::string(blend) + "\"}");
        trained(made, 2, [&](Trainer& trainer) {
            at::manual_seed(8);
            const torch::nn::Conv3d conv(torch::nn::Conv3dOptions(3, 3, 1));
            const at::Tensor whole =
                at::conv3d(trainer.data().input(), conv->weight.detach(), conv->bias.detach());
            EXPECT_LT((trainer.blended() - whole).abs().max().item<float>(), 1e-5) << blend;
        });
    }
}

TEST(Windowed, TargetsAreCutAlongAndSampledForHeads) {
    Made made(
        R"("input": {"synthetic": [1, 16]}, "target": {"classes": 3}, "loss": "cross_entropy", "stack": [
        {"type": "conv", "out_channels": 4, "padding": 1, "stride": 2}, {"type": "head", "out_channels": 3},
        {"type": "conv_transpose", "out_channels": 3, "kernel_size": 2, "stride": 2}],
        "windows": {"size": 8, "overlap": 0}, "step": {"seed": 1})");
    DataSource data(made.request, made.info);
    data.next();
    Windowed windows(made.request.experiment, made.info, data, 1);
    ASSERT_EQ(windows.count(), 2);
    windows.select(0, 1);
    EXPECT_TRUE(at::equal(windows.input(), data.input().narrow(2, 8, 8)));
    EXPECT_TRUE(at::equal(windows.targets()[1], data.target().narrow(1, 8, 8)));
    EXPECT_EQ(windows.targets()[0].sizes(), at::IntArrayRef({1, 4}));
    EXPECT_EQ(windows.targets()[0][0][1].item<std::int64_t>(),
              windows.targets()[1][0][3].item<std::int64_t>())
        << "the nearest place to the middle of 2 and 3 is 3";
}

/// The peak minus the memory of the data itself.
Bytes peakBesideData(std::int64_t length, bool windows) {
    RunRequest request;
    request.steps = 2;
    request.warmup = 0;
    request.experiment = parse(R"("input": {"synthetic": [1, )" + std::to_string(length) + R"(]}, "stack": [
        {"type": "conv", "out_channels": 16, "padding": 1}, {"type": "relu"},
        {"type": "conv", "out_channels": 1, "padding": 1}])" +
                               (windows ? R"(, "windows": {"size": 256, "overlap": 0.25})" : ""));
    const std::atomic<bool> cancel{false};
    const auto result = run(request, [](const wire::Event&) {}, cancel);
    EXPECT_TRUE(result);
    EXPECT_EQ(result->status, wire::RunStatus::Done);
    return result->peakAllocated - 4 * length;
}

TEST(Windowed, MemoryIsBoundedByTheWindow) {
    const Bytes windowed = peakBesideData(1024, true);
    EXPECT_EQ(peakBesideData(8192, true), windowed);
    EXPECT_GT(peakBesideData(8192, false), 4 * peakBesideData(1024, false));
    EXPECT_GT(peakBesideData(1024, false), 2 * windowed);
}

}  // namespace
}  // namespace highwater::engine::testing
