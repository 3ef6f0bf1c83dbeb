#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/stack/experiment.h"

namespace highwater::engine {

/// Scales all gradients down so that their total norm is at most `largest`, as torch.nn.utils.clip_grad_norm_
/// does: on a GPU with the foreach functions, otherwise tensor by tensor.
void clipGradients(const std::vector<at::Tensor>& parameters, double largest);

/// SGD, Adam and AdamW as torch::optim computes them: the same operations tensor by tensor, with bit-equal
/// results; or, with `foreach`, operation by operation for all tensors, as Python's torch.optim does. The
/// state is allocated in the first step, in the category optimizer state.
class Optimizer {
public:
    Optimizer(const stack::Optimizer& settings, std::vector<at::Tensor> parameters);
    /// Updates every parameter that has a gradient.
    void step();

private:
    struct State {
        at::Tensor first;    ///< momentum, or the mean of gradients
        at::Tensor second;   ///< the mean of squared gradients
        at::Tensor largest;  ///< amsgrad: the largest `second` so far
        std::int64_t steps = 0;
    };
    /// The parameters that have a gradient, their gradients and states, in order.
    struct Lists {
        std::vector<at::Tensor> parameters, gradients, first, second, largest;
        std::int64_t steps = 0;
    };
    void prepare(State& state, const at::Tensor& parameter) const;
    Lists lists();  ///< also increments the step count
    void sgdTogether(Lists lists) const;
    void adamTogether(Lists lists) const;
    void sgd(at::Tensor& parameter, State& state) const;
    void adam(at::Tensor& parameter, State& state) const;

    stack::Optimizer settings_;
    std::vector<at::Tensor> parameters_;
    std::vector<State> states_;
};

}  // namespace highwater::engine
