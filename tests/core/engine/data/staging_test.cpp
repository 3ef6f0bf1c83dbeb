#include "core/engine/data/staging.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/engine/data/target_sampler.h"
#include "core/engine/layers/layers.h"

namespace highwater::engine {
namespace {

TEST(Staging, CopiesEachBatchInItsLayout) {
    const at::Tensor input = at::empty({2, 3, 4, 5, 6}, at::kFloat, at::MemoryFormat::ChannelsLast3d);
    const at::Tensor target = at::empty({2, 4, 5, 6}, at::kLong);
    Staging staging({input, target}, false);
    for (int round = 0; round < 3; ++round) {
        const std::vector<at::Tensor>& host = staging.next();
        ASSERT_EQ(host.size(), 2U);
        EXPECT_EQ(host[0].strides(), input.strides());
        EXPECT_EQ(host[1].scalar_type(), at::kLong);
        const at::Tensor values = at::rand({2, 3, 4, 5, 6});
        at::Tensor first = host[0], second = host[1];
        first.copy_(values);
        second.fill_(round);
        staging.send();
        EXPECT_TRUE(at::equal(input, values));
        EXPECT_TRUE(at::equal(target, at::full({2, 4, 5, 6}, round, at::kLong)));
    }
}

using Sizes = std::vector<std::int64_t>;

class Sampler : public ::testing::TestWithParam<std::pair<Sizes, Sizes>> {};

/// Channels last: code that walks memory directly elsewhere must use views or indices there.
TEST_P(Sampler, ViewsGiveWhatWalkingGives) {
    const auto& [from, to] = GetParam();
    const auto dims = static_cast<std::int64_t>(from.size()) - 2;
    const auto format = dims == 3 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
    for (const at::ScalarType type : {at::kFloat, at::kLong}) {
        const at::Tensor target = at::randint(0, 1000, from, type);
        const at::Tensor walked = at::full(to, -1, type);
        TargetSampler(target, walked, dims).sample();
        EXPECT_GE(walked.min().item<double>(), 0);
        at::Tensor other = target.contiguous(format);
        const at::Tensor sampled = at::full(to, -1, type).contiguous(format);
        ASSERT_FALSE(other.is_contiguous());
        const TargetSampler sampler(other, sampled, dims);
        sampler.sample();
        EXPECT_TRUE(at::equal(walked, sampled));
        other.add_(1);
        sampler.sample();
        EXPECT_TRUE(at::equal(walked + 1, sampled)) << "it follows its source";
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Sampler,
                         ::testing::Values(std::pair{Sizes{2, 3, 12, 8}, Sizes{2, 3, 4, 2}},
                                           std::pair{Sizes{2, 3, 8, 9}, Sizes{2, 3, 4, 5}},
                                           std::pair{Sizes{1, 2, 6, 8, 9}, Sizes{1, 2, 2, 8, 3}},
                                           std::pair{Sizes{3, 2, 7, 8, 12}, Sizes{3, 2, 3, 8, 5}}));

TEST(ChannelsLast, WeightsHaveTheSameValuesInThatOrder) {
    stack::Conv conv;
    conv.outChannels = 6;
    for (const stack::Shape& input : {stack::Shape{1, 4, 8, 8, 8}, stack::Shape{1, 4, 8, 8}}) {
        at::manual_seed(3);
        const LayerTensors plain = makeLayer(conv, input);
        at::manual_seed(3);
        const LayerTensors last = makeLayer(conv, input, {}, true);
        ASSERT_EQ(last.parameters.size(), 2U);
        EXPECT_TRUE(last.parameters[0].is_contiguous(input.size() == 5 ? at::MemoryFormat::ChannelsLast3d
                                                                       : at::MemoryFormat::ChannelsLast));
        EXPECT_FALSE(last.parameters[0].is_contiguous());
        EXPECT_TRUE(last.parameters[0].requires_grad() && last.parameters[0].is_leaf());
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_TRUE(at::equal(plain.parameters[i], last.parameters[i]));
        }
    }
    at::manual_seed(3);
    EXPECT_TRUE(makeLayer(conv, {1, 4, 8}, {}, true).parameters[0].is_contiguous());
}

}  // namespace
}  // namespace highwater::engine
