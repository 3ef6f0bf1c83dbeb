#include "core/predict/ghost/layers.h"

#include "core/base/overloaded.h"
#include "core/layers/axis_size.h"
#include "core/predict/ghost/custom_conv.h"
#include "core/predict/ghost/inplace_abn.h"
#include "core/predict/ghost/operators.h"

namespace highwater::predict::ghost {

namespace {

Sizes3 spread(const stack::Sizes& sizes, int dims, std::int64_t rest) {
    Sizes3 made{rest, rest, rest};
    for (int axis = 0; axis < dims; ++axis) {
        made[static_cast<std::size_t>(axis)] = sizes[sizes.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
    }
    return made;
}

Dims weightDims(std::int64_t first, std::int64_t second, const stack::Sizes& kernel, int dims) {
    Dims made{first, second};
    const Sizes3 sizes = spread(kernel, dims, 1);
    made.rank = 2 + dims;
    for (int axis = 0; axis < dims; ++axis) {
        made[axis + 2] = sizes[static_cast<std::size_t>(axis)];
    }
    return made;
}

void addParameter(Machine& machine, LayerState& state, const Dims& dims) {
    state.parameters.push_back(std::make_unique<Parameter>());
    machine.makeParameter(*state.parameters.back(), dims);
}

void addWeightAndBias(Machine& machine, LayerState& state, const Dims& weight, std::int64_t out, bool bias) {
    addParameter(machine, state, weight);
    if (bias) {
        addParameter(machine, state, {out});
    }
}

Tensor buffer(Machine& machine, std::int64_t size) {
    Tensor made = machine.empty({size}, machine.modelType());
    machine.retag(made->storage, Category::Parameters);
    return made;
}

void addNorm(Machine& machine, LayerState& state, const stack::Norm& norm, std::int64_t channels) {
    if (norm.affine) {
        addParameter(machine, state, {channels});
        addParameter(machine, state, {channels});
    }
    if (norm.kind == stack::Norm::Kind::Batch) {
        state.runningMean = buffer(machine, channels);
        state.runningVar = buffer(machine, channels);
        if (machine.target.inPython) {
            state.batches = machine.empty({}, DType::Int64);
            machine.retag(state.batches->storage, Category::Parameters);
        }
    }
}

void addCustomConv(Machine& machine, LayerState& state, const stack::CustomConv& conv, std::int64_t channels,
                   int dims) {
    addParameter(machine, state, weightDims(conv.transformChannels, channels, {1}, dims));
    if (conv.bias && machine.cuda) {  // parameters are moved to the device before the others
        addParameter(machine, state, {conv.outChannels});
    }
    state.kernel = machine.empty(windowOf(conv, dims).kernel);
    state.kernel->channelsLast = machine.cuda && machine.target.settings.channelsLast && dims >= 2;
    machine.retag(state.kernel->storage, Category::Parameters);
    if (conv.bias && !machine.cuda) {
        addParameter(machine, state, {conv.outChannels});
    }
    if (conv.implementation == stack::CustomConv::Implementation::Cached) {
        state.composed = std::make_shared<ComposedKernel>();
    }
}

/// Padding that torch.nn applies explicitly, for modes other than zeros.
template <class C>
Borders bordersOf(const C& conv, const Dims& weight, const ConvArgs& args) {
    Borders borders;
    for (int axis = 0; axis < weight.rank - 2; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        const std::int64_t total =
            conv.padding.same ? args.dilation[i] * (weight[axis + 2] - 1) : 2 * args.padding[i];
        borders.before[i] = total / 2;
        borders.after[i] = total - total / 2;
    }
    return borders;
}

Borders bordersOf(const stack::Pad& pad, const Dims& input) {
    Borders borders;
    const auto [first, last] = stack::addedTo(pad, input.rank, 1);
    borders.channels = first + last;
    for (int axis = 2; axis < input.rank; ++axis) {
        const auto [before, after] = stack::addedTo(pad, input.rank, axis);
        borders.before[static_cast<std::size_t>(axis - 2)] = before;
        borders.after[static_cast<std::size_t>(axis - 2)] = after;
    }
    return borders;
}

/// "same" with zeros (at::_convolution_mode): the same number on both sides; an uneven remainder is added by
/// a copy with one more element at the end.
Borders makeSame(ConvArgs& args, const Dims& weight) {
    Borders over;
    for (int axis = 0; axis < weight.rank - 2; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        const std::int64_t total = args.dilation[i] * (weight[axis + 2] - 1);
        args.padding[i] = total / 2;
        over.after[i] = total % 2;
    }
    return over;
}

template <class C>
Tensor padAndConvolve(Machine& machine, const C& conv, const Tensor& x, const Tensor& weight,
                      const Tensor& bias, std::int64_t groups) {
    const int dims = x->dims.rank - 2;
    ConvArgs args;
    args.stride = spread(conv.stride, dims, 1);
    args.dilation = spread(conv.dilation, dims, 1);
    args.groups = groups;
    if (!conv.padding.same) {
        args.padding = spread(conv.padding.sizes, dims, 0);
    }
    if (conv.paddingMode != stack::PaddingMode::Zeros) {
        const Tensor padded =
            machine.ops.pad(machine, x, conv.paddingMode, bordersOf(conv, weight->dims, args));
        args.padding = {0, 0, 0};
        return machine.ops.conv(machine, padded, weight, bias, args);
    }
    if (!conv.padding.same) {
        return machine.ops.conv(machine, x, weight, bias, args);
    }
    const Borders over = makeSame(args, weight->dims);
    if (over.after == Sizes3{0, 0, 0}) {
        return machine.ops.conv(machine, x, weight, bias, args);
    }
    const Tensor padded = machine.ops.pad(machine, x, stack::PaddingMode::Zeros, over);
    return machine.ops.conv(machine, padded, weight, bias, args);
}

/// The weights of a convolution; standardized ones are normalized as the channels of one sample are.
Tensor weightOf(Machine& machine, const stack::Conv& conv, const LayerState& state) {
    const Tensor& weight = state.value(0);
    if (conv.standardize == stack::Conv::Standardize::None) {
        return weight;
    }
    const std::int64_t filters = weight->dims[0];
    LayerState gain;
    if (conv.standardize == stack::Conv::Standardize::Scaled) {
        gain.parameters.push_back(std::make_unique<Parameter>());
        gain.parameters[0]->value =
            reshape(machine, weigh(machine, state.parameters.back()->value), {filters});
    }
    const Tensor rows = reshape(machine, weight, {1, filters, weight->elements() / filters});
    const Tensor made = machine.ops.norm(machine, stack::Norm{}, gain, rows, ForwardMode::Train);
    return reshape(machine, made, weight->dims);
}

Tensor apply(Machine& machine, const stack::SeparableConv& conv, const LayerState& state, const Tensor& x) {
    const std::size_t pointwise = conv.bias ? 2 : 1;
    const Tensor deep =
        padAndConvolve(machine, conv, x, state.value(0), conv.bias ? state.value(1) : Tensor(), x->dims[1]);
    return machine.ops.conv(machine, deep, state.value(pointwise),
                            conv.bias ? state.value(pointwise + 1) : Tensor(), {});
}

Tensor apply(Machine& machine, const stack::ConvTranspose& conv, const LayerState& state, const Tensor& x) {
    const int dims = x->dims.rank - 2;
    ConvArgs args;
    args.transposed = true;
    args.stride = spread(conv.stride, dims, 1);
    args.padding = spread(conv.padding, dims, 0);
    args.outputPadding = spread(conv.outputPadding, dims, 0);
    args.dilation = spread(conv.dilation, dims, 1);
    args.groups = conv.groups;
    return machine.ops.conv(machine, x, state.value(0), state.value(1), args);
}

}  // namespace

LayerState makeLayer(Machine& machine, const stack::Op& op, const stack::Shape& input) {
    const int dims = static_cast<int>(input.size()) - 2;
    const std::int64_t channels = input[1];
    LayerState state;
    std::visit(base::Overloaded{
                   [&](const stack::Conv& c) {
                       addWeightAndBias(machine, state,
                                        weightDims(c.outChannels, channels / c.groups, c.kernelSize, dims),
                                        c.outChannels, c.bias);
                       if (c.standardize == stack::Conv::Standardize::Scaled) {
                           addParameter(machine, state, weightDims(c.outChannels, 1, {1}, dims));
                       }
                   },
                   [&](const stack::ConvTranspose& c) {
                       addWeightAndBias(machine, state,
                                        weightDims(channels, c.outChannels / c.groups, c.kernelSize, dims),
                                        c.outChannels, c.bias);
                   },
                   [&](const stack::SeparableConv& c) {
                       const std::int64_t deep = channels * c.depthMultiplier;
                       addWeightAndBias(machine, state, weightDims(deep, 1, c.kernelSize, dims), deep,
                                        c.bias);
                       addWeightAndBias(machine, state, weightDims(c.outChannels, deep, {1}, dims),
                                        c.outChannels, c.bias);
                   },
                   [&](const stack::Head& h) {
                       addWeightAndBias(machine, state, weightDims(h.outChannels, channels, {1}, dims),
                                        h.outChannels, h.bias);
                   },
                   [&](const stack::Linear& l) {
                       addWeightAndBias(machine, state, {l.outFeatures, input.back()}, l.outFeatures, l.bias);
                   },
                   [&](const stack::CustomConv& c) { addCustomConv(machine, state, c, channels, dims); },
                   [&](const stack::LayerNorm& norm) {
                       for (int i = 0; norm.affine && i < 2; ++i) {
                           addParameter(machine, state, Dims(norm.normalizedShape));
                       }
                   },
                   [&](const stack::Norm& norm) { addNorm(machine, state, norm, channels); },
                   [&](const stack::InplaceAbn&) { addNorm(machine, state, stack::Norm{}, channels); },
                   [&](const stack::Learned& learned) {
                       for (const stack::Shape& shape : stack::learnedShapes(learned)) {
                           addParameter(machine, state, Dims(shape));
                       }
                   },
                   [&](const stack::RelativePositionBias& bias) {
                       const std::int64_t places = stack::placesOf(bias.windowSize);
                       addParameter(machine, state, {stack::distancesOf(bias.windowSize), bias.numHeads});
                       state.index = machine.empty({places, places}, DType::Int64);
                       machine.retag(state.index->storage, Category::Parameters);
                   },
                   [&](const stack::Prelu& prelu) { addParameter(machine, state, {prelu.numParameters}); },
                   [&]<class T>(const T& layer) {
                       if constexpr (requires { stack::About<T>::parameters(layer); }) {
                           for (const stack::LearnedTensor& each : stack::About<T>::parameters(layer)) {
                               addParameter(machine, state, Dims(each.shape));
                           }
                       }
                   }},
               op);
    return state;
}

Tensor applyLayer(Machine& machine, const stack::Op& op, const LayerState& state, const Tensor& x,
                  const std::vector<Tensor>& with, const Dims& output, ForwardMode mode) {
    const DeviceOps& ops = machine.ops;
    return std::visit(
        base::Overloaded{
            [&](const stack::Conv& c) {
                return padAndConvolve(machine, c, x, weightOf(machine, c, state),
                                      c.bias ? state.value(1) : Tensor(), c.groups);
            },
            [&](const stack::ConvTranspose& c) { return apply(machine, c, state, x); },
            [&](const stack::SeparableConv& c) { return apply(machine, c, state, x); },
            [&](const stack::CustomConv& c) { return customConv(machine, c, state, x, output, mode); },
            [&](const stack::Head&) { return ops.conv(machine, x, state.value(0), state.value(1), {}); },
            [&](const stack::Norm& norm) { return ops.norm(machine, norm, state, x, mode); },
            [&](const stack::InplaceAbn&) { return inplaceAbn(machine, state, x, mode); },
            [&](const stack::Activation& activation) { return ops.activation(machine, activation, x); },
            [&](const stack::Prelu&) { return ops.prelu(machine, x, state.value(0)); },
            [&](const stack::Softmax&) { return probabilities(machine, x); },
            [&](const stack::Scale& scale) {
                if (scale.kind == stack::Scale::Kind::Scale) {
                    return weigh(machine, x);
                }
                beginElementwise(machine, "offset", x, 2);
                return plusNumber(machine, x);
            },
            [&](const stack::Pool& pool) { return ops.pool(machine, pool, x); },
            [&](const stack::LayerNorm& norm) { return ops.layerNorm(machine, norm, state, x); },
            [&](const stack::LocalResponseNorm& norm) { return localResponseNorm(machine, norm, x); },
            [&](const stack::Crop&) { return crop(machine, x, output); },
            [&](const stack::Pad& pad) { return ops.pad(machine, x, pad.mode, bordersOf(pad, x->dims)); },
            [&](const stack::AdaptivePool& pool) { return ops.adaptivePool(machine, pool, x, output); },
            [&](const stack::Flatten&) { return x->dims == output ? x : reshape(machine, x, output); },
            [&](const stack::Reshape&) { return reshape(machine, x, output); },
            [&](const stack::Permute& p) { return permute(machine, p.dims, x); },
            [&](const stack::Select& s) { return select(machine, s, x); },
            [&](const stack::Slice& s) { return slice(machine, s, x); },
            [&](const stack::Roll& r) { return roll(machine, r, x); },
            [&](const stack::Unknown&) { return unknown(machine, x, with, output); },
            [&](const stack::Copy& copy) { return copied(machine, copy, x); },
            [&](const stack::RelativePositionBias& b) { return relativePositionBias(machine, b, state); },
            [&](const stack::WindowMask& mask) { return windowMask(machine, mask); },
            [&](const stack::Learned& learned) {
                if (learned.kind == stack::Learned::Kind::ClassToken) {
                    std::vector<Tensor> tokens;
                    for (const auto& each : state.parameters) {
                        tokens.push_back(repeated(machine, each->value, x->dims[0]));
                    }
                    const Tensor first = tokens.front();
                    tokens.erase(tokens.begin());
                    tokens.push_back(x);
                    return ops.merge(machine, stack::Merge::Kind::Concat, first, tokens, output);
                }
                const bool scales = learned.kind == stack::Learned::Kind::LayerScale;
                return ops.merge(machine, scales ? stack::Merge::Kind::Mul : stack::Merge::Kind::Add, x,
                                 {state.value(0)}, output);
            },
            [&](const stack::StochasticDepth& depth) { return stochasticDepth(machine, depth, x, mode); },
            [&](const stack::Linear&) { return ops.linear(machine, x, state.value(0), state.value(1)); },
            [&](const stack::Upsample& upsample) { return ops.upsample(machine, upsample, x, output); },
            [&](const stack::Dropout& dropout) { return ops.dropout(machine, dropout, x, mode); },
            [&](const stack::Merge& merge) {
                if (merge.inplace) {
                    return addInPlace(machine, x, with.at(0));
                }
                return merge.kind == stack::Merge::Kind::Attention
                           ? ops.attention(machine, merge,
                                           {x, with.at(0), with.at(1), with.size() > 2 ? with[2] : nullptr},
                                           mode)
                           : ops.merge(machine, merge.kind, x, with, output);
            },
            [&]<class T>(const T& layer) {
                if constexpr (requires(Operators ops) { stack::About<T>::made(layer, ops, x); }) {
                    Operators operators(machine, state);
                    return stack::About<T>::made(layer, operators, x);
                } else {
                    return machine.empty(output);
                }
            }},
        op);
}

}  // namespace highwater::predict::ghost
