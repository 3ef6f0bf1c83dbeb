#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// batch_norm, instance_norm and group_norm on the CPU (Normalization.cpp, group_norm.cpp).
namespace highwater::predict::ghost {

namespace {

double twice(const Tensor& x) {
    return 2 * static_cast<double>(x->bytes());
}

/// For a channels_last tensor, or one with one position per sample: each thread has its own sums.
void threadSums(Machine& machine, const Dims& dims, bool channelsLast, int sums) {
    if (channelsLast || dims.spatial() == 1) {
        machine.allocate(sums * machine.threads * 4 * dims[1]);
    }
}

/// Whether batch_norm's kernels support x's layout: in 1.13 not 3d channels_last.
bool knows(const Machine& machine, const Tensor& x) {
    return liesAs(x, false) || (x->contiguous && x->channelsLast &&
                                (x->dims.rank == 4 || machine.torch >= memory::TorchVersion{2, 0}));
}

/// Whether batch_norm's backward accepts a gradient in its layout. One that is dense in either layout is
/// accepted, unless it suggests the other layout.
bool passes(const Tensor& gradient, bool channelsLast) {
    return liesAs(gradient, channelsLast) ||
           (!channelsLast && !gradient->channelsLast && gradient->strides && gradient->dims.rank == 4 &&
            isChannelsLast(gradient->dims, *gradient->strides));
}

/// native_batch_norm on x; the statistics are over its second axis.
Tensor batchNorm(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias, bool train) {
    const std::int64_t channels = x->dims[1];
    const bool known = knows(machine, x);
    const NodePtr node = machine.node({&x, &weight, &bias});
    machine.op("batch_norm", "norm", twice(x));
    machine.save(node, x);
    machine.save(node, weight);
    Tensor mean, deviation;
    if (train) {
        mean = machine.empty({channels});
        if (!known) {
            scalar(machine);
        }
        deviation = machine.empty({channels});
    }
    if (train && known) {
        const StoragePtr means = machine.allocate(4 * channels), sums = machine.allocate(4 * channels);
        threadSums(machine, x->dims, x->channelsLast, 1);
    }
    const bool scalars = !known && weight == nullptr;  // one and zero, if there are no parameters
    StoragePtr one = scalars ? machine.allocate(4) : nullptr, zero = scalars ? machine.allocate(4) : nullptr;
    Tensor made = emptyAs(machine, x->dims, x->dtype, x->channelsLast);
    zero.reset();
    one.reset();
    if (known) {
        const StoragePtr alpha = machine.allocate(4 * channels), beta = machine.allocate(4 * channels);
    }
    machine.save(node, mean);
    machine.save(node, deviation);
    if (!node) {
        return made;
    }
    const bool affine = weight != nullptr;
    node->apply = [dims = x->dims, channels, affine, known, last = x->channelsLast](
                      Machine& m, Node& self, Tensor& gradient, Gradients& out) {
        const bool wanted = self.next[0] != nullptr;
        WalkOp& op = m.op("batch_norm backward", "norm", 0);
        if (wanted) {
            out[0] = emptyAs(m, dims, gradient->dtype, last);
        }
        op.bytesMoved = 3 * static_cast<double>(gradient->bytes());
        for (const std::size_t i : {1U, 2U}) {
            if (self.next[i]) {
                out[i] = m.empty({channels});
            }
        }
        if (!known || !passes(gradient, last)) {
            const StoragePtr sum = m.allocate(4 * channels);
            const StoragePtr threads = channels == 1 ? threadsSum(m, dims.elements()) : nullptr;
            return;
        }
        if (wanted) {
            out[0] = emptyAs(m, dims, gradient->dtype, last);
        }
        const StoragePtr ones = !affine && dims.spatial() == 1 ? m.allocate(4 * channels) : nullptr;
        threadSums(m, dims, last, 2);
    };
    made->edge = node;
    return made;
}

/// Repeats a parameter for each sample.
Tensor repeat(Machine& machine, const Tensor& value, std::int64_t times) {
    if (!value) {
        return value;
    }
    const NodePtr node = machine.node({&value});
    const std::int64_t size = value->dims[0];
    Tensor made = machine.empty({times * size});
    if (node) {
        node->apply = [size, times](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            if (times == 1) {
                out[0] = gradient;
            } else {
                out[0] = m.empty({size});
            }
        };
    }
    made->edge = node;
    return made;
}

Tensor reshaped(Machine& machine, const Tensor& x, const Dims& dims) {
    Tensor made = Machine::view(x, dims, true);
    made->edge = viewNode(machine, x, x->dims, true);
    made->base = x;
    return made;
}

Tensor instanceNorm(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    machine.label("instance_norm");
    const Tensor weights = repeat(machine, weight, x->dims[0]);
    const Tensor biases = repeat(machine, bias, x->dims[0]);
    Dims flat = x->dims;
    flat[1] = x->dims[0] * x->dims[1];
    flat[0] = 1;
    const Tensor input = reshaped(machine, dense(machine, x, "instance_norm"), flat);
    const Tensor made = batchNorm(machine, input, weights, biases, true);
    return reshaped(machine, made, x->dims);
}

Tensor groupNorm(Machine& machine, const stack::Norm& norm, const Tensor& given, const Tensor& weight,
                 const Tensor& bias) {
    const Tensor x = liesAs(given, given->channelsLast) ? given : dense(machine, given, "group_norm");
    const std::int64_t channels = x->dims[1], samples = x->dims[0], groups = samples * norm.numGroups;
    const NodePtr node = machine.node({&x, &weight, &bias});
    machine.op("group_norm", "norm", twice(x));
    machine.save(node, x);
    machine.save(node, weight);
    Tensor made = machine.like(x);
    const Tensor mean = machine.empty({groups}), deviation = machine.empty({groups});
    if (!liesAs(x, false)) {  // two sums for each channel, from 1024 positions per thread on
        const std::int64_t each = x->dims.spatial() < 1024 ? 1 : machine.threads;
        machine.allocate(each * 2 * 4 * samples * channels);
    }
    machine.save(node, mean);
    machine.save(node, deviation);
    if (!node) {
        return made;
    }
    const bool affine = weight != nullptr;
    node->apply = [dims = x->dims, last = x->channelsLast, channels, samples, affine](
                      Machine& m, Node& self, Tensor& gradient, Gradients& out) {
        m.op("group_norm backward", "norm", 3 * static_cast<double>(gradient->bytes()));
        const StoragePtr copy = layoutCopy(m, gradient, last);
        if (self.next[0]) {
            out[0] = m.empty(dims);
        }
        for (const std::size_t i : {1U, 2U}) {
            if (affine) {
                out[i] = m.empty({channels});
            }
        }
        const StoragePtr ds = m.allocate(4 * samples * channels), db = m.allocate(4 * samples * channels);
    };
    made->edge = node;
    return made;
}

}  // namespace

namespace {

/// The shape of the statistics that layer_norm saves for each group of values.
Dims statisticsOf(const stack::LayerNorm& norm, const Dims& dims) {
    Dims statistics = dims;
    for (std::size_t i = 1; i <= norm.normalizedShape.size(); ++i) {
        statistics[dims.rank - static_cast<int>(i)] = 1;
    }
    return statistics;
}

}  // namespace

/// layer_norm.cpp: in backward, each thread has its own sums of the parameters' gradients.
Tensor layerNorm(Machine& machine, const stack::LayerNorm& norm, const LayerState& state, const Tensor& x) {
    const Tensor &weight = state.value(0), &bias = state.value(1);
    const NodePtr node = machine.node({&x, &weight, &bias});
    machine.op("layer_norm", "norm", twice(x));
    machine.save(node, x);
    machine.save(node, weight);
    machine.save(node, bias);
    StoragePtr copy = temporaryCopy(machine, x);
    Tensor made = machine.empty(x->dims);
    const Dims statistics = statisticsOf(norm, x->dims);
    Tensor mean = machine.empty(statistics), deviation = machine.empty(statistics);
    copy.reset();
    machine.save(node, mean);
    machine.save(node, deviation);
    if (!node) {
        mean.reset();
        deviation.reset();
        return made;
    }
    node->apply = [copies = !liesAs(x, false), dims = x->dims, its = Dims(norm.normalizedShape),
                   affine = weight != nullptr](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
        m.op("layer_norm backward", "norm", 3 * static_cast<double>(gradient->bytes()));
        const StoragePtr input = copies ? m.allocate(4 * dims.elements()) : nullptr;
        if (self.next[0]) {
            out[0] = m.empty(dims);
        }
        for (const std::size_t i : {1U, 2U}) {
            if (affine) {
                out[i] = m.empty(its);
            }
        }
        const StoragePtr gradientCopy = temporaryCopy(m, gradient);
        const StoragePtr sums = affine ? m.allocate(2 * m.threads * 4 * its.elements()) : nullptr;
    };
    made->edge = node;
    return made;
}

Tensor norm(Machine& machine, const stack::Norm& norm, const LayerState& state, const Tensor& x,
            ForwardMode mode) {
    const Tensor& weight = state.value(0);
    const Tensor& bias = state.value(1);
    if (norm.kind == stack::Norm::Kind::Group) {
        return groupNorm(machine, norm, x, weight, bias);
    }
    if (norm.kind == stack::Norm::Kind::Instance) {
        return instanceNorm(machine, x, weight, bias);
    }
    return batchNorm(machine, x, weight, bias, mode != ForwardMode::Evaluate);
}

}  // namespace highwater::predict::ghost
