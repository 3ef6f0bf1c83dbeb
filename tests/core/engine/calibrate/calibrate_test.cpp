#include "core/engine/calibrate/calibrate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "core/engine/books/allocation_log.h"
#include "core/engine/run/runner.h"
#include "core/stack/json/json.h"

namespace highwater::engine {
namespace {

using predict::ConvKey;
using predict::OpEvent;
using predict::OpRow;
using ::testing::HasSubstr;

std::int64_t between(std::mt19937_64& random, int low, int high) {
    return low + static_cast<std::int64_t>(random() % static_cast<unsigned>(high - low + 1));
}

/// A forward key that a layer can have, given by its text.
ConvKey randomKey(std::mt19937_64& random) {
    for (;;) {
        ConvKey key;
        key.dims = static_cast<int>(between(random, 1, 3));
        key.transposed = between(random, 0, 3) == 0;
        key.batch = between(random, 1, 3);
        key.groups = between(random, 0, 3) == 0 ? 2 : 1;
        key.inChannels = key.groups * between(random, 1, 10);
        key.outChannels = key.groups * between(random, 1, 10);
        key.bias = between(random, 0, 3) != 0;
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(key.dims); ++axis) {
            key.input[axis] = between(random, 6, key.dims == 1 ? 400 : key.dims == 2 ? 40 : 14);
            key.kernel[axis] = between(random, 1, 4);
            key.stride[axis] = between(random, 1, 2);
            key.padding[axis] = between(random, 0, 1);
            key.dilation[axis] = between(random, 0, 5) == 0 ? 2 : 1;
        }
        if (auto whole = predict::parseConvKey(key.text())) {
            return *whole;
        }
    }
}

/// The same convolution's backward, as it occurs for a layer within a stack.
ConvKey backwardOf(ConvKey key) {
    key.pass = ConvKey::Pass::Backward;
    key.inputGradient = key.weightGradient = true;
    return key;
}

stack::Sizes first(const std::array<std::int64_t, 3>& sizes, int dims) {
    return {sizes.begin(), sizes.begin() + dims};
}

/// A stack that runs this convolution between layers that give it a contiguous input and a contiguous
/// gradient.
stack::Experiment around(const ConvKey& key, int threads) {
    stack::Experiment e;
    e.loss = stack::Loss::Mean;
    e.step.batchSize = key.batch;
    e.backend.threads = threads;
    stack::Shape shape = first(key.input, key.dims);
    shape.insert(shape.begin(), key.inChannels);
    e.input = stack::SyntheticInput{shape};
    stack::Norm norm;
    stack::Activation gelu;
    gelu.kind = stack::Activation::Kind::Gelu;
    stack::Layer layer;
    if (key.transposed) {
        stack::ConvTranspose conv;
        conv.outChannels = key.outChannels, conv.groups = key.groups, conv.bias = key.bias;
        conv.kernelSize = first(key.kernel, key.dims), conv.stride = first(key.stride, key.dims);
        conv.padding = first(key.padding, key.dims), conv.dilation = first(key.dilation, key.dims);
        layer.op = conv;
    } else {
        stack::Conv conv;
        conv.outChannels = key.outChannels, conv.groups = key.groups, conv.bias = key.bias;
        conv.kernelSize = first(key.kernel, key.dims), conv.stride = first(key.stride, key.dims);
        conv.padding.sizes = first(key.padding, key.dims), conv.dilation = first(key.dilation, key.dims);
        layer.op = conv;
    }
    norm.kind = stack::Norm::Kind::Group;
    e.stack = {{"", norm}, layer, {"", gelu}};
    return e;
}

/// +bytes for an allocation, -bytes for a free.
using Changes = std::vector<base::Bytes>;

Changes changesOf(const std::vector<LoggedAllocation>& log) {
    Changes changes;
    std::map<const void*, base::Bytes> alive;
    for (const LoggedAllocation& entry : log) {
        changes.push_back(entry.bytes > 0 ? entry.bytes : -alive.at(entry.address));
        alive[entry.address] = entry.bytes;
    }
    return changes;
}

Changes changesOf(const ConvKey& key, const OpRow& row) {
    const std::int64_t results[] = {
        key.pass == ConvKey::Pass::Forward ? key.outputStorageElements() : key.inputElements(),
        key.weightElements(), key.outChannels};
    Changes changes, temporaries;
    for (const OpEvent& event : row.events) {
        const auto value = static_cast<std::size_t>(event.value);
        if (event.kind == OpEvent::Kind::Allocate) {
            temporaries.push_back(event.value);
        }
        changes.push_back(event.kind == OpEvent::Kind::Result ? 4 * results[value]
                          : event.kind == OpEvent::Kind::Free ? -temporaries[value]
                                                              : event.value);
    }
    return changes;
}

int occurrences(const Changes& whole, const Changes& part) {
    int count = 0;
    for (auto at = whole.begin();;) {
        at = std::search(at, whole.end(), part.begin(), part.end());
        if (at == whole.end()) {
            return count;
        }
        ++count, ++at;
    }
}

TEST(Calibrate, ARowIsWhatTheSameConvolutionDoesWithinAStack) {
    constexpr int kSteps = 3;
    std::mt19937_64 random(7);
    for (int i = 0; i < 40; ++i) {
        CalibrateOptions options;
        options.threads = 1 + i % 2;
        options.repeats = 2;
        const ConvKey forward = randomKey(random), backward = backwardOf(forward);
        SCOPED_TRACE(forward.text() + " on threads: " + std::to_string(options.threads));
        RunRequest request;
        request.experiment = around(forward, options.threads);
        request.steps = kSteps, request.warmup = 0;
        // The run comes first, so that its first step sees the convolution for the first time.
        AllocationLog log;
        const std::atomic<bool> cancel{false};
        const auto run = engine::run(request, [](const wire::Event&) {}, cancel);
        const Changes whole = changesOf(log.stop());
        ASSERT_TRUE(run) << run.error().message;
        ASSERT_EQ(run->status, wire::RunStatus::Done);
        ASSERT_EQ(beginCalibration(options).threads, options.threads);
        for (const ConvKey& key : {forward, backward}) {
            const auto row = measureConvolution(key, options);
            ASSERT_TRUE(row) << key.text() << ": " << row.error().message;
            EXPECT_GE(row->events.size(), key.pass == ConvKey::Pass::Forward ? 1U : 2U);
            EXPECT_GE(occurrences(whole, changesOf(key, *row)), kSteps) << key.text();
        }
    }
}

TEST(Calibrate, AShrinkingConvTranspose3dKeepsAsMuchAsItsInput) {
    CalibrateOptions options;
    options.threads = 1;
    beginCalibration(options);
    const ConvKey key = *predict::parseConvKey(
        "conv_transpose3d/f/n2/c10,4/i6,12,12/k3,3,3/s1,1,1/p2,2,2/d1,1,1/g1/o0,0,0/b");
    EXPECT_EQ(key.outputElements(), 2 * 4 * 4 * 10 * 10);
    EXPECT_EQ(key.outputStorageElements(), key.inputElements());
    const auto row = measureConvolution(key, options);
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_THAT(row->events, ::testing::Contains(OpEvent{OpEvent::Kind::Result, 0}));
}

TEST(Calibrate, AStridedGradientIsCopiedFirst) {
    CalibrateOptions options;
    options.threads = 1;
    beginCalibration(options);
    for (const char* text : {"conv3d/b/n1/c4,8/i12,12,12/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/gi/gw",
                             "conv2d/b/n2/c4,8/i40,40/k3,3/s1,1/p1,1/d1,1/g1/b/gi/gw"}) {
        ConvKey key = *predict::parseConvKey(text);
        const auto plain = measureConvolution(key, options);
        key.gradientContiguous = false;
        const auto strided = measureConvolution(key, options);
        ASSERT_TRUE(plain && strided);
        EXPECT_EQ(strided->events.front(), (OpEvent{OpEvent::Kind::Allocate, 4 * key.outputElements()}));
        EXPECT_GE(strided->events.size(), plain->events.size() + 2) << text;
    }
}

TEST(Calibrate, OnlyTheWantedGradientsAreMade) {
    CalibrateOptions options;
    options.threads = 1;
    beginCalibration(options);
    const auto results = [&](const char* text) {
        const auto row = measureConvolution(*predict::parseConvKey(text), options);
        std::set<std::int64_t> made;
        for (const OpEvent& event : row.value().events) {
            if (event.kind == OpEvent::Kind::Result) {
                made.insert(event.value);
            }
        }
        return made;
    };
    using Set = std::set<std::int64_t>;
    EXPECT_EQ(results("conv2d/b/n2/c4,8/i9,9/k3,3/s1,1/p1,1/d1,1/g1/b/gi/gw"), (Set{0, 1, 2}));
    EXPECT_EQ(results("conv2d/b/n2/c4,8/i9,9/k3,3/s1,1/p1,1/d1,1/g1/b/gw"), (Set{1, 2}));
    EXPECT_EQ(results("conv2d/b/n2/c4,8/i9,9/k3,3/s1,1/p1,1/d1,1/g1/gi"), (Set{0}));
    EXPECT_EQ(results("conv2d/f/n2/c4,8/i9,9/k3,3/s1,1/p1,1/d1,1/g1"), (Set{0}));
}

TEST(Calibrate, SaysWhyAConvolutionIsNotMeasured) {
    CalibrateOptions options;
    options.threads = 1;
    options.memory = 64 * base::kMiB;
    beginCalibration(options);
    const auto why = [&](const ConvKey& key) {
        const auto row = measureConvolution(key, options);
        return row ? "measured" : row.error().message;
    };
    ConvKey key = *predict::parseConvKey("conv3d/f/n1/c64,64/i96,96,96/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b");
    EXPECT_THAT(why(key), HasSubstr("its tensors take 432 MiB, more than the 64.0 MiB allowed"));
    // Its tensors fit, but not the columns of the fallback for dilated kernels.
    key = *predict::parseConvKey("conv3d/f/n1/c8,8/i48,48,48/k3,3,3/s1,1,1/p2,2,2/d2,2,2/g1/b");
    EXPECT_THAT(why(key), HasSubstr("requested 91.1 MiB"));
    key.output[0] = 7;
    EXPECT_THAT(why(key), HasSubstr("do not fit each other"));
    key = ConvKey();
    key.pass = ConvKey::Pass::Backward;
    EXPECT_THAT(why(key), HasSubstr("without a wanted gradient"));
    key = ConvKey();
    key.dtype = predict::DType::BFloat16;
    EXPECT_THAT(why(key), HasSubstr("fp32"));
}

TEST(Calibrate, ATableHoldsWhatWasMeasuredUntilItWasStopped) {
    const std::vector<ConvKey> ops = {
        *predict::parseConvKey("conv1d/f/n2/c3,4/i64/k3/s1/p1/d1/g1/b"),
        *predict::parseConvKey("conv1d/f/n2/c3,4/i64/k3/s1/p1/d1/g1/b"),
        *predict::parseConvKey("conv1d/b/n2/c3,4/i64/k3/s1/p1/d1/g1/b"),
        *predict::parseConvKey("conv1d/f/n2/c3,5/i64/k3/s1/p1/d1/g1/b"),
    };
    CalibrateOptions options;
    options.threads = 1;
    std::atomic<bool> cancel{false};
    const CalibrationResult all = calibrate(ops, options, {}, cancel);
    EXPECT_EQ(all.table.size(), 2U);
    EXPECT_FALSE(all.cancelled);
    ASSERT_EQ(all.skipped.size(), 1U);
    EXPECT_THAT(all.skipped[0], HasSubstr("conv1d/b/n2"));
    EXPECT_FALSE(all.table.machine.empty());

    const auto stopAtTheLast = [&](const CalibrationProgress& now) { cancel = now.done + 1 == now.all; };
    const CalibrationResult part = calibrate(ops, options, stopAtTheLast, cancel);
    EXPECT_TRUE(part.cancelled);
    EXPECT_EQ(part.table.size(), 1U);

    const auto again = predict::parseCalibration(predict::writeCalibration(all.table), "table");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->rows(), all.table.rows());
    EXPECT_EQ(again->key(), all.table.key());
}

}  // namespace
}  // namespace highwater::engine
