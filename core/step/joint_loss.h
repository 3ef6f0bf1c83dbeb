#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace highwater::step {

/// Returns the sum over a program's outputs of weight * loss, in their order; with one output, its loss
/// without a weight. Each output is released as soon as its loss is computed. `targets` and `weights` have
/// one entry per output. `Losses` supplies loss(output, target), weigh(value, weight) and join(sum, value),
/// each of which returns a scalar.
template <class Tensor, class Losses>
Tensor jointLoss(Losses&& losses, std::vector<Tensor> outputs, const std::vector<Tensor>& targets,
                 const std::vector<double>& weights) {
    Tensor sum{};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Tensor value = losses.loss(outputs[i], targets[i]);
        outputs[i].reset();
        if (outputs.size() > 1) {
            value = losses.weigh(value, weights[i]);
        }
        sum = i > 0 ? losses.join(sum, value) : std::move(value);
    }
    return sum;
}

}  // namespace highwater::step
