#include "core/engine/layers/custom_conv.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

namespace {

using stack::CustomConv;
using stack::Sizes;

/// The Gaussian along one axis (sum 1), and its second derivative divided by it.
struct AxisKernel {
    std::vector<double> weight, curvature;
};

AxisKernel axisKernel(std::int64_t size) {
    const double sigma = 0.3 * (static_cast<double>(size - 1) / 2 - 1) + 0.8;
    AxisKernel axis;
    for (std::int64_t i = 0; i < size; ++i) {
        const double r = (static_cast<double>(i) - static_cast<double>(size - 1) / 2) / sigma;
        axis.weight.push_back(std::exp(-r * r / 2));
        axis.curvature.push_back((r * r - 1) / (sigma * sigma));
    }
    const double sum = std::accumulate(axis.weight.begin(), axis.weight.end(), 0.0);
    for (double& weight : axis.weight) {
        weight /= sum;
    }
    return axis;
}

/// All elements of the kernel; the last axis is the fastest.
std::vector<double> sampled(const Sizes& sizes, CustomConv::Kernel kind) {
    std::vector<double> weight{1}, curvature{0};
    for (const std::int64_t size : sizes) {
        const AxisKernel axis = axisKernel(size);
        std::vector<double> longer, bent;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            for (std::size_t j = 0; j < axis.weight.size(); ++j) {
                longer.push_back(weight[i] * axis.weight[j]);
                bent.push_back(curvature[i] + (size > 1 ? axis.curvature[j] : 0));
            }
        }
        weight = std::move(longer);
        curvature = std::move(bent);
    }
    if (kind == CustomConv::Kernel::Gaussian) {
        return weight;
    }
    const auto count = static_cast<double>(weight.size());
    std::transform(weight.begin(), weight.end(), curvature.begin(), weight.begin(), std::multiplies<>());
    const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / count;
    double sum = 0;
    for (double& value : weight) {
        sum += std::abs(value -= mean);
    }
    for (double& value : weight) {
        value /= sum;
    }
    return weight;
}

at::Tensor twoStep(const CustomConv& op, const LayerTensors& tensors, const at::Tensor& x) {
    const auto dims = static_cast<std::size_t>(x.dim() - 2);
    const CustomConvWindow window = windowOf(op, dims);
    const at::Tensor h = zeroPadded(transform(x, tensors.parameters[0]), Sizes(dims, 0), window.extra);
    const Sizes ones(dims, 1), none(dims, 0);
    return at::convolution(h, tensors.kernel, op.bias ? tensors.parameters[1] : at::Tensor(), ones,
                           window.padding, ones, false, none, op.transformChannels);
}

}  // namespace

bool CustomConvWindow::uneven() const {
    return std::any_of(extra.begin(), extra.end(), [](std::int64_t each) { return each != 0; });
}

CustomConvWindow windowOf(const CustomConv& op, std::size_t dims) {
    CustomConvWindow window;
    for (std::size_t axis = 0; axis < dims; ++axis) {
        const std::int64_t size = op.kernelSize[op.kernelSize.size() == 1 ? 0 : axis];
        window.kernel.push_back(size);
        window.padding.push_back(op.padding.same ? (size - 1) / 2
                                                 : op.padding.sizes[op.padding.sizes.size() == 1 ? 0 : axis]);
        window.extra.push_back(op.padding.same ? (size - 1) % 2 : 0);
    }
    return window;
}

at::Tensor fixedKernel(const CustomConv& op, std::size_t dims) {
    const CustomConvWindow window = windowOf(op, dims);
    Sizes shape{op.outChannels, 1};
    shape.insert(shape.end(), window.kernel.begin(), window.kernel.end());
    at::Tensor kernel = at::empty(shape);
    if (op.kernel == CustomConv::Kernel::Random) {
        const double bound = 1 / std::sqrt(static_cast<double>(kernel[0].numel()));
        return kernel.uniform_(-bound, bound);
    }
    const std::vector<double> values = sampled(window.kernel, op.kernel);
    auto* const to = kernel.data_ptr<float>();
    for (std::int64_t i = 0; i < kernel.numel(); ++i) {
        to[i] = static_cast<float>(values[static_cast<std::size_t>(i) % values.size()]);
    }
    return kernel;
}

at::Tensor transform(const at::Tensor& x, const at::Tensor& weight) {
    const Sizes ones(static_cast<std::size_t>(x.dim() - 2), 1), none(ones.size(), 0);
    return at::convolution(x, weight, {}, ones, none, ones, false, none, 1);
}

at::Tensor zeroPadded(const at::Tensor& x, const Sizes& before, const Sizes& after) {
    Sizes twice;  // last axis first
    for (std::size_t axis = before.size(); axis-- > 0;) {
        twice.insert(twice.end(), {before[axis], after[axis]});
    }
    const bool none = std::all_of(twice.begin(), twice.end(), [](std::int64_t each) { return each == 0; });
    return none ? x : at::constant_pad_nd(x, twice);
}

at::ScalarType convolutionType(const at::Tensor& x) {
    const AutocastState autocast = autocastState(x.device().type());
    return autocast.on && x.scalar_type() != at::kDouble ? autocast.type : x.scalar_type();
}

at::Tensor applyCustomConv(const CustomConv& op, const LayerTensors& tensors, const at::Tensor& x) {
    switch (op.implementation) {
        case CustomConv::Implementation::Naive:
            return naiveCustomConv(op, tensors, x);
        case CustomConv::Implementation::Cached:
            return cachedCustomConv(op, tensors, x);
        case CustomConv::Implementation::Fused:
            return fusedCustomConv(op, tensors, x);
        case CustomConv::Implementation::TwoStep:
            break;
    }
    return twoStep(op, tensors, x);
}

}  // namespace highwater::engine
