#include "core/engine/step/optimizers.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "core/engine/device/device.h"

namespace highwater::engine {

namespace {
at::Tensor zeroState(const at::Tensor& parameter) {
    at::Tensor state = at::zeros_like(parameter);
    retag(state, Category::OptimizerState);
    return state;
}
}  // namespace

void clipGradients(const std::vector<at::Tensor>& parameters, double largest) {
    const c10::AutoGradMode noGraph(false);
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : parameters) {
        if (parameter.grad().defined()) {
            gradients.push_back(parameter.grad());
        }
    }
    if (gradients.empty()) {
        return;
    }
    std::vector<at::Tensor> norms;
    if (gradients.front().is_cuda()) {  // torch.nn.utils uses the foreach functions on a GPU
        norms = at::_foreach_norm(gradients, 2);
    } else {
        for (const at::Tensor& gradient : gradients) {
            norms.push_back(at::linalg_vector_norm(gradient, 2));
        }
    }
    const at::Tensor total = at::linalg_vector_norm(at::stack(norms), 2);
    const at::Tensor above = total + 1e-6;
    const at::Tensor inverse = above.reciprocal();
    const at::Tensor factor = inverse * largest;
    const at::Tensor clamped = at::clamp_max(factor, 1.0);
    for (const at::Tensor& gradient : gradients) {
        gradient.mul_(clamped);
    }
}

Optimizer::Optimizer(const stack::Optimizer& settings, std::vector<at::Tensor> parameters)
    : settings_(settings), parameters_(std::move(parameters)), states_(parameters_.size()) {}

void Optimizer::step() {
    const c10::AutoGradMode noGraph(false);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (parameters_[i].grad().defined() && states_[i].steps == 0) {
            prepare(states_[i], parameters_[i]);
        }
    }
    if (settings_.foreach) {
        settings_.kind == stack::Optimizer::Kind::Sgd ? sgdTogether(lists()) : adamTogether(lists());
        return;
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (!parameters_[i].grad().defined()) {
            continue;
        }
        ++states_[i].steps;
        if (settings_.kind == stack::Optimizer::Kind::Sgd) {
            sgd(parameters_[i], states_[i]);
        } else {
            adam(parameters_[i], states_[i]);
        }
    }
}

void Optimizer::prepare(State& state, const at::Tensor& parameter) const {
    const bool isSgd = settings_.kind == stack::Optimizer::Kind::Sgd;
    if (!isSgd || settings_.momentum != 0) {
        state.first = zeroState(parameter);
    }
    if (!isSgd) {
        state.second = zeroState(parameter);
    }
    if (!isSgd && settings_.amsgrad) {
        state.largest = zeroState(parameter);
    }
}

Optimizer::Lists Optimizer::lists() {
    Lists all;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (!parameters_[i].grad().defined()) {
            continue;
        }
        State& state = states_[i];
        all.steps = ++state.steps;
        all.parameters.push_back(parameters_[i]);
        all.gradients.push_back(parameters_[i].grad());
        all.first.push_back(state.first);
        all.second.push_back(state.second);
        all.largest.push_back(state.largest);
    }
    return all;
}

/// As torch/optim/sgd.py, _multi_tensor_sgd.
void Optimizer::sgdTogether(Lists all) const {
    if (all.parameters.empty()) {
        return;
    }
    if (settings_.weightDecay != 0) {
        all.gradients = at::_foreach_add(all.gradients, all.parameters, settings_.weightDecay);
    }
    if (settings_.momentum != 0) {
        if (all.steps == 1) {
            for (std::size_t i = 0; i < all.first.size(); ++i) {
                all.first[i].copy_(all.gradients[i]);
            }
        } else {
            at::_foreach_mul_(all.first, settings_.momentum);
            at::_foreach_add_(all.first, all.gradients, 1);
        }
        if (settings_.nesterov) {  // in place in the gradients if there is no weight decay
            at::_foreach_add_(all.gradients, all.first, settings_.momentum);
        } else {
            all.gradients = all.first;
        }
    }
    at::_foreach_add_(all.parameters, all.gradients, -settings_.lr);
}

/// As torch/optim/adam.py, _multi_tensor_adam.
void Optimizer::adamTogether(Lists all) const {
    if (all.parameters.empty()) {
        return;
    }
    if (settings_.weightDecay != 0) {
        if (settings_.kind == stack::Optimizer::Kind::AdamW) {
            at::_foreach_mul_(all.parameters, 1 - settings_.lr * settings_.weightDecay);
        } else {
            all.gradients = at::_foreach_add(all.gradients, all.parameters, settings_.weightDecay);
        }
    }
    const auto steps = static_cast<double>(all.steps);
    const double correction1 = 1 - std::pow(settings_.beta1, steps);
    const double correction2 = 1 - std::pow(settings_.beta2, steps);
    at::_foreach_mul_(all.first, settings_.beta1);
    at::_foreach_add_(all.first, all.gradients, 1 - settings_.beta1);
    at::_foreach_mul_(all.second, settings_.beta2);
    at::_foreach_addcmul_(all.second, all.gradients, all.gradients, 1 - settings_.beta2);
    all.gradients.clear();
    if (settings_.amsgrad) {
        for (std::size_t i = 0; i < all.second.size(); ++i) {
            at::maximum_out(all.largest[i], all.second[i], all.largest[i]);
        }
        all.second = all.largest;
    }
    std::vector<at::Tensor> denominators = at::_foreach_sqrt(all.second);
    at::_foreach_div_(denominators, std::sqrt(correction2));
    at::_foreach_add_(denominators, settings_.eps);
    at::_foreach_addcdiv_(all.parameters, all.first, denominators, -(settings_.lr / correction1));
}

void Optimizer::sgd(at::Tensor& parameter, State& state) const {
    at::Tensor gradient = parameter.grad();
    if (settings_.weightDecay != 0) {
        gradient = gradient.add(parameter, settings_.weightDecay);
    }
    if (settings_.momentum != 0) {
        if (state.steps == 1) {
            state.first.copy_(gradient);
        } else {
            state.first.mul_(settings_.momentum).add_(gradient);
        }
        gradient = settings_.nesterov ? gradient.add(state.first, settings_.momentum) : state.first;
    }
    parameter.add_(gradient, -settings_.lr);
}

void Optimizer::adam(at::Tensor& parameter, State& state) const {
    at::Tensor gradient = parameter.grad();
    if (settings_.weightDecay != 0) {
        if (settings_.kind == stack::Optimizer::Kind::AdamW) {
            parameter.mul_(1 - settings_.lr * settings_.weightDecay);
        } else {
            gradient = gradient.add(parameter, settings_.weightDecay);
        }
    }
    const auto steps = static_cast<double>(state.steps);
    const double correction1 = 1 - std::pow(settings_.beta1, steps);
    const double correction2 = 1 - std::pow(settings_.beta2, steps);
    state.first.mul_(settings_.beta1).add_(gradient, 1 - settings_.beta1);
    state.second.mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
    at::Tensor second = state.second;
    if (settings_.amsgrad) {
        at::maximum_out(state.largest, state.second, state.largest);
        second = state.largest;
    }
    const at::Tensor denominator = (second.sqrt() / std::sqrt(correction2)).add_(settings_.eps);
    parameter.addcdiv_(state.first, denominator, -(settings_.lr / correction1));
}

}  // namespace highwater::engine
