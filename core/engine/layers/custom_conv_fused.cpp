#include "core/engine/layers/custom_conv_fused.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/engine/layers/custom_conv.h"

namespace highwater::engine {

namespace {

using stack::Shape;
using step::FusedConv;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The fields of `conv` as a list of numbers, which autograd's saved_data can hold.
Shape numbersOf(const FusedConv& conv) {
    Shape numbers{conv.batch, conv.in, conv.groups, conv.each};
    for (const auto* sizes : {&conv.input, &conv.kernel, &conv.output, &conv.padding}) {
        numbers.insert(numbers.end(), *sizes, *sizes + 3);
    }
    return numbers;
}

FusedConv convOf(const Shape& numbers) {
    FusedConv conv{numbers[0], numbers[1], numbers[2], numbers[3]};
    std::size_t next = 4;
    for (auto* sizes : {&conv.input, &conv.kernel, &conv.output, &conv.padding}) {
        for (std::int64_t& size : *sizes) {
            size = numbers[next++];
        }
    }
    return conv;
}

Shape outputOf(const FusedConv& conv, std::int64_t dims) {
    Shape shape{conv.batch, conv.out()};
    if (dims > 1) {
        shape.push_back(conv.output[0]);
    }
    if (dims > 2) {
        shape.push_back(conv.output[1]);
    }
    shape.push_back(conv.output[2]);
    return shape;
}

/// The autograd function. It saves x, W and d for backward, but never the transform of x.
class Fused : public torch::autograd::Function<Fused> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const c10::optional<at::Tensor>& bias, const at::Tensor& fixed,
                              const FusedConv& conv) {
        context->saved_data["conv"] = numbersOf(conv);
        context->saved_data["input"] = x.requires_grad();
        context->saved_data["bias"] = bias.has_value();
        context->save_for_backward({x, weight, fixed});
        return fusedForward(
            conv, {x.contiguous(), weight.contiguous(), fixed.contiguous(), bias.value_or(at::Tensor())},
            outputOf(conv, x.dim() - 2));
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor gradient = gradients[0].contiguous();
        FusedGradients made =
            fusedBackward(convOf(context->saved_data["conv"].toIntVector()),
                          {saved[0].contiguous(), saved[1].contiguous(), saved[2].contiguous(), {}}, gradient,
                          context->saved_data["input"].toBool(), context->saved_data["bias"].toBool());
        return {made.input, made.weight, made.bias, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

at::Tensor fusedCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x) {
    const at::ScalarType type = convolutionType(x);
    // Casts like autocast does the inputs of a convolution: parameters are cast once for all uses.
    const auto cast = [&](const at::Tensor& tensor) {
        return tensor.scalar_type() != type ? at::autocast::cached_cast(type, tensor, x.device().type())
                                            : tensor;
    };
    c10::optional<at::Tensor> bias;
    if (op.bias) {
        bias = cast(tensors.parameters[1]);
    }
    const at::Tensor fixed = cast(tensors.kernel), weight = cast(tensors.parameters[0]), input = cast(x);
    return Fused::apply(input, weight, bias, fixed, step::fusedConvOf(op, x.sizes().vec()));
}

}  // namespace highwater::engine
