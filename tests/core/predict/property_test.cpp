#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "core/predict/predict.h"
#include "tests/core/predict/walked.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::predict::testing {
namespace {

using memory::Category;

stack::Experiment randomTraining(std::uint64_t seed) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.elements = std::int64_t{1} << (15 + seed % 20);
    stack::Experiment made = stack::testing::randomExperiment(seed, limits);
    made.backend.threads = static_cast<std::int64_t>(seed % 5);
    made.step.train = seed % 11 != 0;
    if (!stack::inferShapes(
            made)) {  // in evaluation a stochastic_depth gives a view on, and no layer writes into it
        made.step.train = true;
    }
    if (seed % 3 == 0) {
        made.step.microBatches = made.step.batchSize;
    }
    if (seed % 7 == 0) {
        made.step.checkpoint.kind = static_cast<stack::Checkpointing::Kind>(seed % 4);
    }
    return made;
}

void expectOrdered(const Estimate& e) {
    EXPECT_LE(e.low, e.expected);
    EXPECT_LE(e.expected, e.high);
}

void expectSane(const stack::Step& step, const stack::StackInfo& info, const Prediction& p,
                const memory::Trace& trace) {
    expectOrdered(p.peakAllocated);
    EXPECT_EQ(p.peakByCategory.total(), p.peakAllocated.expected);
    EXPECT_GT(p.peakAllocated.low, 0);
    EXPECT_EQ(memory::findPeak(trace).ledger.total(), p.peakAllocated.expected);
    const auto status = memory::check(trace);
    EXPECT_TRUE(status) << status.error().message;
    for (const Category each : {Category::Activations, Category::Workspace, Category::Temporaries}) {
        EXPECT_EQ(p.atEnd[each], 0) << memory::categoryKey(each);
    }
    EXPECT_EQ(p.atEnd[Category::Gradients], step.keepGradients && step.train ? 4 * info.parameters : 0);

    ASSERT_LE(p.timeline.size(), 400U);
    ASSERT_FALSE(p.timeline.empty());
    for (std::size_t i = 0; i < p.timeline.size(); ++i) {
        const PredictedPoint& point = p.timeline[i];
        EXPECT_LE(point.ledger.total(), p.peakAllocated.expected);
        EXPECT_LE(point.low, point.ledger.total());
        EXPECT_GE(point.high, point.ledger.total());
        EXPECT_LE(point.high, p.peakAllocated.high);
        if (i > 0) {
            EXPECT_GT(point.event, p.timeline[i - 1].event);
            EXPECT_GE(point.ms, p.timeline[i - 1].ms);
        }
        for (const Category each : memory::kCategories) {
            EXPECT_GE(point.ledger[each], 0);
        }
    }
    ASSERT_EQ(p.layers.size(), info.layers.size());
    base::Bytes atPeak = 0;
    for (std::size_t i = 0; i < p.layers.size(); ++i) {
        expectOrdered(p.layers[i].forwardBytes);
        expectOrdered(p.layers[i].backwardBytes);
        EXPECT_GE(p.layers[i].atPeak, 0);
        atPeak += info.layers[i].depth == 0 ? p.layers[i].atPeak : 0;
    }
    EXPECT_LE(atPeak, p.peakAllocated.expected);
    EXPECT_LE(p.withoutRow, p.convolutions);
}

TEST(PredictProperties, OneThousandRandomStacks) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const stack::Experiment experiment = randomTraining(seed);
        const auto info = stack::inferShapes(experiment);
        ASSERT_TRUE(info) << info.error().message;
        memory::Trace trace;
        PredictOptions options;
        options.trace = &trace;
        Target target;
        target.cpu.threads = std::max(1, static_cast<int>(experiment.backend.threads));
        const auto predicted = predict(experiment, *info, target, options);
        ASSERT_TRUE(predicted) << predicted.error().message;
        expectSane(experiment.step, *info, *predicted, trace);
        if (HasFailure()) {
            return;
        }
    }
}

TEST(PredictProperties, TheSameTwice) {
    const stack::Experiment experiment = randomTraining(5);
    const auto info = stack::inferShapes(experiment);
    const auto once = predict(experiment, *info, {}), twice = predict(experiment, *info, {});
    EXPECT_EQ(once->peakAllocated, twice->peakAllocated);
    EXPECT_EQ(once->peakByCategory, twice->peakByCategory);
    EXPECT_EQ(once->timeline.size(), twice->timeline.size());
}

TEST(PredictProperties, RowsMakeItExactAndGuessesSaySo) {
    const Walked w = walked("[1, 16]", R"({"type": "conv", "out_channels": 4, "kernel_size": 3})");
    const auto exact = predict(w.experiment, w.info, plainTarget(w.experiment, w.info));
    ASSERT_TRUE(exact);
    EXPECT_TRUE(exact->peakAllocated.exact());
    EXPECT_EQ(exact->withoutRow, 0U);
    const auto guessed = predict(w.experiment, w.info, {});
    ASSERT_TRUE(guessed);
    EXPECT_EQ(guessed->convolutions, 2U);
    EXPECT_EQ(guessed->withoutRow, 2U);
    EXPECT_THAT(guessed->guesses, ::testing::Contains(::testing::HasSubstr("2 of 2 convolution passes")));
}

TEST(PredictProperties, ABlockIsTheSumOfWhatItContains) {
    const Walked w = walked("[1, 16]", R"({"type": "conv", "out_channels": 4, "kernel_size": 1},
        {"type": "block", "layers": [{"type": "batch_norm"}, {"type": "conv", "out_channels": 4, "kernel_size": 1}]})");
    const auto p = predict(w.experiment, w.info, plainTarget(w.experiment, w.info));
    ASSERT_TRUE(p);
    EXPECT_EQ(p->layers[1].parameterBytes, p->layers[2].parameterBytes + p->layers[3].parameterBytes);
    EXPECT_EQ(p->layers[1].activationBytes, p->layers[2].activationBytes + p->layers[3].activationBytes);
    EXPECT_EQ(p->layers[1].forwardBytes.expected,
              std::max(p->layers[2].forwardBytes.expected, p->layers[3].forwardBytes.expected));
}

/// Nothing grows with the sizes: these would need exbibytes.
TEST(PredictProperties, HugeSizes) {
    const auto predictAt = [](const std::string& shape,
                              const std::string& layers) -> base::Result<Prediction> {
        const auto experiment = stack::testing::experimentOf(shape, layers);
        if (!experiment) {
            return experiment.error();
        }
        const auto info = stack::inferShapes(*experiment);
        return info ? predict(*experiment, *info, {}) : base::Result<Prediction>(info.error());
    };
    const std::string unit = R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1},
        {"type": "batch_norm"}, {"type": "relu"}, {"type": "max_pool", "kernel_size": 2})";
    const auto cube = predictAt("[1, 4096, 4096, 4096]", unit);
    ASSERT_TRUE(cube) << cube.error().message;
    EXPECT_GT(cube->peakAllocated.expected, base::Bytes{8} * 4 * 4096 * 4096 * 4096);
    // The input has 1 PiB.
    const auto large =
        predictAt("[1, 65536, 65536, 65536]", R"({"type": "conv", "out_channels": 1, "kernel_size": 1})");
    ASSERT_TRUE(large) << large.error().message;
    EXPECT_GE(large->peakAllocated.expected, base::Bytes{1} << 51);
    // Padding may create a temporary tensor that is too large for any stack.
    const auto padded = predictAt(
        "[1, 2, 2, 2]",
        R"({"type": "conv", "out_channels": 1, "kernel_size": 1, "stride": 1048576, "padding": 1048576,
                                  "padding_mode": "replicate"})");
    EXPECT_FALSE(padded);
    EXPECT_THAT(padded ? "" : padded.error().message, ::testing::HasSubstr("2^62 bytes"));
}

}  // namespace
}  // namespace highwater::predict::testing
