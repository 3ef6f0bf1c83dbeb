#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/strides.h"

/// Norms on a GPU (cudnn/BatchNorm.cpp, cuda/Normalization.cu, cuda/group_norm_kernel.cu).
namespace highwater::predict::ghost {

namespace {

/// LibTorch's and cuDNN's kernels for contiguous tensors give each channel (instance_norm: each channel of a
/// sample; group_norm: each group) to one block of threads, which then determines the time of large rows.
/// Clock cycles per element, measured on an H200 at 1.98 GHz with 3 to 64 rows: batch_norm and instance_norm
/// forward (13 values in fp32, 12 in fp16) and backward (22), batch_norm forward of LibTorch's own (4, bf16),
/// group_norm forward (14) and backward (10).
constexpr double kRowForward = 1.05, kRowForwardLow = 1.3, kRowForwardOwn = 3.1, kRowBackward = 2.85,
                 kGroupForward = 1.65, kGroupBackward = 2.1;

/// Batch statistics are fp32, regardless of x's type.
constexpr DType kStatistics = DType::Float32;

bool usesCudnn(const Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    constexpr std::int64_t kMostSamples = 880801;
    return machine.target.settings.cudnn && weight && bias && x->dtype != DType::BFloat16 &&
           weight->dtype == DType::Float32 && x->dims[0] <= kMostSamples;
}

/// cuDNN's temporary memory for a batch_norm: small, not measured.
StoragePtr normWorkspace(Machine& machine, bool cudnn) {
    return cudnn ? workspace(machine, "cudnn workspace", {0, 0, base::kMiB}) : nullptr;
}

void parameterGradients(Machine& machine, const Node& self, std::int64_t channels, Gradients& out) {
    for (const std::size_t i : {1U, 2U}) {
        if (self.next[i]) {
            out[i] = machine.empty({channels}, machine.modelType());
        }
    }
}

Tensor cudaBatchNorm(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias,
                     bool train) {
    const std::int64_t channels = x->dims[1];
    const bool cudnn = usesCudnn(machine, x, weight, bias);
    const NodePtr node = machine.node({&x, &weight, &bias});
    WalkOp& op = machine.op("batch_norm", "norm", 3 * static_cast<double>(x->bytes()));
    const double row = static_cast<double>(x->elements() / channels);
    if (train && liesAs(x, false)) {
        op.blockCycles = row * (!cudnn ? kRowForwardOwn : isLow(x->dtype) ? kRowForwardLow : kRowForward);
    }
    machine.save(node, x);
    machine.save(node, weight);
    Tensor made = machine.like(x);
    if (train) {
        const Tensor mean = machine.empty({channels}, kStatistics),
                     deviation = machine.empty({channels}, kStatistics);
        machine.save(node, mean);
        machine.save(node, deviation);
        // var_mean of 3d channels_last (batch_norm_choose_impl: general) reads fp32. Its sums across blocks,
        // up to an eighth of that, are not counted.
        const bool general = !cudnn && x->dims.rank == 5 && !liesAs(x, false);
        const Tensor wide = general && isLow(x->dtype) ? machine.empty(x->dims) : nullptr;
        const StoragePtr passing = normWorkspace(machine, cudnn);
        if (cudnn && machine.target.settings.channelsLast && node) {
            machine.label("cudnn reserve");
            const StoragePtr reserve = machine.allocate({0, 0, x->elements() / 8});
            machine.retag(reserve, Category::Activations);
            machine.save(node, reserve);
        }
    }
    if (node) {
        node->apply = [dims = x->dims, channels, cudnn, channelsLast = x->channelsLast](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            WalkOp& back = m.op("batch_norm backward", "norm", 5 * static_cast<double>(gradient->bytes()));
            if (!channelsLast || inBothLayouts(dims)) {
                back.blockCycles = static_cast<double>(dims.elements() / channels) * kRowBackward;
            }
            const StoragePtr copy = layoutCopy(m, gradient, channelsLast);
            // Native kernels for 2d channels_last compute the sums first and then allocate the result. The
            // one for 3d makes a contiguous result.
            const bool sums =
                !cudnn && (dims.spatial() == 1 || (dims.rank == 4 && (channelsLast || dims[1] == 1)));
            const bool its = channelsLast && (cudnn || dims.rank != 5);
            const Tensor sum = sums ? m.empty({channels}) : nullptr,
                         products = sums ? m.empty({channels}) : nullptr;
            if (sums) {
                parameterGradients(m, self, channels, out);
            }
            if (self.next[0]) {
                out[0] = emptyAs(m, dims, gradient->dtype, its);
            }
            if (!sums) {
                parameterGradients(m, self, channels, out);
            }
            const StoragePtr passing = normWorkspace(m, cudnn);
        };
    }
    made->edge = node;
    return made;
}

/// Repeats a parameter for each sample. If there are several samples, its gradient is summed.
Tensor cudaRepeat(Machine& machine, const Tensor& value, std::int64_t times) {
    if (!value) {
        return value;
    }
    const NodePtr node = machine.node({&value});
    const std::int64_t size = value->dims[0];
    Tensor made = machine.empty({times * size}, value->dtype);
    if (node) {
        node->apply = [size, times, type = value->dtype](Machine& m, Node&, Tensor& gradient,
                                                         Gradients& out) {
            out[0] = times == 1 ? gradient : m.empty({size}, type);
        };
    }
    made->edge = node;
    return made;
}

Tensor cudaReshaped(Machine& machine, const Tensor& x, const Dims& dims) {
    Tensor made = Machine::view(x, dims, true);
    const NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = liesAs(gradient, false) ? Machine::gradientView(gradient, dims, true)
                                             : m.empty(dims, gradient->dtype);
        };
    }
    made->edge = node;
    made->base = x;
    return made;
}

/// Returns x, or a copy that is not channels_last. The gradient is passed on unchanged.
Tensor cudaContiguous(Machine& machine, const Tensor& x) {
    if (liesAs(x, false)) {
        return x;
    }
    machine.op("instance_norm", "copy", 0);
    readsInto(machine, x, false);
    Tensor made = machine.empty(x->dims, x->dtype);
    const NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) { out[0] = gradient; };
    }
    made->edge = node;
    return made;
}

Tensor cudaInstanceNorm(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    machine.label("instance_norm");
    const Tensor weights = cudaRepeat(machine, weight, x->dims[0]),
                 biases = cudaRepeat(machine, bias, x->dims[0]);
    Dims flat = x->dims;
    flat[1] = x->dims[0] * x->dims[1];
    flat[0] = 1;
    const Tensor input = cudaReshaped(machine, cudaContiguous(machine, x), flat);
    const Tensor made = cudaBatchNorm(machine, input, weights, biases, true);
    return cudaReshaped(machine, made, x->dims);
}

/// Computes in fp32 under autocast; the statistics then have x's type.
Tensor cudaGroupNorm(Machine& machine, const stack::Norm& norm, const Tensor& given, const Tensor& weight,
                     const Tensor& bias) {
    const Tensor x = isLow(autocastType(machine)) ? cast(machine, given, DType::Float32) : given;
    const std::int64_t channels = x->dims[1], samples = x->dims[0];
    const NodePtr node = machine.node({&x, &weight, &bias});
    machine.op("group_norm", "norm", 3 * static_cast<double>(x->bytes())).blockCycles =
        static_cast<double>(x->elements() / (samples * norm.numGroups)) * kGroupForward;
    const Tensor input = liesAs(x, false) ? x : machine.empty(x->dims, x->dtype);
    if (input != x && x->channelsLast) {
        turns(machine, x->dims, x->dtype, false);
    }
    machine.save(node, input);
    machine.save(node, weight);
    Tensor made = machine.empty(x->dims, x->dtype);
    const Tensor mean = machine.empty({samples, norm.numGroups}, x->dtype),
                 deviation = machine.empty({samples, norm.numGroups}, x->dtype);
    machine.save(node, mean);
    machine.save(node, deviation);
    if (weight && x->dims.spatial() > 1) {
        const Tensor factors = machine.empty({samples, channels}), terms = machine.empty({samples, channels});
    }
    if (node) {
        node->apply = [dims = x->dims, groups = norm.numGroups, affine = weight != nullptr](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            m.op("group_norm backward", "norm", 5 * static_cast<double>(gradient->bytes())).blockCycles =
                static_cast<double>(dims.spatial()) * kGroupBackward;
            const StoragePtr copy = temporaryCopy(m, gradient);
            if (self.next[0]) {
                out[0] = m.empty(dims, gradient->dtype);
            }
            parameterGradients(m, self, dims[1], out);
            const bool places = dims.spatial() > 1;
            const Dims sums{dims[0], dims[1]}, means{dims[0], groups};
            const Tensor ds = places ? m.empty(sums) : nullptr, db = places ? m.empty(sums) : nullptr;
            if (!self.next[0]) {
                return;
            }
            const Tensor c2 = places ? m.empty(means) : nullptr, c3 = places ? m.empty(means) : nullptr;
            const Tensor c1 = affine && places ? resizedTo(m, sums, kStatistics) : nullptr;
        };
    }
    made->edge = node;
    return made;
}

}  // namespace

/// Computes in fp32 under autocast. The temporary memory of the sums of the parameters' gradients is not
/// counted.
Tensor layerNormCuda(Machine& machine, const stack::LayerNorm& norm, const LayerState& state,
                     const Tensor& given) {
    const Tensor x = isLow(autocastType(machine)) ? cast(machine, given, DType::Float32) : given;
    const Tensor &weight = state.value(0), &bias = state.value(1);
    const NodePtr node = machine.node({&x, &weight, &bias});
    machine.op("layer_norm", "norm", 3 * static_cast<double>(x->bytes()));
    for (const Tensor* kept : {&x, &weight, &bias}) {
        machine.save(node, *kept);
    }
    const StoragePtr input = temporaryCopy(machine, x);
    Tensor made = machine.empty(x->dims, x->dtype);
    const Dims its(norm.normalizedShape), groups{x->elements() / its.elements()};
    const Tensor mean = machine.empty(groups, kStatistics), deviation = machine.empty(groups, kStatistics);
    machine.save(node, mean);
    machine.save(node, deviation);
    if (node) {
        node->apply = [lies = outlineOf(x), type = x->dtype, dims = x->dims, its](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            m.op("layer_norm backward", "norm", 5 * static_cast<double>(gradient->bytes()));
            const StoragePtr before = temporaryCopy(m, lies);
            if (self.next[0]) {
                out[0] = m.empty(dims, type);
            }
            for (const std::size_t i : {1U, 2U}) {
                if (self.next[i]) {
                    out[i] = m.empty(its, m.modelType());
                }
            }
            const StoragePtr copy = temporaryCopy(m, gradient);
        };
    }
    made->edge = node;
    return made;
}

Tensor normCuda(Machine& machine, const stack::Norm& norm, const LayerState& state, const Tensor& x,
                ForwardMode mode) {
    const Tensor& weight = state.value(0);
    const Tensor& bias = state.value(1);
    if (norm.kind == stack::Norm::Kind::Group) {
        return cudaGroupNorm(machine, norm, x, weight, bias);
    }
    if (norm.kind == stack::Norm::Kind::Instance) {
        return cudaInstanceNorm(machine, x, weight, bias);
    }
    return cudaBatchNorm(machine, x, weight, bias, mode != ForwardMode::Evaluate);
}

}  // namespace highwater::predict::ghost
