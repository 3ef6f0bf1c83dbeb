#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/engine/data/data.h"
#include "core/engine/device/device.h"
#include "core/stack/shapes.h"
#include "tests/core/engine/training.h"
#include "tests/core/volume_of.h"

/// Samples that are augmented and prepared by workers: the same, whichever worker makes them.
namespace highwater::engine::testing {
namespace {

using ::testing::HasSubstr;

const std::string kConvs =
    R"("stack": [{"type": "conv", "out_channels": 4, "padding": 1}, {"type": "relu"},
                 {"type": "conv", "out_channels": 2, "kernel_size": 1}])";
const std::string kEverything =
    R"([{"type": "flip"}, {"type": "rotate90"}, {"type": "rotate", "amount": 20}, {"type": "scale"},
        {"type": "noise"}, {"type": "blur"}, {"type": "brightness"}, {"type": "gamma"}])";
const std::string kNoise = R"("input": {"synthetic": [2, 8, 8, 8]}, )";
const std::string kScans = R"("input": {"scan": ["a", "b"], "patch": [8, 8, 8], "sampling": "foreground"}, )";

RunRequest requestOf(const std::string& members) {
    RunRequest request;
    request.experiment = parse(members);
    request.runId = "test";
    if (std::holds_alternative<stack::ScanInput>(request.experiment.input)) {
        const volume::Index3 size{14, 13, 12};
        request.channels = {
            volume::test::volumeOf(size, [](auto i, auto j, auto k) { return (i * 7 + j * 5 + k * 3) % 31; }),
            volume::test::volumeOf(size, [](auto i, auto j, auto k) { return i - j + k; })};
        request.labels =
            volume::test::volumeOf(size, [](auto i, auto j, auto k) { return (i / 3 + j / 3 + k / 3) % 2; });
    }
    return request;
}

wire::RunResult ran(
    const RunRequest& request, const EventSink& sink = [](const wire::Event&) {},
    const std::atomic<bool>& cancel = false) {
    auto result = run(request, sink, cancel);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : wire::RunResult{};
}

bool sameBits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(Pipeline, LossesAreTheSameWhateverTheNumberOfWorkers) {
    for (const std::string& input : {kNoise, kScans}) {
        for (const std::string target :
             {R"("target": {"classes": 2}, "loss": "cross_entropy")",
              R"("target": {"threshold": 0.5}, "loss": "dice_cross_entropy")",
              R"("target": {"labels": "l"}, "loss": "cross_entropy")", R"("loss": "mse")"}) {
            for (const std::string& augment : {std::string("[]"), kEverything}) {
                if (input == kNoise && target.find("labels") != std::string::npos) {
                    continue;
                }
                SCOPED_TRACE(input + target + augment);
                RunRequest request = requestOf(
                    input + kConvs + ", " + target +
                    R"(, "step": {"batch_size": 3, "seed": 9}, "data": {"augment": )" + augment + "}");
                request.steps = 3;
                request.warmup = 1;
                const std::vector<double> here = ran(request).losses;
                ASSERT_EQ(here.size(), 4U);
                EXPECT_NE(here[0], here[1]);
                for (const std::int64_t workers : {1, 4}) {
                    for (const std::int64_t prefetch : {1, 3}) {
                        request.experiment.data.workers = workers;
                        request.experiment.data.prefetch = prefetch;
                        EXPECT_TRUE(sameBits(ran(request).losses, here)) << workers << " " << prefetch;
                    }
                }
            }
        }
    }
}

TEST(Pipeline, NoiseIsWhatLibTorchDrawsFromTheSeed) {
    for (const std::int64_t workers : {0, 3}) {
        RunRequest request =
            requestOf(kNoise + kConvs + R"(, "loss": "mean", "step": {"batch_size": 3, "seed": 4})");
        request.experiment.data.workers = workers;
        DataSource data(request, *stack::inferShapes(request.experiment));
        at::Generator generator = at::detail::createCPUGenerator(4);
        for (int step = 0; step < 4; ++step) {
            data.next();
            EXPECT_TRUE(at::equal(data.input(), at::empty({3, 2, 8, 8, 8}).normal_(0, 1, generator)));
        }
    }
}

TEST(Pipeline, TheGlobalGeneratorIsLeftAlone) {
    RunRequest request = requestOf(
        kNoise + kConvs + R"(, "loss": "mean", "data": {"workers": 2, "augment": )" + kEverything + "}");
    at::manual_seed(1);
    const at::Tensor before = at::rand({4});
    at::manual_seed(1);
    DataSource data(request, *stack::inferShapes(request.experiment));
    data.next();
    data.stop();
    EXPECT_TRUE(at::equal(at::rand({4}), before));
}

TEST(Pipeline, LabelsFollowTheirPatchThroughTurnsAndMirrors) {
    for (const std::int64_t workers : {0, 2}) {
        RunRequest request = requestOf(
            R"("input": {"scan": ["a", "b"], "patch": [8, 8, 8], "normalize": "none"}, "step": {"batch_size": 2},
               "target": {"threshold": 15}, "loss": "dice", "data": {"augment": [{"type": "flip", "p": 0.5},
               {"type": "rotate90", "p": 0.7}]}, )" +
            kConvs);
        request.experiment.data.workers = workers;
        DataSource data(request, *stack::inferShapes(request.experiment));
        bool turned = false;
        for (int step = 0; step < 8; ++step) {
            data.next();
            const at::Tensor first = data.input().select(1, 0);
            EXPECT_TRUE(at::equal(data.target(), first.ge(15).to(at::kLong)));
            // The second channel increases along i and decreases along j: rotated like the first.
            const at::Tensor second = data.input()[0][1];
            turned = turned || second[0][0][1].item<float>() < second[0][0][0].item<float>();
        }
        EXPECT_TRUE(turned);
    }
}

TEST(Pipeline, ChannelsAndLabelsAreResampledAlike) {
    RunRequest request = requestOf(
        R"("input": {"scan": ["a", "b"], "patch": [8, 8, 8], "normalize": "none"}, "target": {"labels": "l"},
           "loss": "dice", "data": {"augment": [{"type": "rotate", "p": 1, "amount": 30},
           {"type": "scale", "p": 1}]}, )" +
        kConvs);
    // Linear in i: both channels and the labels are the same plane wherever they are sampled.
    request.channels = {volume::test::volumeOf({40, 40, 40}, [](auto i, auto, auto) { return i; }),
                        volume::test::volumeOf({40, 40, 40}, [](auto i, auto, auto) { return 2 * i; })};
    request.labels = volume::test::volumeOf({40, 40, 40}, [](auto i, auto, auto) { return i >= 20 ? 1 : 0; });
    DataSource data(request, *stack::inferShapes(request.experiment));
    int both = 0;
    for (int step = 0; step < 20; ++step) {
        data.next();
        const at::Tensor first = data.input()[0][0], second = data.input()[0][1], labels = data.target()[0];
        if (first.min().item<float>() < 2 || first.max().item<float>() > 37) {
            continue;  // reaches outside the scan
        }
        EXPECT_LT((second - 2 * first).abs().max().item<float>(), 1e-3);
        EXPECT_TRUE(at::logical_or(labels.eq(0), labels.eq(1)).all().item<bool>());
        // The nearest voxel is at most half a voxel away.
        EXPECT_TRUE(labels.eq(1).logical_and(first.lt(19)).sum().item<std::int64_t>() == 0);
        EXPECT_TRUE(labels.eq(0).logical_and(first.gt(20)).sum().item<std::int64_t>() == 0);
        ++both;
    }
    EXPECT_GT(both, 3);
}

TEST(Pipeline, ThePreviewIsTheAugmentedPatch) {
    for (const std::int64_t workers : {0, 2}) {
        RunRequest request = requestOf(
            R"("input": {"scan": "a", "patch": [8, 8, 8], "normalize": "none"}, "loss": "mean",
               "data": {"augment": [{"type": "flip", "p": 1}]}, )" +
            kConvs);
        request.channels.resize(1);
        request.experiment.data.workers = workers;
        DataSource data(request, *stack::inferShapes(request.experiment));
        for (int step = 0; step < 3; ++step) {
            data.next();
            const volume::Volume patch = data.patchVolume();
            const auto [i, j, k] = data.firstPatch().start;
            EXPECT_EQ(patch.at(0, 0, 0), data.input()[0][0][0][0][0].item<float>());
            EXPECT_EQ(patch.at(0, 0, 0), request.channels[0].at(i + 7, j + 7, k + 7));
            EXPECT_EQ(patch.geometry().origin[0], static_cast<double>(i));
        }
    }
}

TEST(Pipeline, TheRingIsInputBeforeTheFirstStepAndNothingElseComes) {
    Accounting& books = installBooks({});
    RunRequest request = requestOf(kNoise + kConvs +
                                   R"(, "target": {"threshold": 0}, "loss": "dice", "step": {"batch_size": 3},
                     "data": {"workers": 2, "prefetch": 4, "augment": [{"type": "blur"}]})");
    const auto info = stack::inferShapes(request.experiment);
    const Bytes before = books.ledger()[memory::Category::Input];
    {
        DataSource data(request, *info);
        constexpr Bytes kInput = 2 * 512 * 4, kTarget = 512 * 8, kScratch = (512 + 64) * 4;
        // The batch and its target; a batch of noise; a ring of 8 samples; two workers' scratch.
        const Bytes expected = 3 * (kInput + kTarget) + 3 * kInput + 8 * (kInput + kTarget) + 2 * kScratch;
        EXPECT_EQ(books.ledger()[memory::Category::Input] - before, expected);
        const Bytes total = books.total();
        books.start(-1, nullptr);
        for (int step = 0; step < 5; ++step) {
            data.next();
        }
        data.stop();
        EXPECT_EQ(books.total(), total);
        EXPECT_EQ(books.allocations(), 0);
        books.stop();
    }
    EXPECT_EQ(books.ledger()[memory::Category::Input], before);
}

TEST(Pipeline, CancelEndsASlowRead) {
    for (const std::int64_t workers : {0, 3}) {
        RunRequest request =
            requestOf(kScans + kConvs + R"(, "loss": "mean", "data": {"read_delay_ms": 60000})");
        request.experiment.data.workers = workers;
        std::atomic<bool> cancel{false};
        const auto start = std::chrono::steady_clock::now();
        std::thread canceller;
        const wire::RunResult result = ran(
            request,
            [&](const wire::Event& event) {
                if (std::holds_alternative<wire::Started>(event)) {
                    canceller = std::thread([&cancel] {  // while the first sample is read
                        std::this_thread::sleep_for(std::chrono::milliseconds(100));
                        cancel = true;
                    });
                }
            },
            cancel);
        canceller.join();
        EXPECT_EQ(result.status, wire::RunStatus::Cancelled);
        EXPECT_TRUE(result.losses.empty());
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << "of a read of 60 s";
    }
}

TEST(Pipeline, ASlowDiskChangesNoLossAndNoStep) {
    RunRequest request = requestOf(kScans + kConvs + R"(, "loss": "mse", "step": {"batch_size": 2})");
    request.steps = 5;
    const std::vector<double> quick = ran(request).losses;
    request.experiment.data.readDelayMs = 3;
    for (const std::int64_t workers : {0, 1, 4}) {
        request.experiment.data.workers = workers;
        int steps = 0;
        const wire::RunResult slow = ran(request, [&](const wire::Event& event) {
            steps += std::holds_alternative<wire::StepDone>(event) ? 1 : 0;
        });
        EXPECT_EQ(slow.status, wire::RunStatus::Done);
        EXPECT_EQ(steps, request.warmup + request.steps);
        EXPECT_TRUE(sameBits(slow.losses, quick));
    }
}

std::ptrdiff_t threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

TEST(Pipeline, NoThreadOutlivesTheRun) {
    RunRequest request = requestOf(kScans + kConvs + R"(, "loss": "mean")");
    ran(request);  // from here on, LibTorch's own threads exist
    const std::ptrdiff_t before = threads();
    request.experiment.data.workers = 8;
    std::ptrdiff_t during = 0;
    ran(request, [&](const wire::Event& event) {
        if (std::holds_alternative<wire::StepDone>(event)) {
            during = std::max(during, threads());
        }
    });
    EXPECT_GE(during, before + 8);
    // The system lists a joined thread for a moment longer.
    for (int look = 0; look < 1000 && threads() != before; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(threads(), before);
}

TEST(Pipeline, PinnedMemoryOnTheCpuIsAWarning) {
    const RunRequest request = requestOf(kNoise + kConvs + R"(, "loss": "mean", "data": {"pinned": true})");
    const auto info = stack::inferShapes(request.experiment);
    ASSERT_TRUE(stack::checkSupported(request.experiment, *info, false));
    const std::vector<std::string> warnings = dataWarnings(request, *info);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], HasSubstr("/data/pinned has no effect on the CPU"));
    EXPECT_TRUE(dataWarnings(request, *info, {true, 0}).empty());
}

}  // namespace
}  // namespace highwater::engine::testing
