#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/stack/experiment.h"

namespace highwater::engine {

/// Class probabilities, [N, C, spatial...] of this type: 1 for the label, 0 for the others. `labels` are
/// int64 class numbers [N, spatial...].
at::Tensor softTarget(const at::Tensor& labels, std::int64_t classes, at::ScalarType type);

/// The loss as a scalar. `output` is [N, C, spatial...]. `target` is float of the same shape for mse, and for
/// bce, sigmoid_dice and their sum with values 0 or 1; int64 class numbers [N, spatial...] or probabilities
/// (softTarget) for the others, and unused for mean. Dice is 1 - the mean over samples and classes of (2
/// sum(p y) + s) / (sum p + sum y + s), with p the softmax over C, y the one-hot target, s = 1e-5 (Milletari
/// 2016, with the denominator of nnU-Net); dice_cross_entropy is the sum of both losses. bce is binary
/// cross-entropy with logits; sigmoid_dice is dice with p the sigmoid and y the target; sigmoid_dice_bce is
/// the sum of both.
at::Tensor computeLoss(stack::Loss loss, const at::Tensor& output, const at::Tensor& target);

/// The weighted joint loss of all outputs of a program (core/step/joint_loss.h).
at::Tensor computeLoss(stack::Loss loss, std::vector<at::Tensor> outputs,
                       const std::vector<at::Tensor>& targets, const std::vector<double>& weights);

}  // namespace highwater::engine
