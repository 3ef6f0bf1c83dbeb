#pragma once

#include <ATen/ATen.h>

#include "core/engine/layers/layers.h"

/// LibTorch's operators for the layers that say what they are made of (About<T>::made). Private to
/// core/engine.
namespace highwater::engine {

class Operators {
public:
    using Tensor = at::Tensor;
    explicit Operators(const LayerTensors& tensors) : tensors_(tensors) {}

    const at::Tensor& parameter(std::size_t i) const { return tensors_.parameters.at(i); }
    static at::Tensor expand(const at::Tensor& x, const stack::Sizes& shape) { return x.expand(shape); }
    static at::Tensor sum(const at::Tensor& x, const stack::Sizes& dim, bool keepdim) {
        return at::sum(x, dim, keepdim);
    }
    static at::Tensor mean(const at::Tensor& x, const stack::Sizes& dim, bool keepdim) {
        return at::mean(x, dim, keepdim);
    }
    static at::Tensor var(const at::Tensor& x, const stack::Sizes& dim, int correction, bool keepdim) {
        return at::var(x, dim, correction == 1, keepdim);
    }
    static at::Tensor amax(const at::Tensor& x, const stack::Sizes& dim, bool keepdim) {
        return at::amax(x, dim, keepdim);
    }
    static at::Tensor vectorNorm(const at::Tensor& x, const stack::Sizes& dim, bool keepdim) {
        return at::linalg_vector_norm(x, 2, dim, keepdim);
    }
    static at::Tensor addcmul(const at::Tensor& bias, const at::Tensor& weight, const at::Tensor& x) {
        return at::addcmul(bias, weight, x);
    }

private:
    const LayerTensors& tensors_;
};

}  // namespace highwater::engine
