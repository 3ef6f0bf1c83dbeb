#include "core/layers/axis_size.h"

#include <gtest/gtest.h>

#include "core/stack/shapes.h"
#include "core/stack/shared.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::stack {
namespace {

/// Counts the windows of a kernel one by one.
std::int64_t counted(std::int64_t size, const AxisWindow& w) {
    std::int64_t count = 0;
    for (std::int64_t at = -w.before; at + w.reach() < size + w.after; at += w.stride) {
        ++count;
    }
    return count;
}

TEST(AxisSize, SlidesAsOftenAsTheKernelFits) {
    for (const std::int64_t size : {1, 2, 5, 8, 13}) {
        for (const std::int64_t kernel : {1, 2, 3, 7}) {
            for (const std::int64_t stride : {1, 2, 3}) {
                for (const std::int64_t dilation : {1, 2}) {
                    for (const std::int64_t after : {0, 1, 3}) {
                        const AxisWindow w{kernel, stride, dilation, after / 2, after};
                        EXPECT_EQ(slidSize(size, w), counted(size, w))
                            << size << " " << kernel << " " << stride << " " << dilation << " " << after;
                    }
                }
            }
        }
    }
}

/// torch.nn.ConvTranspose3d: the input's size of a convolution with that output.
TEST(AxisSize, TransposesWhatAConvolutionMakes) {
    for (const std::int64_t size : {7, 8, 9, 10}) {
        for (const std::int64_t stride : {1, 2, 3}) {
            const AxisWindow w{3, stride, 2, 1, 1};
            const std::int64_t lost = (size + 2 - 4 - 1) % stride;
            EXPECT_EQ(transposedSize(slidSize(size, w), w, lost), size);
        }
    }
    EXPECT_EQ(transposedSize(1, {2, 2, 1, 1, 1}, 0), 0) << "the padding takes all of it";
}

TEST(AxisSize, PadsSameByTheReach) {
    const AxisWindow w = windowAlong({4}, {1}, {1}, {true, {0}}, 2);
    EXPECT_EQ(w.before, 1);
    EXPECT_EQ(w.after, 2);
    EXPECT_EQ(slidSize(9, w), 9);
    EXPECT_TRUE(canPad(PaddingMode::Reflect, 2, 3));
    EXPECT_FALSE(canPad(PaddingMode::Reflect, 3, 3));
    EXPECT_TRUE(canPad(PaddingMode::Circular, 3, 3));
    EXPECT_FALSE(canPad(PaddingMode::Circular, 4, 3));
    EXPECT_TRUE(canPad(PaddingMode::Replicate, 9, 1));
}

TEST(AxisSize, PoolsCountTheirPaddingButInAvgPool3d) {
    const Pool max{Pool::Kind::Max, {3}, {2}, {1}}, avg{Pool::Kind::Avg, {3}, {2}, {1}};
    EXPECT_EQ(pooledSize(2, max, 3, 0), 1);
    EXPECT_EQ(pooledSize(2, avg, 2, 0), 1);
    EXPECT_EQ(pooledSize(2, avg, 3, 0), 0);
    EXPECT_EQ(pooledSize(3, avg, 3, 0), 2);
    EXPECT_EQ(pooledSize(9, Pool{Pool::Kind::Max, {2, 3, 4}, {}, {0}}, 3, 1), 3) << "the kernel's size";
}

TEST(AxisSize, ScalesByWholeNumbersAndPartsOfThem) {
    const auto of = [](const Op& op, std::size_t axis = 0) {
        const AxisScale scale = scaleAlong(op, axis);
        return std::pair(scale.down, scale.up);
    };
    Conv conv;
    conv.stride = {1, 2, 3};
    ConvTranspose up;
    up.stride = {2};
    EXPECT_EQ(of(conv, 2), std::pair(std::int64_t{3}, std::int64_t{1}));
    EXPECT_EQ(of(up), std::pair(std::int64_t{1}, std::int64_t{2}));
    EXPECT_EQ(of(Pool{Pool::Kind::Max, {3}, {}, {0}}), std::pair(std::int64_t{3}, std::int64_t{1}));
    EXPECT_EQ(of(Upsample{{4}, {}}), std::pair(std::int64_t{1}, std::int64_t{4}));
    EXPECT_EQ(of(Upsample{{0.25}, {}}), std::pair(std::int64_t{4}, std::int64_t{1}));
    EXPECT_EQ(of(Upsample{{1.5}, {}}), std::pair(std::int64_t{1}, std::int64_t{1}));
    EXPECT_EQ(of(Upsample{{4}, {7}}), std::pair(std::int64_t{1}, std::int64_t{1}));
    conv.stride = {-5};
    EXPECT_EQ(of(conv), std::pair(std::int64_t{1}, std::int64_t{1}));
    conv.stride = {};
    EXPECT_EQ(of(conv, 2), std::pair(std::int64_t{1}, std::int64_t{1}));
}

/// For every layer, the rule for one axis agrees with the shape rules for all of them.
TEST(AxisSize, AgreesWithTheShapesOfRandomStacks) {
    const auto check = [](const auto& self, const std::vector<Layer>& layers, const Operators& operators,
                          const StackInfo& info, std::size_t& index) -> void {
        for (const Layer& layer : layers) {
            const LayerInfo& here = info.layers[index++];
            if (const auto* block = std::get_if<Block>(&layer.op)) {
                self(self, block->layers, operators, info, index);
                continue;
            }
            const Op& op = operators.of(layer);
            const bool moves = std::holds_alternative<Permute>(op) || std::holds_alternative<Select>(op);
            const int dims = static_cast<int>(here.input.size()) - 2;
            for (std::size_t axis = 0; here.with.empty() && !moves && axis < static_cast<std::size_t>(dims) &&
                                       axis + 2 < here.output.size();
                 ++axis) {
                EXPECT_EQ(outputSize(here.input[axis + 2], operators.of(layer), dims, axis),
                          here.output[axis + 2])
                    << here.name;
            }
        }
    };
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Experiment e = testing::randomExperiment(seed);
        std::size_t index = 0;
        check(check, e.stack, Operators(e.stack), *inferShapes(e), index);
    }
}

}  // namespace
}  // namespace highwater::stack
