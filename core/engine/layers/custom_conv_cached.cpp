#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/engine/device/device.h"
#include "core/engine/layers/custom_conv.h"

namespace highwater::engine {

namespace {

using stack::Shape;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// View shapes: W as [T, 1, C, 1...], d as [T, outputs per group, 1, kernel...], K as [T, outputs per group,
/// C, kernel...].
struct Split {
    Shape weight, fixed, composed;

    Split(std::int64_t groups, std::int64_t channels, const at::Tensor& d) {
        const std::int64_t each = d.size(0) / groups;
        weight = {groups, 1, channels};
        fixed = {groups, each, 1};
        composed = {groups, each, channels};
        for (std::int64_t axis = 2; axis < d.dim(); ++axis) {
            weight.push_back(1);
            fixed.push_back(d.size(axis));
            composed.push_back(d.size(axis));
        }
    }
};

at::Tensor compose(const at::Tensor& weight, const at::Tensor& fixed, const at::TensorOptions& as) {
    const c10::AutoGradMode noGraph(false);
    Shape shape = fixed.sizes().vec();
    shape[1] = weight.size(1);
    const Split split(weight.size(0), weight.size(1), fixed);
    at::Tensor kernel = at::empty(shape, as);
    retag(kernel, Category::Parameters);
    at::Tensor parts = kernel.view(split.composed);
    at::mul_out(parts, weight.detach().view(split.weight), fixed.view(split.fixed));
    return kernel;
}

/// The autograd function from W to K. Backward: dW_cj = sum over o in c and u of dK_oj[u] d_o[u].
class Composed : public torch::autograd::Function<Composed> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& weight, const at::Tensor& fixed,
                              const at::Tensor& kernel) {
        context->save_for_backward({fixed});
        context->saved_data["weight"] = weight.sizes().vec();
        return kernel.tensor_data();
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const at::Tensor fixed = context->get_saved_variables()[0];
        const Shape weight = context->saved_data["weight"].toIntVector();
        const Split split(weight[0], weight[1], fixed);
        Shape places{1};
        for (std::int64_t axis = 3; axis <= fixed.dim(); ++axis) {
            places.push_back(axis);
        }
        const at::Tensor products = gradients[0].view(split.composed) * fixed.view(split.fixed);
        at::Tensor made = at::empty(weight, fixed.options());
        at::Tensor sums = made.view({weight[0], weight[1]});
        at::sum_out(sums, products, places);
        return {made, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

at::Tensor cachedCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x) {
    const auto dims = static_cast<std::size_t>(x.dim() - 2);
    const CustomConvWindow window = windowOf(op, dims);
    const at::Tensor& weight = tensors.parameters[0];
    ComposedKernel& composed = *tensors.composed;
    const auto version = static_cast<std::uint32_t>(weight._version());
    const at::ScalarType type = convolutionType(x);
    if (!composed.kernel.defined() || composed.version != version || composed.kernel.scalar_type() != type) {
        composed.kernel.reset();
        composed.kernel =
            compose(weight, tensors.kernel,
                    tensors.kernel.options().dtype(type).memory_format(x.suggest_memory_format()));
        composed.version = version;
    }
    const at::Tensor kernel = Composed::apply(weight, tensors.kernel, composed.kernel);
    const stack::Sizes ones(dims, 1), none(dims, 0);
    return at::convolution(zeroPadded(x, none, window.extra), kernel,
                           op.bias ? tensors.parameters[1] : at::Tensor(), ones, window.padding, ones, false,
                           none, 1);
}

}  // namespace highwater::engine
