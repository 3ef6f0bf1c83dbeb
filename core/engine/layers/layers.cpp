#include "core/engine/layers/layers.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/version.h>

#include <cmath>
#include <stdexcept>

#include "core/base/overloaded.h"
#include "core/engine/device/graph_node.h"
#include "core/engine/layers/conv_node.h"
#include "core/engine/layers/custom_conv.h"
#include "core/engine/layers/inplace_abn.h"
#include "core/engine/layers/operators.h"
#include "core/engine/layers/tensor_layers.h"

namespace highwater::engine {

namespace {

using stack::Sizes;

Sizes spread(const Sizes& sizes, std::size_t dims) {
    return sizes.size() == dims ? sizes : Sizes(dims, sizes.at(0));
}

std::size_t dimsOf(const at::Tensor& x) {
    return static_cast<std::size_t>(x.dim() - 2);
}

// --- creating the tensors

at::Tensor keep(at::Tensor tensor, bool learned) {
    tensor.set_requires_grad(learned);
    retag(tensor, Category::Parameters);
    return tensor;
}

at::Tensor placed(const at::Tensor& tensor, const Device& device, bool channelsLast, at::ScalarType type) {
    const auto format = !channelsLast || tensor.dim() < 4 || tensor.dim() > 5 ? at::MemoryFormat::Contiguous
                        : tensor.dim() == 4                                   ? at::MemoryFormat::ChannelsLast
                                            : at::MemoryFormat::ChannelsLast3d;
    // Format and type are changed on the CPU: on the device this would need a second tensor.
    return keep(tensor.detach().contiguous(format).to(type).to(device.torch()), tensor.requires_grad());
}

void place(LayerTensors& made, const Device& device, bool channelsLast, at::ScalarType type) {
    for (at::Tensor& parameter : made.parameters) {
        parameter = placed(parameter, device, channelsLast, type);
    }
    for (at::Tensor* const buffer : {&made.runningMean, &made.runningVar}) {
        if (buffer->defined()) {
            *buffer = placed(*buffer, device, false, type);
        }
    }
    if (made.kernel.defined()) {
        made.kernel = placed(made.kernel, device, channelsLast, type);
    }
    if (made.index.defined()) {
        made.index = placed(made.index, device, false, at::kLong);
    }
}

void makeBias(LayerTensors& made, std::int64_t outChannels, double fanIn) {
    at::Tensor values = at::empty({outChannels});
    values.uniform_(-1 / std::sqrt(fanIn), 1 / std::sqrt(fanIn));
    made.parameters.push_back(keep(std::move(values), true));
}

/// kaiming_uniform_(a = sqrt 5), and the bias rule of torch.nn's _ConvNd. Both are uniform in
/// +-1/sqrt(fan_in), with fan_in = weight.size(1) * the number of kernel elements. (The same for nn.Linear.)
void makeWeightAndBias(LayerTensors& made, stack::Shape weightShape, std::int64_t outChannels, bool bias) {
    at::Tensor weight = at::empty(weightShape);
    const auto fanIn = static_cast<double>(weight.size(1) * weight[0][0].numel());
    const double gain = std::sqrt(2.0 / (1.0 + 5.0));
    const double bound = std::sqrt(3.0) * (gain / std::sqrt(fanIn));
    weight.uniform_(-bound, bound);
    made.parameters.push_back(keep(std::move(weight), true));
    if (bias) {
        makeBias(made, outChannels, fanIn);
    }
}

stack::Shape weightShape(std::int64_t first, std::int64_t second, const Sizes& kernel, std::size_t dims) {
    stack::Shape shape{first, second};
    for (const std::int64_t size : spread(kernel, dims)) {
        shape.push_back(size);
    }
    return shape;
}

/// Initializes the transform as a convolution, then the fixed kernel and the bias as a depthwise convolution.
LayerTensors makeCustomConv(const stack::CustomConv& conv, std::int64_t channels, std::size_t dims) {
    LayerTensors made;
    makeWeightAndBias(made, weightShape(conv.transformChannels, channels, {1}, dims), 0, false);
    made.kernel = keep(fixedKernel(conv, dims), false);
    if (conv.bias) {
        makeBias(made, conv.outChannels, static_cast<double>(made.kernel[0].numel()));
    }
    if (conv.implementation == stack::CustomConv::Implementation::Cached) {
        made.composed = std::make_shared<ComposedKernel>();
    }
    return made;
}

LayerTensors makeNorm(const stack::Norm& norm, std::int64_t channels) {
    LayerTensors made;
    if (norm.affine) {
        made.parameters.push_back(keep(at::ones({channels}), true));
        made.parameters.push_back(keep(at::zeros({channels}), true));
    }
    if (norm.kind == stack::Norm::Kind::Batch) {
        made.runningMean = keep(at::zeros({channels}), false);
        made.runningVar = keep(at::ones({channels}), false);
    }
    return made;
}

// --- applying the layers

at::Tensor parameter(const LayerTensors& tensors, std::size_t index) {
    return index < tensors.parameters.size() ? tensors.parameters[index] : at::Tensor();
}

/// A convolution's arguments with one value per axis.
struct ConvArguments {
    Sizes stride, padding, dilation;
    bool same = false;
    std::int64_t groups = 1;
};

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const ConvArguments& a) {
    using View = c10::string_view;
    switch (dimsOf(x)) {
        case 1:
            return a.same ? at::conv1d(x, weight, bias, a.stride, View("same"), a.dilation, a.groups)
                          : at::conv1d(x, weight, bias, a.stride, a.padding, a.dilation, a.groups);
        case 2:
            return a.same ? at::conv2d(x, weight, bias, a.stride, View("same"), a.dilation, a.groups)
                          : at::conv2d(x, weight, bias, a.stride, a.padding, a.dilation, a.groups);
        default:
            return a.same ? at::conv3d(x, weight, bias, a.stride, View("same"), a.dilation, a.groups)
                          : at::conv3d(x, weight, bias, a.stride, a.padding, a.dilation, a.groups);
    }
}

/// The padding as in torch.nn's _ConvNd._reversed_padding_repeated_twice: last axis first, before and after.
Sizes borders(const ConvArguments& a, const at::Tensor& weight) {
    Sizes twice;
    for (std::size_t axis = a.stride.size(); axis-- > 0;) {
        const std::int64_t total =
            a.same ? a.dilation[axis] * (weight.size(static_cast<std::int64_t>(axis) + 2) - 1)
                   : 2 * a.padding[axis];
        twice.push_back(total / 2);
        twice.push_back(total - total / 2);
    }
    return twice;
}

c10::string_view nameOf(stack::PaddingMode mode) {
    return mode == stack::PaddingMode::Reflect     ? "reflect"
           : mode == stack::PaddingMode::Replicate ? "replicate"
                                                   : "circular";
}

at::Tensor padAndConvolve(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                          ConvArguments a, stack::PaddingMode mode) {
    if (mode == stack::PaddingMode::Zeros) {
        return convolve(x, weight, bias, a);
    }
    const at::Tensor padded = at::pad(x, borders(a, weight), nameOf(mode));
    a.same = false;
    a.padding.assign(a.padding.size(), 0);
    return convolve(padded, weight, bias, a);
}

template <class C>
ConvArguments arguments(const C& conv, std::size_t dims, std::int64_t groups) {
    return {spread(conv.stride, dims), spread(conv.padding.sizes, dims), spread(conv.dilation, dims),
            conv.padding.same, groups};
}

/// The weights of a convolution, standardized as timm's StdConv2d and ScaledStdConv2d do it.
at::Tensor weightOf(const stack::Conv& conv, const LayerTensors& t) {
    const at::Tensor& weight = t.parameters.at(0);
    if (conv.standardize == stack::Conv::Standardize::None) {
        return weight;
    }
    at::Tensor gain;
    if (conv.standardize == stack::Conv::Standardize::Scaled) {
        const auto fanIn = static_cast<double>(weight[0].numel());
        gain = at::mul(t.parameters.back(), at::Scalar(1 / std::sqrt(fanIn))).view(-1);
    }
    constexpr double kEps = 1e-6;
    const at::Tensor rows = weight.reshape({1, weight.size(0), -1});
    return at::batch_norm(rows, gain, {}, {}, {}, true, 0, kEps, true).reshape(weight.sizes());
}

at::Tensor apply(const stack::Conv& conv, const LayerTensors& t, const at::Tensor& x) {
    return padAndConvolve(x, weightOf(conv, t), conv.bias ? parameter(t, 1) : at::Tensor(),
                          arguments(conv, dimsOf(x), conv.groups), conv.paddingMode);
}

at::Tensor apply(const stack::Head&, const LayerTensors& t, const at::Tensor& x) {
    const std::size_t dims = dimsOf(x);
    return convolve(x, parameter(t, 0), parameter(t, 1),
                    {Sizes(dims, 1), Sizes(dims, 0), Sizes(dims, 1), false, 1});
}

at::Tensor apply(const stack::SeparableConv& conv, const LayerTensors& t, const at::Tensor& x) {
    const std::size_t dims = dimsOf(x);
    const at::Tensor deep = padAndConvolve(x, parameter(t, 0), conv.bias ? parameter(t, 1) : at::Tensor(),
                                           arguments(conv, dims, x.size(1)), conv.paddingMode);
    const ConvArguments pointwise{Sizes(dims, 1), Sizes(dims, 0), Sizes(dims, 1), false, 1};
    return convolve(deep, parameter(t, conv.bias ? 2 : 1), conv.bias ? parameter(t, 3) : at::Tensor(),
                    pointwise);
}

at::Tensor apply(const stack::ConvTranspose& conv, const LayerTensors& t, const at::Tensor& x) {
    const std::size_t dims = dimsOf(x);
    const Sizes stride = spread(conv.stride, dims), padding = spread(conv.padding, dims),
                extra = spread(conv.outputPadding, dims), dilation = spread(conv.dilation, dims);
    const at::Tensor weight = parameter(t, 0), bias = parameter(t, 1);
    if (dims == 1) {
        return at::conv_transpose1d(x, weight, bias, stride, padding, extra, conv.groups, dilation);
    }
    if (dims == 2) {
        return at::conv_transpose2d(x, weight, bias, stride, padding, extra, conv.groups, dilation);
    }
    return at::conv_transpose3d(x, weight, bias, stride, padding, extra, conv.groups, dilation);
}

at::Tensor apply(const stack::Norm& norm, const LayerTensors& t, const at::Tensor& x, ForwardMode mode) {
    constexpr double kMomentum = 0.1;
    const at::Tensor weight = parameter(t, 0), bias = parameter(t, 1);
    if (norm.kind == stack::Norm::Kind::Group) {
        return at::group_norm(x, norm.numGroups, weight, bias, norm.eps, true);
    }
    if (norm.kind == stack::Norm::Kind::Instance) {
        return at::instance_norm(x, weight, bias, {}, {}, true, kMomentum, norm.eps, true);
    }
    // A recomputation passes no running statistics: the output is bit-equal, and the statistics are not
    // updated twice.
    const bool again = mode == ForwardMode::Recompute;
    return at::batch_norm(x, weight, bias, again ? at::Tensor() : t.runningMean,
                          again ? at::Tensor() : t.runningVar, mode != ForwardMode::Evaluate, kMomentum,
                          norm.eps, true);
}

at::Tensor apply(const stack::InplaceAbn& abn, const LayerTensors& t, at::Tensor&& x, ForwardMode mode) {
    AbnOptions options;
    options.activation.elu = abn.activation == stack::InplaceAbn::Function::Elu;
    options.activation.slope = abn.negativeSlope;
    options.eps = abn.eps;
    options.batchStatistics = mode != ForwardMode::Evaluate;
    options.updateRunning = mode == ForwardMode::Train;
    return inplaceAbn(std::move(x), {parameter(t, 0), parameter(t, 1), t.runningMean, t.runningVar}, options);
}

/// Passes on a gradient in the memory order of its axes.
class GradientInOrder : public torch::autograd::Node {
public:
    torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
        return {gradients[0].defined() ? gradients[0].contiguous() : gradients[0]};
    }
    std::string name() const override { return "GradientInOrder"; }
};

/// LibTorch 1.13 returns uninitialized memory as gelu's gradient if the input is contiguous and the gradient
/// of the result has a different axis order (after a permute): oneDNN's result is not copied back.
at::Tensor geluOf(const at::Tensor& x) {
    at::Tensor y = at::gelu(x);
    if (TORCH_VERSION_MAJOR >= 2 || !y.requires_grad() || !x.is_cpu() || !x.is_contiguous()) {
        return y;
    }
    const NodePointer node = makeNode<GradientInOrder>();
    node->set_next_edges(torch::autograd::collect_next_edges(y));
    at::Tensor result = y.detach();
    torch::autograd::set_history(result, node);
    return result;
}

at::Tensor apply(const stack::Activation& activation, at::Tensor& x) {
    using Kind = stack::Activation::Kind;
    const bool inplace = activation.inplace;
    switch (activation.kind) {
        case Kind::Relu:
            return inplace ? at::relu_(x) : at::relu(x);
        case Kind::LeakyRelu:
            return inplace ? at::leaky_relu_(x, activation.negativeSlope)
                           : at::leaky_relu(x, activation.negativeSlope);
        case Kind::Elu:
            return inplace ? at::elu_(x) : at::elu(x);
        case Kind::Selu:
            return inplace ? at::selu_(x) : at::selu(x);
        case Kind::Hardtanh:
            return inplace ? at::hardtanh_(x, activation.low, activation.high)
                           : at::hardtanh(x, activation.low, activation.high);
        case Kind::Softplus:
            return at::softplus(x);
        case Kind::ClampMin:
            return at::clamp_min(x, activation.low);
        case Kind::Sqrt:
            return at::sqrt(x);
        case Kind::Silu:
            return inplace ? at::silu_(x) : at::silu(x);
        case Kind::Sigmoid:
            return at::sigmoid(x);
        case Kind::Tanh:
            return at::tanh(x);
        case Kind::Relu6:
            return inplace ? at::relu6_(x) : at::relu6(x);
        case Kind::Hardswish:
            return inplace ? at::hardswish_(x) : at::hardswish(x);
        case Kind::Hardsigmoid:
            return inplace ? at::hardsigmoid_(x) : at::hardsigmoid(x);
        case Kind::Mish:
            return inplace ? at::mish_(x) : at::mish(x);
        case Kind::Gelu:
            break;
    }
    return geluOf(x);
}

at::Tensor apply(const stack::Merge& merge, at::Tensor x, const std::vector<at::Tensor>& with,
                 ForwardMode mode) {
    using Kind = stack::Merge::Kind;
    switch (merge.kind) {
        case Kind::Add:
            return merge.inplace ? x.add_(with.at(0)) : at::add(x, with.at(0));
        case Kind::Sub:
            return at::sub(x, with.at(0));
        case Kind::Mul:
            return at::mul(x, with.at(0));
        case Kind::Div:
            return at::div(x, with.at(0));
        case Kind::Matmul:
            return at::matmul(x, with.at(0));
        case Kind::Attention:
            return attention(merge, x, with, mode);
        case Kind::Branch:
            throw std::logic_error("a branch is not a step");
        case Kind::Concat:
            break;
    }
    std::vector<at::Tensor> all = {std::move(x)};
    all.insert(all.end(), with.begin(), with.end());
    return at::cat(all, merge.dim);
}

at::Tensor apply(const stack::Pool& pool, const at::Tensor& x) {
    const std::size_t dims = dimsOf(x);
    const Sizes kernel = spread(pool.kernelSize, dims), padding = spread(pool.padding, dims),
                stride = pool.stride.empty() ? kernel : spread(pool.stride, dims);
    const Sizes once(dims, 1);
    const bool ceil = pool.ceilMode;
    if (pool.kind == stack::Pool::Kind::Max) {
        return dims == 1   ? at::max_pool1d(x, kernel, stride, padding, once, ceil)
               : dims == 2 ? at::max_pool2d(x, kernel, stride, padding, once, ceil)
                           : at::max_pool3d(x, kernel, stride, padding, once, ceil);
    }
    return dims == 1   ? at::avg_pool1d(x, kernel, stride, padding, ceil)
           : dims == 2 ? at::avg_pool2d(x, kernel, stride, padding, ceil)
                       : at::avg_pool3d(x, kernel, stride, padding, ceil);
}

at::Tensor apply(const stack::Pad& pad, const at::Tensor& x) {
    return pad.mode == stack::PaddingMode::Zeros ? at::constant_pad_nd(x, pad.padding, pad.value)
                                                 : at::pad(x, pad.padding, nameOf(pad.mode));
}

at::Tensor apply(const stack::Crop& crop, at::Tensor x) {
    const std::size_t dims = dimsOf(x);
    const Sizes start = spread(crop.start, dims), size = spread(crop.size, dims);
    for (std::size_t axis = 0; axis < dims; ++axis) {
        if (const auto at = static_cast<std::int64_t>(axis) + 2; x.size(at) != size[axis]) {
            x = x.narrow(at, start[axis], size[axis]);
        }
    }
    return x;
}

/// torch.nn.functional.local_response_norm, tensor by tensor.
at::Tensor apply(const stack::LocalResponseNorm& norm, const at::Tensor& x) {
    at::Tensor below = at::mul(x, x);
    const std::int64_t before = norm.size / 2, after = (norm.size - 1) / 2;
    if (x.dim() == 3) {
        below = at::pad(below.unsqueeze(1), {0, 0, before, after});
        below = at::avg_pool2d(below, {norm.size, 1}, {1}).squeeze(1);
    } else {
        below = at::pad(below.view({x.size(0), 1, x.size(1), x.size(2), -1}), {0, 0, 0, 0, before, after});
        below = at::avg_pool3d(below, {norm.size, 1, 1}, {1}).squeeze(1).view(x.sizes());
    }
    below = at::pow(at::add(at::mul(below, norm.alpha), norm.k), norm.beta);
    return at::div(x, below);
}

at::Tensor apply(const stack::AdaptivePool& pool, const at::Tensor& x) {
    const std::size_t dims = dimsOf(x);
    const Sizes size = spread(pool.outputSize, dims);
    if (pool.kind == stack::AdaptivePool::Kind::Avg) {
        return dims == 1   ? at::adaptive_avg_pool1d(x, size)
               : dims == 2 ? at::adaptive_avg_pool2d(x, size)
                           : at::adaptive_avg_pool3d(x, size);
    }
    return std::get<0>(dims == 1   ? at::adaptive_max_pool1d(x, size)
                       : dims == 2 ? at::adaptive_max_pool2d(x, size)
                                   : at::adaptive_max_pool3d(x, size));
}

at::Tensor apply(const stack::Upsample& upsample, const at::Tensor& x) {
    const std::size_t dims = dimsOf(x);
    at::OptionalIntArrayRef size;
    c10::optional<at::ArrayRef<double>> factors;
    const Sizes sizes = upsample.size.empty() ? Sizes{} : spread(upsample.size, dims);
    const std::vector<double> scales = upsample.scaleFactor.size() == dims
                                           ? upsample.scaleFactor
                                           : std::vector<double>(dims, upsample.scaleFactor.at(0));
    if (sizes.empty()) {
        factors = scales;
    } else {
        size = at::IntArrayRef(sizes);
    }
    switch (upsample.mode) {
        case stack::Upsample::Mode::Linear:
            return at::upsample_linear1d(x, size, upsample.alignCorners, factors);
        case stack::Upsample::Mode::Bilinear:
            return at::upsample_bilinear2d(x, size, upsample.alignCorners, factors);
        case stack::Upsample::Mode::Trilinear:
            return at::upsample_trilinear3d(x, size, upsample.alignCorners, factors);
        case stack::Upsample::Mode::Nearest:
            break;
    }
    return dims == 1   ? at::upsample_nearest1d(x, size, factors)
           : dims == 2 ? at::upsample_nearest2d(x, size, factors)
                       : at::upsample_nearest3d(x, size, factors);
}

at::Tensor apply(const stack::Dropout& dropout, const at::Tensor& x, ForwardMode mode) {
    const bool active = mode != ForwardMode::Evaluate;
    return dropout.feature ? at::feature_dropout(x, dropout.p, active) : at::dropout(x, dropout.p, active);
}

}  // namespace

LayerTensors makeLayer(const stack::Op& op, const stack::Shape& input, const Device& device,
                       bool channelsLast, at::ScalarType type) {
    const c10::AutoGradMode noGraph(false);
    const std::size_t dims = input.size() - 2;
    const std::int64_t channels = input[1];
    LayerTensors made;
    std::visit(
        base::Overloaded{
            [&](const stack::Conv& c) {
                makeWeightAndBias(made, weightShape(c.outChannels, channels / c.groups, c.kernelSize, dims),
                                  c.outChannels, c.bias);
                if (c.standardize == stack::Conv::Standardize::Scaled) {
                    made.parameters.push_back(keep(at::ones(weightShape(c.outChannels, 1, {1}, dims)), true));
                }
            },
            [&](const stack::ConvTranspose& c) {
                makeWeightAndBias(made, weightShape(channels, c.outChannels / c.groups, c.kernelSize, dims),
                                  c.outChannels, c.bias);
            },
            [&](const stack::SeparableConv& c) {
                const std::int64_t deep = channels * c.depthMultiplier;
                makeWeightAndBias(made, weightShape(deep, 1, c.kernelSize, dims), deep, c.bias);
                makeWeightAndBias(made, weightShape(c.outChannels, deep, {1}, dims), c.outChannels, c.bias);
            },
            [&](const stack::Head& h) {
                makeWeightAndBias(made, weightShape(h.outChannels, channels, {1}, dims), h.outChannels,
                                  h.bias);
            },
            [&](const stack::Linear& l) {
                makeWeightAndBias(made, {l.outFeatures, input.back()}, l.outFeatures, l.bias);
            },
            [&](const stack::CustomConv& c) { made = makeCustomConv(c, channels, dims); },
            [&](const stack::Norm& norm) { made = makeNorm(norm, channels); },
            [&](const stack::LayerNorm& norm) {
                if (norm.affine) {
                    made.parameters.push_back(keep(at::ones(norm.normalizedShape), true));
                    made.parameters.push_back(keep(at::zeros(norm.normalizedShape), true));
                }
            },
            [&](const stack::InplaceAbn&) { made = makeNorm(stack::Norm{}, channels); },
            [&](const stack::Prelu& prelu) {
                constexpr double kSlope = 0.25;
                made.parameters.push_back(keep(at::full({prelu.numParameters}, kSlope), true));
            },
            [&](const stack::Learned& learned) {
                for (const stack::Shape& shape : stack::learnedShapes(learned)) {
                    made.parameters.push_back(keep(makeLearned(learned, shape), true));
                }
            },
            [&](const stack::RelativePositionBias& bias) {
                made.parameters.push_back(
                    keep(makeSmall({stack::distancesOf(bias.windowSize), bias.numHeads}), true));
                made.index = keep(makeRelativePositions(bias), false);
            },
            [&]<class T>(const T& layer) {
                if constexpr (requires { stack::About<T>::parameters(layer); }) {
                    for (const stack::LearnedTensor& each : stack::About<T>::parameters(layer)) {
                        made.parameters.push_back(keep(at::full(each.shape, each.value), true));
                    }
                }
            }},
        op);
    if (device.cuda || channelsLast || type != at::kFloat) {
        place(made, device, channelsLast, type);
    }
    return made;
}

at::Tensor applyLayer(const stack::Op& op, const LayerTensors& tensors, at::Tensor x,
                      const std::vector<at::Tensor>& with, ForwardMode mode) {
    return std::visit(
        base::Overloaded{
            [&](const stack::Norm& norm) { return apply(norm, tensors, x, mode); },
            [&](const stack::Activation& activation) { return apply(activation, x); },
            [&](const stack::Prelu&) { return at::prelu(x, parameter(tensors, 0)); },
            [&](const stack::Softmax& softmax) { return at::softmax(x, softmax.dim); },
            [&](const stack::Scale& scale) {
                return scale.kind == stack::Scale::Kind::Scale ? at::mul(x, at::Scalar(scale.value))
                                                               : at::add(x, at::Scalar(scale.value));
            },
            [&](const stack::Pool& pool) { return apply(pool, x); },
            [&](const stack::LayerNorm& norm) {
                return at::layer_norm(x, norm.normalizedShape, parameter(tensors, 0), parameter(tensors, 1),
                                      norm.eps);
            },
            [&](const stack::LocalResponseNorm& norm) { return apply(norm, x); },
            [&](const stack::Pad& pad) { return apply(pad, x); },
            [&](const stack::Crop& crop) { return apply(crop, std::move(x)); },
            [&](const stack::AdaptivePool& pool) { return apply(pool, x); },
            [&](const stack::Flatten&) { return at::flatten(x, 1); },
            [&](const stack::Reshape& reshape) { return apply(reshape, x); },
            [&](const stack::Permute& permute) { return apply(permute, x); },
            [&](const stack::Select& select) { return apply(select, x); },
            [&](const stack::Slice& slice) { return apply(slice, x); },
            [&](const stack::Roll& roll) { return apply(roll, x); },
            [&](const stack::RelativePositionBias& bias) {
                return apply(bias, parameter(tensors, 0), tensors.index);
            },
            [&](const stack::WindowMask& mask) { return apply(mask, x); },
            [&](const stack::Copy& copy) { return apply(copy, x); },
            [&](const stack::Learned& learned) { return apply(learned, x, tensors.parameters); },
            [&](const stack::StochasticDepth& depth) { return apply(depth, x, mode); },
            [&](const stack::Linear&) { return at::linear(x, parameter(tensors, 0), parameter(tensors, 1)); },
            [&](const stack::Upsample& upsample) { return apply(upsample, x); },
            [&](const stack::Dropout& dropout) { return apply(dropout, x, mode); },
            [&](const stack::Shared&) { return x; },  // a program contains the shared layer itself
            [&](const stack::Merge& merge) { return apply(merge, std::move(x), with, mode); },
            [&](const stack::CustomConv& conv) { return applyCustomConv(conv, tensors, x); },
            [&](const stack::InplaceAbn& abn) { return apply(abn, tensors, std::move(x), mode); },
            [&](const stack::Unknown&) -> at::Tensor { throw std::logic_error("an unknown operator"); },
            [&](const stack::Block&) -> at::Tensor { throw std::logic_error("a block is not a step"); },
            [&]<class T>(const T& layer) {
                if constexpr (requires(Operators ops) { stack::About<T>::made(layer, ops, x); }) {
                    Operators operators(tensors);
                    return stack::About<T>::made(layer, operators, x);
                } else {
                    return apply(layer, tensors, x);
                }
            }},
        op);
}

GraphEdge resumeLayer(const stack::Op& op, const LayerTensors& tensors, const at::Tensor& x,
                      const at::Tensor& gradient) {
    const std::size_t dims = dimsOf(x);
    ConvolutionOptions options;
    if (const auto* const up = std::get_if<stack::ConvTranspose>(&op)) {
        options = {spread(up->stride, dims),
                   spread(up->padding, dims),
                   spread(up->dilation, dims),
                   spread(up->outputPadding, dims),
                   true,
                   up->groups};
    } else {
        const auto& conv = std::get<stack::Conv>(op);
        ConvArguments a = arguments(conv, dims, conv.groups);
        if (a.same) {
            const Sizes added = borders(a, parameter(tensors, 0));  // last axis first, the same on both sides
            for (std::size_t axis = 0; axis < dims; ++axis) {
                a.padding[axis] = added[2 * (dims - 1 - axis)];
            }
        }
        options = {a.stride, a.padding, a.dilation, Sizes(dims, 0), false, a.groups};
    }
    return convolutionEdge(x, parameter(tensors, 0), parameter(tensors, 1), options, gradient);
}

}  // namespace highwater::engine
