#include "core/plan/device_fit.h"
#include "core/predict/predict.h"
#include "core/stack/shapes.h"
#include "tests/fuzz/work/counted_work.h"

namespace highwater::fuzz {
namespace {

using namespace stack;

enum class Around { Nothing, CheckpointedBlock, BlockWithHead };

Experiment layers(std::size_t count, Around around) {
    Experiment experiment;
    experiment.input = SyntheticInput{{1, 8}};
    experiment.loss = Loss::Mean;
    Conv conv;
    conv.dims = 1;
    conv.outChannels = 1;
    conv.kernelSize = {1};
    for (std::size_t i = 0; i < count; ++i) {
        if (around == Around::Nothing) {
            experiment.stack.emplace_back().op = conv;
            continue;
        }
        Block block;
        block.name = "x";
        block.checkpoint = around == Around::CheckpointedBlock;
        block.layers.emplace_back().op = conv;
        if (around == Around::BlockWithHead) {
            Head head;
            head.outChannels = 1;
            block.layers.emplace_back().op = head;
        }
        experiment.stack.emplace_back().op = block;
    }
    return experiment;
}

Prepare predictions(Around around) {
    return [around](std::size_t size) {
        return [experiment = layers(size, around)] {
            const auto target = predict::gpuTarget("rtx4090", experiment);
            ASSERT_TRUE(target) << target.error().message;
            const auto info = inferShapes(experiment);
            ASSERT_TRUE(info) << info.error().message;
            EXPECT_TRUE(predict::predict(experiment, *info, *target));
        };
    };
}

TEST(Work, LayersOfAPrediction) {
    expectLinearWork(300, predictions(Around::Nothing));
}

TEST(Work, CheckpointedBlocksOfAPrediction) {
    expectLinearWork(300, predictions(Around::CheckpointedBlock));
}

TEST(Work, HeadsOfAPrediction) {
    expectLinearWork(300, predictions(Around::BlockWithHead));
}

/// The work of `predict --all` for each device.
TEST(Work, LayersOfTheLargestBatch) {
    expectLinearWork(60, [](std::size_t size) {
        return [experiment = layers(size, Around::CheckpointedBlock)] {
            const auto target = predict::gpuTarget("rtx4090", experiment);
            ASSERT_TRUE(target) << target.error().message;
            EXPECT_TRUE(plan::fitOn(experiment, *target, {nullptr, {}}));
        };
    });
}

}  // namespace
}  // namespace highwater::fuzz
