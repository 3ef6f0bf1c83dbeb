#include <algorithm>

#include "core/layers/axis_size.h"
#include "core/predict/ghost/ops.h"

/// Convolutions: persistent memory follows from rules, temporaries come from the calibration
/// (docs/memory-model.md section 5b).
namespace highwater::predict::ghost {

namespace {

Sizes3 spatialOf(const Dims& dims) {
    Sizes3 sizes{1, 1, 1};
    for (int axis = 2; axis < dims.rank; ++axis) {
        sizes[static_cast<std::size_t>(axis - 2)] = dims[axis];
    }
    return sizes;
}

/// Whether the result of a convolution of a channels_last input is channels_last too: in 1.13 only in 2d and
/// not transposed (ConvUtils.h).
bool staysChannelsLast(const Machine& machine, const ConvKey& key) {
    const bool all = machine.torch >= memory::TorchVersion{2, 0};
    return key.channelsLast && (all || (key.dims == 2 && !key.transposed));
}

double bytesOf(const ConvKey& key) {
    return static_cast<double>(sizeOf(key.dtype)) *
           (static_cast<double>(key.inputElements()) + static_cast<double>(key.outputElements()) +
            static_cast<double>(key.weightElements()));
}

const Machine::Met& beginConv(Machine& machine, const ConvKey& key, std::string_view label, double passes) {
    const Machine::Met& met = machine.meet(key);
    WalkOp& op = machine.op(label, convFamily(key), passes * bytesOf(key), 2 * passes * key.multiplyAdds());
    op.dtype = key.dtype;
    op.convolution = met.index;
    op.measuredUs = met.row != nullptr ? met.row->microseconds : 0;
    op.guessedUs = met.guessedUs;
    return met;
}

/// Allocates a result in a storage of `bytes`; 0 means its own size.
Tensor inMemoryOf(Machine& machine, const Dims& shape, Bytes bytes) {
    if (bytes == 0) {
        return machine.empty(shape);
    }
    const auto made = std::make_shared<TensorImpl>();
    made->dims = shape;
    made->storage = machine.allocate(bytes);
    return made;
}

/// Replays a row's events; without a row, one temporary of the guessed size exists while the results are
/// allocated. `outputBytes`: see play().
void compute(Machine& machine, const Machine::Met& met, const std::array<Tensor*, 3>& results,
             const std::array<Dims, 3>& shapes, Bytes outputBytes = 0) {
    if (met.row != nullptr) {
        play(machine, *met.row, results, shapes, outputBytes);
        return;
    }
    Bytes resultBytes = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        resultBytes += results[i] != nullptr ? 4 * shapes[i].elements() : 0;
    }
    Estimate guess = met.guess;  // low end: the temporaries are freed before the results are allocated
    guess.low = std::max<Bytes>(0, guess.low - resultBytes);
    const StoragePtr guessed = machine.allocate(guess);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i] != nullptr) {
            *results[i] = inMemoryOf(machine, shapes[i], i == 0 ? outputBytes : 0);
        }
    }
}

Tensor forwardCpu(Machine& machine, const Machine::Met& met, const ConvKey& key, const Tensor& x,
                  const Dims& output) {
    const StoragePtr copy = x->contiguous || met.row ? nullptr : machine.allocate(x->bytes());
    Tensor made;
    const Bytes outputBytes = key.outputStorageElements() * sizeOf(key.dtype);
    compute(machine, met, {&made, nullptr, nullptr}, {output, {}, {}},
            key.outputStorageElements() == key.outputElements() ? 0 : outputBytes);
    return made;
}

}  // namespace

const Tensor& LayerState::value(std::size_t i) const {
    static const Tensor none;
    return i < parameters.size() ? parameters[i]->value : none;
}

ConvKey convKey(ConvKey::Pass pass, const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Dims& output, const ConvArgs& args) {
    ConvKey key;
    key.pass = pass;
    key.dims = x->dims.rank - 2;
    key.transposed = args.transposed;
    key.batch = x->dims[0];
    key.inChannels = x->dims[1];
    key.outChannels = output[1];
    key.groups = args.groups;
    key.input = spatialOf(x->dims);
    key.output = spatialOf(output);
    key.kernel = spatialOf(weight->dims);
    key.stride = args.stride;
    key.padding = args.padding;
    key.dilation = args.dilation;
    key.outputPadding = args.outputPadding;
    key.bias = bias != nullptr;
    key.dtype = x->dtype;
    return key;
}

Tensor withoutMemory(const Dims& dims) {
    Tensor made = std::make_shared<TensorImpl>();
    made->dims = dims;
    return made;
}

Dims convOutput(const Tensor& x, const Tensor& weight, const ConvArgs& args) {
    Dims output = x->dims;
    output[1] = args.transposed ? weight->dims[1] * args.groups : weight->dims[0];
    for (int axis = 2; axis < output.rank; ++axis) {
        const auto i = static_cast<std::size_t>(axis - 2);
        const stack::AxisWindow window{weight->dims[axis], args.stride[i], args.dilation[i], args.padding[i],
                                       args.padding[i]};
        output[axis] = args.transposed ? stack::transposedSize(x->dims[axis], window, args.outputPadding[i])
                                       : stack::slidSize(x->dims[axis], window);
    }
    return output;
}

std::string_view convFamily(const ConvKey& key) {
    if (key.transposed) {
        return "conv_transpose";
    }
    if (key.groups > 1 && key.groups == key.inChannels) {
        return "depthwise";
    }
    const bool pointwise =
        std::all_of(key.kernel.begin(), key.kernel.end(), [](std::int64_t k) { return k == 1; });
    return pointwise ? "conv_1x1" : "conv";
}

void play(Machine& machine, const OpRow& row, const std::array<Tensor*, 3>& results,
          const std::array<Dims, 3>& shapes, Bytes outputBytes) {
    std::vector<StoragePtr> temporaries;
    for (const OpEvent& event : row.events) {
        const auto number = static_cast<std::size_t>(event.value);
        if (event.kind == OpEvent::Kind::Allocate) {
            temporaries.push_back(machine.allocate(event.value));
        } else if (event.kind == OpEvent::Kind::Free && number < temporaries.size()) {
            temporaries[number].reset();
        } else if (event.kind == OpEvent::Kind::Result && number < results.size() &&
                   results[number] != nullptr) {
            *results[number] = inMemoryOf(machine, shapes[number], number == 0 ? outputBytes : 0);
        }
    }
    for (std::size_t i = 0; i < results.size(); ++i) {  // only a faulty table has a row without one of the
                                                        // results
        if (results[i] != nullptr && !*results[i]) {
            *results[i] = inMemoryOf(machine, shapes[i], i == 0 ? outputBytes : 0);
        }
    }
}

void lookUpCpu(Machine& machine, const ConvKey& key, Machine::Met& met) {
    static const Calibration kNone;
    const Calibration& table = machine.target.calibration ? *machine.target.calibration : kNone;
    met.row = table.find(key);
    met.known = met.row != nullptr;
    if (!met.known) {
        met.guess = table.guess(key);
        met.guessedUs = table.guessMicroseconds(key);
    }
}

Tensor convCpu(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias,
               const ConvArgs& args) {
    const Dims output = convOutput(x, weight, args);
    ConvKey forward = convKey(ConvKey::Pass::Forward, x, weight, bias, output, args);
    forward.inputContiguous = x->contiguous;
    forward.channelsLast = !liesAs(x, false) && x->contiguous;
    const bool stays = staysChannelsLast(machine, forward);
    const NodePtr node = machine.node({&x, &weight, &bias});
    const Machine::Met* const met = machine.resumes ? nullptr : &beginConv(machine, forward, "conv", 1);
    machine.save(node, x);
    machine.save(node, weight);
    Tensor made = met != nullptr ? forwardCpu(machine, *met, forward, x, output) : withoutMemory(output);
    made->channelsLast = stays;
    if (!node) {
        return made;
    }

    ConvKey backward = forward;
    backward.pass = ConvKey::Pass::Backward;
    backward.inputGradient = x->needsGradient();
    backward.weightGradient = weight->needsGradient();
    node->apply = [backward, stays, shapes = std::array{x->dims, weight->dims, Dims{output[1]}}](
                      Machine& m, Node& self, Tensor& gradient, Gradients& out) {
        ConvKey key = backward;
        key.gradientContiguous = liesAs(gradient, stays);
        key.gradientTurned = !key.gradientContiguous && !stays && key.groups > 1 && !key.transposed &&
                             gradient->channelsLast && gradient->contiguous;
        const double passes = (key.inputGradient ? 1 : 0) + (key.weightGradient ? 1 : 0);
        const Machine::Met& pass = beginConv(m, key, "conv backward", passes);
        const StoragePtr copy =
            !key.inputContiguous && !pass.row ? m.allocate(4 * shapes[0].elements()) : nullptr;
        const auto wanted = [&](std::size_t i) { return self.next[i] ? &out[i] : nullptr; };
        compute(m, pass, {wanted(0), wanted(1), wanted(2)}, shapes);
        for (const std::size_t i : {0U, 1U}) {
            if (out[i]) {
                out[i]->channelsLast = stays;
            }
        }
    };
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
