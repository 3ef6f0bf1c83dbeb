#include "core/engine/layers/tensor_layers.h"

#include <ATen/ATen.h>

namespace highwater::engine {

at::Tensor makeLearned(const stack::Learned& learned) {
    constexpr double kFactor = 1e-6, kDeviation = 0.02;
    return learned.kind == stack::Learned::Kind::LayerScale ? at::full(learned.shape, kFactor)
                                                            : at::empty(learned.shape).normal_(0, kDeviation);
}

at::Tensor apply(const stack::Reshape& reshape, const at::Tensor& x) {
    return at::reshape(x, reshape.shape);
}

at::Tensor apply(const stack::Permute& permute, const at::Tensor& x) {
    return at::permute(x, permute.dims);
}

at::Tensor apply(const stack::Select& select, const at::Tensor& x) {
    return at::select(x, select.dim, select.index);
}

at::Tensor apply(const stack::Copy& copy, const at::Tensor& x) {
    return copy.kind == stack::Copy::Kind::Clone ? at::clone(x, at::MemoryFormat::Contiguous)
                                                 : x.contiguous();
}

at::Tensor apply(const stack::Learned& learned, const at::Tensor& x, const at::Tensor& weight) {
    return learned.kind == stack::Learned::Kind::LayerScale ? at::mul(x, weight) : at::add(x, weight);
}

at::Tensor apply(const stack::StochasticDepth& depth, const at::Tensor& x, step::ForwardMode mode) {
    if (depth.p == 0 || mode == step::ForwardMode::Evaluate) {
        return x;
    }
    stack::Shape shape(static_cast<std::size_t>(x.dim()), 1);
    if (depth.mode == stack::StochasticDepth::Mode::Row) {
        shape.front() = x.size(0);
    }
    at::Tensor noise = at::empty(shape, x.options()).bernoulli_(1 - depth.p);
    if (depth.scaleByKeep && depth.p < 1) {
        noise.div_(1 - depth.p);
    }
    return at::mul(x, noise);
}

}  // namespace highwater::engine
