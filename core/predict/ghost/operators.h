#pragma once

#include "core/predict/ghost/ops.h"

/// The ghosts' operators for the layers that say what they are made of (About<T>::made): reduce.cpp. Private
/// to core/predict.
namespace highwater::predict::ghost {

class Operators {
public:
    using Tensor = ghost::Tensor;
    Operators(Machine& machine, const LayerState& state) : machine_(machine), state_(state) {}

    const Tensor& parameter(std::size_t i) const { return state_.value(i); }
    /// A size of -1 is the input's.
    Tensor expand(const Tensor& x, const stack::Sizes& shape);
    Tensor sum(const Tensor& x, const stack::Sizes& dim, bool keepdim);
    Tensor mean(const Tensor& x, const stack::Sizes& dim, bool keepdim);
    Tensor var(const Tensor& x, const stack::Sizes& dim, int correction, bool keepdim);
    Tensor amax(const Tensor& x, const stack::Sizes& dim, bool keepdim);
    Tensor vectorNorm(const Tensor& x, const stack::Sizes& dim, bool keepdim);
    Tensor addcmul(const Tensor& bias, const Tensor& weight, const Tensor& x);

private:
    Machine& machine_;
    const LayerState& state_;
};

}  // namespace highwater::predict::ghost
