#include <fmt/format.h>

#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/case.h"

namespace highwater::kit {

namespace {

using stack::Checkpointing;
using stack::Loss;
using stack::Optimizer;

Case trainingOf(stack::Experiment e) {
    return {"training", std::move(e)};
}

/// Four blocks of two units.
stack::Experiment deep(Scale scale, std::string name, std::int64_t batch = 2) {
    const std::int64_t n = size3d(scale, 96);
    Layers blocks;
    for (int i = 1; i <= 4; ++i) {
        blocks.push_back(block(fmt::format("block{}", i), unit(32) + unit(32), true));
    }
    stack::Experiment e = segmentation(std::move(name), {1, n, n, n}, batch, std::move(blocks));
    e.step.checkpoint.kind = Checkpointing::Kind::None;
    return e;
}

/// Parameters dominate activations, so that the optimizer state is visible.
stack::Experiment wide(Scale scale, std::string name) {
    const std::int64_t n = size3d(scale, 64), channels = scale == Scale::Gpu ? 512 : 96;
    return experiment(std::move(name), {4, n / 2, n / 2, n / 2}, 1,
                      unit(channels) + unit(channels) + unit(channels));
}

std::vector<Case> losses(Scale scale) {
    const std::int64_t n = size3d(scale, 128);
    std::vector<Case> cases;
    constexpr std::pair<const char*, Loss> kLosses[] = {{"loss-dice-cross-entropy", Loss::DiceCrossEntropy},
                                                        {"loss-dice", Loss::Dice},
                                                        {"loss-cross-entropy", Loss::CrossEntropy}};
    for (const auto& [name, loss] : kLosses) {
        stack::Experiment e = segmentation(name, {1, n, n, n}, 2, unit(8), 8);
        e.loss = loss;
        cases.push_back(trainingOf(std::move(e)));
    }
    stack::Experiment mse = experiment("loss-mse", {2, n, n, n}, 2, Layers{{"", conv(8)}, {"", conv(2)}});
    mse.loss = Loss::Mse;
    cases.insert(cases.begin() + 1, trainingOf(std::move(mse)));
    return cases;
}

std::vector<Case> optimizers(Scale scale) {
    std::vector<Case> cases;
    const auto add = [&](const char* name, Optimizer optimizer) {
        stack::Experiment e = wide(scale, name);
        e.optimizer = optimizer;
        cases.push_back(trainingOf(std::move(e)));
    };
    add("optimizer-adam", stack::makeOptimizer(Optimizer::Kind::Adam));
    Optimizer momentum = stack::makeOptimizer(Optimizer::Kind::Sgd);
    momentum.momentum = 0.9;
    add("optimizer-sgd-momentum", momentum);
    Optimizer amsgrad = stack::makeOptimizer(Optimizer::Kind::AdamW);
    amsgrad.amsgrad = true;
    add("optimizer-adamw-amsgrad", amsgrad);
    add("optimizer-sgd", stack::makeOptimizer(Optimizer::Kind::Sgd));
    return cases;
}

std::vector<Case> checkpointing(Scale scale) {
    std::vector<Case> cases;
    const auto add = [&](const char* name, Checkpointing::Kind kind, std::int64_t segments = 2) {
        stack::Experiment e = deep(scale, name);
        e.step.checkpoint = {kind, segments};
        cases.push_back(trainingOf(std::move(e)));
    };
    add("checkpoint-blocks", Checkpointing::Kind::Blocks);
    add("checkpoint-none", Checkpointing::Kind::None);
    add("checkpoint-sqrt", Checkpointing::Kind::Sqrt);
    add("checkpoint-segments-3", Checkpointing::Kind::Segments, 3);
    return cases;
}

std::vector<Case> steps(Scale scale) {
    stack::Experiment micro = deep(scale, "micro-batches-4", 4), evaluate = deep(scale, "no-training", 4);
    micro.step.microBatches = 4;
    evaluate.step.train = false;
    const std::int64_t n = size3d(scale, 96);
    stack::Dropout values, channels;
    channels.feature = true;
    stack::Experiment dropped =
        segmentation("dropout", {1, n, n, n}, 2,
                     unit(32) + Layers{{"", values}} + unit(32) + Layers{{"", channels}} + unit(32));
    return {trainingOf(std::move(dropped)), trainingOf(std::move(micro)), trainingOf(std::move(evaluate))};
}

}  // namespace

std::vector<Case> trainingCases(Scale scale) {
    return interleaved({checkpointing(scale), losses(scale), optimizers(scale), steps(scale)});
}

}  // namespace highwater::kit
