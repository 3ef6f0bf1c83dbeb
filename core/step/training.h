#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory/phase.h"
#include "core/stack/experiment.h"

namespace highwater::step {

/// Runs one step on the current batch: forward and backward for each micro-batch, or for each window of it;
/// then the update. Without training, only forward and loss. `schedule` is a Schedule (schedule.h).
///
/// A Backend supplies:
///
///     using Tensor;
///     struct Part { Tensor input; std::vector<Tensor> targets; ... };  // the input of one forward
///     auto gradMode(bool on);   // c10::AutoGradMode
///     auto autocast();          // alive during forward and loss
///     void enter(memory::Phase, int layer);
///     std::int64_t windows();   // windows per micro-batch; 0: no windows are used
///     Part microBatch(std::int64_t first, std::int64_t samples);
///     Part window(std::int64_t first, std::int64_t number);  // copied from the batch
///     void beforeForward();     // training: before the step's first forward
///     void beforeBackward();    // before its last backward
///     void beginBlending();     // with windows, not training: outputs are blended
///     void blend(const Tensor& output);
///     void endBlending();
///     Tensor jointLoss(std::vector<Tensor> outputs, const std::vector<Tensor>& targets);
///     Tensor scaled(const Tensor& loss); // the tensor that backward starts from
///     void takeLoss(const Tensor& loss);
///     void update();            // the optimizer's step; frees the gradients, or sets them to zero
template <class Schedule, class Backend>
void runStep(const stack::Step& settings, Schedule& schedule, Backend& backend) {
    const auto mode = backend.gradMode(settings.train);
    const std::int64_t parts = settings.microBatches, samples = settings.batchSize / parts;
    const std::int64_t windows = backend.windows();
    const bool blends = windows > 0 && !settings.train;
    const std::int64_t turns = parts * std::max<std::int64_t>(windows, 1);
    std::int64_t turn = 0;

    const auto runPart = [&](const typename Backend::Part& part, double scale) {
        std::vector<typename Backend::Tensor> kept;
        typename Backend::Tensor loss{};
        if (settings.train && turn == 0) {
            backend.beforeForward();
        }
        ++turn;
        {
            const auto autocast = backend.autocast();
            std::vector<typename Backend::Tensor> outputs = schedule.forward(part.input);
            if (settings.train && settings.keepOutput) {
                kept = outputs;
            }
            if (blends) {
                backend.blend(outputs.back());
            }
            loss = backend.jointLoss(std::move(outputs), part.targets);
        }
        if (settings.train) {
            if (turn == turns) {
                backend.beforeBackward();
            }
            schedule.backward(backend.scaled(loss), scale);
        }
        backend.takeLoss(loss);
    };

    const double scale = 1.0 / static_cast<double>(parts);
    if (blends) {
        backend.beginBlending();
    }
    for (std::int64_t i = 0; i < parts; ++i) {
        if (windows == 0) {
            runPart(backend.microBatch(i * samples, samples), scale);
        }
        for (std::int64_t number = 0; number < windows; ++number) {
            backend.enter(memory::Phase::Data, -1);
            runPart(backend.window(i * samples, number), scale / static_cast<double>(windows));
        }
    }
    if (blends) {
        backend.endBlending();
    }
    if (!settings.train) {
        return;
    }
    backend.enter(memory::Phase::Optimizer, -1);
    backend.update();
}

}  // namespace highwater::step
